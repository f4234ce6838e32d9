"""Batch index queries: the bindings of tl_index.h. Callers have checked shapes and dtypes."""

from itertools import chain

cimport cython
cimport numpy as cnp
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int64_t, intptr_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc

from tilelayout._kernels.crew cimport Pieces, cut, report, share, take

cnp.import_array()

cdef extern from "tl_index.h" nogil:
    enum:
        TL_BLOCK
        TL_LINE
        TL_FEW
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
    ctypedef struct tl_column:
        int kind
        const char *at
        int64_t step
    ctypedef struct tl_network:
        int axes, registers, narrow
        int64_t slots
        int64_t *extent
        int64_t *constant
        int *move_begin
        int *quotient_begin
        int *back_begin
        int *part_begin
        tl_move *move
        tl_move *back
        tl_quotient *quotient
        tl_part *part
    ctypedef struct tl_level:
        const char *name
        int64_t (*slots)(const tl_network *, const tl_column *, int64_t, int64_t *, void *) noexcept nogil
        int64_t (*coordinates)(const tl_network *, tl_column, int64_t, int64_t *, unsigned char *, int, void *) noexcept nogil
        void (*enumerate)(const tl_network *, int64_t, int64_t, int64_t *, void *) noexcept nogil
    int64_t tl_slot(const tl_network *, int, const char *, int64_t)
    const tl_level tl_levels[]
    int tl_count_levels()

cdef enum:
    FEW_BYTES = 1 << 20
    #: Queries that are sooner answered one by one than as a block.
    ONE_BY_ONE = 8
    #: Bytes on the stack for networks that need no more, which spares few queries an allocation.
    LITTLE_ROOM = TL_LINE + (8 << 10)
    #: Axes whose columns are on the stack likewise.
    FEW_AXES = 16

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


cdef struct Asking:
    #: What answers some of them.
    int64_t (*answer)(const Asking *, int64_t, int64_t, char *) noexcept nogil
    const tl_network *net
    const tl_level *level
    #: What is asked: the coordinates, a column an axis, or the slots.
    const tl_column *columns
    bint stop_at_hole
    #: Where the answers go.
    int64_t *to
    unsigned char *holes


@cython.final
cdef class Network:
    """A layout made ready for queries: registers and what is added to them. It never changes.

    All arguments but ``axes`` and ``slots`` have one entry a register; the first ``axes`` are the array's axes and the last is the slot.
    What makes a register are its ``moves`` (source, target, left, mask) of bits and ``quotients`` (source, divisor, weight); what takes
    it apart are its ``backs``, moves too, or its ``parts`` (source, divisor, radix, stride) by falling stride.
    """
    cdef tl_network net
    cdef bint is_reversible
    cdef const tl_level *level

    def __cinit__(self, int axes, extents, constants, moves, quotients, backs, parts, int64_t slots, bint is_reversible):
        cdef int k, r, bits
        cdef tl_division left
        cdef tl_quotient *quotient
        cdef tl_part *part
        cdef tl_network *net = &self.net
        self.level = &tl_levels[_level]
        net.axes, net.registers, net.slots = axes, len(extents), slots
        self.is_reversible = is_reversible
        net.narrow = max(slots, *extents, *constants, *(mask + 1 for way in (*moves, *backs) for _, _, _, mask in way)) <= 2**31
        net.extent = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.constant = <int64_t *>calloc(net.registers, sizeof(int64_t))
        net.move_begin, net.quotient_begin = _begins(moves), _begins(quotients)
        net.back_begin, net.part_begin = _begins(backs), _begins(parts)
        net.quotient = <tl_quotient *>calloc(net.quotient_begin[net.registers] + 1, sizeof(tl_quotient))
        net.part = <tl_part *>calloc(net.part_begin[net.registers] + 1, sizeof(tl_part))
        if not (net.extent and net.constant and net.quotient and net.part):
            raise MemoryError
        for r in range(net.registers):
            net.extent[r], net.constant[r] = extents[r], constants[r]
        bits = 32 if net.narrow else 64
        net.move, net.back = _moves(moves, bits), _moves(backs, bits)
        for k, (source, divisor, weight) in enumerate(chain.from_iterable(quotients)):
            quotient = &net.quotient[k]
            quotient.source, quotient.by, quotient.weight = source, _division(divisor, extents[source], bits), weight % 2**64
        for k, (r, (source, divisor, radix, stride)) in enumerate((r, part) for r, taken in enumerate(parts) for part in taken):
            left, part = _division(divisor, 0, bits), &net.part[k]
            part.source, part.by = source, _division(stride, extents[r], bits)
            part.stride, part.radix, part.divisor = stride, radix, divisor
            part.left = left.shift if part.by.of == left.of == TL_ITSELF else -1

    def __dealloc__(self):
        free(self.net.extent)
        free(self.net.constant)
        free(self.net.move_begin)
        free(self.net.quotient_begin)
        free(self.net.back_begin)
        free(self.net.part_begin)
        free(self.net.move)
        free(self.net.back)
        free(self.net.quotient)
        free(self.net.part)

    cpdef slot(self, tuple coordinates):
        """The slot of one element, or None where the coordinates need a closer look: not as many plain ints in bounds as it takes."""
        cdef int64_t x[TL_FEW]
        cdef int64_t found
        cdef int k, overflow = 0, axes = self.net.axes
        if len(coordinates) != axes or self.net.registers > TL_FEW:
            return None
        for k in range(axes):
            if not PyLong_CheckExact(coordinates[k]):
                return None
            x[k] = PyLong_AsLongLongAndOverflow(coordinates[k], &overflow)
            if overflow:
                return None
        found = tl_slot(&self.net, -8, <const char *>x, sizeof(int64_t))
        return found if found >= 0 else None

    cdef few_slots(self, coordinates, out):
        if not _is_plain(coordinates, 2) or cnp.PyArray_DIM(coordinates, 1) != self.net.axes:
            return None
        answer = _few(coordinates, out, 1, cnp.PyArray_DIM(coordinates, 0), 0)
        return answer if answer is not None and self.slots(coordinates, answer) == cnp.PyArray_DIM(coordinates, 0) else None

    cdef few_coordinates(self, slots, out, bint stop_at_hole):
        if not self.is_reversible or not _is_plain(slots, 1):
            return None
        answer = _few(slots, out, 2, cnp.PyArray_DIM(slots, 0), self.net.axes)
        return answer if answer is not None and self.coordinates(slots, answer, None, stop_at_hole) == cnp.PyArray_DIM(slots, 0) else None

    cpdef int64_t slots(self, cnp.ndarray coordinates, cnp.ndarray out, stint=None) except -1:
        """Fill ``out`` (n,) from ``coordinates`` (n, axes), or a stint of them; return how many were done before the first out of bounds.

        Where not all are done, part of ``out`` may not have been written.
        """
        cdef const char *data = cnp.PyArray_BYTES(coordinates)
        cdef int64_t n = cnp.PyArray_DIM(coordinates, 0)
        cdef int64_t step = cnp.PyArray_STRIDE(coordinates, 0), axis_step = cnp.PyArray_STRIDE(coordinates, 1)
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef int kind = _kind(coordinates), k
        cdef tl_column[FEW_AXES] near
        cdef tl_column *columns
        if n <= ONE_BY_ONE and self.net.registers <= TL_FEW:
            for k in range(n):
                to[k] = tl_slot(&self.net, kind, data + k * step, axis_step)
                if to[k] < 0:
                    return k
            return n
        columns = self._columns(near)
        for k in range(self.net.axes):
            columns[k] = tl_column(kind, data + k * axis_step, step)
        return self._slots(columns, near, n, to, stint)

    def slots_by_axis(self, axes, cnp.ndarray out, stint=None):
        """The same for coordinates (n,) in an array for each axis."""
        cdef tl_column[FEW_AXES] near
        cdef tl_column *columns = self._columns(near)
        cdef cnp.ndarray axis
        cdef int k
        for k in range(self.net.axes):
            axis = axes[k]
            columns[k] = tl_column(_kind(axis), cnp.PyArray_BYTES(axis), cnp.PyArray_STRIDE(axis, 0))
        return self._slots(columns, near, cnp.PyArray_DIM(out, 0), <int64_t *>cnp.PyArray_DATA(out), stint)

    cdef int64_t _slots(self, tl_column *columns, tl_column *near, int64_t n, int64_t *to, stint) except -1:
        """The same for columns, which are given back if they are not near."""
        cdef Asking asking = Asking(_answer_slots, &self.net, self.level, columns, False, to, NULL)
        try:
            return _ask(&asking, n, stint)
        finally:
            if columns != near:
                free(columns)

    cpdef int64_t coordinates(self, cnp.ndarray slots, cnp.ndarray out, cnp.ndarray holes, bint stop_at_hole, stint=None) except -1:
        """Fill ``out`` (n, axes) and ``holes`` (n,), either of them None, from ``slots`` (n,); return as ``slots`` does."""
        cdef tl_column column = tl_column(_kind(slots), cnp.PyArray_BYTES(slots), cnp.PyArray_STRIDE(slots, 0))
        cdef int64_t *to = NULL if out is None else <int64_t *>cnp.PyArray_DATA(out)
        cdef unsigned char *marks = NULL if holes is None else <unsigned char *>cnp.PyArray_DATA(holes)
        cdef Asking asking = Asking(_answer_coordinates, &self.net, self.level, &column, stop_at_hole, to, marks)
        return _ask(&asking, cnp.PyArray_DIM(slots, 0), stint)

    def enumerate(self, int64_t begin, int64_t end, cnp.ndarray out):
        """Fill ``out`` with the slots of elements ``begin`` to ``end - 1`` in row-major order."""
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef char near[LITTLE_ROOM]
        cdef char *room = _room(&self.net, near)
        if room is NULL:
            raise MemoryError
        with nogil:
            self.level.enumerate(&self.net, begin, end, to, _aligned(room))
        if room != near:
            free(room)

    cdef tl_column *_columns(self, tl_column *near) except NULL:
        """A column for each axis: near, or memory."""
        cdef tl_column *columns = near if self.net.axes <= FEW_AXES else <tl_column *>calloc(self.net.axes, sizeof(tl_column))
        if not columns:
            raise MemoryError
        return columns


cdef int64_t _ask(const Asking *asking, int64_t n, stint) except -1:
    """Answer so many, or a stint of them, by several threads; how many were done before the first that is out of bounds."""
    cdef char near[LITTLE_ROOM]
    cdef char *room
    cdef Pieces pieces
    if stint is None:
        room = _room(asking.net, near)
        if room is NULL:
            raise MemoryError
        with nogil:
            n = asking.answer(asking, 0, n, _aligned(room))
        if room != near:
            free(room)
        return n
    pieces = cut(_answer_pieces, <void *>asking, stint)
    n = share(&pieces)
    if pieces.taken < pieces.number:
        raise MemoryError
    return n


cdef void _answer_pieces(void *what, Pieces *pieces) noexcept nogil:
    """What each thread answers: nothing, if it has no memory to work in."""
    cdef const Asking *asking = <const Asking *>what
    cdef char near[LITTLE_ROOM]
    cdef char *room = _room(asking.net, near)
    cdef int64_t begin, end, done
    while room is not NULL and take(pieces, &begin, &end):
        done = asking.answer(asking, begin, end, _aligned(room))
        if done < end:
            report(pieces, done)
    if room != near:
        free(room)


cdef int64_t _answer_slots(const Asking *asking, int64_t begin, int64_t end, char *room) noexcept nogil:
    """Slots, with room for blocks of every register and then for columns; where the first is that was not done, or the end."""
    cdef const tl_network *net = asking.net
    cdef tl_column *column = <tl_column *>(room + _blocks(net))
    cdef int k
    for k in range(net.axes):
        column[k] = _from(asking.columns[k], begin)
    return begin + asking.level.slots(net, column, end - begin, asking.to + begin, room)


cdef int64_t _answer_coordinates(const Asking *asking, int64_t begin, int64_t end, char *room) noexcept nogil:
    """Coordinates, and marks of holes, as far as either is asked for, likewise."""
    cdef const tl_network *net = asking.net
    cdef int64_t *to = NULL if asking.to is NULL else asking.to + begin * net.axes
    cdef unsigned char *holes = NULL if asking.holes is NULL else asking.holes + begin
    return begin + asking.level.coordinates(net, _from(asking.columns[0], begin), end - begin, to, holes, asking.stop_at_hole, room)


cdef inline tl_column _from(tl_column column, int64_t begin) noexcept nogil:
    """A column from its entry ``begin`` on."""
    column.at += begin * column.step
    return column


cdef inline char *_room(const tl_network *net, char *near) noexcept nogil:
    """Room for a block of every register and of one more, what it takes to begin them at a line, and columns: near, or memory, or NULL."""
    cdef size_t size = TL_LINE + _blocks(net) + <size_t>net.axes * sizeof(tl_column)
    return near if size <= LITTLE_ROOM else <char *>malloc(size)


cdef inline size_t _blocks(const tl_network *net) noexcept nogil:
    return <size_t>(net.registers + 1) * TL_BLOCK * (4 if net.narrow else 8)


cdef class Queried:
    """What a call asks for the slot of one element.

    A subclass has ``ready.network``, and ``_called(coordinates)``, which answers for whatever is not as many plain ints in bounds as the
    network takes, or raises.
    """
    cdef Network network  # from the first question on, and never another

    def __call__(self, *coordinates):
        slot = self._network().slot(coordinates)
        return self._called(coordinates) if slot is None else slot

    def _few_slots(self, coordinates, out):
        """The slots of few coordinates (n, axes), in ``out`` or a new array, or None where those need a closer look."""
        return self._network().few_slots(coordinates, out)

    def _few_coordinates(self, slots, out, padding):
        """The coordinates (n, axes) of few slots (n,), as ``_few_slots`` has those."""
        if type(padding) is not str or not (padding == "error" or padding == "mark"):
            return None
        return self._network().few_coordinates(slots, out, padding == "error")

    cdef Network _network(self):
        if self.network is None:
            made = self.ready.network
            with cython.critical_section(self):
                if self.network is None:
                    self.network = made
        return self.network


cdef int _kind(cnp.ndarray integers):
    cdef int width = cnp.PyArray_ITEMSIZE(integers)
    return -width if cnp.PyArray_ISSIGNED(integers) else width


cdef inline char *_aligned(char *room) noexcept nogil:
    return <char *>((<uintptr_t>room + TL_LINE - 1) & ~<uintptr_t>(TL_LINE - 1))


cdef bint _is_plain(array, int dims):
    """Whether this is an array of native integers of so many dimensions, and no subclass."""
    if type(array) is not cnp.ndarray:
        return False
    cdef cnp.ndarray a = array
    return cnp.PyArray_NDIM(a) == dims and cnp.PyArray_ISINTEGER(a) and cnp.PyArray_ISNOTSWAPPED(a)


cdef _few(cnp.ndarray asked, out, int dims, cnp.npy_intp rows, cnp.npy_intp columns):
    """Where few answers go: a new array, or ``out`` if that is plainly fit and apart from what is asked; else None."""
    cdef cnp.npy_intp[2] shape = [rows, columns]
    cdef cnp.ndarray to
    cdef intptr_t low, high
    cdef int k
    if cnp.PyArray_NBYTES(asked) > FEW_BYTES:
        return None
    if out is None:
        return cnp.PyArray_EMPTY(dims, shape, cnp.NPY_INT64, 0)
    if not _is_plain(out, dims):
        return None
    to = out
    if cnp.PyArray_TYPE(to) != cnp.NPY_INT64 or not cnp.PyArray_ISCARRAY(to):
        return None
    for k in range(dims):
        if cnp.PyArray_DIM(to, k) != shape[k]:
            return None
    low = high = <intptr_t>cnp.PyArray_DATA(asked)
    for k in range(cnp.PyArray_NDIM(asked)):
        if cnp.PyArray_STRIDE(asked, k) < 0:
            low += cnp.PyArray_STRIDE(asked, k) * (cnp.PyArray_DIM(asked, k) - 1)
        else:
            high += cnp.PyArray_STRIDE(asked, k) * (cnp.PyArray_DIM(asked, k) - 1)
    high += cnp.PyArray_ITEMSIZE(asked)
    is_apart = high <= <intptr_t>cnp.PyArray_DATA(to) or <intptr_t>cnp.PyArray_DATA(to) + cnp.PyArray_NBYTES(to) <= low
    return to if is_apart else None


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
