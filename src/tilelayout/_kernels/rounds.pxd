from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf

cdef enum:
    #: Bytes that a round reads at the most, or twice as many where the source is gone through as it lies.
    MOST_ROUND = 0x10000


cdef int rounds_of(Leaf leaf, list outer, int64_t most) except -1
cdef bint goes_on(Leaf leaf, list outer, int64_t per_byte) except -1
