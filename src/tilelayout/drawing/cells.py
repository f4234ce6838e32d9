"""Cells, of a grid or of a strip of memory: the slot of an element, its fill, and whether it has moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..digits import Layout
from .coloring import Coloring
from .holders import holders

Coordinates = tuple[int, ...]


class Cell(NamedTuple):
    """A cell: an element and its slot, or padding, which has no fill.

    ``before`` is the slot that the element has in the layout that is compared with, if it is another; ``stays`` says that it is the same;
    ``elements`` is how many share the slot.
    """

    coordinates: Coordinates | None
    slot: int
    fill: int | None
    before: int | None = None
    stays: bool = False
    elements: int = 1


class Cells(NamedTuple):
    """Makes the cells of a layout; ``against`` is the layout that it is compared with."""

    layout: Layout
    coloring: Coloring
    against: Layout | None

    def at(self, points: Sequence[Coordinates], padded: Layout | None = None) -> list[Cell]:
        """The cells at coordinates; those outside the array are padding, whose slots the padded layout says."""
        at = np.array(points, np.int64).reshape(len(points), self.layout.ndim)
        slots = (padded or self.layout).index(at)
        inside: npt.NDArray[np.bool_] = np.all(at < np.array(self.layout.shape, np.int64), axis=1)
        fills = np.zeros(len(at), np.int64)
        fills[inside] = self.coloring.fills(at[inside])
        rows = zip(points, slots.tolist(), inside.tolist(), fills.tolist(), strict=True)
        cells = [Cell(x, slot, fill if real else None) for x, slot, real, fill in rows]
        if self.against is None:
            return cells
        before = iter(self.against.index(at[inside]).tolist())
        return [cell if cell.fill is None else _compared(cell, next(before)) for cell in cells]

    def held(self, slots: Sequence[int]) -> list[Cell]:
        """The cells of slots."""
        held = holders(self.layout, slots)
        elements = iter(self.at([holding.coordinates for holding in held if holding]))
        return [
            next(elements)._replace(elements=holding.elements) if holding else Cell(None, slot, None)
            for slot, holding in zip(slots, held, strict=True)
        ]


def _compared(cell: Cell, before: int) -> Cell:
    return cell._replace(stays=True) if cell.slot == before else cell._replace(before=before)
