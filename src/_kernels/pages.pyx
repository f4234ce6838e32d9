"""Memory, page by page."""

cimport numpy as cnp
from libc.stdint cimport int64_t

from tilelayout._kernels.crew cimport Pieces, done_by, take

cnp.import_array()

cdef extern from "tl_pages.h" nogil:
    bint tl_lend(char *, int64_t)


cdef struct Touching:
    char *first
    int64_t step


def touch(cnp.ndarray fresh, int64_t first, int64_t step, stint):
    """Write a byte to ``first + k * step`` of new memory for all k of a stint, to have the system put pages there."""
    cdef Touching touching = Touching(&cnp.PyArray_BYTES(fresh)[first], step)
    done_by(_touch, &touching, stint)


cdef void _touch(void *what, Pieces *pieces) noexcept nogil:
    cdef Touching *touching = <Touching *>what
    cdef int64_t k, end
    while take(pieces, &k, &end):
        while k < end:
            touching.first[k * touching.step] = 0
            k += 1


def lend(cnp.ndarray unused):
    """Let the system have whole pages if it is short of memory: they are zeros then, or what they were. False where it takes none."""
    cdef char *at = cnp.PyArray_BYTES(unused)
    cdef int64_t size = cnp.PyArray_NBYTES(unused)
    cdef bint is_lent
    with nogil:
        is_lent = tl_lend(at, size)
    return is_lent
