from libc.stdint cimport int64_t

from tilelayout._kernels.nests cimport Nest

cpdef int64_t strip_of(Nest nest, int64_t per_byte, int64_t room=*) except -1
cpdef int64_t piece_of(Nest nest, int64_t per_byte, int64_t ahead, int64_t strip) except -1
cpdef int64_t slice_of(Nest nest) except -1
cpdef int64_t ahead_of(Nest nest) except? -1
cpdef int64_t onward_of(Nest nest) except -1
cpdef bint is_even(Nest nest) except -1
cpdef bint sweeps(Nest nest)
cpdef bint follows(Nest nest, int64_t ahead)
cpdef bint is_by_lines(Nest nest, int64_t ahead) except -1
cpdef bint writes_on(Nest nest) except -1
