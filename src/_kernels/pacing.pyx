# cython: overflowcheck=True
"""How the kernels pace themselves through a nest: what is fetched ahead, and how much of a leaf goes through scratch memory at a time."""

from math import lcm

from libc.stdint cimport int64_t

from tilelayout._kernels.chains cimport row_of, size_of
from tilelayout._kernels.leaves cimport LANE, LINE, STRIP, Leaf, Outer, is_no_part
from tilelayout._kernels.loops cimport Loop
from tilelayout._kernels.nests cimport PAGE, Nest
from tilelayout._kernels.rounds cimport piece_in_cache

cdef extern from "tl_agreed.h":
    enum:
        PAIRED "TL_PAIRED"

cdef enum:
    #: Bytes of a copy in a cache between the leaf at hand and the one that is fetched, about.
    ONWARD = 0x2000
    #: Bytes that a loop has to move before the source goes on elsewhere, for what lies ahead along it to be fetched; else that along the
    #: next loop outside is.
    SOON = 0x10000
    #: The same of an unzip, each iteration of which is in a page of its own, as the machine fetches nothing across pages by itself.
    SOONER = 0x8000
    #: Bytes of a clipped loop up to which what lies a whole loop further is fetched instead, where the same iterations exist.
    FEW_AHEAD = 0x8000
    #: Bytes of a piece of a strip, about.
    PIECE = 0x1000
    #: Bytes of side u at the most, and pages of the source less than these, for strips to be cut to pieces.
    LONG_SIDE = 512
    MOST_PAGES = 128
    #: Bytes between rows of a run from which on they are fetched: what the machine fetches by itself is mostly left out then.
    WIDE_GAP = 0x80
    #: Bytes of a row of the source beyond which a transpose fetches at most what comes in the row itself, or else in the next block.
    LONG_ROW = 2048
    #: Bytes of rows of a zip beyond which the machine fetches them by itself.
    MOST_FETCHED = 0x10000
    #: Bytes of rows of wide elements that are fetched one after the other, at the least.
    LEAST_SWEPT = 1024
    #: Blocks of a loop up to which what is fetched with the last one is the first that comes then, and not what lies behind it.
    SHORT_LOOP = 16
    #: Bytes ahead in each row that a transpose reads in turn with others.
    ALONG = 512
    #: Bytes at the least that are written from end to end, of one stretch or of each of several rows, for the lines behind to be asked for.
    WRITTEN_ON = 1024
    WRITTEN_IN_ROWS = 256


cpdef int64_t strip_of(Nest nest, int64_t per_byte, int64_t room=STRIP) except -1:
    """How many rows of a block find ``room`` in scratch memory: whole chains, and whole bytes, where ``per_byte`` rows share each."""
    cdef Leaf leaf = nest.leaf
    cdef int64_t rows = (leaf.v if leaf.kernel == "run" else leaf.u).loop.n
    cdef int64_t together = lcm(nest.hop * nest.chain, per_byte)
    if not nest.is_streamed or leaf.kernel != "transpose":
        return rows
    return min(rows, max(1, room // (row_of(leaf) * together)) * together)


cpdef int64_t piece_of(Nest nest, int64_t per_byte, int64_t ahead, int64_t strip) except -1:
    """How many rows of a ``strip`` go through the scratch at a time, where so many bytes ahead is fetched: whole chains, or a part of one.

    Of a transpose, few, each a line or so of side u: what is fetched is few lines at once then, as more would wait for each other, and
    lines are written soon after those that they are made of are read. All of them where side u is long, as the machine fetches that by
    itself; where so many pages are read, or fetched from, that the machine would look them up again for each piece; and where a piece would
    be a part of a chain that ends within a byte, of which ``per_byte`` rows share each.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t block = LINE // leaf.width if LINE % leaf.width == 0 else LINE, n, step, piece, reach = 0
    cdef int64_t whole = lcm(nest.chain, per_byte)
    if leaf.kernel != "transpose" or not ahead or leaf.u.loop.n * leaf.width > LONG_SIDE or nest.hop > 1:
        return strip
    for n, step in leaf.v.steps:
        reach += (n - 1) * abs(step)
    if min(leaf.v.loop.n, reach // PAGE) * (2 if ahead >= PAGE else 1) >= MOST_PAGES:
        return strip
    piece = max(1, PIECE // (row_of(leaf) * block)) * block
    if piece < whole:
        return strip if whole > nest.chain else min(strip, piece)
    return min(strip, piece // whole * whole)


cpdef int64_t slice_of(Nest nest) except -1:
    """How many elements of v are fetched, and then moved, at a time."""
    cdef Leaf leaf = nest.leaf
    if leaf.kernel == "run":
        return LANE
    if leaf.kernel == "transpose":
        return LINE // leaf.width if LINE % leaf.width == 0 else LINE
    return leaf.v.steps[0][0]  # which lie together in the source


cpdef int64_t ahead_of(Nest nest) except? -1:
    """How many bytes of the source lie between a block and the one that is to be fetched with it, about.

    0 where the machine fetches by itself: what is one stretch of the source and of the target, unless elements change places within, or
    rows; single elements less than two lines apart; and rows of a run with none between them, where nothing is streamed. If it fetches
    rows, also most long ones of a transpose (``_in_long_rows``), and those of a run with gaps between them, but narrower ones than
    ``WIDE_GAP``; and if it does not, the rows of a zip that go on for long. Where there are rounds, whole ones are fetched. A run that goes
    on in rows which it reads in turn fetches as far ahead as is best for these.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t size = size_of(leaf), moved = size, ahead = nest.machine.ahead, soon, around
    cdef Outer outer
    cdef bint is_in_rows, goes_on_in_rows
    cdef list others = list(nest.outer)
    if nest.machine.fetches_rows and leaf.kernel == "transpose" and leaf.u.loop.n * leaf.width > LONG_ROW:
        return _in_long_rows(nest)
    if _is_close(nest) or _goes_on_for_long(nest):
        return 0
    if nest.rounds:
        outer = nest.outer[len(nest.outer) - 1 - nest.rounds]
        around = outer.loop.source
        return around if nest.in_rows else max(1, ahead // around) * around
    while others:
        outer = others.pop()
        is_in_rows = outer.loop.source == leaf.u.loop.n * leaf.width
        goes_on_in_rows = leaf.kernel == "transpose" and is_in_rows
        soon = nest.machine.soon_in_rows if goes_on_in_rows else SOONER if leaf.kernel == "unzip" and outer.loop.source >= PAGE else SOON
        if moved * _going_on(outer, others) > soon and (not outer.loop.clipped or moved * outer.loop.n > FEW_AHEAD):
            if leaf.kernel == "run" and outer.loop.source == outer.loop.target == size:
                return ahead if is_no_part(leaf.width) or leaf.v.loop.source < 0 else 0
            if leaf.kernel == "run" and is_in_rows and outer.loop.source < leaf.v.steps[0][1]:
                ahead = nest.machine.ahead_in_rows
            if goes_on_in_rows and not sweeps(nest):
                return max(ALONG, ahead // moved * outer.loop.source)
            return max(2 if leaf.kernel in ("run", "zip") and moved <= ahead else 1, ahead // moved) * outer.loop.source
        moved *= outer.loop.n
    return 0


cpdef int64_t onward_of(Nest nest) except -1:
    """How many bytes ahead of what is moved the source of a copy in a cache is fetched, as it lies there: whole pieces; or 0."""
    cdef int64_t piece = 0 if nest.is_large or nest.machine.fetches_rows else piece_in_cache(nest.leaf, nest.outer)
    return max(1, ONWARD // piece) * piece if piece else 0


cdef bint _goes_on_for_long(Nest nest) except -1:
    """Whether a zip reads rows so long that any machine fetches them by itself: all of them have more than ``MOST_FETCHED`` bytes."""
    cdef Outer inner
    if nest.leaf.kernel != "zip" or nest.machine.fetches_rows or not nest.is_streamed or not nest.outer:
        return False
    inner = nest.outer[len(nest.outer) - 1]
    return inner.loop.source == nest.leaf.u.loop.n * nest.leaf.width and size_of(nest.leaf) * inner.loop.n > MOST_FETCHED


cdef int64_t _in_long_rows(Nest nest) except? -1:
    """The same for a transpose that reads long rows: what comes in each, if elements are wide and their lines enough."""
    cdef Leaf leaf = nest.leaf
    cdef int64_t least = 2 * LINE if nest.chain == 1 else PAIRED
    return ALONG if leaf.width > nest.narrow and row_of(leaf) >= least and not nest.machine.fetches_long_rows else 0


cpdef bint sweeps(Nest nest):
    """Whether all rows of what comes next are fetched as they lie, from end to end and one after the other, while lines are written.

    Of a transpose, not short ones of wide elements, which it fetches as fast in the order in which it reads them.
    """
    cdef Leaf leaf = nest.leaf
    if leaf.kernel != "transpose" or not nest.is_streamed or nest.machine.fetches_rows:
        return nest.in_rows
    return leaf.width <= nest.narrow or leaf.u.loop.n * leaf.width >= LEAST_SWEPT


cpdef bint follows(Nest nest, int64_t ahead):
    """Whether what is fetched is followed from one loop to the next: what lies so many bytes ahead is the next block of a short one.

    Of a long loop the last block matters little, and plain transposes of rows that share places of a cache took a tenth longer so.
    """
    cdef Loop inner
    if not nest.outer:
        return False
    inner = (<Outer>nest.outer[len(nest.outer) - 1]).loop
    return inner.source == ahead and inner.n <= SHORT_LOOP


cpdef bint is_by_lines(Nest nest, int64_t ahead) except -1:
    """Whether long rows, all of which begin at the same place in a line, are left to the machine where that is so in the target, too.

    Each of their lines is then read once, and it fetches them better than by a prefetch of what comes in the row.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t step
    for _, step in leaf.v.steps:
        if step % LINE:
            return False
    return ahead == ALONG and leaf.u.loop.n * leaf.width > LONG_ROW


cdef bint _is_close(Nest nest) except -1:
    """Whether what is read lies so close together that the machine fetches it by itself."""
    cdef Leaf leaf = nest.leaf
    cdef int64_t step = leaf.v.steps[0][1], gap = step - leaf.u.loop.n * leaf.width
    if is_no_part(leaf.width) or leaf.kernel not in ("run", "strided"):
        return False
    if leaf.u.loop.n == 1:
        return abs(step) < 2 * LINE
    if leaf.kernel != "run" or leaf.v.loop.n == 1:
        return False
    return (0 < gap < WIDE_GAP and nest.machine.fetches_rows) or (gap == 0 and not nest.is_streamed)


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


cpdef bint writes_on(Nest nest) except -1:
    """Whether lines of the target are written one after the other, or a few rows at a time.

    Some machines store such lines sooner, if these are asked for ahead, than they write them past the caches. Rows of a transpose that have
    several lines are not written in this order.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t row = row_of(leaf), stretch = row * nest.chain
    cdef Outer inner
    if stretch < size_of(leaf):
        return leaf.kernel in ("run", "unzip") and row >= WRITTEN_IN_ROWS and nest.joined == 1
    if leaf.kernel == "transpose" and row > LINE:
        return False
    if stretch >= WRITTEN_ON or not nest.outer:
        return True
    inner = nest.outer[len(nest.outer) - 1]
    return inner.loop.target * nest.joined == stretch


cdef int64_t _going_on(Outer outer, list others) except -1:
    """How many iterations of a loop, and of those around it that go on in the source where it ends."""
    cdef Outer around
    cdef int64_t n = outer.loop.n
    for around in reversed(others):
        if around.loop.source != outer.loop.source * n:
            break
        n *= around.loop.n
    return n
