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
from .inverse import Step, by_path, chain
from .modes import coalesced


def max_common_layout(a: AnyLayout, b: AnyLayout) -> Layout:
    """The largest R, of a chain of modes of ``b`` or of a part of one, with ``a(R(i)) == i == b(R(i))``.

    >>> print(max_common_layout(Layout((2, 4), (4, 1)), Layout((2, 4), (4, 1))), max_common_layout(Layout(8, 2), Layout(8)))
    (4,2):(2,1) 1:0

    Past its end ``a`` goes on as ``Layout.extended`` does. Of a swizzled layout the offsets count from the first, and R ends where the
    swizzle may not leave them in order, unless the other is swizzled alike.

    >>> print(max_common_layout(ComposedLayout(Swizzle(3, 4, 3), 0, Layout((8, 64), (64, 1))), Layout((8, 64), (64, 1))))
    16:8
    """
    common, whole = _before_swizzles(a, b)
    return common if common.size <= whole else composition(common, Layout(whole))


def _before_swizzles(a: AnyLayout, b: AnyLayout) -> tuple[Layout, int]:
    """What two layouts have in common inside of swizzles, a swizzled one first as in C++, and how much of it these leave in order."""
    (first, one), (second, other) = _taken_apart(a), _taken_apart(b)
    common = _common(second, first) if other and not one else _common(first, second)
    if one == other:
        return common, common.size
    return common, min(gcd(offset, 1 << swizzle.base) for swizzle, offset in filter(None, (one, other)))


def _taken_apart(layout: AnyLayout) -> tuple[Layout, tuple[Swizzle, int] | None]:
    """The layout inside of a swizzle, and the swizzle with what is added in front of it; None where there is none."""
    if isinstance(layout, ComposedLayout) and isinstance(layout.outer, Swizzle) and isinstance(layout.offset, int):
        return as_layout(layout.inner), (layout.outer, layout.offset)
    return as_layout(layout), None


def _common(first: Layout, second: Layout) -> Layout:
    """The common layout of two plain ones, made of a chain of the second's modes."""
    shared = by_path(second, lambda steps: chain(steps, lambda step: _shared(first, step)))
    modes, common = coalesced(integer_modes(shared)), Layout(1, 0)
    for count in range(len(modes)):
        longer = spelled_out(modes[: count + 1])
        try:
            composition(first, longer)
        except LayoutError:
            break
        common = longer
    return common


def _shared(layout: Layout, step: Step) -> int:
    """Up to which of the step's coordinates the layout has the same offsets."""
    try:
        extent, stride = coalesce(composition(layout, Layout(step.extent, step.weight))).flat[0]
    except LayoutError:
        return 1
    return extent if stride == step.stride else 1


def max_common_vector(a: AnyLayout, b: AnyLayout) -> int:
    """The size of the largest common layout, or of what swizzles leave in order of it, though that may be no layout.

    >>> max_common_vector(Layout((8, 4)), Layout((8, 4))), max_common_vector(Layout((10, 4), (4, 1)), Layout((10, 4)))
    (32, 1)
    >>> max_common_vector(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((24, 8))), Layout((24, 8)))
    8
    """
    common, whole = _before_swizzles(a, b)
    return min(common.size, whole)
