"""What two layouts have in common: the longest run of offsets that both lay out alike.

    >>> from tilelayout import cute
    >>> a, b = cute.Layout((4, 8, 12), (1, 48, 4)), cute.Layout((4, 8, 12), (1, 4, 32))
    >>> print(cute.max_common_layout(a, b), cute.max_common_vector(a, b))
    4:1 4

A copy from one to the other can move so many elements at once (include/cute/layout.hpp). A swizzle leaves runs in order that
its lowest bits count (include/cute/swizzle_layout.hpp).
"""

from __future__ import annotations

from math import gcd

from ...errors import LayoutError
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout
from ..swizzle import Swizzle
from .coalesce import coalesce, spelled_out
from .composition import composition
from .domain import as_layout, integer_modes
from .inverse import right_inverse


def max_common_layout(a: AnyLayout, b: AnyLayout) -> Layout:
    """The largest part R of the right inverse of ``b`` with ``a(R(i)) == i == b(R(i))``.

    >>> print(max_common_layout(Layout((2, 4), (4, 1)), Layout((2, 4), (4, 1))), max_common_layout(Layout(8, 2), Layout(8)))
    (4,2):(2,1) 1:0

    It is told by the first mode of ``a`` after that inverse, or after as many of its first modes as ``a`` may be composed with. Past its
    end ``a`` goes on as ``Layout.extended`` does. Of a swizzled layout the offsets count from the first, and R ends where the swizzle may
    not leave them in order, unless the other is swizzled alike.

    >>> print(max_common_layout(ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1))), Layout((8, 64), (64, 1))))
    16:8
    """
    inverse, size = _in_common(a, b)
    return composition(inverse, Layout(size)) if size > 1 else Layout(1, 0)


def max_common_vector(a: AnyLayout, b: AnyLayout) -> int:
    """The size of the largest common layout, or of what swizzles leave in order of it, though that may be no layout.

    >>> max_common_vector(Layout((8, 4)), Layout((8, 4))), max_common_vector(Layout((10, 4), (4, 1)), Layout((10, 4)))
    (32, 1)
    >>> max_common_vector(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((24, 8))), Layout((24, 8)))
    8
    """
    return _in_common(a, b)[1]


def _in_common(a: AnyLayout, b: AnyLayout) -> tuple[Layout, int]:
    """The inverse of one layout, a swizzled one last as in C++, and of how many of its coordinates both have the offset."""
    (first, one), (second, other) = _taken_apart(a), _taken_apart(b)
    if other and not one:
        first, second = second, first
    inverse = right_inverse(second)
    size = _in_order(first, inverse)
    if one == other:
        return inverse, size
    return inverse, min(size, *(gcd(offset, 1 << swizzle.base) for swizzle, offset in filter(None, (one, other))))


def _in_order(layout: Layout, inverse: Layout) -> int:
    """How many offsets the layout has in order after the inverse, from 0 on."""
    modes = integer_modes(inverse)
    for count in range(len(modes), 0, -1):
        try:
            extent, stride = coalesce(composition(layout, spelled_out(modes[:count]))).flat[0]
        except LayoutError:
            continue
        return extent if stride == 1 else 1
    return 1


def _taken_apart(layout: AnyLayout) -> tuple[Layout, tuple[Swizzle, int] | None]:
    """The layout inside of a swizzle, and the swizzle with what is added in front of it; None where there is none."""
    if isinstance(layout, ComposedLayout) and isinstance(layout.outer, Swizzle) and isinstance(layout.offset, int):
        return as_layout(layout.inner), (layout.outer, layout.offset)
    return as_layout(layout), None
