from libc.stdint cimport int64_t

from tilelayout._kernels.loops cimport Loop

cdef extern from "tl_agreed.h":
    enum:
        LANE "TL_LANE_BYTES"
        LINE "TL_LINE"
        NARROW "TL_NARROW"
    enum:
        CUTS_NOTHING "TL_UNCUT"
        CUTS_U "TL_U"
        CUTS_V "TL_V"
        CUTS_INNERMOST "TL_INNERMOST"

cdef enum:
    #: Rows of the source that may be read in turn: so many streams the machine prefetches by itself.
    MOST_ROWS = 16
    #: Bytes of a block that go through scratch memory at a time, about.
    STRIP = 0x80000


cdef class Manner:
    cdef int64_t row, rows, short_rows, u, v, whole_v, stretch_u, stretch_v, chained_v, unzipped
    cdef object by


cdef class Side:
    cdef readonly Loop loop, cut
    cdef readonly tuple steps
    cdef readonly int64_t unit


cdef class Outer:
    cdef readonly Loop loop
    cdef readonly int cuts
    cdef readonly int64_t total, per


cdef class Leaf:
    cdef readonly str kernel
    cdef readonly int64_t width
    cdef readonly Side u, v
    cdef readonly list around


cdef Leaf leaf_of(list loops, int64_t width, Manner manner, int64_t per_byte=*)
cdef Leaf run_of_rows(Loop along, Loop rows, tuple steps, list others, int64_t width)
cdef Side side_of(Loop loop, tuple steps, int64_t unit, Loop cut)
cdef Outer outside(Loop loop, int cuts=*, int64_t total=*, int64_t per=*)
cdef double stride(Loop loop)
