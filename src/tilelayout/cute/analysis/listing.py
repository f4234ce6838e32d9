"""What the analyses look at: the offsets of a layout one by one, within a bound, or its modes where those tell enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import LayoutError
from ..algebra.domain import integer_modes
from ..algebra.modes import Modes, coalesced
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout, least_offset
from ..spelling import shown
from ..swizzle import Swizzle
from ..tuples import integer

Offsets = npt.NDArray[np.int64]

#: The most coordinates at which an analysis looks one by one.
MOST_LISTED = 1 << 24


def as_offsets(value: Any) -> AnyLayout:
    """The value if it is a layout, plain or composed, that leads to offsets.

    >>> as_offsets(Layout((4, 8)))
    cute.Layout((4, 8), (1, 4))
    """
    if not isinstance(value, AnyLayout):
        raise LayoutError(f"{shown(value)} is no layout; an analysis takes one, plain or composed, such as cute.Layout((4, 8), (8, 1))")
    if not isinstance(value.extended(0), int):
        raise LayoutError(f"{shown(value)} leads to coordinates; an analysis takes a layout that leads to offsets, with integer strides")
    return value


def listed(layout: AnyLayout) -> Offsets:
    """The offsets of all 1-D coordinates in order; ``LayoutError`` beyond ``MOST_LISTED`` of them.

    >>> listed(Layout((2, 3), (3, -1)))
    array([ 0,  3, -1,  2, -2,  1])
    """
    if layout.size > MOST_LISTED:
        raise LayoutError(
            f"the modes of {shown(layout)} do not tell, and its {layout.size} coordinates are more than the {MOST_LISTED} that are "
            f"looked at one by one; give a smaller layout"
        )
    slots: Offsets = layout.bind().offsets().ravel(order="F")
    slots += layout.extended(0) - slots[0]
    return slots


def unswizzled(layout: AnyLayout) -> Layout | None:
    """The plain layout behind swizzles and offsets, which are one-to-one; None where another layout or an offset below 0 comes between.

    >>> print(unswizzled(ComposedLayout(Swizzle(3, 0, 3), 5, Layout(64))), unswizzled(ComposedLayout(Layout(8, 2), 0, Layout(4))))
    64:1 None
    """
    while isinstance(layout, ComposedLayout):
        inner = layout.inner
        if not isinstance(layout.outer, Swizzle):
            return None
        if integer(layout.offset) + (least_offset(inner) if isinstance(inner, Layout) else 0) < 0:
            return None
        layout = inner
    return layout


def plain_modes(layout: Layout) -> Modes:
    """The pairs of extent and stride of a layout with integer strides, those of extent 1 left out.

    >>> plain_modes(Layout((4, (1, 2)), (2, (7, 1))))
    ((4, 2), (2, 1))
    """
    return tuple((s, d) for s, d in integer_modes(layout) if s > 1)


def fewest_modes(layout: Layout) -> Modes:
    """The modes of a layout with integer strides, coalesced: those of equal functions are the same.

    >>> fewest_modes(Layout((2, (1, 6)), (1, (6, 2)))), fewest_modes(Layout(()))
    (((12, 1),), ((1, 0),))
    """
    return coalesced(plain_modes(layout))


def positive(value: Any, name: str) -> int:
    """The value as an integer of at least 1."""
    number = integer(value)
    if number < 1:
        raise LayoutError(f"{name} is {number}; it has to be 1 or more")
    return number
