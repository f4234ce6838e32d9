"""Memory, page by page."""

cimport numpy as cnp
from libc.stdint cimport int64_t

cnp.import_array()

cdef extern from "tl_pages.h" nogil:
    bint tl_lend(char *, int64_t)


def touch(cnp.ndarray fresh, int64_t first, int64_t step, int64_t begin, int64_t end):
    """Write a byte to ``first + k * step`` of new memory for k from ``begin`` to ``end - 1``, to have the system put pages there."""
    cdef char *at = cnp.PyArray_BYTES(fresh) + first
    cdef int64_t k
    with nogil:
        for k in range(begin, end):
            at[k * step] = 0


def lend(cnp.ndarray unused):
    """Let the system have whole pages if it is short of memory: they are zeros then, or what they were. False where it takes none."""
    cdef char *at = cnp.PyArray_BYTES(unused)
    cdef int64_t size = cnp.PyArray_NBYTES(unused)
    cdef bint is_lent
    with nogil:
        is_lent = tl_lend(at, size)
    return is_lent
