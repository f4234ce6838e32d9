"""Slots for the elements between anchors: where most values occur once, the steps that anchors make lead to the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .placing import UNKNOWN, Tokens
from .steps import Values

#: How many of the commonest steps along an axis are followed.
MOST_STEPS = 8
#: Pairs of anchors from which the steps are learned.
MOST_PAIRS = 1 << 18


def complete(slots: Values, before: Tokens, after: Tokens, shape: Sequence[int]) -> Values:
    """The slots with those of elements between anchors filled in, where a slot that holds the value lies a common step away.

    >>> x = np.array([9, 1, 2, 1], "u1")
    >>> complete(np.array([0, 1, 2, -1]), x, x, (2, 2)).tolist()
    [0, 1, 2, 3]
    """
    slots = slots.copy()
    taken = np.zeros(len(after) + 1, np.bool_)
    taken[slots[slots != UNKNOWN]] = True
    weights = np.cumprod([1, *shape[:0:-1]])[::-1].tolist()
    moves = [(axis, weight, step) for axis, weight in enumerate(weights[: len(shape)]) for step in _common(slots, shape, axis)]
    unknown = np.flatnonzero(slots == UNKNOWN)
    while len(unknown):
        left = len(unknown)
        for axis, weight, step in moves:
            for way in (1, -1):
                coordinate = unknown // weight % shape[axis]
                inside = unknown[(coordinate >= 1) if way > 0 else (coordinate < shape[axis] - 1)]
                known = slots[inside - way * weight]
                target = np.where(known == UNKNOWN, -1, known + way * step)
                good = (target >= 0) & (target < len(after))
                good[good] = (after[target[good]] == before[inside[good]]) & ~taken[target[good]]
                found, first = np.unique(target[good], return_index=True)
                slots[inside[good][first]] = found
                taken[found] = True
                unknown = unknown[slots[unknown] == UNKNOWN]
        if len(unknown) == left:
            break
    return slots


def _common(slots: Values, shape: Sequence[int], axis: int) -> list[int]:
    """The commonest steps between neighbouring anchors along an axis."""
    grid = np.moveaxis(slots.reshape(shape), axis, -1)
    low, high = grid[..., :-1], grid[..., 1:]
    step = (high - low)[(low != UNKNOWN) & (high != UNKNOWN)]
    steps, counts = np.unique(step[:MOST_PAIRS], return_counts=True)
    return [int(s) for s in steps[np.argsort(-counts, kind="stable")][:MOST_STEPS]]
