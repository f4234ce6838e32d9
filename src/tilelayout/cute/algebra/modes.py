"""Flat modes: the list of (extent, stride) pairs that the algebra computes with.

    >>> coalesced(((2, 1), (1, 6), (6, 2)))
    ((12, 1),)

The pairs stand in colexicographic order, the fastest first. As a function of an integer such a list never ends: past the
last extent the last mode goes on counting, and at ``-i`` stands the offset of ``i`` with its sign turned, since C's
division rounds to zero (include/cute/stride.hpp). Composition depends on what lies past the end.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ...sizes import MOST_SLOTS

Modes: TypeAlias = tuple[tuple[int, int], ...]
#: Integers in an array: of 64 bits where they fit, else of Python's own kind.
Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def merged(modes: Modes) -> Modes:
    """The modes without those of extent 1, neighbours joined where one goes on as the other; none may be left.

    >>> merged(((2, 4), (1, 7), (6, 8), (3, 1))), merged(((1, 5),))
    (((12, 4), (3, 1)), ())
    """
    result: list[tuple[int, int]] = []
    for extent, stride in modes:
        if extent == 1:
            continue
        if result and result[-1][0] * result[-1][1] == stride:
            result[-1] = (result[-1][0] * extent, result[-1][1])
        else:
            result.append((extent, stride))
    return tuple(result)


def coalesced(modes: Modes) -> Modes:
    """The fewest modes that are the same function on the extents' product; ``1:0`` where that is 1.

    >>> coalesced(((4, 1), (1, 0))), coalesced(((1, 5),))
    (((4, 1),), ((1, 0),))
    """
    return merged(modes) or ((1, 0),)


def coalesced_open(modes: Modes) -> Modes:
    """The fewest modes that are the same function of every integer, so that a last mode of extent 1 stays if it goes on in its own way.

    >>> coalesced_open(((2, 1), (6, 8), (1, 0))), coalesced_open(((2, 1), (6, 2), (1, 12)))
    (((2, 1), (6, 8), (1, 0)), ((12, 1),))
    """
    result = merged(modes)
    if modes and modes[-1][0] == 1:
        onward = modes[-1][1]
        if not result or result[-1][0] * result[-1][1] != onward:
            return (*result, (1, onward))
    return result or ((1, 0),)


def offset(modes: Modes, index: int) -> int:
    """The offset of any integer.

    >>> offset(((4, 3), (3, 1)), 13), offset(((4, 3), (3, 1)), -5)
    (6, -4)
    """
    sign, rest = (-1, -index) if index < 0 else (1, index)
    total = 0
    for extent, stride in modes[:-1]:
        rest, digit = divmod(rest, extent)
        total += digit * stride
    return sign * (total + rest * modes[-1][1])


def offsets(modes: Modes, indices: Numbers) -> Numbers:
    """The offsets of an array of integers; ``kind_for`` says of which type they have to be."""
    rest, total = np.abs(indices), np.zeros_like(indices)
    for extent, stride in modes[:-1]:
        total += rest % extent * stride
        rest //= extent
    total += rest * modes[-1][1]
    return np.where(indices < 0, -total, total)


def kind_for(modes: Modes, furthest: int, terms: int = 1) -> type[Any]:
    """The type of integers that hold ``furthest`` and the sum of so many offsets of integers up to there: of 64 bits, else of any size.

    >>> kind_for(((4, 1), (2, 2**60)), 15).__name__, kind_for(((4, 1), (2, 2**60)), 64).__name__
    ('int64', 'object')
    """
    rest, reach = furthest, 0
    for extent, stride in modes[:-1]:
        reach += min(rest, extent - 1) * abs(stride)
        rest //= extent
    reach += rest * abs(modes[-1][1])
    widest = max(furthest, reach * terms, *(abs(stride) for _, stride in modes))
    return np.int64 if widest <= MOST_SLOTS else object
