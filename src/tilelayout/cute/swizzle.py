"""Swizzles: functions that fold some bits of an offset into others by XOR, so that columns fall into different banks.

>>> from tilelayout import cute
>>> swizzle = cute.Swizzle(3, 0, 3)
>>> print(swizzle, [swizzle(8 * row) for row in range(4)])
S<3,0,3> [0, 9, 18, 27]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import LayoutError
from ..radix import reach
from . import binding
from .tuples import integer

#: The bits of an offset that a swizzle may touch.
MOST_BITS = 32


@dataclass(frozen=True, slots=True, repr=False)
class Swizzle:
    """``x ^ ((x & source_mask) >> shift)``: CuTe's ``Swizzle<bits, base, shift>`` (include/cute/swizzle.hpp).

    Parameters
    ----------
    bits
        How many bits are folded.
    base
        How many of the lowest bits stay as they are.
    shift
        How far above their target the bits are that are folded in; below it where negative. At least ``bits``, signs aside.

    >>> swizzle = Swizzle(2, 0, 3)
    >>> bin(swizzle.source_mask), bin(swizzle.target_mask), swizzle(0b11000)
    ('0b11000', '0b11', 27)
    """

    bits: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        for name in ("bits", "base", "shift"):
            object.__setattr__(self, name, integer(getattr(self, name)))
        if self.bits < 0 or self.base < 0 or abs(self.shift) < self.bits:
            raise LayoutError(f"{self} is no swizzle: bits and base are 0 or more, and shift is at least bits, its sign aside")
        if self.bits + self.base + abs(self.shift) > MOST_BITS:
            raise LayoutError(f"{self} reaches beyond bit {MOST_BITS}; bits + base + abs(shift) is {MOST_BITS} at most")

    @property
    def source_mask(self) -> int:
        """The bits that are folded in."""
        return (1 << self.bits) - 1 << self.base + max(0, self.shift)

    @property
    def target_mask(self) -> int:
        """The bits that they are folded into."""
        return (1 << self.bits) - 1 << self.base - min(0, self.shift)

    def __call__(self, offset: int) -> int:
        """The swizzled offset; a swizzle undoes itself.

        >>> Swizzle(3, 4, 3)(Swizzle(3, 4, 3)(1000))
        1000
        """
        offset = integer(offset)
        self._check_least(offset)
        swizzled: int = applied(self, offset)
        return swizzled

    def after(self, sums: binding.Sums, axes: Sequence[int]) -> binding.Sums:
        """The sums swizzled, in an array of these axes."""
        self._check_least(reach(sums.get((), ()), axes)[0])
        return binding.swizzled(sums, self.source_mask, self.target_mask, axes)

    def _check_least(self, offset: int) -> None:
        if offset < 0 and self.bits:
            raise LayoutError(f"{self} of {offset} is not defined; swizzles take offsets of 0 or more")

    def __str__(self) -> str:
        return f"S<{self.bits},{self.base},{self.shift}>"

    def __repr__(self) -> str:
        return f"cute.Swizzle({self.bits}, {self.base}, {self.shift})"


def applied(swizzle: Swizzle, offsets: Any) -> Any:
    """What is known to be 0 or more, swizzled: one offset, or an array of them."""
    folded = offsets & swizzle.source_mask
    return offsets ^ (folded >> swizzle.shift if swizzle.shift >= 0 else folded << -swizzle.shift)


def make_swizzle(source_mask: int, target_mask: int) -> Swizzle:
    """The swizzle that folds the bits of one mask into those of another; each mask is one run of bits, both of equal length.

    >>> make_swizzle(0b111000, 0b111)
    cute.Swizzle(3, 0, 3)
    """
    source, target = integer(source_mask), integer(target_mask)
    if source == target == 0:
        return Swizzle(0, 0, 0)
    if source > 0 and target > 0:
        low_source, low_target = ((mask & -mask).bit_length() - 1 for mask in (source, target))
        bits, shift = source.bit_count(), low_source - low_target
        if abs(shift) >= bits:
            swizzle = Swizzle(bits, min(low_source, low_target), shift)
            if (swizzle.source_mask, swizzle.target_mask) == (source, target):
                return swizzle
    raise LayoutError(f"masks {source:#b} and {target:#b} make no swizzle; each is one run of bits, of equal lengths that do not overlap")
