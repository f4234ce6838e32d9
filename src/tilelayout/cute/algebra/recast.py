"""Layouts, and swizzles, of elements of another width: every ``n`` neighbours as one, or every one as ``n``.

>>> from tilelayout import cute
>>> print(cute.upcast(cute.Layout((32, 4), (1, 32)), 4), cute.downcast(cute.Layout((8, 4), (1, 8)), 4))
(8,4):(1,8) (32,4):(1,32)
>>> print(cute.recast_layout(8, 32, cute.ComposedLayout(cute.Swizzle(3, 3, 4), 0, cute.Layout((8, 4), (1, 8)))))
S<3,5,4> o 0 o (32,4):(1,32)
"""

from __future__ import annotations

from math import gcd
from typing import TypeVar, cast

from ...errors import LayoutError
from ..composed import AnyLayout, ComposedLayout
from ..layout import Layout, least_offset
from ..spelling import shown
from ..swizzle import Swizzle
from ..tuples import integer, unflatten
from .domain import as_layout, has_basis, integer_modes
from .modes import Modes, coalesced_open

L = TypeVar("L", bound=AnyLayout | Swizzle)


def upcast(layout: L, n: int) -> L:
    """The layout in elements that are ``n`` times as wide: strides divided by ``n``, and the extents of those below it shortened.

    >>> print(upcast(Layout((5, 16), (16, 1)), 2), upcast(Layout((2, 4, 4), (4, 8, 1)), 8))
    (5,8):(8,1) (1,4,1):(1,1,1)

    Each stride has to divide ``n`` or to be divided by it, but for those of extent 1, which lead nowhere and are rounded up as in the CuTe
    DSL. An extent that fills its last wide element in part counts that one too. Modes are taken one by one, as in CuTe; of those that
    overlap within a wide element some offsets may be left out, as 3 is in ``(2,2):(1,1)``, the upcast of ``(4,4):(1,1)`` by 2.
    """
    n = _positive(n, "the factor")
    if n == 1 and isinstance(layout, AnyLayout):
        return layout
    if isinstance(layout, Swizzle):
        return cast(L, _shifted(layout, -_power(layout, n)))
    if isinstance(layout, ComposedLayout):
        return cast(L, ComposedLayout(_widened_outer(layout, n), _widened_offset(layout, n), upcast(layout.inner, n)))
    return _with_leaves(layout, [_widened(mode, n, layout) for mode in _integer_modes(layout)])


def downcast(layout: L, n: int) -> L:
    """The layout in elements of which ``n`` make one: leaves of stride 1 or -1 have ``n`` times the extent, all others the stride.

    >>> print(downcast(Layout((8, 4), (4, 1)), 4))
    (8,16):(16,1)

    Without a leaf of stride 1 there is none that the ``n`` elements could go to: ``LayoutError``.
    """
    n = _positive(n, "the factor")
    if n == 1 and isinstance(layout, AnyLayout):
        return layout
    if isinstance(layout, Swizzle):
        return cast(L, _shifted(layout, _power(layout, n)))
    if isinstance(layout, ComposedLayout):
        return cast(L, ComposedLayout(_narrowed_outer(layout, n), integer(layout.offset) * n, downcast(layout.inner, n)))
    flat = _integer_modes(layout)
    if not any(abs(d) == 1 for _, d in flat):
        raise LayoutError(
            f"cannot downcast {shown(layout)} by {n}: expects a leaf of stride 1, which the {n} narrow elements of a wide one extend"
        )
    return _with_leaves(layout, [(s * n, d) if abs(d) == 1 else (s, d * n) for s, d in flat])


def recast_layout(new_bits: int, old_bits: int, layout: L) -> L:
    """The layout of the same memory, or the swizzle, in elements of ``new_bits`` bits instead of ``old_bits``.

    >>> print(recast_layout(32, 8, Layout((32, 4))), recast_layout(8, 32, Layout((8, 4))), recast_layout(6, 4, Layout((12, 4))))
    (8,4):(1,8) (32,4):(1,32) (8,4):(1,8)
    >>> print(recast_layout(16, 8, Swizzle(3, 4, 3)))
    S<3,3,3>
    """
    new, old = _positive(new_bits, "new_type_bits"), _positive(old_bits, "old_type_bits")
    wider, narrower = new // gcd(new, old), old // gcd(new, old)
    return downcast(upcast(layout, wider), narrower)


#: The short name.
recast = recast_layout


def _positive(value: int, name: str) -> int:
    number = integer(value)
    if number < 1:
        raise LayoutError(f"expects {name} to be positive, but got {number}")
    return number


def _integer_modes(layout: AnyLayout) -> Modes:
    plain = as_layout(layout)
    if has_basis(plain):
        raise LayoutError(f"expects integer strides, but {shown(layout)} has scaled-basis strides")
    return integer_modes(plain)


def _with_leaves(layout: L, parts: list[tuple[int, int]]) -> L:
    shape = as_layout(layout).shape
    return cast(L, Layout(unflatten((s for s, _ in parts), shape), unflatten((d for _, d in parts), shape)))


def _widened(mode: tuple[int, int], n: int, layout: AnyLayout) -> tuple[int, int]:
    extent, stride = mode
    sign, step = (-1 if stride < 0 else 1), abs(stride)
    if extent == 1 or step % n == 0:
        return extent, sign * -(-step // n)
    if n % step:
        raise LayoutError(f"cannot upcast {shown(layout)} by {n}: stride {stride} has to be a multiple of {n}, or a divisor of it")
    return -(-extent // (n // step)), sign


def _widened_outer(layout: ComposedLayout, n: int) -> Swizzle | Layout:
    outer = layout.outer
    if isinstance(outer, Swizzle):
        return upcast(outer, n)
    (extent, stride), *others = _outer_modes(layout, outer)
    if stride != 1 or (others and extent % n) or any(step % n for _, step in others):
        raise LayoutError(
            f"cannot upcast by {n} behind {shown(outer)}: its first mode has to be of stride 1 and an extent that {n} divides, "
            f"unless it is the only one, and {n} has to divide the strides of the others"
        )
    return upcast(outer, n)


def _narrowed_outer(layout: ComposedLayout, n: int) -> Swizzle | Layout:
    outer = layout.outer
    if isinstance(outer, Swizzle):
        return downcast(outer, n)
    if _outer_modes(layout, outer)[0][1] != 1:
        raise LayoutError(f"cannot downcast by {n} behind {shown(outer)}: its first mode has to be of stride 1")
    return downcast(outer, n)


def _outer_modes(layout: ComposedLayout, outer: Layout) -> Modes:
    """The modes of the outer layout, coalesced; several go backwards from 0 as they go on from it, and so from the far ends of elements."""
    modes = coalesced_open(_integer_modes(outer))
    if len(modes) > 1 and not _stays_above(layout):
        raise LayoutError(f"cannot recast {shown(layout)}: what leads into {shown(outer)} goes below 0; it has to be 0 or more")
    return modes


def _stays_above(layout: ComposedLayout) -> bool:
    """Whether the offset and what is inside tell that their sum is 0 or more everywhere."""
    offset, inner = integer(layout.offset), layout.inner
    if isinstance(inner, Layout):
        return offset + least_offset(inner) >= 0
    if isinstance(inner.outer, Swizzle):
        return offset >= 0
    return offset >= 0 and _stays_above(inner) and all(d >= 0 for _, d in _integer_modes(inner.outer))


def _power(swizzle: Swizzle, n: int) -> int:
    if n & (n - 1):
        raise LayoutError(f"cannot recast {swizzle} by {n}: swizzles are of bits, so the factor has to be a power of 2")
    return n.bit_length() - 1


def _shifted(swizzle: Swizzle, bits: int) -> Swizzle:
    if swizzle.bits == 0:
        return swizzle
    if swizzle.base + bits < 0:
        raise LayoutError(
            f"cannot upcast {swizzle} by {1 << -bits}: it moves elements inside a wide one; its base has to be {-bits} or more"
        )
    return Swizzle(swizzle.bits, swizzle.base + bits, swizzle.shift)


def _widened_offset(layout: ComposedLayout, n: int) -> int:
    offset = integer(layout.offset)
    if offset % n:
        raise LayoutError(f"cannot upcast {shown(layout)} by {n}: its offset {offset} has to be a multiple of {n}")
    return offset // n
