cimport numpy as cnp
from libc.stdint cimport int64_t

from tilelayout._kernels.registers cimport Registers


cdef class Network(Registers):
    cdef int level
    cpdef slot(self, tuple coordinates)
    cpdef int64_t slots(self, cnp.ndarray coordinates, cnp.ndarray out, stint=*) except -1
    cpdef int64_t coordinates(self, cnp.ndarray slots, cnp.ndarray out, cnp.ndarray holes, bint stop_at_hole, stint=*) except -1
