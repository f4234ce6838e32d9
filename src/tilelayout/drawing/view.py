"""How a layout is looked at: its colours, its labels, what of it is looked at, what it is compared with, and how much is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..digits import Layout
from ..errors import LayoutError, shown
from ..regions import Region, RegionLike, box_of
from ..sizes import integer
from .coloring import Coloring
from .labels import Labels, labels

if TYPE_CHECKING:
    from .scene import Scene

#: The fewest and the most coordinates along a side that can be asked for.
FEWEST, MOST = 8, 256


class Other(NamedTuple):
    """A layout to compare with, and what it is called."""

    layout: Layout
    title: str


class View(NamedTuple):
    """What was asked of a drawing; ``None`` where nothing was."""

    coloring: Coloring
    labels: Labels | None = None
    region: Region | None = None
    against: Other | None = None
    most: int | None = None
    #: Another drawing of the array, of which the same elements are drawn.
    like: Scene | None = None


def view(
    layout: Layout, coloring: Coloring, *, label: str | None, region: RegionLike | None, against: Other | None, most: int | None
) -> View:
    """The parameters of ``draw``, read and checked."""
    written = None if label is None else labels(layout, label)
    box = None if region is None else box_of(region, layout.shape)
    return View(coloring, written, box, against, None if most is None else _extent(most))


def _extent(most: Any) -> int:
    number = integer(most)
    if number is None:
        raise LayoutError(f"most={shown(most)} is no number of coordinates; it is an integer, {FEWEST} to {MOST}")
    if not FEWEST <= number <= MOST:
        raise LayoutError(f"most={shown(most)}: a side is drawn with {FEWEST} to {MOST} of its coordinates")
    return number
