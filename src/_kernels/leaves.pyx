# cython: overflowcheck=True
"""The leaf, the innermost part of a copy: a kernel, the block of two dimensions that it moves, and the loops left to go around it.

Elements that are neighbours along side u of the block lie side by side in the source, those that are neighbours along side v in the target.
In a run both lie along u, and v counts rows. A row is what lies together in the target: all of v for an element of u, or u in a run.
"""

from libc.stdint cimport int64_t

from tilelayout._kernels.loops cimport Loop, without


cdef class Manner:
    """How large blocks may be, in bytes. The manners are those of ``manners``.

    Of a run: a ``row``; and all ``rows`` of a block. Rows shorter than ``short_rows`` are taken together with those that follow them in the
    target, as many as have so many bytes; but a few that are read from end to end stay as they are if they have as many as ``kept``. The
    loop that counts other rows is the first ``by`` this key.

    Of a transpose: sides ``u`` and ``v``; ``whole_v``, up to which v is not cut; and ``block``, about, of all. Where rows follow each other
    in the target, so that a block is one stretch of it: ``stretch_u`` for u, if rows are shorter than ``stretch_v``; and ``chained_v``
    (twice that of wide elements), up to which v is not cut either, though rows end within a line.

    Of elements that a transpose brings together by way of a panel: up to so many bytes are ``narrow``.

    Of one element that is ``repeated``: bytes from which on it is a run, though others are its neighbours.

    Of an unzip whose rows are whole lines: ``unzipped``, a row.

    ``streams`` is whether blocks are written in whole lines, and ``onward`` whether rows of a run are read one behind the other in the
    source, wherever they are written.
    """

    def __init__(
        self,
        bint streams,
        bint onward,
        int64_t row,
        int64_t rows,
        int64_t short_rows,
        int64_t kept,
        int64_t u,
        int64_t v,
        int64_t block,
        int64_t whole_v,
        int64_t stretch_u,
        int64_t stretch_v,
        int64_t chained_v,
        int64_t repeated,
        int64_t unzipped,
        int64_t narrow,
        by,
    ):
        self.streams, self.onward, self.row, self.rows, self.u, self.v = streams, onward, row, rows, u, v
        self.short_rows, self.kept = short_rows, kept
        self.block, self.whole_v, self.stretch_u, self.stretch_v, self.chained_v = block, whole_v, stretch_u, stretch_v, chained_v
        self.repeated, self.unzipped, self.narrow, self.by = repeated, unzipped, narrow, by


cdef class Side:
    """One dimension of the block.

    It is made of loops that go on with each other; ``loop`` counts the elements of all of them. Their offsets, of u in the target and of v
    in the source, are sums of ``steps``: pairs of a number and a stride, the innermost first. The last of these loops may be too long for a
    block, and is ``cut``: the block has some of its steps, of ``unit`` elements each. Where ``loop`` is clipped, ``each`` elements are a
    step along its axis.
    """

    cpdef bint ends_early(self, sizes):
        """Whether the axis, one of ``sizes``, ends within the first block, so that none has all elements of this side."""
        return self.loop.clipped and sizes[self.loop.axis] < self.loop.divisor * (self.loop.n // self.each)


cdef Side side_of(Loop loop, tuple steps, int64_t unit, Loop cut, int64_t each=1):
    cdef Side side = Side.__new__(Side)
    side.loop, side.steps, side.unit, side.cut, side.each = loop, steps, unit, cut, each
    return side


cdef Side cut_u(Loop loop, int64_t most):
    """Side u of at most so many iterations of a loop."""
    return _side(loop, most, loop.target)


cdef Side cut_v(Loop loop, int64_t most):
    """Side v of at most so many iterations of a loop."""
    return _side(loop, most, loop.source)


cdef Side _side(Loop loop, int64_t most, int64_t across):
    if loop.n <= most:
        return side_of(loop, ((loop.n, across),), 1, None)
    return side_of(loop.stepping(most), ((most, across),), 1, loop)


cdef tuple more_of_u(Side u, Loop v, list rest, int64_t most, int64_t width):
    """Side u with loops that go on with it side by side in the source, up to ``most`` elements, the last perhaps cut; and the loops left.

    ``v`` is the loop of the other side.
    """
    return _more_of(u, v, rest, most, width, True)


cdef tuple more_of_v(Side v, Loop u, list rest, int64_t most, int64_t width):
    """Side v with loops that go on with it side by side in the target, as ``more_of_u`` has them."""
    return _more_of(v, u, rest, most, width, False)


cdef tuple _more_of(Side side, Loop other, list rest, int64_t most, int64_t width, bint is_u):
    cdef Loop loop, whole
    cdef Side more
    cdef int64_t unit, each
    while side.cut is None and side.each == 1 and 2 * side.loop.n <= most:
        unit = side.loop.n
        whole = None
        for loop in rest:
            if (loop.source if is_u else loop.target) == width * unit:
                whole, each = loop.along(side.loop), 1
                if whole is None and not (is_u and _breaks_chain(side.steps, loop, other.n * width)):
                    whole, each = loop.over(side.loop), unit
                if whole is not None:
                    break
        if whole is None or not whole.independent(other):
            break
        rest = without(rest, loop)
        more = cut_u(loop, most // unit) if is_u else cut_v(loop, most // unit)
        side = side_of(whole.stepping(unit * more.loop.n), side.steps + more.steps, unit, more.cut, each)
    return side, rest


cdef bint _breaks_chain(tuple steps, Loop loop, int64_t row):
    """Whether a loop that is clipped goes on where rows of side u end in the target: all rows of a chain have to exist."""
    cdef int64_t n, step
    for n, step in steps:
        if step == row:
            row *= n
    return loop.target == row


cdef int64_t rounded_up(int64_t n, int64_t unit):
    """n in whole units."""
    return (n + unit - 1) // unit * unit


cdef class Outer:
    """A loop around the block. Where it ``cuts`` a side, or the innermost loop, it walks its ``total`` steps, ``per`` an iteration."""


cdef Outer outside(Loop loop, int cuts=CUTS_NOTHING, int64_t total=1, int64_t per=1):
    cdef Outer around = Outer.__new__(Outer)
    around.loop, around.cuts, around.total, around.per = loop, cuts, total, per
    return around


cdef class Leaf:
    """A kernel, the sides of the block that it moves, of elements of ``width`` bytes, and the loops that are left to go ``around`` it."""


cdef Leaf leaf(str kernel, int64_t width, Side u, Side v, list rest):
    """The leaf with these sides, inside of the loops that they leave, and of those over the blocks that they are cut into."""
    cdef Leaf made = Leaf.__new__(Leaf)
    cdef Loop loop
    made.kernel, made.width, made.u, made.v = kernel, width, u, v
    made.around = [outside(loop) for loop in rest]
    if u.cut is not None:
        made.around.append(_blocks(u, CUTS_U))
    if v.cut is not None:
        made.around.append(_blocks(v, CUTS_V))
    return made


cdef Outer _blocks(Side side, int cuts):
    """The loop around the blocks that a side was cut into."""
    cdef int64_t per = side.loop.n // side.unit
    return outside(side.cut.blocks(per), cuts, side.cut.n, per)
