"""What digits of one axis add up to, and the modes of a CuTe layout that add up to the same.

Going from coordinate ``x - 1`` to ``x``, a digit gains its stride at multiples of its divisor and loses ``radix * stride`` at
multiples of ``divisor * radix``. So any sum of digits is told by a gain for each of these *cuts*, and sums are equal exactly when
their gains are: "``cut`` divides ``x``" is a function of ``x`` that no other cuts below the extent make up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...radix import Digit

#: The gain at multiples of each cut; cuts without gain are left out.
Gains = Mapping[int, int]
#: Pairs of extent and stride, fastest first.
Modes = tuple[tuple[int, int], ...]


def gains_of(digits: Iterable[Digit], extent: int) -> Gains:
    """The gains of digits that read the same source, whose values lie below ``extent``.

    >>> gains_of([Digit(0, 1, 2, 4), Digit(0, 2, 4, 1)], 8)
    {1: 4, 2: -7}
    """
    gains: dict[int, int] = {}
    for digit in digits:
        end = digit.divisor * digit.radix
        gains[digit.divisor] = gains.get(digit.divisor, 0) + digit.stride
        gains[end] = gains.get(end, 0) - digit.radix * digit.stride
    return {cut: gains[cut] for cut in sorted(gains) if gains[cut] and cut < extent}


def odd_cut(cuts: Sequence[int]) -> int | None:
    """The first cut that is no multiple of the one below it, if there is one."""
    return next((high for low, high in pairwise(cuts) if high % low), None)


def modes_of(gains: Gains, cuts: Sequence[int], extent: int) -> Modes:
    """The modes between the cuts, 1 the first of them; the last one goes on for as far as the extent reaches.

    >>> modes_of({1: 4, 2: -7}, (1, 2), 8)
    ((2, 4), (4, 1))
    """
    modes = []
    size = stride = 0
    for low, high in pairwise((*cuts, extent)):
        size, stride = -(-high // low), gains.get(low, 0) + size * stride
        modes.append((size, stride))
    return tuple(modes)


def as_mode(modes: Sequence[tuple[int, Any]]) -> tuple[Any, Any]:
    """Shape and stride of modes as one mode: a pair of integers, or of tuples.

    >>> as_mode(((2, 4), (4, 1))), as_mode(((8, 1),))
    (((2, 4), (4, 1)), (8, 1))
    """
    if len(modes) == 1:
        return modes[0]
    shape, stride = zip(*modes, strict=True)
    return shape, stride
