from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf, Outer
from tilelayout._kernels.machines cimport Machine

cdef enum:
    #: Bytes of a page, across which the machine fetches nothing by itself.
    PAGE = 0x1000


cdef class Nest:
    cdef readonly Leaf leaf
    cdef readonly list outer
    cdef readonly int64_t chain, hop, link
    cdef int64_t joined, narrow
    cdef readonly bint is_large, is_streamed, in_rows
    cdef readonly Machine machine
    cdef readonly int series, rounds
    cdef bint _goes_on(self) except -1
    cdef bint _turns_pages(self) except -1
    cdef int _keep_to_pages(self) except -1
    cdef bint _is_stretch(self) except -1
    cdef int _series(self) except -1
    cdef int _order(self, outermost) except -1
    cdef int _keep_to_rows(self) except -1
    cdef int64_t _most_stretch(self) except -1
    cdef int _order_by_rounds(self, int64_t per_byte) except -1
    cdef bint _shares_lines(self) except -1
    cdef int _keep_to_banks(self) except -1
    cdef int64_t _chains(self) except -1
    cdef bint _take_turns(self, Outer along, Outer inner) except -1
    cdef int _keep_together(self) except -1
    cdef bint _keeps_to_lines(self) except -1
    cdef int _take_turns_around(self) except -1
    cpdef int64_t banks(self) except -1
