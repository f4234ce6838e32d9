from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf, Manner
from tilelayout._kernels.loops cimport Loop


cdef Leaf leaf_of(list loops, int64_t width, Manner manner, int64_t in_source, int64_t in_target, bint is_ordered)
cdef Leaf run_of_rows(Loop along, Loop rows, tuple steps, list others, int64_t width)
