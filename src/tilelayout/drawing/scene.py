"""What there is to draw of a layout: its grid, its memory, and what is said above and below them."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np

from ..cached import cached_property
from ..describe import counted, padding_slots, padding_words
from ..digits import Layout
from ..formulas.sums import Formula
from ..regions import Region
from .cells import Cells
from .grid import Grid, grid
from .strip import Strip
from .view import View

#: The longest line of a formula that is shown, and the most lines.
LONGEST_FORMULA, MOST_LINES = 100, 8

#: The most elements of which those that have moved are counted.
MOST_COUNTED = 1 << 20


class Words(NamedTuple):
    """How padding is marked, and what stands before the words on elements outside the region and on those that have moved."""

    padding: str
    outside: str
    moved: str


class Scene:
    """A layout as it is drawn."""

    def __init__(self, layout: Layout, title: str, view: View) -> None:
        self.layout, self.title, self.view, self._cells = layout, title, view, Cells(layout, view)

    @cached_property
    def strip(self) -> Strip:
        """The memory."""
        return Strip(self._cells)

    def grid(self, most_columns: int | None = None) -> Grid:
        """The array, with at most so many columns."""
        return grid(self._cells, most_columns)

    @property
    def summary(self) -> list[str]:
        """The sizes in words, and the formula of the slot if it is short."""
        layout = self.layout
        of_type = f" of {layout.element.name or counted(layout.element.bits, 'bit')}" if layout.element else ""
        padding = "" if self._padding is None else f", {padding_words(self._padding, layout.slots)}"
        shape = "×".join(map(str, layout.shape)) or "1"
        sizes = f"{shape} {'element' if layout.size == 1 else 'elements'}{of_type} in {counted(layout.slots, 'slot')}{padding}"
        lines = str(Formula(layout)).splitlines()
        on_one = "; ".join(lines)
        if len(on_one) <= LONGEST_FORMULA:
            return [sizes, on_one]
        return [sizes, *lines] if len(lines) <= MOST_LINES and max(map(len, lines)) <= LONGEST_FORMULA else [sizes]

    @property
    def tells(self) -> str:
        """What the labels of the grid tell of an element."""
        return self.view.labels.says if self.view.labels else "slot"

    def notes(self, drawn: Grid, words: Words) -> list[str]:
        """What colours and marks mean, what is left out, and what has moved."""
        says = self.view.coloring.says
        found = [f"colours: {says}"] if says else []
        if self._padding:
            found.append(words.padding)
        if self.view.region is not None:
            found.append(f"{words.outside} elements outside region {_written(self.view.region)}")
        for side in (drawn.rows, drawn.columns):
            if side.left_out:
                found.append(f"left out: x{side.axis} = " + ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in side.left_out))
        if len(drawn.panels) < drawn.all_panels:
            found.append(f"left out: {counted(drawn.all_panels - len(drawn.panels), 'panel')} of {drawn.all_panels}")
        if self.view.against is not None:
            layout, title = self.view.against
            rows = chain(self.strip.rows or (), *map(drawn.cells, drawn.panels))
            any_moved = any(cell.before is not None for row in rows for cell in row)
            many = self._how_many(layout)
            moved = f"{words.moved} elements that lie in another slot than in {title}" + (f", {many}" if many else "")
            drawn_ones = "element drawn" if self.view.region is None else "element of the region that is drawn"
            stayed = f"every {drawn_ones} has the slot that it has in {title}" + (f"; {many} elements lie in another" if many else "")
            found.append(moved if any_moved else stayed)
        return found

    def _how_many(self, against: Layout) -> str:
        """How many elements lie in another slot, if any do and they are soon counted."""
        moved = np.count_nonzero(self.layout.offsets() != against.offsets()) if self.layout.size <= MOST_COUNTED else 0
        return f"{moved} of {self.layout.size}" if moved else ""

    @cached_property
    def _padding(self) -> int | None:
        return padding_slots(self.layout)


def _written(region: Region) -> str:
    """The region as numpy indexes it."""
    return "[" + ", ".join(f"{low}:{low + n}" for low, n in zip(region.start, region.extents, strict=True)) + "]"
