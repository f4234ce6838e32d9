"""Tensor memory layouts: read them in any language, pack and unpack arrays, ask where elements lie."""

from . import cute, doctor, drawing, files, hlo, presets
from ._version import __version__
from .difference import diff
from .digits import Layout
from .drawing import Drawing, draw
from .elements import Element
from .errors import CoordinateError, LayoutError, LayoutSyntaxError, NotExpressible, NotInjective, ShapeError
from .formulas import formula
from .inference import Inferred, NotInferred, infer, probe
from .notations import einops, jax, layout, mlir, morello, mosaic, onednn, strides, triton, tvm, xla
from .notations.xla import linear_index, linear_index_with_tile
from .packing import pack, unpack
from .radix import Digit
from .recipes import recipe
from .relayout import relayout

__all__ = [
    "CoordinateError",
    "Digit",
    "Drawing",
    "Element",
    "Inferred",
    "Layout",
    "LayoutError",
    "LayoutSyntaxError",
    "NotExpressible",
    "NotInferred",
    "NotInjective",
    "ShapeError",
    "__version__",
    "cute",
    "diff",
    "doctor",
    "draw",
    "drawing",
    "einops",
    "files",
    "formula",
    "hlo",
    "infer",
    "jax",
    "layout",
    "linear_index",
    "linear_index_with_tile",
    "mlir",
    "morello",
    "mosaic",
    "onednn",
    "pack",
    "presets",
    "probe",
    "recipe",
    "relayout",
    "strides",
    "triton",
    "tvm",
    "unpack",
    "xla",
]
