# cython: overflowcheck=True
"""Loops with a stride on either side of a copy: how two lists of digits become such loops, and neighbours one loop."""

from operator import itemgetter

from libc.stdint cimport INT64_MAX, int64_t
from libc.stdlib cimport free, malloc, qsort

cdef enum:
    #: Neighbours that travel as one element though their number is no power of two (``in_units``) have fewer bytes than this,
    MOST_TOGETHER = 16
    #: and rows of at least so many such elements.
    LEAST_UNITS = 4


cdef class Loop:
    """``n`` iterations that step ``source`` and ``target`` bytes, and ``divisor`` along ``axis``, which is ``clipped`` if it ends early."""

    def __init__(self, int64_t n, int64_t source, int64_t target, int axis, int64_t divisor, bint clipped):
        self.n, self.source, self.target, self.axis, self.divisor, self.clipped = n, source, target, axis, divisor, clipped

    def __repr__(self):
        return f"Loop({', '.join(f'{name}={value}' for name, value in self._fields().items())})"

    def replaced(self, **fields):
        """The loop with other values in some of its fields."""
        return Loop(**{**self._fields(), **fields})

    def _fields(self):
        return {name: getattr(self, name) for name in ("n", "source", "target", "axis", "divisor", "clipped")}

    cdef Loop stepping(self, int64_t n):
        """The loop with so many iterations."""
        return _loop(n, self.source, self.target, self.axis, self.divisor, self.clipped)

    cdef Loop shorter(self, int64_t by, bint in_target):
        """The loop with steps so many times shorter in the target, or else in the source."""
        if in_target:
            return _loop(self.n, self.source, self.target // by, self.axis, self.divisor, self.clipped)
        return _loop(self.n, self.source // by, self.target, self.axis, self.divisor, self.clipped)

    cdef Loop along(self, Loop inner):
        """This loop and the next inner one as a single loop, if they count one index between them, whatever their strides."""
        if self.axis == inner.axis != NO_AXIS and self.divisor == inner.divisor * inner.n:
            return _loop(self.n * inner.n, inner.source, inner.target, inner.axis, inner.divisor, self.clipped or inner.clipped)
        if self.clipped or inner.clipped:
            return None
        return _loop(self.n * inner.n, inner.source, inner.target, NO_AXIS, inner.divisor, False)

    cdef Loop over(self, Loop inner):
        """This loop, clipped, and the next inner one, which is not, as one that goes through all of that with each step along the axis."""
        if inner.clipped or not self.clipped:
            return None
        return _loop(self.n * inner.n, inner.source, inner.target, self.axis, self.divisor, True)

    cdef bint independent(self, Loop other):
        """Whether each can be clipped without regard to the other, as the two sides of a leaf are."""
        return not (self.clipped and other.clipped and self.axis == other.axis)

    cpdef Loop blocks(self, int64_t most):
        """The loop over blocks of ``most`` iterations of this one."""
        cdef int64_t n = (self.n + most - 1) // most
        return _loop(n, self.source * most, self.target * most, self.axis, self.divisor * most, self.clipped)

    cpdef bint is_wider(self, int64_t width):
        """Whether the steps of the loop make up one element that is wider, on both sides."""
        return self.source == self.target == width and self.n * width in (2, 4, 8, 16)


cdef Loop _loop(int64_t n, int64_t source, int64_t target, int axis, int64_t divisor, bint clipped):
    cdef Loop loop = Loop.__new__(Loop)
    loop.n, loop.source, loop.target, loop.axis, loop.divisor, loop.clipped = n, source, target, axis, divisor, clipped
    return loop


#: The loop of one iteration, which stands where there is none.
NOTHING = Loop(1, 0, 0, NO_AXIS, 1, False)


def iterations(list loops):
    """How many iterations loops have in all."""
    cdef int64_t n = 1
    cdef Loop loop
    for loop in loops:
        n *= loop.n
    return n


def forward(list loops, bint in_target=False):
    """The loops, each walked from the end from which its shorter step goes forward, and how far those ends are on both sides.

    Of two steps alike it is that in the target, as of all if that is asked for. A clipped loop stays as it is.
    """
    cdef list found = []
    cdef int64_t source = 0, target = 0
    cdef Loop loop
    for loop in loops:
        if loop.source < 0 or loop.target < 0:
            break
    else:
        return loops, 0, 0
    for loop in loops:
        if not loop.clipped and (loop.source if abs(loop.source) < abs(loop.target) and not in_target else loop.target) < 0:
            source += loop.source * (loop.n - 1)
            target += loop.target * (loop.n - 1)
            loop = _loop(loop.n, -loop.source, -loop.target, loop.axis, loop.divisor, False)
        found.append(loop)
    return found, source, target


cpdef list joined(list loops):
    """Loops by falling steps in the target, those that are one as one, and none of a single iteration."""
    cdef list result = []
    cdef Loop loop, outer, whole
    for loop in sorted(loops, key=target_stride, reverse=True):
        if loop.n == 1:
            continue
        outer = result[len(result) - 1] if result else None
        whole = None
        if outer is not None and outer.source == loop.source * loop.n and outer.target == loop.target * loop.n:
            whole = outer.along(loop)
        if whole is None:
            result.append(loop)
        else:
            result[len(result) - 1] = whole
    return result


cdef list without(list loops, Loop left):
    """The loops but one."""
    cdef Loop loop
    return [loop for loop in loops if loop is not left]


cpdef tuple widened(list loops, int64_t width):
    """Let neighbours that stay together travel as one wider element: the loops around it, and its width."""
    cdef Loop loop
    for loop in loops:
        if not loop.clipped and loop.is_wider(width):
            return without(loops, loop), loop.n * width
    return loops, width


def in_units(list loops, int64_t width):
    """Let neighbours that stay together travel as one, though their number is no power of two, if rows of such elements are transposed.

    Returned are the loops around it, and its width, less than 16 bytes; or else what was given.
    """
    cdef list wide
    cdef Loop loop
    cdef int64_t unit
    cdef bint is_read = False, is_written = False
    wide, unit = widened(loops, width)
    for loop in wide:
        if loop.source == loop.target == unit and not loop.clipped and loop.n * unit < MOST_TOGETHER:
            wide, unit = without(wide, loop), loop.n * unit
            break
    else:
        return loops, width
    for loop in wide:
        is_read |= loop.source == unit and loop.n >= LEAST_UNITS
        is_written |= loop.target == unit and loop.n >= LEAST_UNITS
    return (wide, unit) if is_read and is_written else (loops, width)


cdef double stride(Loop loop):
    """The shorter stride of a loop, to sort by: among equals, loops that have it in the target come first."""
    return min(1.01 * <double>abs(loop.source), <double>abs(loop.target))


def target_stride(Loop loop):
    """How far a loop steps in the target, either way."""
    return abs(loop.target)


def blockwise(Loop loop, int64_t row):
    """To sort by: the shorter stride, and among equals the one whose longer stride is longest, so that tiles come whole."""
    return min(abs(loop.source), abs(loop.target)), -max(abs(loop.source), abs(loop.target))


def following(Loop loop, int64_t row):
    """To sort by: first what follows rows of so many bytes in the target, then the shorter stride, among equals the one in the target."""
    return loop.target != row, min(abs(loop.source), abs(loop.target)), abs(loop.target)


def onward(Loop loop, int64_t row):
    """To sort by: first what follows rows of so many bytes in the source, then the shorter stride, among equals the one in the target."""
    return loop.source != row, min(abs(loop.source), abs(loop.target)), abs(loop.target)


def fall_apart(digits, shape):
    """Whether a slot is taken apart by falling stride into all of its digits, whichever way these run, and they give every coordinate.

    It is not where they read sums.
    """
    try:
        return (<_Side>_Side(digits, shape, True)).falls_apart(shape)
    except OverflowError:
        return False


def covered(digits, width, room):
    """How many slots the digits count through from the first on, padding included; 0 if they leave holes, or overrun ``room`` slots."""
    reached = width
    for axis, _, radix, stride in sorted(digits, key=itemgetter(3)) if room else ():
        if axis is None or stride != reached:
            return 0
        reached *= radix
    return reached // width if room and reached <= room * width else 0


def refined(shape, source, target, bint padded):
    """The loops that walk every element from its place in ``source`` to its place in ``target``; None where there are none.

    There are none where a side reads sums or is no chain, or where the cuts of one do not divide those of the other, or where the way
    is longer than 64 bits can tell. Where the target is ``padded``, its digits overrun the axes as they are written, and so do the loops.
    """
    try:
        return _refined(shape, _Side(source, shape, True), _Side(target, shape, not padded))
    except OverflowError:
        return None


cdef list _refined(shape, _Side read, _Side written):
    cdef int64_t size, low, high, end, n
    cdef int axis
    cdef list loops = written.beyond
    if read.has_sums or written.has_sums:
        return None
    for axis, size in enumerate(shape):
        if not (read.turn_to(axis) and written.turn_to(axis)):
            return None
        low, end = 1, max(size, written.end())
        while low < end:
            high = min(read.cut(low, size), written.cut(low, size), end)
            if high < end and high % low:
                return None
            n = (high + low - 1) // low
            loops.append(_loop(n, read.stride(low), written.stride(low), axis, low, size % (low * n) != 0))
            low = high
    return loops


cdef struct digit_t:
    int axis
    int64_t divisor, radix, stride


cdef class _Side:
    """The digits of one side, by axis and divisor. Those of the axis at hand are number ``first`` to ``behind - 1``.

    ``beyond`` are the loops of digits that belong to no axis, which walk nothing but padding.
    """
    cdef digit_t *digits
    cdef int count, first, behind
    cdef bint has_sums
    cdef list beyond

    def __cinit__(self, digits, shape, bint fits):
        """Where they are to fit, digits end where their axes do, and neighbours that are one digit are one; what is only padding goes."""
        cdef int64_t divisor, radix, stride, size
        self.digits = <digit_t *>malloc((len(digits) + 1) * sizeof(digit_t))
        if not self.digits:
            raise MemoryError
        self.beyond = []
        for axis, divisor, radix, stride in digits:
            if isinstance(axis, tuple):
                self.has_sums |= len(axis) > 0
                if not fits:
                    self.beyond.append(_loop(radix, 0, stride, len(shape), 1, True))
            elif axis is not None:
                if fits:
                    size = shape[axis]
                    radix = min(radix, (size + divisor - 1) // divisor)
                if radix > 1 and (stride or not fits):
                    self.digits[self.count] = digit_t(axis, divisor, radix, stride)
                    self.count += 1
        qsort(self.digits, self.count, sizeof(digit_t), _by_axis)
        if fits:
            self._join(shape)

    def __dealloc__(self):
        free(self.digits)

    cdef int _join(self, shape) except -1:
        cdef digit_t digit
        cdef digit_t *last = NULL
        cdef int64_t size
        cdef int k, joined = 0
        for k in range(self.count):
            digit = self.digits[k]
            if last and digit.axis == last.axis and digit.divisor == last.divisor * last.radix and digit.stride == last.stride * last.radix:
                size = shape[last.axis]
                last.radix = min(last.radix * digit.radix, (size + last.divisor - 1) // last.divisor)
            else:
                last = &self.digits[joined]
                last[0] = digit
                joined += 1
        self.count = joined
        return 0

    cdef bint falls_apart(self, shape) except -1:
        """Whether a slot gives every digit, and the digits every coordinate; they lie by stride afterwards."""
        cdef int axis, k
        cdef int64_t size, reached, below = 0
        if self.has_sums:
            return False
        for axis, size in enumerate(shape):
            self.first, reached = self.behind, 1
            while self.behind < self.count and self.digits[self.behind].axis == axis:
                if self.digits[self.behind].divisor != reached:
                    return False
                reached = self._end(self.behind)
                self.behind += 1
            if reached < size:
                return False
        for k in range(self.count):
            self.digits[k].stride = abs(self.digits[k].stride)
        qsort(self.digits, self.count, sizeof(digit_t), _by_stride)
        for k in range(self.count):
            if self.digits[k].stride <= below:
                return False
            below += self.digits[k].stride * (self.digits[k].radix - 1)
        return True

    cdef bint turn_to(self, int axis) except -1:
        """Go on to the digits of an axis, the next one; whether they are a chain, each beginning at a multiple of what is below it."""
        cdef int64_t reached = 1
        cdef digit_t *digit
        self.first = self.behind
        while self.behind < self.count and self.digits[self.behind].axis == axis:
            digit = &self.digits[self.behind]
            if digit.divisor % reached:
                return False
            reached = digit.divisor * digit.radix
            self.behind += 1
        return True

    cdef int64_t end(self) except -1:
        """How far the digits reach."""
        return self._end(self.behind - 1) if self.first < self.behind else 1

    cdef int64_t _end(self, int k) except -1:
        return self.digits[k].divisor * self.digits[k].radix

    cdef int64_t cut(self, int64_t low, int64_t size) except -1:
        """The next place above where a digit begins, or where one ends on an axis that goes on."""
        cdef int k
        for k in range(self.first, self.behind):
            if self.digits[k].divisor > low:
                return self.digits[k].divisor
            if self._end(k) > low and (self._end(k) < size or k < self.behind - 1):
                return self._end(k)
        return INT64_MAX

    cdef int64_t stride(self, int64_t cut) except? -1:
        """What a step of ``cut`` along the axis adds."""
        cdef int k
        for k in range(self.first, self.behind):
            if self.digits[k].divisor <= cut < self._end(k):
                return self.digits[k].stride * (cut // self.digits[k].divisor)
        return 0


cdef int _by_axis(const void *a, const void *b) noexcept nogil:
    cdef const digit_t *first = <const digit_t *>a
    cdef const digit_t *second = <const digit_t *>b
    if first.axis != second.axis:
        return -1 if first.axis < second.axis else 1
    return -1 if first.divisor < second.divisor else first.divisor > second.divisor


cdef int _by_stride(const void *a, const void *b) noexcept nogil:
    cdef const digit_t *first = <const digit_t *>a
    cdef const digit_t *second = <const digit_t *>b
    return -1 if first.stride < second.stride else first.stride > second.stride
