"""The modes of a CuTe layout that add up to what digits of one axis do, as their gains tell it (``joining.gains_of``)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...joining import Gains

#: Pairs of extent and stride, fastest first.
Modes = tuple[tuple[int, int], ...]


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
