"""Layouts made from shapes: compact ones in any order of modes, ones like another, and identities.

>>> from tilelayout import cute
>>> print(cute.row_major((4, (2, 3))), cute.make_ordered_layout((4, 2, 3), (1, 2, 0)), cute.make_identity_layout((4, 8)))
(4,(2,3)):(6,(3,1)) (4,2,3):(3,12,1) (4,8):(1@0,1@1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import LayoutError
from .basis import ScaledBasis, Stride, basis_like
from .composed import AnyLayout, ComposedLayout
from .layout import Layout
from .spelling import shown
from .swizzle import Swizzle
from .tuples import IntTuple, Shaped, as_int_tuple, as_shape, flatten_to_tuple, repeat_like, unflatten, weakly_congruent


def make_layout(*parts: Any, stride: Stride | None = None) -> Layout:
    """A layout of a shape and a stride, or the layout that has the given layouts as its modes.

    >>> make_layout((4, 8)), make_layout((4, 8), (8, 1)), make_layout((4, 8), stride=(8, 1))
    (cute.Layout((4, 8), (1, 4)), cute.Layout((4, 8), (8, 1)), cute.Layout((4, 8), (8, 1)))
    >>> print(make_layout(Layout(4, 2), Layout((2, 3))))
    (4,(2,3)):(2,(1,2))
    """
    if stride is None and all([isinstance(part, Layout) for part in parts]):
        return Layout(tuple([part.shape for part in parts]), tuple([part.stride for part in parts]))
    if not any(isinstance(part, Shaped) for part in parts):
        if not parts or len(parts) > 2 or (len(parts) == 2 and stride is not None):
            raise LayoutError(f"make_layout takes a shape and one stride, or layouts, got {', '.join(map(shown, parts)) or 'neither'}")
        return Layout(*parts) if stride is None else Layout(parts[0], stride)
    raise LayoutError(f"the modes of a layout are layouts and bring their strides, got {', '.join(map(shown, parts))}")


def make_composed_layout(outer: Swizzle | Layout, offset: IntTuple, inner: AnyLayout) -> ComposedLayout:
    """``c -> outer(offset + inner(c))``: CuTe's name for making a ``ComposedLayout``, arguments in the order of its text.

    >>> print(make_composed_layout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1))))
    S<3,4,3> o 0 o (8,64):(64,1)
    """
    return ComposedLayout(outer, offset, inner)


def column_major(shape: IntTuple) -> Layout:
    """The compact layout whose leftmost leaf is fastest: C++'s ``LayoutLeft``.

    >>> print(column_major((4, (2, 3))))
    (4,(2,3)):(1,(4,8))
    """
    return Layout(shape)


def row_major(shape: IntTuple) -> Layout:
    """The compact layout whose rightmost leaf is fastest: C++'s ``LayoutRight``.

    >>> print(row_major((4, (2, 3))))
    (4,(2,3)):(6,(3,1))
    """
    checked = as_shape(shape)
    return _ordered(checked, [-place for place in range(len(flatten_to_tuple(checked)))])


def make_ordered_layout(shape: IntTuple, order: IntTuple) -> Layout:
    """The compact layout whose leaf of the least order is fastest.

    >>> print(make_ordered_layout((2, (2, 2), 2), (0, (2, 3), 1)), make_ordered_layout((2, (2, 2), 2), (0, 2, 1)))
    (2,(2,2),2):(1,(4,8),2) (2,(2,2),2):(1,(4,8),2)

    Only the relation of the orders counts. One order may cover a nest; equal ones go from left to right. Leaves of extent 1 have stride 0.
    """
    checked, ranks = as_shape(shape), as_int_tuple(order)
    if not weakly_congruent(ranks, checked):
        raise LayoutError(f"an order for shape {shown(checked)} has its nest or a coarser one, got {shown(ranks)}")
    return _ordered(checked, flatten_to_tuple(_spread(ranks, checked)))


def _spread(order: Any, shape: Any) -> Any:
    return tuple(map(_spread, order, shape)) if isinstance(order, tuple) else repeat_like(shape, order)


def _ordered(shape: IntTuple, orders: Sequence[Any], silent: Sequence[bool] = ()) -> Layout:
    """Compact strides by falling speed; leaves that are silent have stride 0 and take no room."""
    extents = flatten_to_tuple(shape)
    strides, stride = [0] * len(extents), 1
    for place in sorted(range(len(extents)), key=lambda place: orders[place]):
        if extents[place] > 1 and not (silent and silent[place]):
            strides[place] = stride
            stride *= extents[place]
    return Layout(shape, unflatten(strides, shape))


def make_layout_like(layout: AnyLayout) -> Layout:
    """The compact layout of the same shape and order of strides; strides of 0 stay 0.

    >>> print(make_layout_like(Layout((4, 2), (20, 3))), make_layout_like(Layout((4, 2, 3), (8, 0, 1))))
    (4,2):(2,1) (4,2,3):(3,0,1)

    Negative strides count by their size. Of a swizzled layout the layout inside is taken.
    """
    steps = _steps(layout)
    return _ordered(layout.shape, steps, [step == 0 for step in steps])


def make_fragment_like(layout: AnyLayout) -> Layout:
    """The compact layout of the same shape with mode 0 column-major and fastest, and the other modes ordered like the layout's.

    >>> print(make_fragment_like(Layout(((2, 4), 3, 5), ((8, 1), 100, 20))))
    ((2,4),3,5):((1,2),40,8)

    Strides of 0 in mode 0 stay 0.
    """
    steps = _steps(layout)
    if not isinstance(layout.shape, tuple) or len(layout.shape) < 2:
        return Layout(layout.shape)
    first = len(flatten_to_tuple(layout.shape[0]))
    orders = [(0, place) if place < first else (1, step) for place, step in enumerate(steps)]
    return _ordered(layout.shape, orders, [place < first and step == 0 for place, step in enumerate(steps)])


def _steps(layout: AnyLayout) -> tuple[int, ...]:
    """The sizes of a layout's strides, which are to be integers."""
    inner: Any = layout
    while isinstance(inner, ComposedLayout) and isinstance(inner.outer, Swizzle):
        inner = inner.inner
    if not isinstance(inner, Layout) or any(isinstance(d, ScaledBasis) for _, d in inner.flat):
        raise LayoutError(f"{shown(layout)} gives no order of strides; take a layout with integer strides, swizzled or not")
    return tuple(abs(d) for _, d in inner.flat if not isinstance(d, ScaledBasis))


def make_identity_layout(shape: IntTuple) -> Layout:
    """The layout that maps each coordinate to itself.

    >>> layout = make_identity_layout((4, (2, 3)))
    >>> print(layout, layout(13))
    (4,(2,3)):(1@0,(1@0@1,1@1@1)) (1, (1, 1))
    """
    return Layout(shape, basis_like(as_shape(shape)))
