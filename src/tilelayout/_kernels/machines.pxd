from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Manner


cdef class Machine:
    cdef Manner manner
    cdef readonly bint fetches_rows, stores
    cdef bint fetches_long_rows
    cdef int64_t ahead, ahead_in_rows, soon_in_rows

cdef Machine machine_at_hand()
