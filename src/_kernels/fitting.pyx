# cython: overflowcheck=True
"""Which leaf suits the loops of a copy best: a run, a zip or unzip, or a transpose (``transposes``)."""

from functools import partial

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport LANE, LINE, MANY_ROWS, Leaf, Manner, Side
from tilelayout._kernels.leaves cimport cut_u, cut_v, is_no_part, leaf, more_of_v, rounded_up, side_of
from tilelayout._kernels.loops cimport Loop, stride, without
from tilelayout._kernels.transposes cimport transpose_of

from tilelayout._kernels.loops import NOTHING as _NOTHING, following, onward

cdef extern from "tl_agreed.h":
    bint tl_zips(int64_t width, int64_t rows)

cdef enum:
    #: Rows of the source that may be read in turn: so many streams the machine prefetches by itself.
    MOST_ROWS = 16
    #: Bytes of rows that are taken together at least, if their elements are put in order.
    TOGETHER = 0x400
    #: Bytes between the beginnings of single elements that are the rows of a run, at the most.
    NEAR = 0x200
    #: Elements of either side of a zip or unzip, before it is extended.
    LONGEST_ZIP = 256


cdef Leaf leaf_of(list loops, int64_t width, Manner manner, int64_t in_source, int64_t in_target, bint is_ordered):
    """The leaf that suits these loops best, with blocks cut in that manner.

    So many elements share a byte ``in_source``, or ``in_target``. ``is_ordered`` says whether the bytes of elements are put in order.

    Elements that are no part of a line are put in order: none but runs move those of more than a lane, or those that have no neighbours.
    Single elements that lie near each other, such as those of every other column, are the rows of a run, too; and so is one element that
    is repeated, as arrays broadcast have it.
    """
    cdef list rest = sorted(loops, key=_stride)
    cdef Loop u = _NOTHING, v = _NOTHING, loop, near
    cdef bint is_run = not rest or width > LANE
    for loop in rest:
        if loop.source == loop.target == width:
            u, is_run = loop, True
            break
    if is_run:
        return _run_of(u, without(rest, u), width, manner, is_ordered)
    for loop in rest:
        if loop.source == width:
            u = loop
            break
    for loop in rest:
        if loop.target == width and loop.independent(u):
            v = loop
            break
    if v.source == 0 and v.n * width >= (LINE if u.n == 1 else manner.repeated) and not is_no_part(width):
        return _singles_of(v, rest, width, manner)
    if (u.n == 1 or v.n == 1) and (is_no_part(width) or _are_near(u, v, rest)):
        return _run_of(_NOTHING, rest, width, manner, is_ordered)
    near = _nearest(rest) if v.n == 1 else u
    if near is not u and near.n >= MANY_ROWS and near.target <= NEAR:
        return _singles_of(near, rest, width, manner)
    rest = without(without(rest, u), v)
    if _interleaves(v.n, u.n, u.target, width):
        return leaf("zip", width, cut_u(u, _evenly(u.n, width)), cut_v(v, LONGEST_ZIP), rest)
    if _interleaves(u.n, v.n, v.source, width):
        return _unzip_of(u, v, rest, width, manner, in_source)
    return transpose_of(u, v, rest, width, manner, in_target)


cdef Loop _nearest(list rest):
    """The loop whose elements lie nearest to each other in the target."""
    cdef Loop loop, near = _NOTHING
    for loop in rest:
        if loop.target > 0 and (near is _NOTHING or loop.target < near.target):
            near = loop
    return near


cdef bint _are_near(Loop u, Loop v, list rest):
    """Whether elements with neighbours on one side only are many that lie near each other on the other, and no others lie between them."""
    cdef bint in_source = u.n == 1
    cdef int64_t step = v.source if in_source else u.target
    cdef Loop loop
    if max(u.n, v.n) < MANY_ROWS:
        return False
    for loop in rest:
        if 0 < abs(loop.source if in_source else loop.target) < step:
            return False
    return 0 < step <= NEAR


def _stride(Loop loop):
    return stride(loop)


cdef Leaf _run_of(Loop along, list rest, int64_t width, Manner manner, bint is_ordered):
    """The run along a loop, whose rows are counted by the first loop in the manner's order.

    Short rows are instead grouped with those that follow them in the target, as few as make up ``manner.short_rows`` bytes, so that lines
    which they share with others stay at hand; or ``TOGETHER``, if elements are put in order, and the block would be smaller or is streamed;
    or all of those that lie together in the source, in no more of it than a block may have. That is not done with a few rows of
    ``manner.kept`` bytes or more that are read from end to end and make up as many bytes.

    Where the manner is to read ``onward``, rows are counted by the loop that follows them in the source, if all of it makes up no more
    than a block; else each is a block of its own.
    """
    cdef Side u = cut_u(along, manner.row // width), v
    cdef int64_t row = u.loop.n * width
    cdef Loop v_loop = _counting(along, rest, row, manner.by)
    cdef int64_t short_rows = TOGETHER if is_ordered and (manner.streams or v_loop.n * row < TOGETHER) else manner.short_rows
    cdef int64_t rows = (short_rows + row - 1) // row
    u.steps = ()  # the elements of a row need no offsets
    if manner.onward:
        v_loop = _counting(along, rest, row, onward)
        if v_loop.source != row or v_loop.n * row > manner.rows:
            v_loop = _NOTHING
        return leaf("run", width, u, cut_v(v_loop, v_loop.n), without(rest, v_loop))
    if row < short_rows and (row < manner.kept or v_loop.source != row or v_loop.n > MOST_ROWS or v_loop.n * row < manner.short_rows):
        v_loop = _counting(along, rest, row, following)
        if v_loop.target == row:
            v = cut_v(v_loop, v_loop.n if 0 <= v_loop.source * v_loop.n <= manner.rows else _rows_at_once(v_loop.n, rows))
            v, rest = more_of_v(v, along, without(rest, v_loop), rounded_up(rows, v.loop.n), row)
            return leaf("run", width, u, v, rest)
        v_loop = _counting(along, rest, row, manner.by)
    return leaf("run", width, u, cut_v(v_loop, max(1, manner.rows // row)), without(rest, v_loop))


cdef Leaf _singles_of(Loop along, list rest, int64_t width, Manner manner):
    """The run of single elements, those of a loop."""
    return leaf("run", width, side_of(_NOTHING, (), 1, None), cut_v(along, manner.rows // width), without(rest, along))


cdef Leaf run_of_rows(Loop along, Loop rows, tuple steps, list others, int64_t width):
    """The run along one loop, of all rows that ``rows`` counts; their offsets in the source are sums of ``steps`` (``Side``)."""
    return leaf("run", width, side_of(along, (), 1, None), side_of(rows, steps, 1, None), others)


cdef Loop _counting(Loop along, list rest, int64_t row, by):
    """The loop that counts rows of so many bytes: the first by this key that can be clipped without regard to the one along them."""
    cdef Loop loop
    for loop in sorted(rest, key=partial(by, row=row)):
        if along.independent(loop):
            return loop
    return _NOTHING


cdef int64_t _rows_at_once(int64_t n, int64_t least):
    """How many of n to take at a time: all, if they are few; else a divisor of n from ``least`` to twice that, or ``least``."""
    cdef int64_t per
    if n <= MOST_ROWS:
        return n
    for per in range(least, 2 * least):
        if n % per == 0:
            return per
    return least


cdef bint _interleaves(int64_t narrow, int64_t n, int64_t step, int64_t width):
    """Whether ``narrow`` rows of n elements are interleaved: there is a kernel for so few, and the other loop steps past one of each.

    Rows of less than a line only if they are three, or as many as a power of two: others are moved better by square blocks.
    """
    return step == narrow * width and tl_zips(width, narrow) and (n * width >= LINE or narrow == 3 or narrow & (narrow - 1) == 0)


cdef int64_t _evenly(int64_t n, int64_t width):
    """How many of n elements the long side of a zip has: all, if they are few; else an equal part in whole lines, if there is one."""
    cdef int64_t line = max(1, LINE // width), per
    if n < 2 * LONGEST_ZIP:
        return n
    for per in range(LONGEST_ZIP // line * line, LONGEST_ZIP // 2, -line):
        if n % per == 0:
            return per
    return LONGEST_ZIP


cdef Leaf _unzip_of(Loop u_loop, Loop v_loop, list rest, int64_t width, Manner manner, int64_t per_byte):
    """The unzip of these loops, with rows that are lengthened where they can be whole lines.

    Streamed rows of two lines stay as they are where other blocks follow in the source, which is then read from end to end.
    """
    cdef Side u = cut_u(u_loop, LONGEST_ZIP), v = cut_v(v_loop, LONGEST_ZIP if manner.streams else _evenly(v_loop.n, width))
    cdef int64_t row = v_loop.n * width, size = u_loop.n * row
    if row % LINE == 0 and size % (LINE * per_byte) == 0:
        if not (manner.streams and row >= 2 * LINE and _is_followed(rest, size)):
            v, rest = more_of_v(v, u_loop, rest, manner.unzipped // width, width)
    elif row in (LANE, LINE // 2) and size % LINE == 0:
        v, rest = more_of_v(v, u_loop, rest, LINE // width, width)
    return leaf("unzip", width, u, v, rest)


cdef bint _is_followed(list rest, int64_t size):
    """Whether what lies behind a block of so many bytes in the source is another one."""
    cdef Loop loop
    for loop in rest:
        if loop.source == size:
            return True
    return False
