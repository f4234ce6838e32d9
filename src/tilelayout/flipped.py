"""Copies of rows that are straight on both sides, but for the places of their bytes, some bits of which are flipped.

So are the swizzles of tensor cores' tiles in shared memory: in each of eight rows of 128 bytes the eight pieces of 16 bytes have changed
places, piece p for piece p ^ row. What is turned lies within rows, and what turns it counts them. So there is one nest of loops for all
rows, and a list of the bits that each row of a block has flipped. Where rows of one side are columns of the other, blocks are copied in two
steps: to a scratch that is straight, and from there, or there, with the bits flipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import gcd, prod
from typing import NamedTuple

from ._kernels.copy import CopyPlan
from ._kernels.loops import NOTHING, Loop, joined, target_stride
from ._kernels.nests import nest_of_rows
from ._kernels.steps import CopyInSteps
from .swizzled import Walk
from .twosteps import LINE, Order, around, block_of, copy_of

#: Bytes of a row at the most, rows of a block at the most, and bytes of a block that are enough.
LONGEST, MOST_ROWS, ENOUGH = 1 << 12, 1 << 9, 1 << 9


class Flips(NamedTuple):
    """Walks that are alike but for bits that are flipped, as one list of loops.

    ``within`` are loops of two iterations that some walks go through backwards, and ``flipped`` says for each walk which of these, by
    number. ``turning`` are loops of two that lead from walk to walk: the k-th from walk n to walk n + 2**k, if bit k of n is not set.
    ``fixed`` are all others.
    """

    within: list[Loop]
    turning: list[Loop]
    fixed: list[Loop]
    flipped: list[list[int]]

    def loops(self) -> list[Loop]:
        """The loops through everything, as if nothing were flipped."""
        return [*self.fixed, *self.within, *self.turning]

    def replaced(self, loop_of: Callable[[Loop], Loop]) -> Flips:
        """The same with other loops."""
        within, turning, fixed = ([loop_of(loop) for loop in loops] for loops in (self.within, self.turning, self.fixed))
        return Flips(within, turning, fixed, self.flipped)


def in_rows(found: Sequence[Walk], width: int, *, is_large: bool) -> CopyPlan | CopyInSteps | None:
    """The copy that makes all of these walks, row by row; None where they differ in more than places within rows of one side."""
    if any(len({(abs(loop.source), loop.target) for loop in loops}) > 1 for loops in zip(*(walk.loops for walk in found), strict=True)):
        return None  # a bit that is a digit of its own as well steps further in some than in others
    steps = list(zip(*([loop.source for loop in walk.loops] for walk in found), strict=True))
    turned = [k for k, sources in enumerate(steps) if len(set(sources)) > 1]
    backwards = [[k for k in turned if steps[k][number] < 0] for number in range(len(found))]
    corners = [(walk.source + sum(walk.loops[k].source for k in back), walk.target) for walk, back in zip(found, backwards, strict=True)]
    turning = _between(corners)
    if not turning:
        return None
    first = found[0].loops
    fixed = joined([loop for k, loop in enumerate(first) if k not in turned])
    within = [first[k].replaced(source=abs(first[k].source)) for k in turned]
    flips = Flips(within, turning, fixed, [[turned.index(k) for k in back] for back in backwards])
    return _rows(flips, width, corners[0], is_large=is_large) or _steps(flips, width, corners[0], is_large=is_large)


def _rows(flips: Flips, width: int, corner: tuple[int, int] = (0, 0), *, is_large: bool, is_fetched: bool | None = None) -> CopyPlan | None:
    """The copy of rows that are straight on both sides."""
    along, fixed = _along(flips.within, flips.fixed, width)
    if along is None or along.n * width % LINE:
        return None
    rows, others = _counting(flips.turning, fixed, along.n * width)
    if rows is None:
        return None
    made = nest_of_rows(along, rows[0].replaced(n=_count(rows)), tuple((loop.n, loop.source) for loop in rows), others, width, is_large)
    ways = [sum(flips.within[k].target for k in back) for back in flips.flipped]
    return CopyPlan(made, (), *corner, flips=[ways[number] for number in _numbers(rows, flips.turning)], is_fetched=is_fetched)


def _steps(flips: Flips, width: int, corner: tuple[int, int], *, is_large: bool) -> CopyInSteps | None:
    """The copy by way of a scratch that is in the order of one side."""
    for by_target in (True, False):
        loops = sorted(flips.loops(), key=lambda loop: loop.target if by_target else abs(loop.source))
        whole = max(loops.index(loop) for loop in (*flips.within, *flips.turning)) + 1
        per = block_of(Order(loops, whole), loops, width)
        if per is None:
            continue
        at = dict(_places(loops, per, width))
        read = [NOTHING.replaced(n=per[loop], source=loop.source, target=at[loop]) for loop in loops]
        written = [NOTHING.replaced(n=per[loop], source=at[loop], target=loop.target) for loop in loops]
        there = dict(zip(loops, written if by_target else read, strict=True))
        rows = _rows(flips.replaced(there.__getitem__), width, is_large=by_target and is_large, is_fetched=is_large and not by_target)
        if rows is None:
            continue
        straight = joined(read if by_target else written)
        other = copy_of(straight, width, is_large=is_large and not by_target, is_fetched=is_large and by_target)
        both = [(other, False, True), (rows, True, False)] if by_target else [(rows, False, True), (other, True, False)]
        return CopyInSteps(both, width * prod(per.values()), around(per), *corner)
    return None


def _places(loops: Sequence[Loop], per: dict[Loop, int], width: int) -> Iterator[tuple[Loop, int]]:
    """How far each loop steps in a scratch in this order, of which a block has ``per`` iterations each."""
    for loop in loops:
        yield loop, width
        width *= per[loop]


def _between(corners: Sequence[tuple[int, int]]) -> list[Loop] | None:
    """The loops of two that lead from the first corner to all others (``Flips.turning``), if any do.

    A corner is the element of least offsets of a walk: where it would begin if it went backwards nowhere.
    """
    loops: list[Loop] = []
    places = [*corners[:1]]
    while len(places) < len(corners):
        source, target = (there - begin for there, begin in zip(corners[len(places)], places[0], strict=True))
        places += [(place + source, to + target) for place, to in places]
        loops.append(NOTHING.replaced(n=2, source=source, target=target))
    return loops if places == corners else None


def _along(within: Sequence[Loop], fixed: Sequence[Loop], width: int) -> tuple[Loop | None, list[Loop]]:
    """The loop along a row that has all of those within it, and as many more as make it no longer than it may be; and what is left.

    None where what steps back are no bits of the place in a row.
    """
    left, size = [*within, *fixed], width
    while (loop := next((loop for loop in left if loop.source == loop.target == size and loop.n * size <= LONGEST), None)) is not None:
        left.remove(loop)
        size *= loop.n
    if any(loop in left or loop.target.bit_count() > 1 for loop in within):
        return None, left
    return NOTHING.replaced(n=size // width, source=width, target=width), left


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
    """The number of the walk that each row belongs to."""
    numbers = [0]
    for loop in rows:
        step = 1 << turning.index(loop) if loop in turning else 0
        numbers = [number + k * step for k in range(loop.n) for number in numbers]
    return numbers
