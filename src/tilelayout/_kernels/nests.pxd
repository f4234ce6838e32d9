from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf


cdef class Nest:
    cdef readonly Leaf leaf
    cdef readonly list outer
    cdef readonly int64_t chain, hop, link
    cdef readonly bint is_large, is_streamed
    cdef readonly int series
    cdef int _goes_on(self) except -1
    cdef int64_t _together(self) except -1
    cdef int _turns_pages(self) except -1
    cdef int _keep_to_pages(self) except -1
    cdef int _is_stretch(self) except -1
    cdef int _series(self) except -1
    cdef int _order(self, outermost) except -1
    cdef int _keep_to_rows(self) except -1
    cdef int _keep_to_lines(self) except -1
    cpdef int64_t banks(self) except -1
    cpdef int64_t strip(self, int64_t per_byte) except -1
    cpdef int64_t slice(self) except -1
    cpdef int64_t ahead(self) except? -1
    cpdef int64_t moves(self, bint has_all_rows=*) except -1
    cpdef bint is_even(self) except -1
