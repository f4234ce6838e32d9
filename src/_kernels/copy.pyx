"""Pack and unpack: the bindings of tl_copy.h. Callers have checked that every address of the plan lies in its arrays."""

cimport numpy as cnp
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free

cnp.import_array()

cdef extern from "tl_copy.h" nogil:
    enum tl_kernel:
        TL_RUN
        TL_TRANSPOSE
        TL_ZIP
        TL_UNZIP
        TL_STRIDED
    ctypedef struct tl_loop:
        int64_t n
        int64_t from_ "from"
        int64_t to
        int axis
        int64_t divisor
        int leaf
        int64_t total, per
    ctypedef struct tl_side:
        int64_t n, unit
        int axis
        int64_t divisor
        const int64_t *at
    ctypedef void (*tl_mover)(const void *, const char *, char *, int64_t, int64_t) noexcept
    ctypedef struct tl_plan:
        int depth, axes, width
        tl_mover move
        tl_loop *loop
        tl_side u, v
        int64_t v_to
        const int64_t *size
    tl_mover tl_choose(const tl_plan *, tl_kernel)
    void tl_copy(const tl_plan *, const char *, char *, const unsigned char *, int64_t, int64_t, int64_t *)

KERNELS = {
    "run": TL_RUN,
    "transpose": TL_TRANSPOSE,
    "zip": TL_ZIP,
    "unzip": TL_UNZIP,
    "strided": TL_STRIDED,
}

cdef class CopyPlan:
    """A strided copy made ready to run: loops around a two-dimensional leaf.

    ``loops`` are (n, from, to, axis, divisor, leaf, total, per), outermost first; ``u`` and ``v`` are
    (n, unit, axis, divisor, offsets) with byte offsets; ``sizes`` are those of the clipped axes.
    """
    cdef tl_plan plan
    cdef readonly int64_t iterations

    def __cinit__(self, kernel, int width, loops, u, v, int64_t v_to, sizes):
        cdef int k
        cdef tl_plan *p = &self.plan
        p.depth, p.axes, p.width, p.v_to = len(loops), len(sizes), width, v_to
        p.loop = <tl_loop *>calloc(p.depth + 1, sizeof(tl_loop))
        if not p.loop:
            raise MemoryError
        for k in range(p.depth):
            n, source, target, axis, divisor, leaf, total, per = loops[k]
            p.loop[k] = tl_loop(n, source, target, axis, divisor, leaf, total, per)
        _set_side(&p.u, u)
        _set_side(&p.v, v)
        p.size = _numbers(sizes)
        p.move = tl_choose(p, KERNELS[kernel])
        self.iterations = p.loop[0].n if p.depth else 1

    def __dealloc__(self):
        free(self.plan.loop)
        free(<void *>self.plan.u.at)
        free(<void *>self.plan.v.at)
        free(<void *>self.plan.size)

    def run(self, cnp.ndarray source, cnp.ndarray target, bytes fill, int64_t begin, int64_t end):
        """Copy, through iterations ``begin`` to ``end - 1`` of the outermost loop; ``fill`` is 16 bytes or None."""
        cdef const char *from_ = cnp.PyArray_BYTES(source)
        cdef char *to = cnp.PyArray_BYTES(target)
        cdef const unsigned char *pattern = NULL if fill is None else <const unsigned char *>fill
        cdef int64_t *left = <int64_t *>calloc(self.plan.axes + 1, sizeof(int64_t))
        if not left:
            raise MemoryError
        with nogil:
            tl_copy(&self.plan, from_, to, pattern, begin, end, left)
        free(left)


cdef int _set_side(tl_side *side, fields) except -1:
    n, unit, axis, divisor, offsets = fields
    side.n, side.unit, side.axis, side.divisor = n, unit, axis, divisor
    side.at = <const int64_t *>_numbers(offsets)
    return 0


cdef int64_t *_numbers(values) except NULL:
    cdef int k
    cdef int64_t *numbers = <int64_t *>calloc(len(values) + 1, sizeof(int64_t))
    if not numbers:
        raise MemoryError
    for k in range(len(values)):
        numbers[k] = values[k]
    return numbers
