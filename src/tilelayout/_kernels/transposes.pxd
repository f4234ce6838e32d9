from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Leaf, Manner
from tilelayout._kernels.loops cimport Loop


cdef Leaf transpose_of(Loop u, Loop v, list rest, int64_t width, Manner manner, int64_t in_target)
