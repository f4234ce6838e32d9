"""Memory, page by page."""

cimport cython
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


@cython.no_gc
cdef class Loan:
    """So many bytes of a room from the first on, for numpy to make an array of.

    When nobody has them any longer, ``lent`` bytes from there on, whole pages, are lent to the system, which has them if it is short of
    memory: they are zeros then, or what they were. Where it takes the loan, the room goes to those that are ``kept``. All that happens
    in C: an interrupt would end in whatever Python ran then, and nobody would hear of it.
    """
    cdef cnp.ndarray room
    cdef readonly dict __array_interface__
    cdef object kept
    cdef char *at
    cdef int64_t lent

    def __cinit__(self, cnp.ndarray room not None, int64_t first, int64_t size, int64_t lent, kept):
        self.room, self.at, self.lent, self.kept = room, &cnp.PyArray_BYTES(room)[first], lent, kept
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (<size_t>self.at, False)}

    def __dealloc__(self):
        cdef bint is_lent = False
        if self.lent:
            with nogil:
                is_lent = tl_lend(self.at, self.lent)
        if is_lent:
            self.kept.append(self.room)
