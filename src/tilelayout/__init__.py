"""Tensor memory layouts: read them in any language, pack and unpack arrays, ask where elements lie."""

from . import cute
from ._version import __version__
from .digits import Layout
from .elements import Element
from .errors import CoordinateError, LayoutError, LayoutSyntaxError, NotExpressible, NotInjective, ShapeError
from .notations import layout, xla
from .notations.xla import linear_index, linear_index_with_tile
from .packing import pack, unpack
from .radix import Digit

__all__ = [
    "CoordinateError",
    "Digit",
    "Element",
    "Layout",
    "LayoutError",
    "LayoutSyntaxError",
    "NotExpressible",
    "NotInjective",
    "ShapeError",
    "__version__",
    "cute",
    "layout",
    "linear_index",
    "linear_index_with_tile",
    "pack",
    "unpack",
    "xla",
]
