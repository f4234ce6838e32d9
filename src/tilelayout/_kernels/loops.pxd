from libc.stdint cimport int64_t

cdef enum:
    #: The axis of a loop that walks several.
    NO_AXIS = -1


cdef class Loop:
    cdef readonly int64_t n, source, target, divisor
    cdef readonly int axis
    cdef readonly bint clipped
    cdef Loop stepping(self, int64_t n)
    cdef Loop shorter(self, int64_t by, bint in_target)
    cdef Loop along(self, Loop inner)
    cdef Loop over(self, Loop inner)
    cdef bint independent(self, Loop other)
    cpdef Loop blocks(self, int64_t most)
    cpdef bint is_wider(self, int64_t width)


cpdef list joined(list loops)
cdef list without(list loops, Loop left)
cdef double stride(Loop loop)
cpdef tuple widened(list loops, int64_t width)
