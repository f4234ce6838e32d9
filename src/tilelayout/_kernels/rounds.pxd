from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf

cdef enum:
    #: Bytes that a round reads at the most, or twice as many where the source is gone through as it lies.
    MOST_ROUND = 0x10000
    #: The same of one that reads a piece of each row of a leaf.
    MOST_IN_ROWS = 0x40000
    #: Bytes of a row of a run below which a stretch of each is read however few there are: lines of the source would be read twice else.
    SHORT_ROW = 128


cdef int rounds_of(Leaf leaf, list outer, int64_t most) except -1
cdef int64_t piece_in_cache(Leaf leaf, list outer) except -1
cdef bint is_in_rows(Leaf leaf, list outer) except -1
cdef bint goes_on(Leaf leaf, list outer, int64_t per_byte) except -1
