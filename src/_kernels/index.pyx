"""Batch index queries: the bindings of tl_index.h. Callers have checked shapes and dtypes."""

cimport numpy as cnp
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int64_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc

cnp.import_array()

cdef extern from "tl_index.h" nogil:
    enum:
        TL_BLOCK
        TL_LINE
    ctypedef struct tl_division:
        uint64_t magic
        int shift
    ctypedef struct tl_term:
        int source, target
        tl_division by
        uint64_t weight, mask
    ctypedef struct tl_part:
        int source, left
        tl_division by
        uint64_t stride, radix, divisor
    ctypedef struct tl_network:
        int axes, registers, terms, narrow
        int64_t slots
        int64_t *extent
        int64_t *constant
        tl_term *term
        int *part_begin
        tl_part *part
    ctypedef struct tl_level:
        const char *name
        int64_t (*slots)(const tl_network *, int, const char *, int64_t, int64_t, int64_t, int64_t *, char *, void *) noexcept nogil
        int64_t (*coordinates)(const tl_network *, int, const char *, int64_t, int64_t, int64_t *, unsigned char *, int, char *,
                               void *) noexcept nogil
        void (*enumerate)(const tl_network *, int64_t, int64_t, int64_t *, void *) noexcept nogil
    const tl_level tl_levels[]
    int tl_count_levels()

cdef enum:
    MOST_SCALARS = 32

#: What this machine has, from plain C up: how many bits its vectors have.
LEVELS = tuple(tl_levels[k].name.decode() for k in range(tl_count_levels()))

cdef int _level = tl_count_levels() - 1


def level():
    """The level that networks are made for."""
    return LEVELS[_level]


def set_level(name):
    """Make networks for this level from now on."""
    global _level
    if name not in LEVELS:
        raise ValueError(f"this machine has no level {name}; it has {LEVELS}")
    _level = LEVELS.index(name)


cdef class Network:
    """A layout made ready for queries: registers and what is added to them. It never changes.

    ``extents`` and ``constants`` have one entry a register; the first ``axes`` are the array's axes and the last is the slot.
    ``terms`` are (source, target, mask, divisor, weight) by rising target: ``weight * (source // divisor)`` where the mask is 0,
    else ``weight * (source & mask)`` with a power of two. ``parts`` has for each register its digits by falling stride as
    (source, divisor, radix, stride), empty where nothing is to be taken apart.
    """
    cdef tl_network net
    cdef const tl_level *level

    def __cinit__(self, int axes, extents, constants, terms, parts, int64_t slots):
        cdef int k, r
        cdef tl_division by, left
        cdef tl_network *net = &self.net
        self.level = &tl_levels[_level]
        net.axes, net.registers, net.terms, net.slots = axes, len(extents), len(terms), slots
        net.narrow = max(slots, *extents, *constants) <= 2**31
        flat = [part for register in parts for part in register]
        net.extent = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.constant = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.term = <tl_term *>calloc(net.terms + 1, sizeof(tl_term))
        net.part_begin = <int *>calloc(net.registers + 1, sizeof(int))
        net.part = <tl_part *>calloc(len(flat) + 1, sizeof(tl_part))
        if not (net.extent and net.constant and net.term and net.part_begin and net.part):
            raise MemoryError
        for r in range(net.registers):
            net.extent[r] = extents[r]
            net.constant[r] = constants[r]
            net.part_begin[r + 1] = net.part_begin[r] + len(parts[r])
        for k, (source, target, mask, divisor, weight) in enumerate(terms):
            net.term[k] = tl_term(source, target, _division(weight if mask else divisor, net.narrow), weight % 2**64, mask)
        for k, (source, divisor, radix, stride) in enumerate(flat):
            by = _division(stride, net.narrow)
            left = _division(divisor, net.narrow)
            net.part[k] = tl_part(source, -1 if by.magic or left.magic else left.shift, by, stride, radix, divisor)

    def __dealloc__(self):
        free(self.net.extent)
        free(self.net.constant)
        free(self.net.term)
        free(self.net.part_begin)
        free(self.net.part)

    def slot(self, tuple coordinates):
        """The slot of one element, or None where the coordinates need a closer look: not as many plain ints in bounds as it takes."""
        cdef int64_t x[MOST_SCALARS]
        cdef int64_t out = 0
        cdef int k, overflow = 0, axes = self.net.axes
        cdef char *room
        if len(coordinates) != axes or axes > MOST_SCALARS:
            return None
        for k in range(axes):
            if not PyLong_CheckExact(coordinates[k]):
                return None
            x[k] = PyLong_AsLongLongAndOverflow(coordinates[k], &overflow)
            if overflow:
                return None
        room = self._room(False)
        k = self.level.slots(&self.net, -8, <const char *>x, sizeof(x), sizeof(int64_t), 1, &out, NULL, _aligned(room))
        free(room)
        return out if k else None

    def slots(self, cnp.ndarray coordinates, cnp.ndarray out, bint is_streamed):
        """Fill ``out`` (n,) from ``coordinates`` (n, axes); return how many were done before the first out of bounds.

        What is streamed is written past the caches. Where not all are done, part of ``out`` may not have been written.
        """
        cdef const char *data = cnp.PyArray_BYTES(coordinates)
        cdef int64_t n = coordinates.shape[0]
        cdef int64_t step = coordinates.strides[0], axis_step = coordinates.strides[1]
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef int kind = _kind(coordinates)
        cdef char *room = self._room(is_streamed)
        cdef char *segment = self._segment(room) if is_streamed else NULL
        with nogil:
            n = self.level.slots(&self.net, kind, data, step, axis_step, n, to, segment, _aligned(room))
        free(room)
        return n

    def coordinates(self, cnp.ndarray slots, cnp.ndarray out, cnp.ndarray holes, bint stop_at_hole, bint is_streamed):
        """Fill ``out`` (n, axes) and ``holes`` (n,), either of them None, from ``slots`` (n,); return as ``slots`` does."""
        cdef const char *data = cnp.PyArray_BYTES(slots)
        cdef int64_t n = slots.shape[0], step = slots.strides[0]
        cdef int64_t *to = NULL if out is None else <int64_t *>cnp.PyArray_DATA(out)
        cdef unsigned char *marks = NULL if holes is None else <unsigned char *>cnp.PyArray_DATA(holes)
        cdef int kind = _kind(slots)
        cdef char *room = self._room(is_streamed)
        cdef char *segment = self._segment(room) if is_streamed else NULL
        with nogil:
            n = self.level.coordinates(&self.net, kind, data, step, n, to, marks, stop_at_hole, segment, _aligned(room))
        free(room)
        return n

    def enumerate(self, int64_t begin, int64_t end, cnp.ndarray out):
        """Fill ``out`` with the slots of elements ``begin`` to ``end - 1`` in row-major order."""
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef char *room = self._room(False)
        with nogil:
            self.level.enumerate(&self.net, begin, end, to, _aligned(room))
        free(room)

    cdef char *_room(self, bint is_streamed) except NULL:
        """Room for a block of every register and of one more, and for the segment that is streamed."""
        cdef char *room = <char *>malloc(self._registers() + is_streamed * (TL_BLOCK * 8 * max(1, self.net.axes) + 2 * TL_LINE))
        if not room:
            raise MemoryError
        return room

    cdef char *_segment(self, char *room) noexcept:
        return _aligned(room + self._registers() - TL_LINE)

    cdef size_t _registers(self) noexcept:
        """Bytes of the registers and what it takes to begin them at a line."""
        return TL_LINE + <size_t>(self.net.registers + 1) * TL_BLOCK * (4 if self.net.narrow else 8)


cdef int _kind(cnp.ndarray integers):
    cdef int width = cnp.PyArray_ITEMSIZE(integers)
    return -width if cnp.PyArray_ISSIGNED(integers) else width


cdef inline char *_aligned(char *room) noexcept nogil:
    return <char *>((<uintptr_t>room + TL_LINE - 1) & ~<uintptr_t>(TL_LINE - 1))


cdef tl_division _division(divisor, bint narrow) except *:
    """The multiplication that divides every number below 2^31, or 2^63, exactly (Granlund and Montgomery, 1994)."""
    bits = 31 if narrow else 63
    up = (divisor - 1).bit_length()
    if divisor == 1 << up:
        return tl_division(0, up)
    return tl_division(-(-(1 << bits + up) // divisor), up - 1)
