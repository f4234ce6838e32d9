"""The tiles that TPUs use, for a layout that may be theirs.

A TPU's tile has rows of 128 lanes; for elements narrower than 32 bits a second tile interleaves as many rows as share a
lane. Which tiles there were cannot always be told from where the elements lie, so those come first that the compiler
would choose for elements of the width, then the others by how often they are met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

from ... import digits
from .layout import Layout
from .tiling import Tile
from .tpu import LANES, WORD_BITS, tiles_of, tpu_layout
from .writing import with_units

#: A type of each width that shares a 32-bit lane, by how many do.
_TYPES = {1: "u32", 2: "u16", 4: "u8", 8: "u4", 16: "u2", 32: "u1"}
#: The rows of a tile, the most usual first.
_ROWS = (8, 4, 2, 1, 16, 32, 64, 128)


def customary(layout: digits.Layout) -> Iterator[Layout]:
    """The layouts with a TPU's tiles that may be this one.

    >>> import tilelayout as tl
    >>> print(next(customary(tl.layout("bf16[3,5]{1,0:T(8,128)(2,1)}"))))
    {1,0:T(4,128)(2,1)}
    """
    if not layout.ndim or not layout.size or layout.slots % LANES:
        return
    width = layout.element.bits if layout.element else 0
    for packing in sorted(_TYPES, key=lambda packing: packing * width != WORD_BITS):
        for order in _orders(layout, packing):
            if sorted(order) != [*range(layout.ndim)]:  # an axis that only sums read
                continue
            bare = Layout(order[::-1])
            for tiles in dict.fromkeys(_tiles(layout.shape, bare.minor_to_major, packing)):
                if layout.slots % prod(tiles[0]) == 0:
                    yield replace(bare, tiles=tiles)


def _orders(layout: digits.Layout, packing: int) -> Iterator[tuple[int, ...]]:
    """The orders of axes, major first, in which the last two are the rows and lanes of tiles, for so many elements in a lane."""
    longer = [digit.axis for digit in sorted(layout.canonical, key=lambda digit: -digit.stride) if isinstance(digit.axis, int)]
    units = [axis for axis, size in enumerate(layout.shape) if size == 1]
    first = {digit.stride: digit.axis for digit in layout.canonical if isinstance(digit.axis, int) and digit.divisor == 1}
    for minor in [first[packing]] if packing in first else reversed(units):
        stride = 1 if packing > 1 else LANES
        rows: Iterable[int | None] = [first[stride]] if stride in first else [axis for axis in reversed(units) if axis != minor]
        for row in rows if layout.ndim > 1 else [None]:
            last = (minor,) if row is None else (row, minor)
            rest = [axis for axis in dict.fromkeys(longer) if axis not in last]
            yield (*with_units(rest, [axis for axis in units if axis not in last]), *last)


def _tiles(shape: Sequence[int], minor_to_major: Sequence[int], packing: int) -> Iterator[tuple[Tile, ...]]:
    """The tiles for so many elements in a lane."""
    for generation in ("v5e", "v3"):
        for tall in (None, True, False):
            chosen = tpu_layout(shape, _TYPES[packing], generation=generation, minor_to_major=minor_to_major, large_second_minor=tall)
            yield chosen.tiles
    yield from (tiles_of(rows, packing, is_flat=len(shape) == 1) for rows in _ROWS)
