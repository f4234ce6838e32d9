"""Which functions are layouts: the search that decides where strides do not divide.

A function of ``0 .. size - 1`` is a layout of that size exactly when it is linear up to some ``r`` that divides the size,
repeats itself from there on, shifted by its values at the multiples of ``r``, and these values are a layout in turn.
Coalesced layouts are unique, so each step is forced, and the first place where it fails is a coordinate at which no
layout can agree.
"""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import mul
from typing import NamedTuple

import numpy as np

from ...errors import LayoutError
from .modes import Modes, Numbers, kind_for, offset, offsets

#: The most coordinates that a search looks at before it gives up, and how many times less where 64 bits do not hold the offsets.
MOST_SEARCHED, _SLOWER = 2**22, 64
#: Coordinates that a search looks at first, and how many times more when these do not decide.
_FIRST, _GROWTH = 1024, 16


class Failure(NamedTuple):
    """The first integer at which a function is no layout, and why: a text, and the offsets that it speaks of."""

    place: int
    reason: str
    offsets: tuple[int, ...] = ()


class Found(NamedTuple):
    """The modes of a function, as far as they are forced, and where it stops being a layout."""

    modes: Modes
    failure: Failure | None


class Disagreement(Exception):  # noqa: N818 - a finding, which composition puts into words
    """No layout agrees with ``A(B(c))`` at the coordinate, one integer for each leaf of B."""

    def __init__(self, coordinate: tuple[int, ...], failure: Failure) -> None:
        self.coordinate, self.failure = coordinate, failure


def factored(table: Numbers, size: int) -> Found:
    """The modes of the function on ``size`` integers whose first values are the table.

    >>> factored(np.array([0, 4, 8, 1, 5, 9]), 6)
    Found(modes=((3, 4), (2, 1)), failure=None)
    >>> factored(np.array([0, 4, 8, 12, 1, 5]), 6).failure
    Failure(place=4, reason='the offsets before it are one run of 4, which does not divide 6', offsets=())
    """
    modes: list[tuple[int, int]] = []
    failure, unit, heads = None, 1, table
    while len(heads) > 1:
        step, rest = int(heads[1]), size // unit
        line = np.arange(len(heads)).astype(heads.dtype) * step
        run = _first(heads != line)
        if run is None:
            modes.append((rest, step))
            break
        modes.append((run, step))
        if rest % run:
            return Found(tuple(modes), _earlier(failure, _undivided(unit, run, rest)))
        count = len(heads) // run + 1
        repeated = (np.repeat(heads[::run], run)[: len(heads)] + np.tile(line[:run], count)[: len(heads)]).astype(heads.dtype)
        wrong = _first(heads != repeated)
        if wrong is not None:
            failure = _earlier(failure, Failure(unit * wrong, _LED_ASTRAY, (int(repeated[wrong]), int(heads[wrong]))))
        heads, unit = heads[::run], unit * run
    return Found(tuple(modes), failure)


_LED_ASTRAY = "the offsets before it call for {}, and A(B(c)) is {}"


def _undivided(unit: int, run: int, rest: int) -> Failure:
    return Failure(unit * run, f"the offsets before it are one run of {run}, which does not divide {rest}")


def _uneven(a: Modes, size: int, step: int) -> Failure | None:
    """The failure that needs no search: steps that go linearly to the end of a mode of A, where their number does not divide the size."""
    for k, (extent, stride) in enumerate(a[:-1]):
        if step % extent == 0:
            step //= extent
            continue
        run = -(-extent // step)
        if 1 < run < size and size % run and offset(a[k:], extent) != extent * stride:
            return _undivided(1, run, size)
        break
    return None


def _earlier(a: Failure | None, b: Failure) -> Failure:
    return b if a is None or b.place < a.place else a


def _first(truth: Numbers) -> int | None:
    """The index of the first true element."""
    index = int(np.argmax(truth))
    return index if truth[index] else None


def _most(kind: type) -> int:
    return MOST_SEARCHED if kind is np.int64 else MOST_SEARCHED // _SLOWER


def searched(a: Modes, size: int, stride: int) -> tuple[Found, list[int]]:
    """The layout of ``i -> A(stride * i)`` on ``size`` integers, and the largest digit it takes in each mode of A.

    >>> searched(((16, 59), (7, 24)), 6, 6)[0].modes
    ((3, 354), (2, 142))
    """
    broken = _uneven(a, size, abs(stride))
    if broken is not None:
        return Found((), broken), []
    kind = kind_for(a, (size - 1) * abs(stride))
    most, count = _most(kind), 0
    while count < min(size, most):
        count = min(size, most, count * _GROWTH or _FIRST)
        indices = np.arange(count).astype(kind) * stride
        found = factored(offsets(a, indices), size)
        if found.failure is not None:
            return found, []
    if count < size:
        raise LayoutError(
            f"whether every {abs(stride)}th element of {_text(a)}, {size} of them, is a layout takes a search of more than {most} "
            f"coordinates, the bound of this library; strides that divide the extents, or are divided by them, need no search"
        )
    rest, digits = np.abs(indices), []
    for extent, _ in a[:-1]:
        digits.append(int((rest % extent).max()))
        rest //= extent
    return found, [*digits, int(rest.max())]


def moving_leaves(b: Modes) -> list[int]:
    """The numbers of the leaves whose coordinate makes a difference."""
    return [k for k, (size, stride) in enumerate(b) if size > 1 and stride]


def overflowing(a: Modes, b: Modes, involved: list[int], end: int | None = None) -> Disagreement | None:
    """The first coordinate of the involved leaves, up to the ``end``-th, at which ``A(B(c))`` is not the sum of what each leaf gives alone.

    >>> overflowing(((8, 1), (4, 100)), ((6, 1), (2, 3)), [0, 1])
    Disagreement((5, 1), Failure(place=11, reason='the offsets before it call for {}, and A(B(c)) is {}', offsets=(8, 100)))
    """
    extents = [b[k][0] for k in involved]
    kind = kind_for(a, sum((size - 1) * abs(stride) for size, stride in b), len(b))
    most = _most(kind)
    total = prod(extents) if end is None else min(end, most)
    begin, step = 0, _FIRST
    while begin < min(total, most):
        count = min(step, total - begin, most - begin)
        rest = np.arange(begin, begin + count).astype(kind)
        index, value = np.zeros_like(rest), np.zeros_like(rest)
        for k in involved:
            size, stride = b[k]
            index += rest % size * stride
            value += offsets(a, rest % size * stride)
            rest //= size
        reached = offsets(a, index)
        wrong = _first(reached != value)
        if wrong is not None:
            place = begin + wrong
            digits = dict(zip(involved, _digits(place, extents), strict=True))
            failure = Failure(place, _LED_ASTRAY, (int(value[wrong]), int(reached[wrong])))
            return Disagreement(tuple(digits.get(k, 0) for k in range(len(b))), failure)
        begin, step = begin + count, step * _GROWTH
    if begin < total:
        raise LayoutError(
            f"whether {_text(a)} after {_text(b)} is a layout takes a search of more than {most} coordinates, "
            f"the bound of this library; leaves of B that stay clear of each other in the modes of A need no search"
        )
    return None


def _digits(index: int, extents: list[int]) -> list[int]:
    """The natural coordinate of a 1-D one."""
    weights = accumulate(extents[:-1], mul, initial=1)
    return [index // weight % extent for weight, extent in zip(weights, extents, strict=True)]


def _text(modes: Modes) -> str:
    """The modes as a flat layout."""
    return f"({','.join(str(s) for s, _ in modes)}):({','.join(str(d) for _, d in modes)})"
