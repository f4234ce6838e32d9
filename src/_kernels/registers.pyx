"""A layout as a network of registers: what tl_network.h describes, made of Python's numbers."""

from itertools import chain

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free


cdef class Registers:
    """Registers, what is added up in them, and what takes them apart. They never change.

    All arguments but ``axes`` and ``slots`` have one entry a register; the first ``axes`` are the array's axes and the last is the slot.
    What makes a register are its constant, its ``moves`` (source, target, left, mask) of bits and ``quotients`` (source, divisor, weight);
    what takes it apart are its ``backs``, moves too, or its ``parts`` (source, divisor, radix, stride) by falling stride, which may be
    negative.
    """
    def __cinit__(self, int axes, extents, constants, moves, quotients, backs, parts, int64_t slots, bint is_reversible):
        cdef int k, r, bits
        cdef tl_division left
        cdef tl_quotient *quotient
        cdef tl_part *part
        cdef tl_network *net = &self.net
        net.axes, net.registers, net.slots = axes, len(extents), slots
        self.is_reversible = is_reversible
        net.narrow = max(slots, *extents, *constants, *(mask + 1 for way in (*moves, *backs) for _, _, _, mask in way)) <= 2**31
        net.extent = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.constant = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.least = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.start = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.move_begin, net.quotient_begin = _begins(moves), _begins(quotients)
        net.back_begin, net.part_begin = _begins(backs), _begins(parts)
        net.quotient = <tl_quotient *>calloc(net.quotient_begin[net.registers] + 1, sizeof(tl_quotient))
        net.part = <tl_part *>calloc(net.part_begin[net.registers] + 1, sizeof(tl_part))
        if not (net.extent and net.constant and net.least and net.start and net.quotient and net.part):
            raise MemoryError
        for r in range(net.registers):
            net.extent[r], net.constant[r], net.least[r] = extents[r], constants[r], constants[r]
        bits = 32 if net.narrow else 64
        net.move, net.back = _moves(moves, bits), _moves(backs, bits)
        for k, (source, divisor, weight) in enumerate(chain.from_iterable(quotients)):
            quotient = &net.quotient[k]
            quotient.source, quotient.by, quotient.weight = source, _division(divisor, extents[source], bits), weight % 2**64
        for k, (r, (source, divisor, radix, stride)) in enumerate((r, part) for r, taken in enumerate(parts) for part in taken):
            left, part = _division(divisor, 0, bits), &net.part[k]
            part.source, part.by = source, _division(abs(stride), extents[r], bits)
            part.stride, part.radix, part.divisor = abs(stride), radix, divisor if stride > 0 else -divisor % 2**64
            part.left = left.shift if part.by.of == left.of == TL_ITSELF and stride > 0 else -1
            if stride < 0:
                net.least[r] += stride * (radix - 1)
                net.start[source] += divisor * (radix - 1)

    def __dealloc__(self):
        free(self.net.extent)
        free(self.net.constant)
        free(self.net.least)
        free(self.net.start)
        free(self.net.move_begin)
        free(self.net.quotient_begin)
        free(self.net.back_begin)
        free(self.net.part_begin)
        free(self.net.move)
        free(self.net.back)
        free(self.net.quotient)
        free(self.net.part)


cdef int *_begins(lists) except NULL:
    """Where each of some lists begins when they follow one another, and the end of the last."""
    cdef int k
    cdef int *begins = <int *>calloc(len(lists) + 1, sizeof(int))
    if not begins:
        raise MemoryError
    for k, each in enumerate(lists):
        begins[k + 1] = begins[k] + len(each)
    return begins


cdef tl_move *_moves(lists, int bits) except NULL:
    cdef int k
    flat = [*chain.from_iterable(lists)]
    cdef tl_move *moves = <tl_move *>calloc(len(flat) + 1, sizeof(tl_move))
    if not moves:
        raise MemoryError
    for k, (source, target, left, mask) in enumerate(flat):
        moves[k] = tl_move(source, target, left % bits, mask)
    return moves


cdef tl_division _division(divisor, extent, int width) except *:
    """The multiplication that divides every number below an extent, 2^31 or 2^63 at the most, exactly (Granlund and Montgomery, 1994)."""
    up = (divisor - 1).bit_length()
    if divisor == 1 << up:
        return tl_division(0, up, TL_ITSELF)
    for shift in range(extent.bit_length(), width):
        magic = -(-(1 << shift) // divisor)
        if extent * magic >> width:
            break
        if extent * (magic * divisor - (1 << shift)) <= 1 << shift:
            return tl_division(magic, shift, TL_LOW)
    return tl_division(-(-(1 << width - 1 + up) // divisor), up - 1, TL_HIGH)
