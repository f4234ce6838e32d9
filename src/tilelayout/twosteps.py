"""Copies in two steps, by way of a scratch that stays in a cache.

Where a loop that is side by side in the source is also among those that make up short rows of the target, no kernel has long rows on both
sides: of {0,1:T(2,2)} it has rows of two elements. Were these loops to come in another order on one side, it would. So each block is copied
to a scratch in which they do, and from there to where it belongs: one of the steps is a copy of long rows, and the other puts elements that
stay together in order. What overruns an axis is padding in the scratch, so that one of the steps takes no notice of it.

Where rows are so short that a large copy would write lines in part (``is_scattered``), the scratch has them as the target has, from where
they go in whole lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from math import prod
from operator import add
from typing import NamedTuple

from ._kernels.chains import end_to_end, size_of
from ._kernels.copy import CopyPlan
from ._kernels.loops import NOTHING, Loop, forward, iterations, joined, widened
from ._kernels.merits import has_neighbours, is_scattered, merit_of
from ._kernels.nests import Nest, nest
from ._kernels.orders import ByteOrder, innermost, ordered
from ._kernels.steps import CopyInSteps
from .cached import cached_property
from .loops import with_long_ends

#: The merit of a leaf that moves well enough, as ``merit_of`` has it.
WELL = 1024
#: How many times the merit of one nest the worse of two steps must have (``_worth``); and the greatest merit of one nest for which all
#: orders are tried, where it must have so many.
WORTH, POOR = 4, 512
#: The merit of rows of five bytes; those of more, side by side, mostly move better by themselves than by two transposes.
FAIR = 320
#: Bytes of a row in a block: the first of these by which it is not too large; of a block, up to which more is taken in; and of one at the
#: most.
ROWS, BLOCK, MOST = (1 << 12, 1 << 11, 1 << 10, 1 << 8, 1 << 6), 1 << 16, 1 << 19
#: Loops that may come in another order, at the most, and bytes of a copy from which on it is worth while to look for one.
MOST_TURNED, LEAST = 4, 1 << 14
#: Of two orders, up to where the merit counts, the bytes of a leaf, those that an unzip reads from end to end, and those that a block
#: writes in one piece.
GOOD, SMALL, READ_ON, PIECE = 2304, 512, 1024, 1024
FULL = GOOD * SMALL * READ_ON * PIECE
#: Bytes of a page, and how many a block is read from at the most.
PAGE, MOST_PAGES = 1 << 12, 1 << 11
#: Bytes of a piece of the source that a machine which does not fetch rows by itself reads over before it is copied, at the least.
READ_OVER = 1 << 15
#: Bytes in a line of the caches; half of those between lines that share their places in the nearest; and how few of these that has.
LINE, HALF_WAY, WAYS = 64, 1 << 11, 8
#: Bytes of a lane of a vector; and of a leaf of a few short rows.
LANE, FEW = 16, 128


class Padding(Enum):
    """What may be done with what overruns axes: there is none, it is left alone, filled in the target, or may be read in the source."""

    NONE = "none"
    LEFT = "left"
    FILLED = "filled"
    READ = "read"


class Order(NamedTuple):
    """The loops in the order that they have in a scratch, innermost first; of the first ``whole`` a block has all iterations."""

    loops: list[Loop]
    whole: int = 0


@dataclass(frozen=True)
class Steps:
    """The loops of the two steps of a block, the sizes of axes that clip the first, and the width of elements.

    The scratch has ``held`` bytes; ``outer`` are the loops around blocks, as ``CopyInSteps`` takes them.
    """

    first: list[Loop]
    second: list[Loop]
    sizes: Sequence[int]
    width: int
    held: int
    outer: list[tuple[int, int, int, int]]

    @cached_property
    def nests(self) -> list[tuple[Nest, ByteOrder | None]]:
        """The nest of each step in a cache, and the order of its bytes."""
        return [_nest(loops, self.width) for loops in (self.first, self.second)]

    @cached_property
    def piece(self) -> int:
        """How many bytes of the source a block reads in one piece."""
        return _together(self.first, self.width, by_source=True)

    def merit(self) -> int:
        """How well the worse of the two steps moves."""
        return min(_merit(found, order, self.sizes) for found, order in self.nests)

    def promise(self, is_large: bool) -> tuple[bool, int, bool]:
        """By what steps are chosen: how well the worse of the two moves, and how much a block writes, and an unzip reads, from end to end.

        Only if no others do, those whose blocks are read from very many pages. Of steps alike, where the copy is large, those that do not
        write by transposes.
        """
        moved = [min(GOOD, _merit(found, order, self.sizes)) * min(SMALL, size_of(found.leaf)) for found, order in self.nests]
        (first, _), (second, _) = self.nests
        row = first.leaf.u.loop.n * first.leaf.width
        rows = end_to_end(first.leaf.v.steps, row)
        jumps = first.leaf.kernel == "unzip" and rows < first.leaf.v.loop.n and self.piece < READ_OVER
        read = min(READ_ON, rows * row) if jumps else READ_ON
        written = min(PIECE, _together(self.second, self.width, by_source=False))
        pages = prod(loop.n for loop in self.first if abs(loop.source) >= PAGE)
        return pages <= MOST_PAGES, min(moved) * read * written, is_large and second.leaf.kernel != "transpose"

    def reading(self) -> tuple[int, int, list[tuple[int, int]]]:
        """What ``CopyInSteps`` is to read over: long pieces, none of which ends where an axis does."""
        if self.piece < READ_OVER or any(loop.clipped for loop in self.first):
            return 0, 0, []
        around = [loop for loop in reversed(_side(self.first, by_source=True)) if abs(loop.source) >= self.piece]
        begin = sum(loop.source * (loop.n - 1) for loop in self.first if loop.source < 0)
        return self.piece, begin, [(loop.n, abs(loop.source)) for loop in around]

    def share_places(self) -> bool:
        """Whether a step writes or reads many parts of lines in turn that share their places in a cache: others go on with these lines."""
        (first, _), (second, _) = self.nests
        written, read = first.leaf, second.leaf
        row = written.u if written.kernel == "run" else written.v
        rows = ((written.v.loop.n, written.v.loop.target),) if written.kernel == "run" else written.u.steps
        return _share_places(rows, row.loop.n * written.width) or _share_places(read.v.steps, read.u.loop.n * read.width)

    def both_transpose(self) -> bool:
        """Whether each of the steps is a transpose."""
        return all(found.leaf.kernel == "transpose" for found, _ in self.nests)


def in_two_steps(
    loops: list[Loop], width: int, found: Nest, sizes: Sequence[int], starts: tuple[int, int], *, padding: Padding
) -> CopyInSteps | None:
    """The copy of these loops by way of a scratch, where that is worth it beside the nest that was found for them."""
    is_little = iterations(loops) * width < LEAST
    is_large: bool = found.is_large
    is_dense = has_neighbours(found)
    if not any([loop.clipped for loop in loops]):
        padding = Padding.NONE
    elif padding is Padding.LEFT or is_little or (padding is Padding.READ and is_dense and iterations(loops) > 2 * prod(sizes)):
        return None
    loops, *behind = forward(loops, in_target=True)
    loops, width = widened(joined(loops), width)
    worth, moved = _worth(found), merit(found, sizes)
    least = worth * moved
    best = _best((_steps(order, loops, width, sizes, padding) for order in _crossed(loops, width)), least, is_large)
    if (worth < WORTH or moved <= POOR) and not is_little and (best is None or best.promise(is_large)[1] < FULL):
        best = _best([best, *(_steps(order, loops, width, sizes, padding) for order in _turned(loops))], least, is_large)
    if best is not None and is_dense and moved > FAIR and best.both_transpose():
        best = None
    if is_scattered(found) and (best is None or not _ends_in_lines(best)):
        best = _in_whole_lines(loops, width, sizes, padding, max(FAIR, moved)) or best
    if best is None:
        return None
    first = copy_of(best.first, best.width, is_fetched=is_large, sizes=best.sizes if padding is Padding.FILLED else ())
    second = copy_of(best.second, best.width, is_large=is_large, is_fetched=False, sizes=sizes if padding is Padding.READ else ())
    source, target = map(add, starts, behind)
    reading = best.reading() if is_large and not found.machine.fetches_rows else (0, 0, [])
    return CopyInSteps([(first, False, True), (second, True, False)], best.held, best.outer, source, target, reading=reading)


def _worth(found: Nest) -> int:
    """How many times the merit of a nest the worse of two steps must have.

    Fewer where a large copy moves worse than that tells: where parts of many rows are written in turn, single elements are moved, or a few
    short rows at a time are brought together for lines.
    """
    leaf = found.leaf
    if not found.is_large:
        return WORTH
    if leaf.kernel == "unzip" and is_scattered(found):
        return 1
    if leaf.kernel == "transpose" and not found.is_streamed and leaf.v.loop.n * leaf.width < LANE:
        return 1
    are_few = leaf.kernel == "run" and found.is_streamed and size_of(leaf) <= FEW
    return WORTH // 2 if leaf.kernel == "strided" or are_few else WORTH


def _in_whole_lines(loops: list[Loop], width: int, sizes: Sequence[int], padding: Padding, least: int) -> Steps | None:
    """The steps by way of a scratch in the order of the target, if the first has that merit at the least, and the second is streamed."""
    steps = _steps(Order(_side(loops, by_source=False)), loops, width, sizes, padding)
    if steps is None:
        return None
    (first, order), _ = steps.nests
    if first.leaf.kernel == "strided" or _merit(first, order, steps.sizes) < least:
        return None
    return steps if _ends_in_lines(steps) else None


def _ends_in_lines(steps: Steps) -> bool:
    """Whether the second step is streamed."""
    found, _ = _nest(steps.second, steps.width, is_large=True)
    return bool(found.is_streamed)


def merit(found: Nest, sizes: Sequence[int]) -> int:
    """The merit of a nest (``merit_of``), divided by the length of rows of a transpose that are short and end early in all leaves."""
    row, width = found.leaf.u.loop, found.leaf.width
    ends = found.leaf.u.ends_early(sizes) and row.n * width < LINE
    moved = merit_of(found)
    return moved // row.n if ends and found.leaf.kernel in ("transpose", "strided") else moved


def _best(made: Iterable[Steps | None], least: int, is_large: bool) -> Steps | None:
    """The steps that promise most, of those whose merit is ``least`` or more."""
    good = [steps for steps in made if steps is not None and steps.merit() >= least]
    return max(good, key=partial(Steps.promise, is_large=is_large), default=None)


def copy_of(
    loops: list[Loop],
    width: int,
    starts: tuple[int, int] = (0, 0),
    *,
    is_large: bool = False,
    is_fetched: bool | None = None,
    sizes: Sequence[int] = (),
) -> CopyPlan:
    """A step that runs these loops, from these bytes on; what it reads is fetched ahead where it is large, unless that is said."""
    loops, *behind = forward(loops)
    loops, width, order = ordered(loops, width)
    source, target = map(add, starts, behind)
    return CopyPlan(nest(loops, width, is_large, is_ordered=order is not None), sizes, source, target, order=order, is_fetched=is_fetched)


def _nest(loops: list[Loop], width: int, *, is_large: bool = False) -> tuple[Nest, ByteOrder | None]:
    loops, width, order = ordered(forward(loops)[0], width)
    return nest(loops, width, is_large, is_ordered=order is not None), order


def _merit(found: Nest, order: ByteOrder | None, sizes: Sequence[int]) -> int:
    """The merit of a step: a quarter of it where elements are put in order that are no part of a line.

    Where all leaves end early, some of their rows do not exist.
    """
    moved = merit_of(found, not found.leaf.v.ends_early(sizes))
    return moved if order is None or len(order.at) == LINE else moved // 4


def _crossed(loops: list[Loop], width: int) -> Iterator[Order]:
    """The orders of either side, in which the innermost loops (``innermost``) come as the other side has them."""
    for by_source in (True, False):
        inner = innermost(loops, width, by_source)
        if inner is not None:
            yield Order(inner + _side(loops, by_source)[len(inner) :], len(inner))


def _turned(loops: list[Loop]) -> Iterator[Order]:
    """The orders of either side, and the same with some of the innermost loops put outside of those that follow them."""
    for by_source in (True, False):
        side = _side(loops, by_source)
        yield Order(side)
        for turned in range(2, min(MOST_TURNED, len(side)) + 1):
            for first in range(1, turned):
                yield Order(side[first:turned] + side[:first] + side[turned:])


def _side(loops: list[Loop], by_source: bool) -> list[Loop]:
    return sorted(loops, key=lambda loop: abs(_step(loop, by_source)))


def _step(loop: Loop, by_source: bool) -> int:
    return loop.source if by_source else loop.target


def _steps(order: Order, loops: list[Loop], width: int, sizes: Sequence[int], padding: Padding) -> Steps | None:
    """Two steps by way of a scratch with its loops in that order, if a block is not too large."""
    per = block_of(order, loops, width)
    if per is None:
        return None
    steps = _by_way(order, per, width, sizes, padding)
    return _by_way(order, per, width, sizes, padding, apart=LINE) if steps.share_places() else steps


def _by_way(order: Order, per: dict[Loop, int], width: int, sizes: Sequence[int], padding: Padding, *, apart: int = 0) -> Steps:
    """Two steps by way of a scratch that has so many iterations of each loop, and bytes ``apart`` between what would share places."""
    first, second = [], []
    size = width
    for loop in order.loops:
        n = per[loop]
        if n > 1:
            size += apart if size % HALF_WAY == 0 else 0
            first.append((loop if padding is Padding.FILLED else NOTHING).replaced(n=n, source=loop.source, target=size))
            second.append((loop if padding is Padding.READ else NOTHING).replaced(n=n, source=size, target=loop.target))
            size *= n
    first, ends = with_long_ends(first, sizes)
    return Steps(first, [_fitted(loop, sizes) for loop in joined(second)], ends, width, size, around(per))


def _share_places(steps: Iterable[tuple[int, int]], row: int) -> bool:
    return row < LINE and prod([n for n, step in steps if step % HALF_WAY == 0]) >= WAYS


def _fitted(loop: Loop, sizes: Sequence[int]) -> Loop:
    """The loop, ended where its axis ends, if it goes to the end of that, and the axis ends at a whole step."""
    if not loop.clipped:
        return loop
    n, rest = divmod(sizes[loop.axis], loop.divisor)
    return loop if rest or n > loop.n else loop.replaced(n=n, clipped=False)


def block_of(order: Order, loops: list[Loop], width: int) -> dict[Loop, int] | None:
    """How many iterations of each loop are in a block, with the longest of ``ROWS`` that it has room for; None if it has for none."""
    for row in ROWS:
        per = blocks(order, loops, width, row)
        if width * prod(per.values()) <= MOST:
            return per
    return None


def around(per: dict[Loop, int]) -> list[tuple[int, int, int, int]]:
    """The loops around blocks that have so many iterations of each, outermost first."""
    found = [(loop.n, n, loop.source, loop.target) for loop, n in per.items() if n < loop.n]
    return sorted(found, key=lambda fields: abs(fields[3]), reverse=True)


def blocks(order: Order, loops: list[Loop], width: int, most: int) -> dict[Loop, int]:
    """How many iterations of each loop are in a block.

    All of those of clipped axes and of the order's ``whole`` loops; of the others first as many as make rows of ``most`` bytes on both
    sides, and in the scratch, if none are ``whole``; and then more, of the shortest strides first, up to ``BLOCK`` bytes.
    """
    clipped = {loop.axis for loop in loops if loop.clipped}
    per = {loop: loop.n if loop.axis in clipped or loop in order.loops[: order.whole] else 1 for loop in loops}
    rows = [_row(_side(loops, by_source), width, by_source) for by_source in (True, False)]
    for row in rows if order.whole else [order.loops, *rows]:
        size = width
        for loop in row:
            if size < most:
                per[loop] = max(per[loop], _evenly(loop.n, most // size))
                size *= loop.n
    for loop in sorted(loops, key=lambda loop: min(abs(loop.source), abs(loop.target))):
        per[loop] = max(per[loop], _evenly(loop.n, per[loop] * BLOCK // (width * prod(per.values()))))
    return per


def _together(loops: list[Loop], width: int, *, by_source: bool) -> int:
    """How many bytes lie together on one side."""
    return width * prod(loop.n for loop in _row(_side(loops, by_source), width, by_source))


def _row(side: list[Loop], width: int, by_source: bool) -> Iterator[Loop]:
    """The loops that a row of one side is made of."""
    for loop in side:
        if abs(_step(loop, by_source)) != width:
            return
        yield loop
        width *= loop.n


def _evenly(n: int, most: int) -> int:
    """How many of n come together, so that there are as few and as even blocks of ``most`` at the most as can be."""
    blocks = -(-n // max(1, most))
    return -(-n // blocks)
