"""The steps of the algebra on plain layouts, told in words: one line a step, with the numbers of the layouts at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..algebra.coalesce import spelled_out
from ..algebra.complement import complement, gaps
from ..algebra.composing import composed, walked
from ..algebra.divide import whole_tiles
from ..algebra.domain import integer_modes
from ..algebra.inverse import Step, left_steps, linked, steps_to
from ..algebra.modes import Modes, coalesced_open, merged
from ..division import ceil_div
from ..layout import Layout
from ..making import make_layout
from ..spelling import spelled
from ..tuples import IntTuple, as_shape, product


def of_coalesce(layout: Layout) -> Iterator[str]:
    """Neighbours joined, from left to right.

    >>> print(*of_coalesce(Layout((2, (1, 6)), (1, (6, 2)))), sep="; ")
    2:1 comes first; 1:6 has one coordinate and goes; 6:2 begins where 2:1 ends (2*1 = 2), so both are 12:1
    """
    last: tuple[int, int] | None = None
    for extent, stride in integer_modes(layout):
        if extent == 1:
            yield f"{extent}:{stride} has one coordinate and goes"
        elif last is None:
            last = extent, stride
            yield f"{extent}:{stride} comes first"
        elif last[0] * last[1] == stride:
            joined = last[0] * extent, last[1]
            yield f"{extent}:{stride} begins where {_pair(last)} ends ({last[0]}*{last[1]} = {stride}), so both are {_pair(joined)}"
            last = joined
        else:
            yield f"{extent}:{stride} does not begin where {_pair(last)} ends ({last[0]}*{last[1]} = {last[0] * last[1]}), so it stays"
            last = extent, stride
    if last is None:
        yield "no mode is left, which is written 1:0"


def of_composition(a: Layout, b: Layout) -> Iterator[str]:
    """Each leaf of B walked through the modes of A.

    >>> print(*of_composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))), sep="\\n")
    A coalesced, its last mode without an end: (6,2):(8,2)
    4:3 of B takes 4 coordinates of A, 3 apart:
      in 6:8, 2 coordinates 3 apart, with offsets 3*8 = 24 apart: 2:24
      in 2:2, 2 coordinates 1 apart, with offsets 1*2 = 2 apart: 2:2
    3:1 of B takes 3 coordinates of A, 1 apart:
      in 6:8, 3 coordinates 1 apart, with offsets 1*8 = 8 apart: 3:8
    these take the places of B's leaves
    """
    modes = coalesced_open(integer_modes(a))
    yield f"A coalesced, its last mode without an end: {spelled_out(modes)}"
    yield from _leaves_walked(modes, integer_modes(b))
    yield "these take the places of B's leaves"


def _leaves_walked(a: Modes, b: Modes) -> Iterator[str]:
    for (size, stride), part in zip(b, composed(a, b), strict=True):
        runs = walked(a, size, stride)
        if size == 1:
            yield f"{size}:{stride} of B takes one coordinate of A and stays one of extent 1: {spelled_out(part)}"
        elif runs is None:
            yield f"{size}:{stride} of B does not divide A's extents; the offsets themselves, one by one, are those of {spelled_out(part)}"
        else:
            yield f"{size}:{stride} of B takes {size} coordinates of A, {stride} apart:"
            yield from indented(_walk(a, {mode: (count, step) for count, step, mode in runs}, stride))


def _walk(a: Modes, runs: dict[int, tuple[int, int]], step: int) -> Iterator[str]:
    for mode in range(max(runs) + 1):
        extent, stride = a[mode]
        if mode in runs:
            count, apart = runs[mode]
            gap = apart * stride
            yield f"in {extent}:{stride}, {count} coordinates {apart} apart, with offsets {apart}*{stride} = {gap} apart: {count}:{gap}"
        else:
            yield f"{extent}:{stride} is stepped over: {step} = {extent}*{step // extent}, so the step in what follows is {step // extent}"
            step //= extent


def of_complement(layout: Layout, cotarget: IntTuple) -> Iterator[str]:
    """The gaps between the modes, and what lies behind the last.

    >>> print(*of_complement(Layout((2, 2), (1, 6)), 24), sep="\\n")
    2:1 begins where the run before ends, at 1, and its run ends at 2*1 = 2
    2:6 begins at 6; before it 3 runs of 2 find room, which gives 3:2, and its run ends at 2*6 = 12
    up to 24 there are 2 runs of 12, which gives 2:12
    the modes coalesced are the complement
    """
    yield from _gaps_told(integer_modes(layout))
    end = gaps(integer_modes(layout)).end
    count = product(ceil_div(cotarget, end))
    yield f"up to {spelled(cotarget)} there are {count} runs of {end}, which gives {count}:{end}"
    yield "the modes coalesced are the complement"


def _gaps_told(modes: Modes) -> Iterator[str]:
    end = 1
    for extent, stride in sorted(merged(tuple(pair for pair in modes if pair[1])), key=lambda pair: pair[::-1]):
        room = stride // end
        begins = (
            f"where the run before ends, at {end}"
            if room == 1
            else f"at {stride}; before it {room} runs of {end} find room, which gives {room}:{end}"
        )
        end = extent * stride
        yield f"{extent}:{stride} begins {begins}, and its run ends at {extent}*{stride} = {end}"
    if end == 1:
        yield "no mode moves, so the first run ends at 1"


def of_division(layout: Layout, tiler: Layout) -> Iterator[str]:
    """The complement, the concatenation, and the composition."""
    modes, tile = coalesced_open(integer_modes(layout)), integer_modes(tiler)
    end = gaps(tile).end
    longer, extents = whole_tiles(modes, end)
    cotarget = extents if len(extents) > 1 else extents[0]
    if longer != modes:
        yield f"the layout in whole tiles, since {end} does not divide it: {spelled_out(longer)}"
    rest = complement(tiler, as_shape(cotarget))
    yield f"the complement of the tiler {tiler} up to {spelled(cotarget)}, which goes from tile to tile:"
    yield from indented((*of_complement(tiler, cotarget), str(rest)))
    both = make_layout(tiler, rest)
    yield f"tiler and complement side by side: {both}"
    yield "the layout A after these, B:"
    yield from indented(of_composition(spelled_out(longer), both))


def of_product(layout: Layout, tiler: Layout) -> Iterator[str]:
    """The complement, the composition, and the concatenation."""
    cotarget = layout.size * tiler.cosize
    repeated = complement(layout, cotarget)
    yield f"the complement of {layout} up to {layout.size}*{tiler.cosize} = {cotarget}, which goes from repetition to repetition:"
    yield from indented((*of_complement(layout, cotarget), str(repeated)))
    yield "this A after the tiler, B, gives the order of the repetitions:"
    yield from indented(of_composition(repeated, tiler))
    yield "the layout is mode 0, and its repetitions are mode 1"


def of_right_inverse(layout: Layout) -> Iterator[str]:
    """The chain of strides from 1 on.

    >>> print(*of_right_inverse(Layout((4, 3), (3, 1))), sep="\\n")
    coalesced, and each mode with the distance of its coordinates: 4:3 (1 apart), 3:1 (4 apart)
    offset 1 is where 3:1 begins, whose coordinates are 4 apart: 3:4; it goes on to offset 3
    offset 3 is where 4:3 begins, whose coordinates are 1 apart: 4:1; it goes on to offset 12
    no mode begins at offset 12, so the chain ends
    """
    steps, told = _weighted(layout)
    yield told
    end = 1
    for stride, extent, weight in linked(steps):
        end *= extent
        yield (
            f"offset {stride} is where {extent}:{stride} begins, whose coordinates are {weight} apart: {extent}:{weight}; "
            f"it goes on to offset {end}"
        )
    yield f"no mode begins at offset {end}, so the chain ends"


def of_left_inverse(layout: Layout) -> Iterator[str]:
    """The gap in front of each stride, sorted.

    >>> print(*of_left_inverse(Layout((4, 2), (1, 5))), sep="\\n")
    coalesced, and each mode with the distance of its coordinates: 4:1 (1 apart), 2:5 (4 apart)
    4:1: its stride is 1 times 1, the one before
    2:5: its stride is 5 times 1, the one before, whose coordinates are 1 apart: 5:1
    the last mode, with 2 coordinates 4 apart: 2:4
    """
    steps, told = _weighted(layout)
    yield told
    if steps and all(stride < 0 for stride, _, _ in steps):
        yield "all strides are below 0; the inverse is that of their negatives, with its strides turned"
    before, extent_before, weight_before = 1, 1, 0
    for stride, extent, turned in left_steps(layout)[()]:
        weight = abs(turned)
        gap = stride // before
        mode = f", whose coordinates are {weight_before} apart: {gap}:{weight_before}" if gap > 1 else ""
        yield f"{extent}:{stride}: its stride is {gap} times {before}, the one before{mode}"
        before, extent_before, weight_before = stride, extent, weight
    yield f"the last mode, with {extent_before} coordinates {weight_before} apart: {extent_before}:{weight_before}"


def _weighted(layout: Layout) -> tuple[list[Step], str]:
    """The modes that move, with how far apart their coordinates are; and these in words."""
    steps = steps_to(layout)[()]
    told = ", ".join(f"{s}:{d} ({weight} apart)" for d, s, weight in steps) or "none moves"
    return steps, f"coalesced, and each mode with the distance of its coordinates: {told}"


def indented(lines: Iterable[str]) -> Iterator[str]:
    """The lines two spaces further in."""
    return (f"  {line}" for line in lines)


def _pair(mode: tuple[int, int]) -> str:
    return f"{mode[0]}:{mode[1]}"
