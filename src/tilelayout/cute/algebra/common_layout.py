"""What two layouts have in common: the longest run of offsets that both lay out alike.

    >>> from tilelayout import cute
    >>> a, b = cute.Layout((4, 8, 12), (1, 48, 4)), cute.Layout((4, 8, 12), (1, 4, 32))
    >>> print(cute.max_common_layout(a, b), cute.max_common_vector(a, b))
    4:1 4

A copy from one to the other can move so many elements at once (include/cute/layout.hpp).
"""

from __future__ import annotations

from ...errors import LayoutError
from ..layout import Layout
from .coalesce import coalesce, spelled_out
from .composition import composition
from .domain import as_layout, integer_modes
from .inverse import Step, by_path, chain
from .modes import coalesced


def max_common_layout(a: Layout, b: Layout) -> Layout:
    """The largest R, of a chain of modes of ``b`` or of a part of one, with ``a(R(i)) == i == b(R(i))``.

    >>> print(max_common_layout(Layout((2, 4), (4, 1)), Layout((2, 4), (4, 1))), max_common_layout(Layout(8, 2), Layout(8)))
    (4,2):(2,1) 1:0

    Past its end ``a`` goes on as ``Layout.extended`` does.
    """
    first = as_layout(a)
    shared = by_path(as_layout(b), lambda steps: chain(steps, lambda step: _shared(first, step)))
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


def max_common_vector(a: Layout, b: Layout) -> int:
    """The size of the largest common layout.

    >>> max_common_vector(Layout((8, 4)), Layout((8, 4))), max_common_vector(Layout((10, 4), (4, 1)), Layout((10, 4)))
    (32, 1)
    """
    return max_common_layout(a, b).size
