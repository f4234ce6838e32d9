"""Layouts without what does not move: strides of 0 and extents of 1 taken out, and leaves put in order.

>>> from tilelayout import cute
>>> layout = cute.Layout((2, (1, 6), 4), (1, (6, 2), 0))
>>> print(cute.filter_zeros(layout), cute.filter(layout), cute.squeeze(layout))
(2,(1,6),1):(1,(6,2),0) 12:1 (2,(6),4):(1,(2),0)
"""

from __future__ import annotations

from ..basis import ScaledBasis
from ..layout import Layout
from ..making import make_layout
from ..tuples import unflatten
from .coalesce import coalesce
from .domain import on_domain
from .strides import decoded, encoded


@on_domain
def filter_zeros(layout: Layout) -> Layout:
    """The layout with extent 1 wherever the stride is 0.

    >>> print(filter_zeros(Layout((3, (4, 5)), (0, (1, 0)))))
    (1,(4,1)):(0,(1,0))
    """
    extents = (s if (d.value if isinstance(d, ScaledBasis) else d) else 1 for s, d in layout.flat)
    return Layout(unflatten(extents, layout.shape), layout.stride)


@on_domain
def filter(layout: Layout) -> Layout:
    """The layout without modes of stride 0 and extent 1, coalesced: it reaches the same offsets, each as often as it is left to.

    >>> print(filter(Layout((3, (4, 5)), (0, (1, 4)))), filter(Layout((3, 2), (0, 0))))
    20:1 1:0
    """
    return coalesce(filter_zeros(layout))


@on_domain
def sort(layout: Layout) -> Layout:
    """The flat layout with its leaves in the order of their strides, equal ones as they were: the same offsets in another order.

    >>> print(sort(Layout((2, (4, 3)), (4, (1, 8)))))
    (4,2,3):(1,4,8)
    """
    modes, paths = encoded(layout.flat)
    ordered = sorted(modes, key=lambda pair: abs(pair[1]))
    if not isinstance(layout.shape, tuple):
        return layout
    return Layout(tuple(s for s, _ in ordered), tuple(decoded(d, paths) for _, d in ordered))


@on_domain
def squeeze(layout: Layout) -> Layout:
    """The layout without leaves of extent 1, the nesting kept; ``1:0`` if none is left.

    >>> print(squeeze(Layout((2, (1, 6), (1, 1)))), squeeze(Layout((1, 1))))
    (2,(6)):(1,(2)) 1:0
    """
    kept = _squeezed(layout)
    return Layout(1, 0) if kept is None else kept


def _squeezed(layout: Layout) -> Layout | None:
    if layout.size == 1:
        return None
    if not isinstance(layout.shape, tuple):
        return layout
    return make_layout(*(mode for mode in map(_squeezed, layout) if mode is not None))
