"""Swizzles in the algebra: two in a row, and one behind a layout.

    >>> from tilelayout import cute
    >>> print(cute.composition(cute.Layout((8, 8), (8, 1)), cute.Swizzle(2, 0, -3)))
    S<2,0,3> o 0 o (8,8):(8,1)

A layout whose extents and strides only move bits of a coordinate to other places lets a swizzle pass: what is folded
before it can be folded after it (include/cute/swizzle_layout.hpp; CUTLASS does not check that the layout is of that kind).
"""

from __future__ import annotations

from ...errors import LayoutError
from ..layout import Layout
from ..swizzle import Swizzle, make_swizzle
from .domain import integer_modes
from .modes import coalesced_open, offset


def merged_swizzles(a: Swizzle, b: Swizzle) -> Swizzle:
    """The one swizzle that is ``a(b(x))``.

    >>> merged_swizzles(Swizzle(3, 0, 3), Swizzle(1, 0, 3))
    cute.Swizzle(2, 1, 3)
    """
    if a.bits == 0 or b.bits == 0:
        return a if b.bits == 0 else b
    if a.shift != b.shift or a.source_mask & b.target_mask:
        raise LayoutError(f"{a} after {b} is no swizzle; two that have the same shift and do not fold each other's bits are one")
    return make_swizzle(a.source_mask ^ b.source_mask, a.target_mask ^ b.target_mask)


def after_swizzle(layout: Layout, swizzle: Swizzle, end: int) -> Swizzle | None:
    """The swizzle with ``layout(swizzle(x)) == result(layout(x))`` for all ``x`` below ``end``, or None where bits do not just move."""
    modes = coalesced_open(integer_modes(layout))
    highest = max(end - 1, swizzle.source_mask | swizzle.target_mask).bit_length()
    if any(not isinstance(d, int) or d < 0 for _, d in modes) or any(s & (s - 1) for s, _ in modes[:-1]):
        return None
    images = [offset(modes, 1 << bit) for bit in range(highest)]
    total = 0
    for image in images:
        if total & image:
            return None
        total |= image
    source, target = (sum(images[bit] for bit in range(highest) if mask >> bit & 1) for mask in (swizzle.source_mask, swizzle.target_mask))
    try:
        result = make_swizzle(source, target)
    except LayoutError:
        return None
    pairs = ((images[bit], images[bit - swizzle.shift]) for bit in range(highest) if swizzle.source_mask >> bit & 1)
    return result if all(result(image) ^ image == folded for image, folded in pairs) else None
