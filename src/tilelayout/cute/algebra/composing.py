"""Composition of flat modes: ``A(B(c))`` as a sum over the leaves of B.

The layout exists exactly when each leaf of B on its own gives a layout and the results add up, which they do where no
digit of A overflows when the leaves do. Where strides divide, a walk over A's modes finds a leaf's result; where they do
not, and where digits might overflow, the function itself decides.

This accepts what include/cute/layout.hpp refuses and the other way round: CUTLASS looks at stride divisibility alone,
which lets wrong results through (github.com/NVIDIA/cutlass/issues/3177) and keeps right ones out.
"""

from __future__ import annotations

from math import prod
from typing import TypeAlias

from .exact import Disagreement, Failure, moving_leaves, overflowing, searched
from .modes import Modes

#: A run of a result: extent, stride in steps of a mode of A, and which mode.
Run: TypeAlias = tuple[int, int, int]


def walked(a: Modes, size: int, stride: int) -> list[Run] | None:
    """The runs of ``A(stride * i)`` on ``size`` integers where the strides divide, and None where they do not.

    >>> walked(((4, 3), (3, 1)), 6, 2)
    [(2, 2, 0), (3, 1, 1)]
    >>> walked(((16, 59), (7, 24)), 6, 6)
    """
    sign, step, last = (-1 if stride < 0 else 1), abs(stride), len(a) - 1
    if size == 1:  # one coordinate has no step; the stride is spelled as CuTe spells it
        for extent, _ in a[:last]:
            step = -(-step // extent)
        return [(1, sign * step, last)]
    runs: list[Run] = []
    for k, (extent, _) in enumerate(a):
        if k == last or (size - 1) * step < extent:
            break
        if step % extent == 0:
            step //= extent
            continue
        count, remainder = divmod(extent, step)
        if remainder or size % count:
            return None
        runs.append((count, sign * step, k))
        size, step = size // count, 1
    runs.append((size, sign * step, k))
    return runs


def composed(a: Modes, b: Modes) -> tuple[Modes, ...]:
    """The modes of A after B, for each leaf of B; ``Disagreement`` where no layout is that.

    >>> composed(((6, 8), (2, 2)), ((4, 3), (3, 1)))
    (((2, 24), (2, 2)), ((3, 8),))
    """
    reach = [0] * len(a)  # the largest digit that all leaves together add up to, in each mode of A
    touched: list[int] = []  # the last mode of A that each leaf moves in
    results: list[Modes] = []
    for k, (size, stride) in enumerate(b):
        runs = walked(a, size, stride)
        if runs is not None:
            results.append(tuple((n, step * a[mode][1]) for n, step, mode in runs))
            for n, step, mode in runs:
                reach[mode] += (n - 1) * abs(step)
            touched.append(runs[-1][2])
            continue
        found, digits = searched(a, size, stride)
        if found.failure is not None:
            raise _earliest(a, b, k, found.failure)
        results.append(found.modes)
        reach = [old + new for old, new in zip(reach, digits, strict=True)]
        touched.append(max(mode for mode, digit in enumerate(digits) if digit))
    involved = _involved(a, b, reach, touched)
    overflow = overflowing(a, b, involved) if involved else None
    if overflow is not None:
        raise overflow
    return tuple(results)


def _involved(a: Modes, b: Modes, reach: list[int], touched: list[int]) -> list[int]:
    """The leaves of B whose digits might meet in one mode of A and overflow it."""
    moving = moving_leaves(b)
    full = next((mode for mode, (extent, _) in enumerate(a[:-1]) if reach[mode] >= extent), None)
    if len({b[k][1] > 0 for k in moving}) > 1 and (full is not None or sum(map(bool, reach)) > 1):
        return moving
    return [] if full is None else [k for k in moving if touched[k] >= full]


def _earliest(a: Modes, b: Modes, leaf: int, failure: Failure) -> Disagreement:
    """The first coordinate at which no layout agrees, where the first of B's leaves that is no layout fails as told."""
    before = moving_leaves(b[:leaf])
    overflow = overflowing(a, b, [*before, leaf], failure.place * prod(b[k][0] for k in before)) if before else None
    return overflow or Disagreement(tuple(failure.place if k == leaf else 0 for k in range(len(b))), failure)
