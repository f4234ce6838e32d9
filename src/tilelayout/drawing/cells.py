"""Cells, of a grid or of a strip of memory: the slot of an element, its fill, and whether it has moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..digits import Layout
from .holders import holders
from .quotients import Numbers
from .view import View

Coordinates = tuple[int, ...]
#: What stands for padding where labels are no slots.
_PADDING = "pad"


class Cell(NamedTuple):
    """A cell: an element, its slot and its label in the grid; or padding, which has no fill.

    ``before`` is the slot that the element has in the layout that is compared with, if it is another; ``stays`` says that it is the same;
    ``outside`` says that it is no element of the region that is looked at; ``elements`` is how many share the slot.
    """

    coordinates: Coordinates | None
    slot: int
    label: str
    fill: int | None
    before: int | None = None
    stays: bool = False
    outside: bool = False
    elements: int = 1

    @property
    def pale(self) -> bool:
        """Whether it stands back behind others."""
        return self.stays or self.outside


class Cells(NamedTuple):
    """Makes the cells of a layout."""

    layout: Layout
    view: View

    def at(self, points: Sequence[Coordinates], padded: Layout | None = None) -> list[Cell]:
        """The cells at coordinates; those outside the array are padding, whose slots the padded layout says."""
        at = np.array(points, np.int64).reshape(len(points), self.layout.ndim)
        slots = (padded or self.layout).index(at).tolist()
        inside = np.all(at < np.array(self.layout.shape, np.int64), axis=1)
        elements = iter(self._elements(at[inside]))
        rows = zip(points, slots, inside.tolist(), strict=True)
        return [next(elements) if real else self._padding(x, slot) for x, slot, real in rows]

    def held(self, slots: Sequence[int]) -> list[Cell]:
        """The cells of slots."""
        held = holders(self.layout, slots)
        elements = iter(self.at([holding.coordinates for holding in held if holding]))
        return [
            next(elements)._replace(elements=holding.elements) if holding else self._padding(None, slot)
            for slot, holding in zip(slots, held, strict=True)
        ]

    def _padding(self, x: Coordinates | None, slot: int) -> Cell:
        return Cell(x, slot, _PADDING if self.view.labels else str(slot), None)

    def _elements(self, at: Numbers) -> list[Cell]:
        view, slots = self.view, self.layout.index(at).tolist()
        labels = view.labels.of(at) if view.labels else map(str, slots)
        cells = list(map(Cell, map(tuple, at.tolist()), slots, labels, view.coloring.fills(at).tolist()))
        if view.against is not None:
            cells = list(map(_compared, cells, view.against.layout.index(at).tolist()))
        if view.region is not None:
            start, extents = (np.array(each, np.int64) for each in view.region[:2])
            outside = ~np.all((at >= start) & (at < start + extents), axis=1)
            cells = [cell._replace(outside=True, before=None) if out else cell for cell, out in zip(cells, outside.tolist(), strict=True)]
        return cells


def _compared(cell: Cell, before: int) -> Cell:
    return cell._replace(stays=True) if cell.slot == before else cell._replace(before=before)
