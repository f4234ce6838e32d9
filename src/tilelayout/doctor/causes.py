"""Where the padding of an array comes from: which dimension each tile fills up, and the bytes that it adds.

Tiles are followed one entry at a time, the most minor first, and each is charged with what it adds to the size so far. So
the bytes of all causes are the whole difference between the elements and the memory that they take.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from ..errors import expect
from ..moves import UNIT, Dims, axes, permute
from ..notations.xla import COMBINE, Shape
from ..notations.xla.tiling import Tile, expanded, tile_text
from ..notations.xla.types import xla_element
from ..radix import Digit


class Cause(NamedTuple):
    """What adds bytes, or saves them: a tile that fills a dimension up, the alignment of the end, the width of a slot, or a prefix.

    A tile fills up ``size`` to ``filled``, a multiple of ``multiple``. ``axes`` are the dimensions of the array that are counted
    there, none if the tile has more entries than the array has dimensions. ``bytes`` is what it adds.
    """

    kind: str
    axes: tuple[int, ...]
    tile: str
    size: int
    filled: int
    multiple: int
    bytes: int

    @property
    def factor(self) -> float:
        """How many times what there was before; 1 where there was nothing."""
        return self.filled / self.size if self.size else 1.0

    def __str__(self) -> str:
        if self.kind == "width":
            return f"each element is stored in {self.filled} bits instead of {self.size}"
        if self.kind == "alignment":
            return f"the end is filled up to {self.filled} elements, a multiple of {self.multiple}"
        if self.kind == "prefix":
            return f"{self.multiple} bytes stand in front, for the sizes of dynamic dimensions"
        if not self.axes:
            named = "a dimension that the array does not have"
        elif len(self.axes) == 1:
            named = f"dim {self.axes[0]}"
        else:
            named = f"dims {' and '.join(map(str, self.axes))} together"
        return f"{named} ({self.size}) is filled up to {self.filled} by tile {self.tile}"


def causes(shape: Shape) -> tuple[Cause, ...]:
    """What makes the array larger or smaller than its elements, in the order in which it adds up; an empty array has a prefix at most.

    Of an array that is cut (``SC``) these are the causes of its largest piece.

    >>> from tilelayout.notations import xla
    >>> for cause in causes(xla.parse_shape("f32[5,100]{1,0:T(8,128)}")):
    ...     print(cause.bytes, cause)
    560 dim 1 (100) is filled up to 128 by tile (8,128)
    1536 dim 0 (5) is filled up to 8 by tile (8,128)
    """
    expect(shape, Shape, "a shape of tilelayout.xla, such as xla.parse_shape gives")
    shape = shape.largest_piece
    assert shape.layout is not None
    whole = xla_element(shape.element_type).bits
    found = []
    elements = shape.elements
    for level, dims, tile in _levels(shape):
        name = tile_text(tile) if level == 0 else f"{tile_text(tile)}, number {level + 1}"
        for met, size, entry, after in _entries(dims, tile):
            if after != elements:
                filled = -(-size // entry) * entry
                found.append(Cause("tile", met, name, size, filled, entry, (after - elements) * whole // 8))
            elements = after
    slots = shape.padded_elements
    if slots != elements:
        multiple = shape.layout.tail_padding_alignment_in_elements
        found.append(Cause("alignment", (), "", elements, slots, multiple, (slots - elements) * whole // 8))
    stored = xla_element(shape.element_type, shape.layout.element_size_in_bits).bits
    prefix = shape.layout.dynamic_shape_metadata_prefix_bytes
    if stored != whole and slots:
        found.append(Cause("width", (), "", whole, stored, stored, shape.allocation_byte_size - prefix - slots * whole // 8))
    if prefix:
        found.append(Cause("prefix", (), "", shape.allocation_byte_size - prefix, shape.allocation_byte_size, prefix, prefix))
    return tuple(found)


def _levels(shape: Shape) -> Iterator[tuple[int, Dims, Tile]]:
    """Each tile, and the dimensions that it meets."""
    assert shape.layout is not None
    dims = permute(axes(shape.bounds), shape.layout.minor_to_major[::-1])
    for level, tile in enumerate(shape.layout.tiles):
        dims = (*(UNIT,) * (len(tile) - len(dims)), *dims)
        yield level, dims, tile
        dims = expanded(dims, [tile])


def _entries(dims: Dims, tile: Tile) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """The entries of a tile, the last first: the axes that each meets, their size, the entry, and the elements when they are filled up."""
    begin = len(dims) - len(tile)
    for last in reversed(range(len(tile))):
        if tile[last] == COMBINE:
            continue
        first = last
        while first and tile[first - 1] == COMBINE:
            first -= 1
        met = dims[begin + first : begin + last + 1]
        partial = tuple(size if k >= last or size == COMBINE else 1 for k, size in enumerate(tile))
        yield _axes(met), prod(dim.radix for dim in met), tile[last], prod(dim.radix for dim in expanded(dims, [partial]))


def _axes(dims: Dims) -> tuple[int, ...]:
    """The axes that the dimensions are cut from."""
    read = (Digit(dim.source, dim.divisor, dim.radix, 1).axes for dim in dims)
    return tuple(sorted(frozenset[int]().union(*read)))
