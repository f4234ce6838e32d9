"""Copies of rows that are straight on both sides, but for the places of their bytes, some bits of which are flipped.

So are the swizzles of tensor cores' tiles in shared memory: in each of eight rows of 128 bytes the eight pieces of 16 bytes have changed
places, piece p for piece p ^ row. What is turned lies within rows, and what turns it counts them. So there is one nest of loops for all
rows, and a list of the bits that each row of a block has flipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

from ._kernels.copy import CopyPlan
from ._kernels.loops import NOTHING, Loop, joined, target_stride
from ._kernels.nests import nest_of_rows
from .swizzled import Walk
from .twosteps import LINE

#: Bytes of a row at the most, rows of a block at the most, and bytes of a block that are enough.
LONGEST, MOST_ROWS, ENOUGH = 1 << 12, 1 << 9, 1 << 9


def in_rows(found: Sequence[Walk], width: int, *, is_large: bool) -> CopyPlan | None:
    """The copy that goes all of these ways, row by row; None where they differ in more than places within rows of lines."""
    steps = list(zip(*([loop.source for loop in walk.loops] for walk in found), strict=True))
    turned = [k for k, sources in enumerate(steps) if len(set(sources)) > 1]
    backwards = [[walk.loops[k] for k in turned if steps[k][number] < 0] for number, walk in enumerate(found)]
    corners = [(walk.source + sum(loop.source for loop in loops), walk.target) for walk, loops in zip(found, backwards, strict=True)]
    turning = _between(corners)
    if not turning:
        return None
    first = found[0].loops
    within = [first[k].replaced(source=abs(first[k].source)) for k in turned]
    along, fixed = _along(within, joined([loop for k, loop in enumerate(first) if k not in turned]), width)
    if along is None or along.n * width % LINE:
        return None
    rows, others = _counting(turning, fixed, along.n * width)
    if rows is None:
        return None
    count = rows[0].replaced(n=prod([loop.n for loop in rows]))
    made = nest_of_rows(along, count, tuple((loop.n, loop.source) for loop in rows), others, width, is_large)
    flips = [sum(loop.target for loop in backwards[number]) for number in _numbers(rows, turning)]
    return CopyPlan(made, (), *corners[0], flips=flips)


def _between(corners: Sequence[tuple[int, int]]) -> list[Loop] | None:
    """The loops of two that lead from the first corner to all the others, by the bits of their numbers from the lowest up, if any do."""
    loops: list[Loop] = []
    places = [*corners[:1]]
    while len(places) < len(corners):
        source, target = (there - begin for there, begin in zip(corners[len(places)], places[0], strict=True))
        places += [(place + source, to + target) for place, to in places]
        loops.append(NOTHING.replaced(n=2, source=source, target=target))
    return loops if places == corners else None


def _along(within: Sequence[Loop], fixed: Sequence[Loop], width: int) -> tuple[Loop | None, list[Loop]]:
    """The loop along a row that has all of those within it, and as many more as make it no longer than it may be; and what is left."""
    left, size = [*within, *fixed], width
    while (loop := next((loop for loop in left if loop.source == loop.target == size and loop.n * size <= LONGEST), None)) is not None:
        left.remove(loop)
        size *= loop.n
    return (None if any(loop in left for loop in within) else NOTHING.replaced(n=size // width, source=width, target=width)), left


def _counting(turning: Sequence[Loop], fixed: Sequence[Loop], row: int) -> tuple[list[Loop] | None, list[Loop]]:
    """The loops that count the rows of a block at even distances in the target, innermost first, all that turn among them; and the others.

    Rows that lie between those that turn others belong to the block, and so do some of those that follow it.
    """
    loops = sorted([*turning, *fixed], key=target_stride)
    begin, end = (at(loops.index(loop) for loop in turning) for at in (min, max))
    while begin and _follows(loops[begin - 1], loops[begin]) and _count(loops[begin - 1 : end + 1]) * row <= ENOUGH:
        begin -= 1
    found, others = loops[begin : end + 1], loops[:begin] + loops[end + 1 :]
    if found[0].target <= 0 or _count(found) > MOST_ROWS or not all(map(_follows, found, found[1:])):
        return None, []
    for loop in loops[end + 1 : end + 2]:
        more = gcd(loop.n, max(1, ENOUGH // (_count(found) * row)))
        if more > 1 and _follows(found[-1], loop):
            others[begin] = loop.blocks(more)
            found.append(loop.replaced(n=more))
    return found, others


def _follows(loop: Loop, outer: Loop) -> bool:
    return outer.target == loop.target * loop.n


def _count(loops: Sequence[Loop]) -> int:
    return prod([loop.n for loop in loops])


def _numbers(rows: Sequence[Loop], turning: Sequence[Loop]) -> list[int]:
    """Which of the ways each row goes."""
    numbers = [0]
    for loop in rows:
        step = 1 << turning.index(loop) if loop in turning else 0
        numbers = [number + k * step for k in range(loop.n) for number in numbers]
    return numbers
