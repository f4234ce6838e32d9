# cython: overflowcheck=True
"""Elements that stay together on both sides of a copy, in another order: they travel as wider ones, whose bytes are then put in order.

And for copies in two steps: loops that are innermost on one side, and would make longer rows in the order of the other.
"""

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport LANE, LINE
from tilelayout._kernels.loops cimport Loop, joined, widened

from tilelayout._kernels.copy import picks_bytes
from tilelayout._kernels.loops import NOTHING as _NOTHING

cdef extern from "tl_agreed.h":
    enum:
        MOST_ORDERED "TL_MOST_ORDERED"


def ordered(list loops, int64_t width):
    """The loops of a copy in which elements that stay together are one, the width of its elements, and their order, or None.

    The order says for each byte of a line of such elements which byte it comes from, and those of more than a lane travel lane by lane.
    Where a line has no whole number of elements, it is the order of the bytes of one.
    """
    cdef list found, places = [(0, 0)]
    cdef Loop loop
    cdef int64_t source, target, at, k, wide = width
    cdef bint is_part
    loops = joined(loops)
    found = together(loops, width)
    if not found or any([loop.clipped for loop in found]):
        return loops, width, None
    for loop in found:
        places = [(source + k * loop.source, target + k * loop.target) for k in range(loop.n) for source, target in places]
        wide *= loop.n
    is_part = LINE % wide == 0
    order = bytearray(LINE if is_part else wide)
    for source, target in places:
        for at in range(target, len(order), wide):
            for k in range(width):
                order[at + k] = at - target + source + k
    loops = [loop for loop in loops if loop not in found]
    if wide > LANE and is_part:
        loops, wide = joined([*loops, _NOTHING.replaced(n=wide // LANE, source=LANE, target=LANE)]), LANE
    return loops, wide, bytes(order)


def together(list loops, int64_t width):
    """The loops, of joined ones, through elements that stay together on both sides, in another order: as many as make up a line.

    None are left out for being clipped. Without vectors that pick bytes, a line has a whole number of such elements.
    """
    cdef list written, read, found = []
    cdef Loop first, last
    cdef int64_t source = width, target = width
    cdef int count
    cdef bint is_read = False, is_written = False
    for first in loops:
        if first.n * width < LINE:
            is_read |= first.source == width
            is_written |= first.target == width
    if not (is_read and is_written):
        return found  # as in most copies, which keep longer rows of one side
    written = sorted(loops, key=_target)
    read = sorted(written, key=_source)
    for count in range(1, len(read) + 1):
        first, last = read[count - 1], written[count - 1]
        if first.source != source or last.target != target:
            break
        source *= first.n
        target *= last.n
        if source > MOST_ORDERED:
            break
        if first is not last and source == target and (LINE % source == 0 or picks_bytes()) and set(read[:count]) == set(written[:count]):
            found = read[:count]
            if source >= LINE:
                break
    return found


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
    return loop.source


def _target(Loop loop):
    return loop.target
