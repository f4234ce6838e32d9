from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf

cdef enum:
    #: Bytes of rows, chained or not, that are worth streaming.
    LEAST_ROW = 64


cdef bint is_worth_streaming(Leaf leaf, int64_t per_byte) except -1
