"""What there is to draw of a layout: its grid, its memory, and what is said above and below them."""

from __future__ import annotations

from ..cached import cached_property
from ..describe import counted, padding_slots, padding_words
from ..digits import Layout
from ..formulas.sums import Formula
from .cells import Cells
from .coloring import Coloring
from .grid import Grid, grid
from .strip import Strip

#: The longest formula that is shown.
LONGEST_FORMULA = 100


class Scene:
    """A layout as it is drawn. ``against`` is the layout that it is compared with."""

    def __init__(self, layout: Layout, title: str, coloring: Coloring, against: Layout | None = None) -> None:
        self.layout, self.title, self._cells = layout, title, Cells(layout, coloring, against)

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
        formula = "; ".join(str(Formula(layout)).splitlines())
        return [sizes, formula] if len(formula) <= LONGEST_FORMULA else [sizes]

    def notes(self, drawn: Grid, *, padding: str, moved: str) -> list[str]:
        """What colours mean, what is left out, what has moved; with the words for padding and for what has moved."""
        says = self._cells.coloring.says
        found = [f"colours: {says}"] if says else []
        if self._padding:
            found.append(padding)
        for side in (drawn.rows, drawn.columns):
            if side.left_out:
                found.append(f"left out: x{side.axis} = " + ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in side.left_out))
        if len(drawn.panels) < drawn.all_panels:
            found.append(f"left out: {counted(drawn.all_panels - len(drawn.panels), 'panel')} of {drawn.all_panels}")
        if self._cells.against is not None:
            any_moved = any(cell.before is not None for panel in drawn.panels for row in drawn.cells(panel) for cell in row)
            found.append(moved if any_moved else "every element drawn has the slot it had")
        return found

    @cached_property
    def _padding(self) -> int | None:
        return padding_slots(self.layout)
