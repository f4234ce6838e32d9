"""Batch index queries: the bindings of tl_index.h. Callers have checked shapes and dtypes."""

cimport cython
cimport numpy as cnp
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport calloc, free, malloc

from tilelayout._kernels.crew cimport Pieces, done_by, report, take
from tilelayout._kernels.registers cimport Registers, tl_network

cnp.import_array()

cdef extern from "tl_index.h" nogil:
    enum:
        TL_BLOCK
        TL_LINE
        TL_FEW
    ctypedef struct tl_column:
        int kind
        const char *at
        int64_t step
    ctypedef struct tl_index_level:
        const char *name
        int64_t (*slots)(const tl_network *, const tl_column *, int64_t, int64_t, int64_t *, void *) noexcept nogil
        int64_t (*coordinates)(const tl_network *, tl_column, int64_t, int64_t, int64_t *, unsigned char *, int, void *) noexcept nogil
        void (*enumerate)(const tl_network *, int64_t, int64_t, int64_t *, void *) noexcept nogil
    int64_t tl_slot(const tl_network *, int, const char *, int64_t)
    const tl_index_level tl_levels[]
    int tl_count_levels()

cdef enum:
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
    const tl_index_level *level
    #: What is asked: the coordinates, a column an axis, or the slots.
    const tl_column *columns
    bint stop_at_hole
    #: How many are asked for, by all threads together.
    int64_t all
    #: Where the answers go.
    int64_t *to
    unsigned char *holes


@cython.final
cdef class Network(Registers):
    """A layout made ready for queries."""

    def __cinit__(self, *_):
        self.level = _level

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
        columns = _columns(&self.net, near)
        for k in range(self.net.axes):
            columns[k] = tl_column(kind, data + k * axis_step, step)
        return _slots(self, columns, near, n, to, stint)

    def slots_by_axis(self, axes, cnp.ndarray out, stint=None):
        """The same for coordinates (n,) in an array for each axis."""
        cdef tl_column[FEW_AXES] near
        cdef tl_column *columns = _columns(&self.net, near)
        cdef cnp.ndarray axis
        cdef int k
        for k in range(self.net.axes):
            axis = axes[k]
            columns[k] = tl_column(_kind(axis), cnp.PyArray_BYTES(axis), cnp.PyArray_STRIDE(axis, 0))
        return _slots(self, columns, near, cnp.PyArray_DIM(out, 0), <int64_t *>cnp.PyArray_DATA(out), stint)

    cpdef int64_t coordinates(self, cnp.ndarray slots, cnp.ndarray out, cnp.ndarray holes, bint stop_at_hole, stint=None) except -1:
        """Fill ``out`` (n, axes) and ``holes`` (n,), either of them None, from ``slots`` (n,); return as ``slots`` does."""
        cdef tl_column column = tl_column(_kind(slots), cnp.PyArray_BYTES(slots), cnp.PyArray_STRIDE(slots, 0))
        cdef int64_t *to = NULL if out is None else <int64_t *>cnp.PyArray_DATA(out)
        cdef unsigned char *marks = NULL if holes is None else <unsigned char *>cnp.PyArray_DATA(holes)
        cdef Asking asking = Asking(_answer_coordinates, &self.net, &tl_levels[self.level], &column, stop_at_hole, 0, to, marks)
        return _ask(&asking, cnp.PyArray_DIM(slots, 0), stint)

    def enumerate(self, int64_t begin, int64_t end, cnp.ndarray out):
        """Fill ``out`` with the slots of elements ``begin`` to ``end - 1`` in row-major order."""
        cdef int64_t *to = <int64_t *>cnp.PyArray_DATA(out)
        cdef char near[LITTLE_ROOM]
        cdef char *room = _room(&self.net, near)
        if room is NULL:
            raise MemoryError
        with nogil:
            tl_levels[self.level].enumerate(&self.net, begin, end, to, _aligned(room))
        if room != near:
            free(room)


cdef tl_column *_columns(const tl_network *net, tl_column *near) except NULL:
    """A column for each axis: near, or memory."""
    cdef tl_column *columns = near if net.axes <= FEW_AXES else <tl_column *>calloc(net.axes, sizeof(tl_column))
    if not columns:
        raise MemoryError
    return columns


cdef int64_t _slots(Network network, tl_column *columns, tl_column *near, int64_t n, int64_t *to, stint) except -1:
    """The slots of the coordinates in these columns, which are given back if they are not near."""
    cdef Asking asking = Asking(_answer_slots, &network.net, &tl_levels[network.level], columns, False, 0, to, NULL)
    try:
        return _ask(&asking, n, stint)
    finally:
        if columns != near:
            free(columns)


cdef int64_t _ask(Asking *asking, int64_t n, stint) except -1:
    """Answer so many, or a stint of them, by several threads; how many were done before the first that is out of bounds."""
    cdef char near[LITTLE_ROOM]
    cdef char *room
    asking.all = n if stint is None else stint.end - stint.begin
    if stint is not None:
        return done_by(_answer_pieces, <void *>asking, stint)
    room = _room(asking.net, near)
    if room is NULL:
        raise MemoryError
    with nogil:
        n = asking.answer(asking, 0, n, _aligned(room))
    if room != near:
        free(room)
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
    return begin + asking.level.slots(net, column, end - begin, asking.all, asking.to + begin, room)


cdef int64_t _answer_coordinates(const Asking *asking, int64_t begin, int64_t end, char *room) noexcept nogil:
    """Coordinates, and marks of holes, as far as either is asked for, likewise."""
    cdef const tl_network *net = asking.net
    cdef int64_t *to = NULL if asking.to is NULL else asking.to + begin * net.axes
    cdef unsigned char *holes = NULL if asking.holes is NULL else asking.holes + begin
    cdef tl_column column = _from(asking.columns[0], begin)
    return begin + asking.level.coordinates(net, column, end - begin, asking.all, to, holes, asking.stop_at_hole, room)


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


cdef int _kind(cnp.ndarray integers):
    cdef int width = cnp.PyArray_ITEMSIZE(integers)
    return -width if cnp.PyArray_ISSIGNED(integers) else width


cdef inline char *_aligned(char *room) noexcept nogil:
    return <char *>((<uintptr_t>room + TL_LINE - 1) & ~<uintptr_t>(TL_LINE - 1))
