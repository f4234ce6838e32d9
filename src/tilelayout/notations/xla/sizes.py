"""XLA's own sizes, which are not those of the nested tiles.

XLA has two size functions (xla/shape_util.cc), and neither follows every level of tiling: ``ByteSizeOf`` ignores tiles,
and ``ArraySize`` pads by the first tile alone, on the assumption that the others add nothing. For the formats that TPUs
use the second agrees with the memory that an array takes, except for tiled scalars and split layouts.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from ...errors import LayoutError
from .tiling import COMBINE, tile_text
from .types import xla_element

if TYPE_CHECKING:
    from .layout import Layout


class Array(NamedTuple):
    """An array whose sizes are all known."""

    element_type: str
    bounds: tuple[int, ...]
    layout: Layout


def byte_size(elements: int, array: Array) -> int:
    """Bytes of so many of the array's elements, those narrower than a byte packed if the layout has ``E``."""
    return -(-elements * xla_element(array.element_type, array.layout.element_size_in_bits).bits // 8)


def xla_array_size(array: Array) -> int:
    """What ``ShapeUtil::ArraySize`` answers."""
    if not array.layout.tiles:
        return byte_size(prod(array.bounds), array)
    tile = array.layout.tiles[0]
    if not tile or COMBINE in tile:
        raise LayoutError(f"XLA's ArraySize has no answer for T{tile_text(tile)}, only for tiles of plain sizes; use byte_size")
    pieces = split_sizes(array)
    pieces = [1] * (len(tile) - len(pieces)) + pieces
    begin = len(pieces) - len(tile)
    padded = prod(pieces[:begin]) * prod(-(-size // t) * t for size, t in zip(pieces[begin:], tile, strict=True))
    alignment = array.layout.tail_padding_alignment_in_elements
    return byte_size(-(-padded // alignment) * alignment, array)


def split_sizes(array: Array) -> list[int]:
    """The physical dimensions, major first, each with the size of the largest piece that ``SC`` leaves of it."""
    sizes = [array.bounds[axis] for axis in reversed(array.layout.minor_to_major)]
    for dimension, indices in array.layout.split_configs:
        ends = (*indices, sizes[dimension])
        sizes[dimension] = max(end - begin for begin, end in zip((0, *indices), ends, strict=True))
    return sizes
