"""The digits of each axis as a chain: the lowest first, each beginning where the one below it ends.

In a chain an axis's coordinate is a mixed-radix number, so it can be cut, refined and walked digit by digit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from .radix import Digit

Chain: TypeAlias = tuple[Digit, ...]


def chains(digits: Iterable[Digit], shape: Sequence[int]) -> tuple[Chain, ...] | None:
    """The chain of each axis; where no digit reads a part of the axis, one of stride 0 stands for it.

    >>> chains([Digit(0, 4, 2, 9)], (8,))
    ((Digit(axis=0, divisor=1, radix=4, stride=0), Digit(axis=0, divisor=4, radix=2, stride=9)),)

    None where a digit reads a sum, where two read the same part, or where one does not begin at a multiple of what is below it.
    Constants, and the digits that are only padding, belong to no axis and are left out.
    """
    digits = tuple(digits)
    if any(isinstance(digit.axis, tuple) and digit.axis for digit in digits):
        return None
    found = []
    for axis, size in enumerate(shape):
        chain = _chain(sorted((d for d in digits if d.axis == axis and d.radix > 1), key=lambda d: d.divisor), axis, size)
        if chain is None:
            return None
        found.append(chain)
    return tuple(found)


def _chain(rising: Iterable[Digit], axis: int, size: int) -> Chain | None:
    reached, result = 1, []
    for digit in rising:
        if digit.divisor % reached:
            return None
        if digit.divisor > reached:
            result.append(Digit(axis, reached, digit.divisor // reached, 0))
        result.append(digit)
        reached = digit.divisor * digit.radix
    if reached < size:
        result.append(Digit(axis, reached, -(-size // reached), 0))
    return tuple(result)
