"""The digits of each axis as a chain: the lowest first, each beginning where the one below it ends.

In a chain an axis's coordinate is a mixed-radix number, so it can be cut, refined and walked digit by digit. (The chains of the copy
kernels are something else: rows that follow each other in memory, ``_kernels/chains.pyx``.)
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
    each: list[list[Digit]] = [[] for _ in shape]
    for digit in digits:
        if isinstance(digit.axis, int):
            each[digit.axis].append(digit)
        elif digit.axis:
            return None
    found = []
    for axis, size in enumerate(shape):
        chain = _chain(each[axis], axis, size)
        if chain is None:
            return None
        found.append(chain)
    return tuple(found)


def _chain(digits: Iterable[Digit], axis: int, size: int) -> Chain | None:
    reached, result = 1, []
    for digit in sorted(digits):
        _, divisor, radix, _ = digit
        if radix <= 1:
            continue
        if divisor % reached:
            return None
        if divisor > reached:
            result.append(Digit(axis, reached, divisor // reached, 0))
        result.append(digit)
        reached = divisor * radix
    if reached < size:
        result.append(Digit(axis, reached, -(-size // reached), 0))
    return tuple(result)
