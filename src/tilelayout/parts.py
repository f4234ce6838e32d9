"""A copy in parts: the main one, without the ragged end of an axis, and that end, where the main part moves better by itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ._kernels.loops import Loop, forward, in_units, iterations, joined
from ._kernels.nests import Nest, nest
from ._kernels.orders import ByteOrder, is_short, ordered, together, uneven
from .cached import cached_property
from .twosteps import LINE, POOR, merit

#: Bytes from which a copy is streamed: written in whole lines, past the caches, and fetched ahead.
LARGE = 4 << 20
#: Bytes from which the ragged end of an axis is worth a copy of its own: two calls cost more than what they gain below.
PARTED = 16 << 10
#: Bytes of axes that end within a block, from which on those of them that are long are gone through without their ends.
LONG_ENDS = 4 << 10
#: Blocks of an axis from which its ragged end is little beside the others, and how many times as large as with it what moves at a time has
#: to be without it.
MANY_BLOCKS, FAR_LARGER = 4, 4


def streams(size: int) -> bool:
    """Whether a copy of so many bytes is streamed."""
    return size >= LARGE


class Part:
    """A part of an array, copied on its own: loops through its elements of ``width`` bytes, its shape, and where it begins on both sides.

    ``source`` and ``target`` are bytes behind the beginning of the whole.
    """

    def __init__(self, loops: list[Loop], shape: Sequence[int], width: int, source: int = 0, target: int = 0) -> None:
        self.loops, self.shape, self.width, self.source, self.target = loops, shape, width, source, target
        #: The sizes of the axes; that after the last has one element, which the digits walk that are only padding.
        self.sizes = (*shape, 1)
        #: Whether the copy is streamed.
        self.is_large = streams(iterations(loops) * width)

    @cached_property
    def nested(self) -> tuple[Nest, ByteOrder | None]:
        """The nest of these loops, and the order of its bytes."""
        return nested(self.loops, self.width, is_large=self.is_large)

    @cached_property
    def merit(self) -> int:
        """How well the leaf moves."""
        return merit(self.nested[0], self.sizes)


def all_of(loops: list[Loop], shape: Sequence[int], width: int) -> Part:
    """The whole array as a part, its loops walked forward."""
    loops, source, target = forward(loops)
    return Part(loops, shape, width, source, target)


def parted(part: Part, *, is_shared: bool = False) -> list[Part]:
    """The copy in parts, the main one first, then those of the ragged ends of axes, if the main part gains by it; else the whole alone."""
    is_worth = iterations(part.loops) * part.width >= min(PARTED, LARGE)
    if is_worth and not is_shared and (cut := uneven(part.loops, part.width)) is not None:
        begun, ended, source, target = cut
        first = Part(begun, part.shape, part.width, part.source, part.target)
        return [*parted(first), *parted(Part(ended, part.shape, part.width, part.source + source, part.target + target))]
    ragged = _worth_parting(part, is_shared) if is_worth else None
    if ragged is None:
        return [part]
    return [end for each in (_without_end(part, ragged), _end_of(part, ragged)) for end in parted(each, is_shared=is_shared)]


def without_long_end(part: Part) -> list[Part]:
    """The part; in two where an axis that ends within a block is long: steps of which a block holds all of it read little else."""
    clipped = [loop for loop in part.loops if loop.clipped]
    if part.width * prod([loop.n for loop in clipped]) <= LONG_ENDS:
        return [part]
    ragged = [loop for loop in clipped if part.sizes[loop.axis] >= MANY_BLOCKS * loop.divisor * loop.n and len(_blocks_of(part, loop)) == 1]
    if not ragged:
        return [part]
    longest = max(ragged, key=lambda loop: part.sizes[loop.axis])
    return [_without_end(part, longest), _end_of(part, longest)]


def _without_end(part: Part, ragged: Loop) -> Part:
    """The whole blocks of the axis that this loop goes through one of."""
    whole, blocks = _whole_of(part, ragged), _blocks_of(part, ragged)
    loops = part.loops
    if len(blocks) == 1 and blocks[0].n == whole // (ragged.divisor * ragged.n) + 1:
        loops = [loop.replaced(n=loop.n - 1) if loop is blocks[0] else loop for loop in loops]  # the last is that of the end
    return _resized(part, loops, ragged.axis, whole)


def _end_of(part: Part, ragged: Loop) -> Part:
    """The block that the axis ends within."""
    whole, blocks = _whole_of(part, ragged), _blocks_of(part, ragged)
    source, target = (sum(getattr(loop, side) * (whole // loop.divisor % loop.n) for loop in blocks) for side in ("source", "target"))
    inside = [loop for loop in part.loops if loop not in blocks]
    return _resized(part, inside, ragged.axis, part.shape[ragged.axis] - whole, source, target)


def _whole_of(part: Part, ragged: Loop) -> int:
    """How much of its axis is whole blocks."""
    unit = ragged.divisor * ragged.n
    return part.shape[ragged.axis] // unit * unit


def _blocks_of(part: Part, ragged: Loop) -> list[Loop]:
    """The loops over the blocks of its axis."""
    return [loop for loop in part.loops if loop.axis == ragged.axis and loop.divisor >= ragged.divisor * ragged.n]


def _worth_parting(part: Part, is_shared: bool) -> Loop | None:
    """The loop without whose ragged end a copy gains, if any: by wider elements, two steps, or larger blocks."""
    if not [loop for loop in part.loops if loop.clipped]:
        return None
    loops, sizes, width = joined(part.loops), part.sizes, part.width
    ragged = [loop for loop in loops if loop.clipped and sizes[loop.axis] >= loop.divisor * loop.n]
    wider = together(loops, width) if ragged and not is_shared else []
    if wider and any(loop.clipped and loop not in ragged for loop in wider):
        wider = []
    for loop in ragged:
        is_row = loop.source == loop.target == width and loop.n * width < LINE
        if loop.is_wider(width) or loop in wider or (is_row and part.is_large):
            return loop
    if not ragged or is_shared:
        return None
    if is_short(loops, width) or part.merit <= POOR:
        return ragged[0]
    if not part.is_large or part.nested[0].leaf.kernel != "transpose":
        return None
    many = (loop for loop in ragged if sizes[loop.axis] >= MANY_BLOCKS * loop.divisor * loop.n)
    return next((loop for loop in many if _moves_larger_blocks(_without_end(part, loop), part)), None)


def _moves_larger_blocks(part: Part, whole: Part) -> bool:
    """Whether a part is streamed where the whole is not, or in blocks that are far larger."""
    made, found = part.nested[0], whole.nested[0]
    sizes = [each.leaf.u.loop.n * each.leaf.v.loop.n for each in (made, found)]
    return made.is_streamed and (not found.is_streamed or sizes[0] >= FAR_LARGER * sizes[1])


def _resized(part: Part, loops: list[Loop], axis: int, size: int, *behind: int) -> Part:
    """Loops through a part that has another size along one axis, and begins so many bytes behind it on both sides."""
    source, target = behind or (0, 0)
    shape = [size if k == axis else n for k, n in enumerate(part.shape)]
    resized = [loop.replaced(clipped=size % (loop.divisor * loop.n) != 0) if loop.axis == axis else loop for loop in loops]
    return Part(resized, shape, part.width, part.source + source, part.target + target)


def nested(loops: list[Loop], width: int, first: Loop | None = None, *, is_large: bool) -> tuple[Nest, ByteOrder | None]:
    """The nest of these loops, with ``first`` outermost where it is given, and the order of its bytes."""
    loops, width, order = ordered(loops, width)
    if order is None and first is None:
        loops, width = in_units(loops, width)
    return nest(loops, width, is_large, first, is_ordered=order is not None), order
