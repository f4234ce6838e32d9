"""XLA's layout language: ``f32[3,5]{1,0:T(2,2)}``, and the layouts that XLA:TPU chooses.

    >>> from tilelayout.notations import xla
    >>> shape = xla.parse_shape("f32[3,5]{1,0:T(2,2)}")
    >>> shape.byte_size, shape.bind()(2, 3)
    (96, 17)

The text is what XLA prints in HLO; its meaning is that of XLA's "Tiled layout" page and of xla/layout_util.cc.
"""

from .expressing import express
from .formulas import linear_index, linear_index_with_tile
from .layout import Layout
from .proto_reading import from_proto
from .proto_writing import to_proto
from .reading import parse, parse_layout, parse_shape, recognizes
from .shape import Shape
from .tiling import COMBINE
from .tpu import FORMATS, GENERATIONS, format_layout, tpu_layout
from .types import element_type
from .validation import SplitConfig

__all__ = [
    "COMBINE",
    "FORMATS",
    "GENERATIONS",
    "Layout",
    "Shape",
    "SplitConfig",
    "element_type",
    "express",
    "format_layout",
    "from_proto",
    "linear_index",
    "linear_index_with_tile",
    "parse",
    "parse_layout",
    "parse_shape",
    "recognizes",
    "to_proto",
    "tpu_layout",
]
