"""Parts of layouts: the modes that a coordinate leaves open, and the offset at which they begin.

    >>> from tilelayout import cute
    >>> layout = cute.Layout((4, 8), (8, 1))
    >>> cute.slice_(layout, (None, 3)), cute.slice_and_offset((None, 3), layout)
    (cute.Layout((4,), (8,)), (cute.Layout((4,), (8,)), 3))

As in include/cute/layout.hpp and int_tuple.hpp, modes kept from deeper nests come out in one flat list.
"""

from __future__ import annotations

from typing import Any

from ..errors import LayoutError
from .arithmetic import product_each
from .composed import AnyLayout, ComposedLayout, begun, taken_in
from .coordinates import Coordinate, checked_coordinate, crd2crd, idx2crd
from .layout import Layout
from .modes import on_modes
from .spelling import shown
from .tuples import IntTuple, integer, leaves
from .wildcards import diced, has_wildcard, sliced


def _layout(value: Any) -> AnyLayout:
    if not isinstance(value, AnyLayout):
        raise LayoutError(f"{shown(value)} is no layout; give a Layout, plain or composed")
    return value


def slice_(value: Any, coordinate: Coordinate) -> Any:
    """The modes of a tuple or layout that meet None.

    >>> slice_((2, (3, 4)), (0, None)), slice_(Layout(((2, 4), 3), ((1, 2), 8)), ((None, 0), None))
    (((3, 4),), cute.Layout((2, 3), (1, 8)))

    A plain layout's begin at offset 0. A composed one's begin where they lie, as in ``slice_and_offset``: what is outside sees the
    whole offset.

    >>> print(slice_(ComposedLayout(Layout((4, 5)), 2, Layout((4, 3))), (1, None)))
    (4,5):(1,4) o 3 o (3):(4)
    """
    _check(value, coordinate)
    if isinstance(value, ComposedLayout):
        return begun(value, coordinate)[0]
    return on_modes(lambda tree: sliced(coordinate, tree), value)


def dice(value: Any, coordinate: Coordinate) -> Any:
    """The modes of a tuple or layout that meet integers: those that ``slice_`` leaves out.

    >>> dice((2, (3, 4)), (0, None)), dice(Layout((2, 3, 4)), (None, 1, 1))
    ((2,), cute.Layout((3, 4), (2, 6)))
    """
    _check(value, coordinate)
    return on_modes(lambda tree: diced(coordinate, tree), value)


def _check(value: Any, coordinate: Coordinate) -> None:
    if isinstance(value, AnyLayout):
        checked_coordinate(coordinate, value.shape)
    for leaf in leaves(coordinate):
        if isinstance(leaf, AnyLayout):
            raise LayoutError(f"coordinate {shown(coordinate)} is a layout; slice_ and dice take the coordinate behind it")
        if leaf is not None:
            integer(leaf)


def slice_and_offset(coordinate: Coordinate, layout: AnyLayout) -> tuple[AnyLayout, IntTuple]:
    """The modes that meet None as a layout, and the offset at which it begins.

    >>> part, offset = slice_and_offset((None, (1, None)), Layout((4, (2, 3))))
    >>> print(part, offset)
    (4,3):(1,8) 4

    Of a composed layout the offset goes inside, where it belongs, so that the offset beside it is 0.
    """
    _check(_layout(layout), coordinate)
    return begun(layout, coordinate)


def domain_offset(coordinate: Coordinate, layout: AnyLayout) -> tuple[AnyLayout, IntTuple]:
    """The layout as it is seen from a coordinate, and the offset at which it then begins.

    >>> domain_offset((1, 2), Layout((4, 8), (8, 1)))
    (cute.Layout((4, 8), (8, 1)), 10)

    The coordinate may lie outside the layout. A composed layout takes the offset in, as in ``slice_and_offset``.
    """
    _layout(layout)
    if has_wildcard(coordinate):
        raise LayoutError(f"{shown(coordinate)} is no place to begin; give an integer where None stands, such as 0")
    if isinstance(layout, ComposedLayout):
        return taken_in(layout, domain_offset(coordinate, layout.inner))
    return layout, layout.extended(coordinate)


def get_hier_coord(layout: Layout, index: int) -> Coordinate:
    """The hierarchical coordinate at which a compact layout has this offset.

    >>> get_hier_coord(Layout((4, (2, 3)), (6, (3, 1))), 10)
    (1, (1, 1))

    An offset that a layout's digits ``(index // stride) % extent`` do not lead back to raises ``CoordinateError``.
    """
    if not isinstance(layout, Layout):
        raise LayoutError(f"{shown(layout)} has no strides to take an offset apart by; give a Layout")
    return idx2crd(index, layout.shape, layout.stride)


def get_flat_coord(layout: Layout, index: int) -> Coordinate:
    """The coordinate with one integer a mode at which a compact layout has this offset.

    >>> get_flat_coord(Layout((4, (2, 3)), (6, (3, 1))), 10)
    (1, 3)
    """
    coordinate, modes = get_hier_coord(layout, index), product_each(layout.shape)
    return crd2crd(coordinate, layout.shape, modes if isinstance(layout.shape, tuple) else modes[0])


def get_1d_coord(layout: Layout, index: int) -> Coordinate:
    """The integer coordinate at which a compact layout has this offset.

    >>> get_1d_coord(Layout((4, (2, 3)), (6, (3, 1))), 10)
    13
    """
    coordinate = get_hier_coord(layout, index)
    return crd2crd(coordinate, layout.shape, layout.size)
