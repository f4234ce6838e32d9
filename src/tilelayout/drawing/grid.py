"""The logical array as a grid of cells, in panels where it has more than two axes, with the padding around it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..digits import Layout
from ..errors import LayoutError
from ..radix import unravelled
from ..regions import Region
from .cells import Cell, Cells, Coordinates
from .holders import can_invert
from .sides import NO_AXIS, Side, side

#: The most coordinates along a side, in a grid of one row, and the most panels.
MOST_ALONG, MOST_IN_ROW, MOST_PANELS = 16, 24, 12


class Grid:
    """The cells of the array: a panel for every choice of the leading coordinates, of rows and columns for the last two axes."""

    rows: Side
    columns: Side
    leading: list[Side]
    panels: list[Coordinates]

    def __init__(self, cells: Cells, padded: Layout, most_columns: int) -> None:
        self._cells, self.padded = cells, padded
        layout = cells.layout
        most = [cells.view.most or MOST_ALONG] * (layout.ndim - 1) + [most_columns] * min(layout.ndim, 1)
        wanted = _ends(cells.view.region, layout.ndim)
        sides = [side(layout, axis, padded.shape[axis], most[axis], wanted[axis]) for axis in range(layout.ndim)] if layout.size else []
        model = cells.view.like.grid(most_columns) if cells.view.like else None
        if model and model.panels:
            models = [*model.leading, *(each for each in (model.rows, model.columns) if each.axis is not None)]
            sides = [each.like(other, n) for each, other, n in zip(sides, models, most, strict=True)]
        self.rows, self.columns = [NO_AXIS, NO_AXIS, *sides][-2:]
        self.leading = sides[:-2]
        self.panels = _panels(self.leading, wanted, model) if layout.size else []

    @property
    def all_panels(self) -> int:
        """How many panels there are, drawn or not."""
        return prod(along.padded for along in self.leading) if self.panels else 0

    def cells(self, panel: Coordinates) -> list[list[Cell]]:
        """The cells of a panel, row by row."""
        rows = [(x,) for x in self.rows.kept] if self.rows.axis is not None else [()]
        columns = [(x,) for x in self.columns.kept] if self.columns.axis is not None else [()]
        cells = iter(self._cells.at([(*panel, *row, *column) for row in rows for column in columns], self.padded))
        return [[next(cells) for _ in columns] for _ in rows]

    def name(self, panel: Coordinates) -> str:
        """The leading coordinates of a panel, those that can be no others left out."""
        told = [(along, x) for along, x in zip(self.leading, panel, strict=True) if along.padded > 1]
        return ", ".join(f"x{along.axis} = {x}" for along, x in told or zip(self.leading, panel, strict=True))

    def follows(self, a: Coordinates, b: Coordinates) -> bool:
        """Whether panel ``b`` comes right after panel ``a``, with none left out between them."""
        numbers = [0, 0]
        for x, y, along in zip(a, b, self.leading, strict=True):
            numbers = [number * along.padded + step for number, step in zip(numbers, (x, y), strict=True)]
        return numbers[1] - numbers[0] == 1


def grid(cells: Cells, most_columns: int | None = None) -> Grid:
    """The grid of a layout, with padding around the array if the layout gives it a place there."""
    most = most_columns or cells.view.most or (MOST_IN_ROW if cells.layout.ndim == 1 else MOST_ALONG)
    padded = _padded(cells.layout)
    found = Grid(cells, padded, most)
    return found if padded is cells.layout or _is_padding(found, cells.layout) else Grid(cells, cells.layout, most)


def _padded(layout: Layout) -> Layout:
    """The layout of all coordinates that its digits count, if these are more than the array has; else the layout itself."""
    if not layout.size or not can_invert(layout):
        return layout
    ends = list(layout.shape)
    for digit in layout.digits:
        if isinstance(digit.axis, int):
            ends[digit.axis] = max(ends[digit.axis], digit.divisor * digit.radix)
    for axis in frozenset().union(*(digit.axes for digit in layout.digits if isinstance(digit.axis, tuple))):
        ends[axis] = layout.shape[axis]
    if tuple(ends) == layout.shape:
        return layout
    try:
        return Layout(ends, layout.digits, slots=layout.slots)
    except LayoutError:
        return layout


def _is_padding(found: Grid, layout: Layout) -> bool:
    """Whether the slots of all drawn cells outside the array are padding, and no two the same."""
    outside = [cell.slot for panel in found.panels for row in found.cells(panel) for cell in row if cell.fill is None]
    return len(set(outside)) == len(outside) and bool(np.all(layout.is_padding(np.array(outside, np.int64))))


def _ends(region: Region | None, axes: int) -> list[tuple[int, ...]]:
    """Along each axis the first and the last coordinate of the region that is looked at, with what lies beside it."""
    if region is None or not region.size:
        return [()] * axes
    return [(low, low + n - 1, low - 1, low + n) for low, n in zip(region.start, region.extents, strict=True)]


def _panels(leading: Sequence[Side], wanted: Sequence[Sequence[int]], model: Grid | None) -> list[Coordinates]:
    """The leading coordinates of the panels: all, or the first and the last, those of the region's ends, of the second tile, and more.

    Where there is a model they are its panels, and the last.
    """
    sizes = [along.padded for along in leading]
    total = prod(sizes)
    kept: dict[Coordinates, None] = {}
    if total > MOST_PANELS and model:
        within = {panel for panel in model.panels if all(x < along.size for x, along in zip(panel, leading, strict=True))}
        return sorted(within | {tuple(along.padded - 1 for along in leading)})
    if total > MOST_PANELS:
        origin = (0,) * len(leading)
        kept = {origin: None, tuple(along.padded - 1 for along in leading): None}
        kept |= dict.fromkeys(zip(*(ends[:2] for ends in wanted[: len(leading)]), strict=True))
        for axis, along in enumerate(leading):
            for x in (*along.blocks[:1], along.size - 1):
                kept[(*origin[:axis], x, *origin[axis + 1 :])] = None
    found = set(list(kept)[:MOST_PANELS])
    for number in range(total):
        if len(found) >= MOST_PANELS:
            break
        found.add(unravelled(number, sizes))
    return sorted(found)
