from libc.stdint cimport int64_t, uint64_t

cdef extern from "tl_network.h" nogil:
    enum:
        TL_ITSELF
        TL_LOW
        TL_HIGH
    ctypedef struct tl_division:
        uint64_t magic
        int shift, of
    ctypedef struct tl_move:
        int source, target, left
        uint64_t mask
    ctypedef struct tl_quotient:
        int source
        tl_division by
        uint64_t weight
    ctypedef struct tl_part:
        int source, left
        tl_division by
        uint64_t stride, radix, divisor
    ctypedef struct tl_network:
        int axes, registers, narrow
        int64_t slots
        int64_t *extent
        int64_t *constant
        int64_t *least
        int64_t *start
        int *move_begin
        int *quotient_begin
        int *back_begin
        int *part_begin
        tl_move *move
        tl_move *back
        tl_quotient *quotient
        tl_part *part


cdef class Registers:
    cdef tl_network net
    cdef bint is_reversible
