"""The memory as a strip of slots, in rows, with what is in the middle of large buffers left out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .. import tables
from ..cached import cached_property
from ..digits import Layout
from ..regions import Region
from .cells import Cell, Cells
from .holders import can_invert
from .sides import block_sizes

#: The levels of borders.
LEVELS = 3
#: The bits of the words in which narrower elements are shown.
WORD = 32
#: Buffers of so many slots are always drawn whole.
MOST_WHOLE = 64
#: The most rows, those shown from the first on where others are left out, the most slots in a row, and the most characters.
MOST_ROWS, FIRST_ROWS, MOST_IN_ROW, MOST_CHARACTERS = 16, 4, 16, 112


class Strip:
    """The slots of a layout in order."""

    def __init__(self, cells: Cells) -> None:
        self._cells, self.layout = cells, cells.layout

    @cached_property
    def rows(self) -> list[list[Cell]] | None:
        """The rows that are drawn; None where what slots hold is not known."""
        if not can_invert(self.layout):
            return None
        kept = [range(row * self.width, min(self.layout.slots, (row + 1) * self.width)) for row in self._kept_rows()]
        cells = iter(self._cells.held([slot for row in kept for slot in row]))
        return [[next(cells) for _ in row] for row in kept]

    @property
    def instead(self) -> str:
        """What to say where there are no rows."""
        if self.rows is None:
            return "memory is not drawn: elements may share slots, and are too many to look at one by one"
        return "no slots"

    @property
    def left_out(self) -> dict[int, str]:
        """What to say before some of the rows, by their number: which slots are left out there."""
        pairs = enumerate(pairwise(self.rows or ()), 1)
        stretches = ((at, a[-1].slot + 1, b[0].slot - 1) for at, (a, b) in pairs)
        return {at: f"… slots {first} to {last} …" for at, first, last in stretches if first <= last}

    @cached_property
    def width(self) -> int:
        """The slots in a row: whole turns of a digit, or words of 32 bits."""
        longest = len(tables.coordinate_text([max(0, n - 1) for n in self.layout.shape]))
        most = min(MOST_IN_ROW, max(4, MOST_CHARACTERS // longest))
        most = 1 << most.bit_length() - 1
        if self.bits and self.bits < 8 and WORD % self.bits == 0:
            return min(most, WORD // self.bits)
        return tables.period(self.layout, most)

    @property
    def bits(self) -> int | None:
        """The bits of a slot, where the layout says them."""
        element = self.layout.element
        return element.bits if element and element.bits > 0 else None

    def level_after(self, slot: int) -> int | None:
        """The level of the border after a slot: 0 after one of the largest tiles, the last after a word or, of narrow elements, a byte."""
        level = next((level for level, tile in enumerate(self._tiles) if (slot + 1) % tile == 0), None)
        bits = self.bits or WORD
        begins = bits < WORD and (slot + 1) * bits % (8 if bits < 8 else WORD) == 0
        return LEVELS - 1 if begins and level is None else level

    def place(self, slot: int) -> str:
        """Where a row begins in memory: its byte, or its word where a row is one, of elements that are narrower than a byte."""
        bits = self.bits or 0
        unit, name = (WORD, "word") if bits < 8 and self.width * bits == WORD else (8, "byte")
        whole = bits >= 8 or (bits and self.width * bits % 8 == 0)
        return f"{name} {slot * bits // unit}" if whole and slot * bits % unit == 0 else ""

    @cached_property
    def _tiles(self) -> list[int]:
        """The slots from one tile to the next, of the largest first, where there are tiles."""
        layout, found = self.layout, [0]
        blocks = [block_sizes(layout, axis) for axis in range(layout.ndim)]
        for level in range(LEVELS):
            begins = {(axis, sizes[level]) for axis, sizes in enumerate(blocks) if len(sizes) > level}
            digits = (*layout.digits, *layout.canonical)
            step = min((abs(digit.stride) for digit in digits if (digit.axis, digit.divisor) in begins), default=0)
            if step and step != found[-1] and found[-1] % step == 0:
                found.append(step)
        return found[1:]

    def _kept_rows(self) -> list[int]:
        """The first rows and the last, and those where tiles and axes begin and end."""
        total = -(-self.layout.slots // self.width)
        most = self._cells.view.most or MOST_ROWS
        if total <= most or self.layout.slots <= MOST_WHOLE:
            return list(range(total))
        kept = {0: None, total - 1: None}
        kept.update((slot // self.width, None) for slot in _telling_slots(self.layout, self._cells.view.region))
        rows = set(list(kept)[:most])
        return sorted(rows | set(range(min(self._cells.view.most or FIRST_ROWS, most - len(rows)))))


def _corners(region: Region | None) -> list[list[int]]:
    """The first element of a region and the last, and the last along each axis."""
    if region is None or not region.size:
        return []
    ends = [low + n - 1 for low, n in zip(region.start, region.extents, strict=True)]
    along = [[end if k == axis else low for k, low in enumerate(region.start)] for axis, end in enumerate(ends)]
    return [list(region.start), ends, *along]


def _telling_slots(layout: Layout, region: Region | None) -> list[int]:
    """The slots of the last element, and along each axis of the first of the second tile, and of the last, each with what follows.

    Where an axis is in no tiles it is the second element that counts.

    Those of the corners of the region that is looked at come first.
    """
    if not layout.size:
        return []
    points = [*_corners(region), [n - 1 for n in layout.shape]]
    for axis, size in enumerate(layout.shape):
        for x in (*(block_sizes(layout, axis)[:1] or (min(1, size - 1),)), size - 1):
            points.append([x if k == axis else 0 for k in range(layout.ndim)])
    slots = layout.index(np.array(points, np.int64).reshape(len(points), layout.ndim)).tolist()
    return [near for slot in slots for near in (slot, min(slot + 1, layout.slots - 1))]
