cimport numpy as cnp
from libc.stdint cimport intptr_t


cdef inline bint meet(cnp.ndarray array, cnp.ndarray buffer):
    """Whether the memory of an array and a buffer without gaps may overlap: it is not looked at what lies between the array's elements."""
    cdef intptr_t low = <intptr_t>cnp.PyArray_DATA(array), high = low + cnp.PyArray_ITEMSIZE(array), step
    cdef intptr_t begin = <intptr_t>cnp.PyArray_DATA(buffer)
    cdef int k
    for k in range(cnp.PyArray_NDIM(array)):
        step = cnp.PyArray_STRIDE(array, k) * (cnp.PyArray_DIM(array, k) - 1)
        if step < 0:
            low += step
        else:
            high += step
    return low < begin + cnp.PyArray_NBYTES(buffer) and begin < high
