"""Layouts that only move and XOR bits, told by which bits of the coordinates each bit of the slot is the XOR of.

Swizzled layouts of power-of-two shapes are of this kind however they are written, and compare equal without a look at their elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .radix import Digit, Source

if TYPE_CHECKING:
    from .digits import Layout

#: For each bit of a number, the lowest first, the set of coordinate bits whose XOR it is, as a bit mask.
Rows = tuple[int, ...]


def rows(layout: Layout) -> Rows | None:
    """The bits of the slot as XOR of those of the coordinates; None where the digits do not show that they are.

    Bits of coordinates are numbered axis by axis, the lowest of axis 0 first.

    >>> import tilelayout as tl
    >>> [bin(row) for row in rows(tl.layout("S<1,0,2> o 0 o (2,4):(4,1)"))]
    ['0b11', '0b100', '0b1']
    >>> rows(tl.layout("{0}", (6,)))
    """
    if any(size.bit_count() != 1 for size in layout.shape):
        return None
    width = max(layout.slots - 1, 0).bit_length()
    return _summed(layout.canonical, layout.shape, width)


def same(one: Layout, other: Layout) -> bool:
    """Whether two layouts are equal: ``==``, which looks at the elements only where bits do not tell."""
    if (one.shape, one.slots) != (other.shape, other.slots):
        return False
    told = rows(one), rows(other)
    return told[0] == told[1] if None not in told else one == other


def _summed(digits: Iterable[Digit], shape: Sequence[int], width: int) -> Rows | None:
    """The lowest bits of a sum; None where a carry may reach them."""
    total = [0] * width
    for digit in digits:
        bits = _digit(digit, shape)
        if bits is None or digit.stride.bit_count() != 1 or digit.stride < 0:
            return None
        for at, row in enumerate(bits, digit.stride.bit_length() - 1):
            if at < width and total[at] and row and at != width - 1:
                return None
            if at < width:
                total[at] ^= row
    return tuple(total)


def _digit(digit: Digit, shape: Sequence[int]) -> Rows | None:
    """What a digit reads, before its stride."""
    if digit.divisor.bit_count() != 1 or digit.radix.bit_count() != 1:
        return None
    bits = _read(digit.axis, shape, (digit.divisor * digit.radix).bit_length() - 1)
    return None if bits is None else bits[digit.divisor.bit_length() - 1 :]


def _read(source: Source, shape: Sequence[int], width: int) -> Rows | None:
    """The lowest bits of an axis or a sum."""
    if source is None:
        return None
    if isinstance(source, tuple):
        return _summed(source, shape, width)
    first = sum(size.bit_length() - 1 for size in shape[:source])
    return tuple(1 << first + bit for bit in range(min(width, shape[source].bit_length() - 1)))
