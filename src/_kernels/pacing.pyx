# cython: overflowcheck=True
"""How the kernels pace themselves through a nest: what is fetched ahead, and how much of a leaf goes through scratch memory at a time."""

from math import lcm

from libc.stdint cimport int64_t

from tilelayout._kernels.chains cimport row_of, size_of
from tilelayout._kernels.leaves cimport LANE, LINE, NARROW, STRIP, Leaf, Outer
from tilelayout._kernels.nests cimport PAGE, Nest

cdef extern from "tl_agreed.h":
    enum:
        PAIRED "TL_PAIRED"

cdef enum:
    #: Bytes that are fetched ahead of the leaf at hand, about: what comes while memory answers, and some more. Where a loop moves no more
    #: than so many before it goes on elsewhere, that comes too soon to be left to itself.
    AHEAD = 0x2000
    SOON = 0x10000
    #: The same where rows are taken apart and each iteration is in a page of its own, across which the machine fetches nothing by itself.
    SOONER = 0x8000
    #: Bytes of a loop whose last iterations lack some of theirs, up to which it is what lies a whole loop further that is fetched: the same
    #: is there.
    FEW_AHEAD = 0x8000
    #: Bytes of a row of the source beyond which a transpose fetches nothing but what comes in the row itself, and how far ahead.
    LONG_ROW = 2048
    ALONG = 512

cpdef int64_t strip_of(Nest nest, int64_t per_byte) except -1:
    """How many rows of a block go through scratch memory at a time, as whole chains of them and whole bytes of so many each."""
    cdef Leaf leaf = nest.leaf
    cdef int64_t rows = (leaf.v if leaf.kernel == "run" else leaf.u).loop.n
    cdef int64_t together = lcm(nest.hop * nest.chain, per_byte)
    if not nest.is_streamed or leaf.kernel != "transpose":
        return rows
    return min(rows, max(1, STRIP // (row_of(leaf) * together)) * together)


cpdef int64_t slice_of(Nest nest) except -1:
    """How much of v is fetched and moved at a time."""
    cdef Leaf leaf = nest.leaf
    if leaf.kernel == "run":
        return LANE
    if leaf.kernel == "transpose":
        return LINE // leaf.width if LINE % leaf.width == 0 else LINE
    return leaf.v.steps[0][0]  # which lie together in the source


cpdef int64_t ahead_of(Nest nest) except? -1:
    """How many bytes of the source lie between a block and the one that is to be fetched with it, about.

    What stays one stretch the machine fetches itself, and long rows of a transpose, unless it makes two lines of wide elements at once.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t size = size_of(leaf), moved = size, soon
    cdef Outer outer
    cdef list others = list(nest.outer)
    if leaf.kernel == "transpose" and leaf.u.loop.n * leaf.width > LONG_ROW:
        return ALONG if leaf.width > NARROW and row_of(leaf) >= (2 * LINE if nest.chain == 1 else PAIRED) else 0
    while others:
        outer = others.pop()
        soon = SOONER if leaf.kernel == "unzip" and outer.loop.source >= PAGE else SOON
        if moved * _going_on(outer, others) > soon and (not outer.loop.clipped or moved * outer.loop.n > FEW_AHEAD):
            if leaf.kernel == "run" and outer.loop.source == outer.loop.target == size:
                return 0
            return max(2 if leaf.kernel in ("run", "zip") and moved <= AHEAD else 1, AHEAD // moved) * outer.loop.source
        moved *= outer.loop.n
    return 0


cpdef bint is_even(Nest nest) except -1:
    """Whether all rows lie alike in their lines, so that blocks of v can begin where lines do."""
    cdef Leaf leaf = nest.leaf
    cdef Outer outer
    cdef int64_t n, step
    if leaf.kernel != "transpose" or row_of(leaf) % LINE or LINE % leaf.width:
        return False
    for outer in nest.outer:
        if outer.loop.target % LINE:
            return False
    for n, step in leaf.u.steps:
        if n > 1 and step % LINE:
            return False
    return True


cdef int64_t _going_on(Outer outer, list others) except -1:
    """How many iterations of a loop, and of those around it that go on in the source where it ends."""
    cdef Outer around
    cdef int64_t n = outer.loop.n
    for around in reversed(others):
        if around.loop.source != outer.loop.source * n:
            break
        n *= around.loop.n
    return n
