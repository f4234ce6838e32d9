"""Tiles: how ``T(...)`` cuts the dimensions of an array.

A tile names the last of the dimensions that there are, most major first. Each is cut into (which tile, where in the
tile), and the second parts move to the end. The next tile does the same with the dimensions that result, so it may
reach past the dimensions inside the tile before it. A ``*`` in a tile fuses its dimension with the next more minor one
first; a tile with more entries than there are dimensions meets dimensions of size 1 in front.

This is the definition of XLA's "Tiled layout" page and of LinearIndexForNestedTiling in xla/layout_util.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from ...errors import LayoutError
from ...moves import UNIT, Dim, Dims, merge, split


class _Combine(int):
    """The tile entry ``*``, with the value that XLA gives it (``Tile::kCombineDimension``)."""

    __slots__ = ()

    def __str__(self) -> str:
        return "*"

    def __repr__(self) -> str:
        return "xla.COMBINE"

    def __reduce__(self) -> str:
        return "COMBINE"


#: The tile entry that fuses its dimension with the next more minor one: ``*`` in text.
COMBINE: Final = _Combine(-(2**63))

Tile: TypeAlias = tuple[int, ...]


def tile_text(tile: Tile) -> str:
    """The tile as XLA writes it.

    >>> tile_text((2, COMBINE, 128))
    '(2,*,128)'
    """
    return f"({','.join(map(str, tile))})"


def expanded(dims: Dims, tiles: Sequence[Tile]) -> Dims:
    """The dimensions, in physical order, after every tile has cut them.

    >>> from tilelayout.moves import axes
    >>> [dim.radix for dim in expanded(axes([3, 5]), [(2, 2)])]
    [2, 3, 2, 2]
    >>> [dim.radix for dim in expanded(axes([2, 7, 8, 11, 10]), [(COMBINE, COMBINE, 2, COMBINE, 3)])]
    [56, 37, 2, 3]
    """
    for tile in tiles:
        dims = (*(UNIT,) * (len(tile) - len(dims)), *dims)
        begin = len(dims) - len(tile)
        whole, sizes = _combined(dims[begin:], tile)
        pairs = [split((dim,), 0, size) for dim, size in zip(whole, sizes, strict=True)]
        dims = (*dims[:begin], *(outer for outer, _ in pairs), *(inner for _, inner in pairs))
    return dims


def _combined(dims: Dims, tile: Tile) -> tuple[Dims, Tile]:
    """The dimensions that a tile names after its stars have fused some, and the tile without stars."""
    if not tile:
        raise LayoutError("T() is an empty tile, which XLA reads but does not define; a tile has one or more entries, such as T(8,128)")
    if COMBINE not in tile:
        return dims, tile
    if tile[-1] == COMBINE:
        raise LayoutError(
            f"T{tile_text(tile)} ends in '*', which XLA reads but does not define: '*' fuses a dimension with the next more minor one, "
            f"and there is none after the last; end the tile in a size, such as T(*,128)"
        )
    fused, sizes, begin = list[Dim](), [], 0
    for k, size in enumerate(tile):
        if size != COMBINE:
            fused += merge(dims[begin : k + 1], 0, k + 1 - begin)
            sizes.append(size)
            begin = k + 1
    return tuple(fused), tuple(sizes)
