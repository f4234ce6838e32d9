"""Batch index queries: the bindings of tl_index.h. Callers have checked shapes and dtypes."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

cnp.import_array()

cdef extern from "tl_index.h" nogil:
    enum:
        TL_BLOCK
    ctypedef struct tl_digit:
        int64_t divisor, radix, stride
        int divisor_shift, radix_shift, stride_shift
    ctypedef struct tl_wire:
        int source, target, begin, end
        const int64_t *table
    ctypedef struct tl_part:
        int source
        tl_digit digit
    ctypedef struct tl_network:
        int axes, registers, wires
        int64_t slots
        int64_t *extent
        int64_t *constant
        tl_wire *wire
        tl_digit *digit
        int *part_begin
        tl_part *part
    int tl_log2(int64_t)
    int64_t tl_evaluate(const tl_digit *, int, int64_t)
    int64_t tl_slots(const tl_network *, int, const char *, int64_t, int64_t, int64_t, int64_t *, int64_t (*)[TL_BLOCK])
    int64_t tl_coordinates(const tl_network *, int, const char *, int64_t, int64_t, int64_t *, unsigned char *, int,
                           int64_t (*)[TL_BLOCK])
    void tl_enumerate(const tl_network *, int64_t, int64_t, int64_t *, int64_t (*)[TL_BLOCK])

ctypedef int64_t block_t[TL_BLOCK]

cdef class Network:
    """A layout made ready for queries: registers and the wires between them.

    ``extents`` and ``constants`` have one entry a register; the first ``axes`` are the array's axes and the last is the slot.
    ``wires`` are (source, target, ((divisor, radix, stride), ...)) by rising target; ``parts`` has for each register
    its digits by falling stride as (source, divisor, radix, stride), empty where nothing is to be taken apart.
    """
    cdef tl_network net

    def __cinit__(self, int axes, extents, constants, wires, parts, int64_t slots):
        cdef int k, r
        cdef tl_network *net = &self.net
        net.axes, net.registers, net.wires, net.slots = axes, len(extents), len(wires), slots
        digits = [digit for wire in wires for digit in wire[2]]
        flat = [part for register in parts for part in register]
        net.extent = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.constant = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.wire = <tl_wire *>calloc(net.wires + 1, sizeof(tl_wire))
        net.digit = <tl_digit *>calloc(len(digits) + 1, sizeof(tl_digit))
        net.part_begin = <int *>calloc(net.registers + 1, sizeof(int))
        net.part = <tl_part *>calloc(len(flat) + 1, sizeof(tl_part))
        if not (net.extent and net.constant and net.wire and net.digit and net.part_begin and net.part):
            raise MemoryError
        for r in range(net.registers):
            net.extent[r] = extents[r]
            net.constant[r] = constants[r]
            net.part_begin[r + 1] = net.part_begin[r] + len(parts[r])
        k = 0
        for r in range(net.wires):
            source, target, its_digits = wires[r]
            net.wire[r].source, net.wire[r].target, net.wire[r].begin = source, target, k
            for digit in its_digits:
                net.digit[k] = _digit(digit)
                k += 1
            net.wire[r].end = k
        for k, (source, *digit) in enumerate(flat):
            net.part[k].source = source
            net.part[k].digit = _digit(digit)

    def __dealloc__(self):
        cdef int w
        if self.net.wire:
            for w in range(self.net.wires):
                free(<void *>self.net.wire[w].table)
        free(self.net.extent)
        free(self.net.constant)
        free(self.net.wire)
        free(self.net.digit)
        free(self.net.part_begin)
        free(self.net.part)

    def tabulate(self, int64_t most):
        """Give every wire whose source has at most ``most`` values a table of what it adds."""
        cdef int w
        cdef int64_t x, extent
        cdef int64_t *table
        cdef tl_wire *wire
        for w in range(self.net.wires):
            wire = self.net.wire + w
            extent = self.net.extent[wire.source]
            if wire.table or extent > most:
                continue
            table = <int64_t *>calloc(extent, sizeof(int64_t))
            if not table:
                raise MemoryError
            for x in range(extent):
                table[x] = tl_evaluate(self.net.digit + wire.begin, wire.end - wire.begin, x)
            wire.table = table

    def slots(self, cnp.ndarray coordinates, int kind, cnp.ndarray out):
        """Fill ``out`` (n,) from ``coordinates`` (n, axes); return how many were done before the first out of bounds."""
        cdef const char *data = cnp.PyArray_BYTES(coordinates)
        cdef int64_t n = coordinates.shape[0]
        cdef int64_t step = coordinates.strides[0], axis_step = coordinates.strides[1]
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef block_t *registers = self._registers()
        with nogil:
            n = tl_slots(&self.net, kind, data, step, axis_step, n, to, registers)
        free(registers)
        return n

    def coordinates(self, cnp.ndarray slots, int kind, cnp.ndarray out, cnp.ndarray holes, bint stop_at_hole):
        """Fill ``out`` (n, axes) and ``holes`` (n,), either of them None, from ``slots`` (n,); return as ``slots`` does."""
        cdef const char *data = cnp.PyArray_BYTES(slots)
        cdef int64_t n = slots.shape[0], step = slots.strides[0]
        cdef int64_t *to = NULL if out is None else <int64_t *>cnp.PyArray_DATA(out)
        cdef unsigned char *marks = NULL if holes is None else <unsigned char *>cnp.PyArray_DATA(holes)
        cdef block_t *registers = self._registers()
        with nogil:
            n = tl_coordinates(&self.net, kind, data, step, n, to, marks, stop_at_hole, registers)
        free(registers)
        return n

    def enumerate(self, int64_t begin, int64_t end, cnp.ndarray out):
        """Fill ``out`` with the slots of elements ``begin`` to ``end - 1`` in row-major order."""
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef block_t *registers = self._registers()
        with nogil:
            tl_enumerate(&self.net, begin, end, to, registers)
        free(registers)

    cdef block_t *_registers(self) except NULL:
        cdef block_t *registers = <block_t *>calloc(self.net.registers, sizeof(block_t))
        if not registers:
            raise MemoryError
        return registers


cdef tl_digit _digit(fields) except *:
    cdef tl_digit digit
    digit.divisor, digit.radix, digit.stride = fields
    digit.divisor_shift = tl_log2(digit.divisor)
    digit.radix_shift = tl_log2(digit.radix)
    digit.stride_shift = tl_log2(digit.stride)
    return digit
