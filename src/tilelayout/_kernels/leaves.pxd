from libc.stdint cimport int64_t

from tilelayout._kernels.loops cimport Loop

cdef extern from "tl_agreed.h":
    enum:
        LANE "TL_LANE_BYTES"
        LINE "TL_LINE"
        NARROW "TL_NARROW"
        NARROW_PAIRED "TL_NARROW_PAIRED"
        CLOSE "TL_CLOSE"
        MANY_ROWS "TL_MANY_ROWS"
    enum:
        CUTS_NOTHING "TL_UNCUT"
        CUTS_U "TL_U"
        CUTS_V "TL_V"
        CUTS_INNERMOST "TL_INNERMOST"

cdef enum:
    #: Bytes of a block that go through scratch memory at a time, about.
    STRIP = 0x80000
    #: Bytes of a stretch of the target that may come before and after any other: the lines at its ends are few.
    LEAST_ALONE = 0x100


cdef inline bint is_no_part(int64_t width) noexcept:
    """Whether a line has no whole number of elements of so many bytes: those of runs are put in order, one or a few at a time."""
    return LINE % width != 0


cdef class Manner:
    cdef bint streams, onward
    cdef int64_t row, rows, short_rows, kept, u, v, block, whole_v, stretch_u, stretch_v, chained_v, repeated, unzipped, narrow
    cdef object by


cdef class Side:
    cdef readonly Loop loop, cut
    cdef readonly tuple steps
    cdef readonly int64_t unit, each
    cpdef bint ends_early(self, sizes)


cdef class Outer:
    cdef readonly Loop loop
    cdef readonly int cuts
    cdef readonly int64_t total, per


cdef class Leaf:
    cdef readonly str kernel
    cdef readonly int64_t width
    cdef readonly Side u, v
    cdef readonly list around


cdef Side side_of(Loop loop, tuple steps, int64_t unit, Loop cut, int64_t each=*)
cdef Side cut_u(Loop loop, int64_t most)
cdef Side cut_v(Loop loop, int64_t most)
cdef tuple more_of_u(Side u, Loop v, list rest, int64_t most, int64_t width)
cdef tuple more_of_v(Side v, Loop u, list rest, int64_t most, int64_t width)
cdef int64_t rounded_up(int64_t n, int64_t unit)
cdef Outer outside(Loop loop, int cuts=*, int64_t total=*, int64_t per=*)
cdef Leaf leaf(str kernel, int64_t width, Side u, Side v, list rest)
