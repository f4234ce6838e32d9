"""Nested shapes and strides with their flat modes: construction, evaluation and the algebra, as far as tl_modes.h decides."""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow
from libc.stdint cimport INT64_MAX, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

cdef extern from "tl_modes.h" nogil:
    enum:
        TL_MODES
    ctypedef struct tl_modes:
        int n
        int64_t *extent
        int64_t *stride
    int64_t tl_abs(int64_t)
    int tl_times(int64_t, int64_t, int64_t *)
    int tl_push(tl_modes *, int64_t, int64_t)
    int tl_coalesced(const tl_modes *, tl_modes *)
    int tl_coalesced_open(const tl_modes *, tl_modes *)
    int tl_compose(const tl_modes *, const tl_modes *, tl_modes *, int *)
    int tl_complement(const tl_modes *, const tl_modes *, tl_modes *)
    int tl_tiled(tl_modes *, const tl_modes *, tl_modes *)


cdef class Nested:
    """A shape and a stride of one nest, immutable.

    A subclass has ``_checked(shape, stride)``, which answers for whatever is not plain: it returns (shape, stride, flat, size) or
    raises; and ``_called(coordinate)``, which does so for coordinates that are not plain integers in range.
    """
    cdef readonly object shape
    cdef readonly object stride
    cdef readonly object size
    cdef object _flat
    cdef int leaves        # -1 where a stride is no integer
    cdef int64_t total
    cdef int64_t *extents  # leaves of them, and then as many strides

    def __cinit__(self, shape, stride=None):
        cdef tl_modes modes
        cdef int64_t running = 1
        modes.n = 0
        if stride is None and _is_plain(shape, 0):
            stride = _column_major(shape, &running)
        if _load(shape, stride, &modes, 0) or _measure(&modes, &self.total):
            shape, stride, self._flat, size = type(self)._checked(shape, stride)
            modes.n = 0
            if _load(shape, stride, &modes, 0):
                modes.n = -1
            self.total = size
        self.shape, self.stride, self.size = shape, stride, self.total
        self.leaves = modes.n
        if modes.n > 0:
            self.extents = <int64_t *>malloc(2 * modes.n * sizeof(int64_t))
            if not self.extents:
                raise MemoryError
            memcpy(self.extents, modes.extent, modes.n * sizeof(int64_t))
            memcpy(self.extents + modes.n, modes.stride, modes.n * sizeof(int64_t))

    def __dealloc__(self):
        free(self.extents)

    @property
    def flat(self):
        """The pairs of extent and stride, the fastest first."""
        with cython.critical_section(self):
            if self._flat is None:
                self._flat = tuple([(self.extents[k], self.extents[self.leaves + k]) for k in range(self.leaves)])
            return self._flat

    def __call__(self, *coordinate):
        cdef int64_t index
        cdef int overflow = 0
        if self.leaves >= 0 and len(coordinate) == 1 and type(coordinate[0]) is int:
            index = PyLong_AsLongLongAndOverflow(coordinate[0], &overflow)
            if not overflow and 0 <= index < self.total:
                return self._at(index)
        elif self.leaves == len(coordinate) and type(self.shape) is tuple and len(self.shape) == self.leaves:
            index = self._at_each(coordinate)
            if index >= 0:
                return self._at(index)
        return self._called(coordinate)

    cdef int64_t _at(self, int64_t index):
        cdef int64_t total = 0
        cdef int k
        for k in range(self.leaves - 1):
            total += index % self.extents[k] * self.extents[self.leaves + k]
            index //= self.extents[k]
        return total + index * self.extents[2 * self.leaves - 1] if self.leaves else 0

    cdef int64_t _at_each(self, tuple coordinate):
        """The 1-D coordinate of one integer for each leaf, or -1."""
        cdef int64_t index = 0, one
        cdef int overflow = 0, k
        for k in range(self.leaves - 1, -1, -1):
            if type(coordinate[k]) is not int:
                return -1
            one = PyLong_AsLongLongAndOverflow(coordinate[k], &overflow)
            if overflow or not 0 <= one < self.extents[k]:
                return -1
            index = index * self.extents[k] + one
        return index

    def __eq__(self, other):
        if not isinstance(other, Nested):
            return NotImplemented
        return self.shape == (<Nested>other).shape and self.stride == (<Nested>other).stride

    def __hash__(self):
        return hash((self.shape, self.stride))

    def __reduce__(self):
        return type(self), (self.shape, self.stride)

    cdef int fill(self, tl_modes *modes) except -1:
        """Copy the flat modes; 1 where there are none of integers."""
        cdef int k
        modes.n = 0
        if self.leaves < 0:
            return 1
        for k in range(self.leaves):
            modes.extent[k], modes.stride[k] = self.extents[k], self.extents[self.leaves + k]
        modes.n = self.leaves
        return 0


def coalesce(Nested layout):
    """The layout with the fewest modes, or None where this does not decide."""
    cdef tl_modes modes, result
    if layout.leaves == 0 or layout.fill(&modes) or tl_coalesced(&modes, &result):
        return None
    return _spelled(type(layout), &result)


def composition(Nested a, Nested b):
    """``A(B(c))`` as a layout, or None where divisibility does not decide whether there is one."""
    cdef tl_modes of_a, of_b, open_a
    if a.leaves == 0 or a.fill(&of_a) or b.fill(&of_b) or tl_coalesced_open(&of_a, &open_a):
        return None
    return _composed(type(a), &open_a, &of_b, b.shape)


def complement(Nested layout, int64_t cotarget):
    """The complement up to a cotarget of at least 1, or None where this does not decide."""
    cdef tl_modes modes, target, result
    target.n = 0
    tl_push(&target, cotarget, 0)
    if layout.fill(&modes) or tl_complement(&modes, &target, &result):
        return None
    return _spelled(type(layout), &result)


def divide(Nested layout, Nested tiler):
    """The layout after (tiler, rest of the layout), or None where this does not decide."""
    cdef tl_modes of_layout, of_both, open_layout, rest
    cdef int k
    if layout.fill(&of_layout) or tiler.fill(&of_both) or tl_coalesced_open(&of_layout, &open_layout):
        return None
    if layout.leaves == 0 or tl_tiled(&open_layout, &of_both, &rest) or tl_coalesced_open(&open_layout, &of_layout):
        return None
    for k in range(rest.n):
        if tl_push(&of_both, rest.extent[k], rest.stride[k]):
            return None
    extents = rest.extent[0] if rest.n == 1 else tuple([rest.extent[k] for k in range(rest.n)])
    return _composed(type(layout), &of_layout, &of_both, (tiler.shape, extents))


cdef object _composed(cls, const tl_modes *a, const tl_modes *b, shape):
    cdef tl_modes result
    cdef int count[TL_MODES]
    cdef int leaf = 0, at = 0
    if tl_compose(a, b, &result, count):
        return None
    extents, strides = _refined(shape, &result, count, &leaf, &at)
    return cls(extents, strides)


cdef tuple _refined(shape, const tl_modes *modes, const int *count, int *leaf, int *at):
    """The nest of ``shape`` with the next modes in its leaves, as extents and as strides."""
    cdef int n, k
    if type(shape) is tuple:
        parts = [_refined(part, modes, count, leaf, at) for part in shape]
        return tuple([part[0] for part in parts]), tuple([part[1] for part in parts])
    n, k = count[leaf[0]], at[0]
    leaf[0] += 1
    at[0] += n
    if n == 1:
        return modes.extent[k], modes.stride[k]
    return tuple([modes.extent[k + j] for j in range(n)]), tuple([modes.stride[k + j] for j in range(n)])


cdef object _spelled(cls, const tl_modes *modes):
    cdef int k
    if modes.n == 1:
        return cls(modes.extent[0], modes.stride[0])
    return cls(tuple([modes.extent[k] for k in range(modes.n)]), tuple([modes.stride[k] for k in range(modes.n)]))


cdef bint _is_plain(shape, int depth):
    """Whether a shape is a nest of tuples and integers of at least 1."""
    cdef int64_t extent
    cdef int overflow = 0
    if type(shape) is int:
        extent = PyLong_AsLongLongAndOverflow(shape, &overflow)
        return not overflow and extent >= 1
    if type(shape) is not tuple or depth >= TL_MODES:
        return False
    for part in shape:
        if not _is_plain(part, depth + 1):
            return False
    return True


cdef object _column_major(shape, int64_t *running):
    """The strides of a compact layout; 0 for extents of 1. Beyond 64 bits they are nonsense, which ``_measure`` finds."""
    cdef int64_t stride = running[0]
    if type(shape) is tuple:
        return tuple([_column_major(part, running) for part in shape])
    if tl_times(running[0], shape, running):
        running[0] = INT64_MAX
    return stride if shape > 1 else 0


cdef int _load(shape, stride, tl_modes *modes, int depth):
    """Append the leaves; 1 unless shape and stride are plain nests of integers that fit each other."""
    cdef int64_t extent, step
    cdef int overflow = 0, k
    if type(shape) is int:
        if type(stride) is not int:
            return 1
        extent = PyLong_AsLongLongAndOverflow(shape, &overflow)
        if overflow or extent < 1:
            return 1
        step = PyLong_AsLongLongAndOverflow(stride, &overflow)
        return overflow or step < -INT64_MAX or tl_push(modes, extent, step)
    if type(shape) is not tuple or type(stride) is not tuple or depth >= TL_MODES or len(<tuple>shape) != len(<tuple>stride):
        return 1
    for k in range(len(<tuple>shape)):
        if _load((<tuple>shape)[k], (<tuple>stride)[k], modes, depth + 1):
            return 1
    return 0


cdef int _measure(const tl_modes *modes, int64_t *total):
    """The number of coordinates; 1 if it, or the span of the offsets, does not fit in 64 bits."""
    cdef int64_t span = 0, far
    cdef int k
    total[0] = 1
    for k in range(modes.n):
        if tl_times(total[0], modes.extent[k], total) or tl_times(modes.extent[k] - 1, tl_abs(modes.stride[k]), &far):
            return 1
        if span > INT64_MAX - 1 - far:
            return 1
        span += far
    return 0
