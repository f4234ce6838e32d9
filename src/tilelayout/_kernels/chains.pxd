from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf, Side
from tilelayout._kernels.loops cimport Loop

cpdef int64_t size_of(Leaf leaf) except -1
cdef Side along_rows(Leaf leaf)
cdef int64_t row_of(Leaf leaf) except -1
cdef tuple rows_of(Leaf leaf)
cdef int64_t following_rows(Leaf leaf) except -1
cpdef int64_t end_to_end(tuple steps, int64_t row) except -1
cdef bint comes_behind(int64_t step, int64_t row, Loop along)
cdef bint are_single(Leaf leaf) except -1
cdef bint is_repeated(Leaf leaf) except -1
cdef int64_t moved_at_once(Leaf leaf) except -1
cdef int64_t rows_together(Leaf leaf, bint is_streamed, int64_t in_source=*) except -1
cdef tuple chains_of(Leaf leaf, bint is_streamed, int64_t in_source)
