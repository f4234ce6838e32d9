"""Bit packing: the bindings of tl_bits.h. Callers have checked lengths, contiguity and that bits is 1, 2 or 4."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uint8_t

cnp.import_array()

cdef extern from "tl_bits.h" nogil:
    enum tl_above:
        TL_ANYTHING
        TL_ZEROS
        TL_SIGN
    ctypedef struct tl_bit_movers:
        pass
    const tl_bit_movers tl_bit_levels[]
    int tl_best_level()
    int64_t tl_first_misfit(const tl_bit_movers *, int, tl_above, const uint8_t *, int64_t)
    int64_t tl_pack_bits(const tl_bit_movers *, int, tl_above, const uint8_t *, int64_t, uint8_t *)
    void tl_spread(const tl_bit_movers *, int, bint, const uint8_t *, int64_t, uint8_t *)

ABOVE = {"anything": TL_ANYTHING, "zeros": TL_ZEROS, "sign": TL_SIGN}

cdef const tl_bit_movers *_movers = &tl_bit_levels[tl_best_level()]


def first_misfit(cnp.ndarray elements, int bits, above):
    """The position of the first of uint8 ``elements`` that ``pack_bits`` would not take, or their number."""
    cdef int64_t n = elements.shape[0]
    cdef tl_above rule = ABOVE[above]
    cdef const uint8_t *source = <const uint8_t *>cnp.PyArray_DATA(elements)
    with nogil:
        n = tl_first_misfit(_movers, bits, rule, source, n)
    return n


def pack_bits(cnp.ndarray elements, int bits, above, cnp.ndarray out):
    """Pack uint8 ``elements`` into ``out``; return the position of the first that does not fit, or their number.

    ``above`` says what the bits of a byte above the element's must be: "zeros", the "sign" repeated, or "anything".
    """
    cdef int64_t n = elements.shape[0]
    cdef tl_above rule = ABOVE[above]
    cdef const uint8_t *source = <const uint8_t *>cnp.PyArray_DATA(elements)
    cdef uint8_t *target = <uint8_t *>cnp.PyArray_DATA(out)
    with nogil:
        n = tl_pack_bits(_movers, bits, rule, source, n, target)
    return n


def unpack_bits(cnp.ndarray packed, int bits, bint signed, cnp.ndarray out):
    """Unpack the elements that fill ``out`` (uint8) from ``packed``; signed ones get their top bit repeated."""
    cdef int64_t n = out.shape[0]
    cdef const uint8_t *source = <const uint8_t *>cnp.PyArray_DATA(packed)
    cdef uint8_t *target = <uint8_t *>cnp.PyArray_DATA(out)
    with nogil:
        tl_spread(_movers, bits, signed, source, n, target)
