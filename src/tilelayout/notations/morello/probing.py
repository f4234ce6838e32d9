"""Digits of axes found from the slots themselves, for layouts whose digits read sums or read a part of an axis twice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ... import digits
from ...errors import LayoutError
from ...radix import Digit

#: The most elements whose slots are looked at.
MOST_ELEMENTS = 1 << 24


def probed(layout: digits.Layout) -> digits.Layout | None:
    """The same layout in digits of axes, each part of an axis read once, with no room to spare; None where there are none.

    >>> from tilelayout import Layout
    >>> merged = ((0, 1, 3, 8), (1, 1, 8, 1))
    >>> for digit in probed(Layout((3, 8), [(merged, 4, 6, 4), (merged, 1, 4, 1)])).digits:
    ...     print(digit)
    Digit(axis=0, divisor=1, radix=3, stride=8)
    Digit(axis=1, divisor=1, radix=8, stride=1)

    Arrays of more than ``MOST_ELEMENTS`` are not looked at.
    """
    if not layout.size == layout.slots <= MOST_ELEMENTS:
        return None
    found: list[Digit] = []
    for axis, size in enumerate(layout.shape):
        edge = np.zeros((size, layout.ndim), np.int64)
        edge[:, axis] = np.arange(size)
        along = layout.index(edge)
        found += _digits(axis, along - along[0])
    try:
        plain = digits.Layout(layout.shape, found, slots=layout.slots)
    except LayoutError:
        return None
    return plain if plain == layout else None


def _digits(axis: int, along: npt.NDArray[np.int64]) -> list[Digit]:
    """The digits of one axis: each goes on as long as its steps are equal."""
    found, divisor = [], 1
    while divisor < len(along):
        steps = along[::divisor]
        off = np.flatnonzero(steps != np.arange(len(steps)) * steps[1])
        radix = int(off[0]) if off.size else len(steps)
        found.append(Digit(axis, divisor, radix, int(steps[1])))
        divisor *= radix
    return found
