"""From two lists of digits to a loop nest: the plan of one copy between two layouts of an array, or a layout and an array.

The planner refines the digits of both sides into loops with two strides, joins loops that are one, treats several narrow
elements as one wide one where they stay together, gives the innermost to a kernel, and puts the others around it, those with the
longest strides outermost. A digit that overruns its axis is clipped, never copied. ``ARCHITECTURE.md`` lists the words used here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

from ._kernels.copy import CopyPlan
from ._kernels.loops import NOTHING, Loop, covered, iterations, joined, target_stride
from ._kernels.merits import is_scattered, merit_of
from ._kernels.nests import Nest, nest
from ._kernels.steps import CopyInSteps
from .flipped import in_rows
from .joining import canonical
from .loops import Fields, refined, with_long_ends
from .parts import Part, all_of, nested, parted, streams, without_long_end
from .radix import Digit
from .sharing import Sharing
from .swizzled import in_turns, walks
from .twosteps import LINE, POOR, WELL, WORTH, Padding, in_two_steps, merit

#: Bytes of elements up to which a copy in a cache rather goes in two steps than without padding.
NARROW = 2
#: Elements that share bytes may move one to a byte first (``_is_slow``): the least effort, elements divided by their merit, for which they
#: do, and the most elements.
APART, MOST_APART = 512, 1 << 30

Copy: TypeAlias = CopyPlan | CopyInSteps


class Planned(NamedTuple):
    """A copy, where there is one, to be followed by those of the ``rest``.

    There is none where digits read sums that carry, or do not divide each other. Together the copies write every one of the first
    ``covered`` slots of the target, padding included, which is 0 where they leave padding alone. ``source`` and ``target`` are the slots
    that copies start from.
    """

    copy: Copy | None
    covered: int = 0
    source: int = 0
    target: int = 0
    rest: tuple[Copy, ...] = ()


class ByBlocks(NamedTuple):
    """A copy block by block: each iteration of its outermost loop moves what ``size`` bytes of one side hold, and leaves the rest alone.

    Each block is read from one scratch of that size; the blocks follow each other from the beginning of the buffer.
    """

    copy: CopyPlan
    covered: int
    size: int


def plan(
    shape: Sequence[int],
    source: Sequence[Fields],
    target: Sequence[Fields],
    width: int,
    room: int = 0,
    *,
    read: int = 0,
    sharing: Sharing | None = None,
) -> Planned:
    """The copy of elements of ``width`` bytes from one list of digits to another, whose strides are in bytes.

    ``room`` is the number of slots in the target, if what is padding there may be filled, and ``read`` that in the source, if what is
    padding there may be read, by a copy to an array. With ``sharing``, slots on one side share bytes.
    """
    loops, filled = _loops(shape, source, target, width, room)
    if loops is None:
        return Planned(None) if sharing or 0 in shape else _plan_swizzled(shape, source, target, width)
    planned = Planned(None, filled, _start(source, shape) // width, _start(target, shape) // width)
    if sharing:
        return _plan_shared(planned, Part(loops, shape, width), sharing)
    loops, sizes = with_long_ends(loops, shape)
    whole = all_of(loops, sizes, width)
    loops = whole.loops
    padding = _padding(source, width, read, filled)
    found = parted(whole)
    bare = _bare(whole, found[0], shape, source, target) if filled else None
    has_no_steps = False
    if bare is None or not _comes_first(bare[0]):
        gapped = _with_gaps(loops, shape, source, width) if found[0].merit <= WELL and not filled else loops
        if gapped is not loops and _is_taken_apart(apart := Part(gapped, shape, width, whole.source, whole.target)):
            return planned._replace(copy=_in_one(apart))
        if padding is not Padding.LEFT and (
            found[0].merit <= POOR or (len(found) > 1 and (_has_little_rows(whole) or is_scattered(found[0].nested[0])))
        ):
            has_no_steps = gapped is loops
            steps = _steps_of(Part(gapped, whole.shape, width, whole.source, whole.target), whole.nested[0], padding)
            if steps:
                return planned._replace(copy=steps[0], rest=tuple(steps[1:]))
    if bare is not None:
        planned, found, padding = planned._replace(covered=0), bare, Padding.LEFT
    made = [[_in_one(part)] if part is whole and has_no_steps else _compiled(part, padding) for part in found]
    copy, *rest = [copy for copies in made for copy in copies]
    return planned._replace(copy=copy, rest=tuple(rest))


def _plan_swizzled(shape: Sequence[int], source: Sequence[Fields], target: Sequence[Fields], width: int) -> Planned:
    """The copies between layouts that XOR bits, if there are any, and not of more than 64 bits can tell."""
    try:
        found = walks(shape, source, target)
        if found is None:
            return Planned(None)
        is_large = streams(prod(shape) * width)
        return Planned(in_rows(found, width, is_large=is_large) or in_turns(found, width, is_large=is_large))
    except OverflowError:
        return Planned(None)


def _plan_shared(planned: Planned, whole: Part, sharing: Sharing) -> Planned:
    """The copy of elements that share bytes, if those of a byte move together, and fast enough not to be set aside one to a byte."""
    if not (sharing.begins(planned.source, planned.target) and sharing.is_whole(whole.loops, planned.covered)):
        return Planned(None)
    for parts in parted(whole, is_shared=True), [whole]:
        nests = [nest(joined(part.loops), 1, part.is_large, None, sharing.per_byte, sharing.joins) for part in parts]
        copies = [sharing.copy(found, part.sizes, part.source, part.target) for found, part in zip(nests, parts, strict=True)]
        if None not in copies:
            copy, *rest = copies
            is_slow = _is_slow(parts, nests, Padding.FILLED if planned.covered else Padding.LEFT)
            return Planned(None) if is_slow else planned._replace(copy=copy, rest=tuple(filter(None, rest)))
    return Planned(None)


def _is_slow(parts: Sequence[Part], nests: Sequence[Nest], padding: Padding) -> bool:
    """Whether elements that share bytes move so badly that they had better move one to a byte, and be joined or taken apart as a whole."""
    counts = [iterations(part.loops) for part in parts]
    merits = [max(1, merit(found, part.sizes)) for found, part in zip(nests, parts, strict=True)]
    efforts = [n / moved for n, moved in zip(counts, merits, strict=True)]
    if sum(efforts) <= APART or sum(counts) > min(MOST_APART, 2 * WELL * sum(efforts)):
        return False
    worst = max(range(len(parts)), key=efforts.__getitem__)
    return parts[worst].merit >= WORTH * merits[worst] or _in_two(parts[worst], padding) is not None


def in_place(
    shape: Sequence[int], source: Sequence[Fields], target: Sequence[Fields], width: int, *, room: int, most: int
) -> ByBlocks | None:
    """The copy within one buffer, each block read from a scratch, if the outermost loop is the same on both sides.

    Blocks of neighbours are taken together, up to ``most`` bytes.
    """
    loops, filled = _loops(shape, source, target, width, room)
    if loops is None or _start(source, shape) or _start(target, shape) or (room and not filled):
        return None
    same = max((loop for loop in loops if loop.source == loop.target), key=target_stride, default=NOTHING)
    rest = [loop for loop in loops if loop is not same and loop.n > 1]
    for side in ("source", "target"):
        if any(getattr(loop, side) < 0 for loop in rest) or _span(rest, side) + width > same.target:
            return None
    taken = next((n for n in range(min(same.n, most // same.target), 1, -1) if same.n % n == 0), 1)
    first = same.blocks(taken).replaced(source=0)
    loops = [same.replaced(n=taken), *rest]
    found, order = nested(loops, width, first, is_large=streams(iterations([*loops, first]) * width))
    return ByBlocks(CopyPlan(found, (*shape, 1), order=order), filled, same.target * taken)


def _span(loops: Iterable[Loop], side: str) -> int:
    """How far behind the first element the last one begins, on one side."""
    return sum(getattr(loop, side) * (loop.n - 1) for loop in loops)


def _loops(
    shape: Sequence[int], source: Sequence[Fields], target: Sequence[Fields], width: int, room: int
) -> tuple[list[Loop] | None, int]:
    """The refined loops, and how many slots they fill: with the padding of the target if they can, else without."""
    if 0 in shape:
        return None, 0
    slots = covered(target, width, room)
    loops = refined(shape, source, target, padded=True) if slots else None
    if loops is None or iterations(loops) != slots:
        return refined(shape, source, target), 0
    return loops, slots


def _ends_inside(loop: Loop, shape: Sequence[int]) -> bool:
    """Whether an axis ends within the last of its loops, at a whole step of it: without padding that would be shorter, and not clipped."""
    return loop.clipped and loop.axis < len(shape) and shape[loop.axis] < loop.divisor * loop.n and shape[loop.axis] % loop.divisor == 0


def _has_little_rows(part: Part) -> bool:
    """Whether what lies side by side on both sides is less than half a line: copies of parts, one by one, would share most lines."""
    row = part.width
    return any(loop.divisor == 1 and loop.source == loop.target == row and part.sizes[loop.axis] * row < LINE // 2 for loop in part.loops)


def _is_taken_apart(part: Part) -> bool:
    """Whether the leaf is an unzip that moves well: of its tuples, the elements that overrun their axis are neither read nor written."""
    return part.nested[0].leaf.kernel == "unzip" and part.merit >= WELL


def _with_gaps(loops: list[Loop], shape: Sequence[int], source: Sequence[Fields], width: int) -> list[Loop]:
    """The loops, one of them lengthened into padding of the source, if elements and padding that lie side by side make one wider element.

    An axis of one element has no loop, and is given one through that element and its padding. Loops are returned as they are if there is
    none.
    """
    few = LINE // width
    rooms = {axis: n for axis, divisor, n, stride in source if divisor == 1 and stride == width and n <= few and isinstance(axis, int)}
    for axis, room in rooms.items():
        if shape[axis] == 1 < room:
            return [*loops, Loop(room, width, 2 * LINE * prod(shape) * width, axis, 1, True)]
    for loop in loops:
        room = rooms.get(loop.axis, 1)
        if (
            loop.source == width
            and loop.divisor == 1
            and loop.n == shape[loop.axis] < room
            and loop.replaced(n=room, target=width).is_wider(width)
        ):
            return [loop.replaced(n=room, clipped=True) if each is loop else each for each in loops]
    return loops


def _bare(padded: Part, best: Part, shape: Sequence[int], source: Sequence[Fields], target: Sequence[Fields]) -> list[Part] | None:
    """The parts of the copy without padding, the main one first, if that moves ``WORTH`` times as well as ``best``; else None.

    ``best`` is the main part of the padded copy. Asked only where padding lengthens an axis beyond its end (``_ends_inside``).
    """
    loops = refined(shape, source, target) if any([_ends_inside(loop, padded.shape) for loop in joined(padded.loops)]) else None
    if loops is None or (moved := best.merit) >= WELL:
        return None
    bare = parted(all_of(loops, shape, padded.width))
    return bare if merit_of(bare[0].nested[0]) >= WORTH * moved else None


def _comes_first(bare: Part) -> bool:
    """Whether a copy without padding moves well enough by itself for two steps not to be looked at."""
    return bare.merit >= WELL and (bare.is_large or bare.width > NARROW)


def _start(digits: Sequence[Fields], shape: Sequence[int]) -> int:
    """The byte that the loops count from: what is added for every element, in sums that fall apart as well."""
    start = 0
    for axis, _, _, stride in digits:
        if axis is None:
            start += stride
        elif isinstance(axis, tuple):
            whole = canonical([Digit(*fields) for fields in digits], shape)
            return sum([digit.stride for digit in whole if digit.axis is None])
    return start


def _padding(source: Sequence[Fields], width: int, read: int, filled: int) -> Padding:
    """What may be done with padding, where so much is filled; what is read is there where digits count through the source without holes."""
    if filled:
        return Padding.FILLED
    return Padding.READ if read and covered(source, width, read) else Padding.LEFT


def _steps_of(part: Part, found: Nest, padding: Padding) -> list[Copy]:
    """The copies that run these loops in two steps where that is worth it beside a nest: without the end of a long axis, if they can."""
    main, *ends = without_long_end(part)
    without = _two_steps(main, found, padding) if ends else None
    if without is not None:
        return [without, *[copy for end in ends for copy in _compiled(end, padding)]]
    steps = _two_steps(part, found, padding)
    return [] if steps is None else [steps]


def _compiled(part: Part, padding: Padding) -> list[Copy]:
    """The copies that run these loops: a nest, or two steps where these are better."""
    found = part.nested[0]
    steps = [] if part.merit >= WELL and not is_scattered(found) else _steps_of(part, found, padding)
    return steps or [_in_one(part)]


def _in_two(part: Part, padding: Padding) -> CopyInSteps | None:
    """The two steps that these loops had better run in, if any."""
    return None if part.merit >= WELL else _two_steps(part, part.nested[0], padding)


def _two_steps(part: Part, found: Nest, padding: Padding) -> CopyInSteps | None:
    """The two steps of these loops where they are worth it beside a nest."""
    return in_two_steps(part.loops, part.width, found, part.sizes, (part.source, part.target), padding=padding)


def _in_one(part: Part) -> CopyPlan:
    found, order = part.nested
    return CopyPlan(found, part.sizes, part.source, part.target, order=order)
