"""What slots hold, of layouts of which some elements may share one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..radix import unravelled
from ..tables import contents

if TYPE_CHECKING:
    from ..digits import Layout

#: Elements up to which layouts are inverted that do not fall apart digit by digit.
MOST_INVERTED = 1 << 20


class Holding(NamedTuple):
    """The first element in a slot, by its coordinates, and how many elements there are in it."""

    coordinates: tuple[int, ...]
    elements: int


def can_invert(layout: Layout) -> bool:
    """Whether what slots hold can be told in reasonable time."""
    return layout.size == 0 or layout.ready.is_reversible or layout.size <= MOST_INVERTED


def holders(layout: Layout, slots: Sequence[int]) -> list[Holding | None]:
    """What each of these slots holds; None for padding.

    >>> import tilelayout as tl
    >>> holders(tl.layout("cute:(2,2):(3,0)"), [0, 1])
    [Holding(coordinates=(0, 0), elements=2), None]
    """
    if not layout.size or not slots:
        return [None] * len(slots)
    if layout.ready.is_reversible:
        return [None if x is None else Holding(tuple(x), 1) for x in contents(layout, slots)]
    used = layout.offsets().ravel()
    order = np.argsort(used, kind="stable")
    begins, ends = (np.searchsorted(used[order], slots, edge) for edge in ("left", "right"))
    return [
        Holding(unravelled(int(order[begin]), layout.shape), int(end - begin)) if end > begin else None
        for begin, end in zip(begins, ends, strict=True)
    ]
