# cython: overflowcheck=True
"""Elements that stay together on both sides of a copy, in another order: they travel as wider ones, whose bytes are then put in order.

And for copies in two steps: loops that are innermost on one side, and would make longer rows in the order of the other.
"""

from typing import NamedTuple

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport LANE, LINE
from tilelayout._kernels.loops cimport Loop, joined, widened

from tilelayout._kernels.copy import picks_bytes
from tilelayout._kernels.loops import NOTHING as _NOTHING, iterations

cdef extern from "tl_agreed.h":
    enum:
        MOST_ORDERED "TL_MOST_ORDERED"


class ByteOrder(NamedTuple):
    """``at`` says from which byte of a line of elements each of its bytes comes; or of an element, if a line has no whole number of them.

    The bytes of an element begin ``begin`` bytes behind the place in the source where loops come to it: before it, if they run backwards.
    """

    at: bytes
    begin: int


def ordered(list loops, int64_t width):
    """The loops of a copy in which elements that stay together are one, the width of its elements, and their order, or None.

    Those of more than a lane, of which a line has a whole number, travel lane by lane.
    """
    cdef list found, rest, places = [(0, 0)]
    cdef Loop loop
    cdef int64_t source, target, at, k, begin, wide = width
    cdef bint is_part
    loops = joined(loops)
    found, rest = _taken(loops, width)
    if not found or any([loop.clipped for loop in found]):
        return loops, width, None
    for loop in found:
        places = [(source + k * loop.source, target + k * loop.target) for k in range(loop.n) for source, target in places]
        wide *= loop.n
    begin = min([source for source, _ in places])
    is_part = LINE % wide == 0
    order = bytearray(LINE if is_part else wide)
    for source, target in places:
        for at in range(target, len(order), wide):
            for k in range(width):
                order[at + k] = at - target + source - begin + k
    if wide > LANE and is_part:
        rest, wide = joined([*rest, _NOTHING.replaced(n=wide // LANE, source=LANE, target=LANE)]), LANE
    return rest, wide, ByteOrder(bytes(order), begin)


def together(list loops, int64_t width):
    """The loops, of joined ones, through elements that stay together on both sides, in another order: as many as make up a line.

    None are left out for being clipped. Without vectors that pick bytes, a line has a whole number of such elements.
    """
    return _blocks(loops, width)[0]


def uneven(list loops, int64_t width):
    """A loop that runs backwards through blocks that lie side by side, if it is not cut evenly: two lists of loops in place of these.

    The first have as many of its iterations as make whole lines, and the second the others, which begin so many bytes behind on both sides.
    None if there is no such loop.
    """
    cdef list same
    cdef int64_t size, most, n
    cdef Loop mirrored, loop
    for loop in loops:
        if loop.source < 0:
            break
    else:
        return None
    loops = joined(loops)
    same = _blocks(loops, width)[1]
    size = width * iterations(same)
    mirrored = _mirrored(loops, same, size)
    if mirrored is None or 2 * size > LINE or mirrored.n * size <= 2 * LINE or _piece(mirrored.n, size):
        return None
    most = (LINE if LINE % size == 0 else 2 * LINE) // size
    n = mirrored.n // most * most
    first, second = [[mirrored.stepping(k) if loop is mirrored else loop for loop in loops] for k in (n, mirrored.n - n)]
    return first, second, mirrored.source * n, mirrored.target * n


cdef tuple _taken(list loops, int64_t width):
    """The loops through what is one element, and those that are left.

    The former are ``together``; or all that stay together, and a piece of the loop that goes on behind these in the target, and before them
    in the source.
    """
    cdef list turned, same
    cdef Loop mirrored, loop
    cdef int64_t size, piece
    turned, same = _blocks(loops, width)
    size = width * iterations(same)
    mirrored = _mirrored(loops, same, size)
    piece = 0 if mirrored is None else _piece(mirrored.n, size)
    if piece == 0:
        return turned, [loop for loop in loops if loop not in turned]
    rest = [loop.blocks(piece) if loop is mirrored else loop for loop in loops if loop not in same]
    return [*same, mirrored.stepping(piece)], [loop for loop in rest if loop.n > 1]


cdef tuple _blocks(list loops, int64_t width):
    """The loops that make up a block of both sides, in another order or backwards (``together``); and those that do, however they come.
    """
    cdef list written, read, turned = [], same = []
    cdef Loop first, last
    cdef int64_t source = width, target = width
    cdef int count
    cdef bint is_read = False, is_written = False
    for first in loops:
        if first.n * width < LINE:
            is_read |= abs(first.source) == width
            is_written |= first.target == width
    if not (is_read and is_written):
        return turned, same  # as in most copies, which keep longer rows of one side
    written = sorted(loops, key=_target)
    read = sorted(written, key=_source)
    for count in range(1, len(read) + 1):
        first, last = read[count - 1], written[count - 1]
        if abs(first.source) != source or last.target != target:
            break
        source *= first.n
        target *= last.n
        if source > MOST_ORDERED:
            break
        if source == target and (LINE % source == 0 or picks_bytes()) and set(read[:count]) == set(written[:count]):
            same = read[:count]
            if first is not last or first.source < 0:
                turned = same
            if source >= LINE:
                break
    return turned, same


cdef Loop _mirrored(list loops, list block, int64_t size):
    """The loop that goes on behind a block of so many bytes in the target, and before it in the source; or None."""
    cdef Loop loop
    for loop in loops:
        if loop.target == size and loop.source == -size and loop not in block and not loop.clipped:
            return loop
    return None


cdef int64_t _piece(int64_t n, int64_t size):
    """How many of n blocks of so many bytes are one element: those of a line, or else some of two; 0 if no such number divides n."""
    cdef int64_t piece
    if size < LINE and LINE % size == 0 and n % (LINE // size) == 0:
        return LINE // size
    for piece in range(min(n, 2 * LINE // size), 1, -1):
        if n % piece == 0 and (2 * size * piece >= LINE or piece == n) and (LINE % (size * piece) == 0 or picks_bytes()):
            return piece
    return 0


def is_short(list loops, int64_t width):
    """Whether rows of joined loops are a lane at the most on both sides."""
    cdef Loop loop
    loops, width = widened(loops, width)
    for loop in loops:
        if (loop.source == width or loop.target == width) and loop.n * width > LANE:
            return False
    return True


def innermost(list loops, int64_t width, bint by_source):
    """The innermost loops of one side, up to a line of it, sorted as the other side has them; None if that is the same order."""
    cdef list found = [], other
    cdef Loop loop
    cdef int64_t size = width
    for loop in sorted(loops, key=_source if by_source else _target):
        if (loop.source if by_source else loop.target) != size or LINE % (size * loop.n):
            break
        size *= loop.n
        found.append(loop)
    other = sorted(found, key=_target if by_source else _source)
    return None if other == found else other


def _source(Loop loop):
    return abs(loop.source)


def _target(Loop loop):
    return abs(loop.target)
