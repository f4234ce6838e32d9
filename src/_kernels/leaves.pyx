# cython: overflowcheck=True
"""The leaf, the innermost part of a copy: a kernel, the block of two dimensions that it moves, and the loops left to go around it.

Elements that are neighbours along side u of the block lie side by side in the source, those that are neighbours along side v in the target.
In a run both lie along u, and v counts rows. A row is what lies together in the target: all of v for an element of u, or u in a run.
"""

from math import lcm

from libc.stdint cimport int64_t

from tilelayout._kernels.loops cimport Loop, without

from tilelayout._kernels.loops import NOTHING as _NOTHING

cdef enum:
    #: Bytes of side u from which on rows that follow each other in the target count as a chain, if ``Manner.stretch_u`` is not less.
    LEAST_STRETCHED = 256
    #: Elements that a transpose has at least on its shorter side; and of elements of whole lanes, as many as a line has.
    FEW = 3
    WIDE = 4
    #: Elements of u from which on u is cut to whole lines, and what is left is a block of its own.
    MANY = 128
    #: Bytes of side u where rows of wide elements are cut and begin anywhere in a line: so few rows that a kernel carries all of their
    #: tails.
    CARRIED = 1024
    #: Elements of either side of a zip or unzip, before it is extended.
    LONGEST_ZIP = 256


cdef class Manner:
    """How large blocks may be, in bytes. There are three manners: ``DIRECT``, ``CACHED`` and ``STREAMED`` in ``nests``.

    Of a run: a ``row``; and all ``rows`` of a block. Rows shorter than ``short_rows`` are taken together with those that follow them in the
    target, as many as have so many bytes; it is 0 where copies are not streamed, and functions here ask it for that. The loop that
    counts other rows is the first ``by`` this key.

    Of a transpose: sides ``u`` and ``v``; ``whole_v``, up to which v is not cut. Where rows follow each other in the target, so that a
    block is one stretch of it: ``stretch_u`` for u, if rows are shorter than ``stretch_v``; and ``chained_v`` (twice that of wide
    elements), up to which v is not cut either, though rows end within a line.

    Of an unzip whose rows are whole lines: ``unzipped``, a row.
    """

    def __init__(
        self,
        int64_t row,
        int64_t rows,
        int64_t short_rows,
        int64_t u,
        int64_t v,
        int64_t whole_v,
        int64_t stretch_u,
        int64_t stretch_v,
        int64_t chained_v,
        int64_t unzipped,
        by,
    ):
        self.row, self.rows, self.short_rows, self.u, self.v = row, rows, short_rows, u, v
        self.whole_v, self.stretch_u, self.stretch_v, self.chained_v = whole_v, stretch_u, stretch_v, chained_v
        self.unzipped, self.by = unzipped, by


cdef class Side:
    """One dimension of the block.

    It is made of loops that go on with each other; ``loop`` counts the elements of all of them. Their offsets, of u in the target and of v
    in the source, are sums of ``steps``: pairs of a number and a stride, the innermost first. The last of these loops may be too long for a
    block, and is ``cut``: the block has some of its steps, of ``unit`` elements each.
    """


cdef Side side_of(Loop loop, tuple steps, int64_t unit, Loop cut):
    cdef Side side = Side.__new__(Side)
    side.loop, side.steps, side.unit, side.cut = loop, steps, unit, cut
    return side


cdef class Outer:
    """A loop around the block. Where it ``cuts`` a side, or the innermost loop, it walks its ``total`` steps, ``per`` an iteration."""


cdef Outer outside(Loop loop, int cuts=CUTS_NOTHING, int64_t total=1, int64_t per=1):
    cdef Outer around = Outer.__new__(Outer)
    around.loop, around.cuts, around.total, around.per = loop, cuts, total, per
    return around


cdef class Leaf:
    """A kernel, the sides of the block that it moves, of elements of ``width`` bytes, and the loops that are left to go ``around`` it."""


cdef Leaf leaf_of(list loops, int64_t width, Manner manner, int64_t per_byte=1):
    """The leaf that suits these loops best, with blocks cut in that manner; ``per_byte`` elements share a byte of the source."""
    cdef list rest = sorted(loops, key=_shorter)
    cdef Loop u_loop = _NOTHING, v_loop = _NOTHING, loop
    cdef Side u, v
    cdef Leaf long_rows
    cdef bint is_run = not rest
    for loop in rest:
        if loop.source == loop.target == width:
            u_loop, is_run = loop, True
            break
    if is_run:
        return _run_of(u_loop, without(rest, u_loop), width, manner)
    for loop in rest:
        if loop.source == width:
            u_loop = loop
            break
    for loop in rest:
        if loop.target == width and loop.independent(u_loop):
            v_loop = loop
            break
    rest = without(without(rest, u_loop), v_loop)
    is_zip = _interleaves(v_loop.n, u_loop.target, width)
    if is_zip or _interleaves(u_loop.n, v_loop.source, width):
        u, v = _cut(u_loop, LONGEST_ZIP, u_loop.target), _cut(v_loop, LONGEST_ZIP, v_loop.source)
        if v_loop.n * width % LINE == 0 and v_loop.n * u_loop.n * width % (LINE * per_byte) == 0:
            v, rest = _extended(v, u_loop, rest, manner.unzipped // width, width, False)
        elif not is_zip and v_loop.n * width in (LANE, LINE // 2) and u_loop.n * v_loop.n * width % LINE == 0:
            v, rest = _extended(v, u_loop, rest, LINE // width, width, False)
        return _leaf("zip" if is_zip else "unzip", width, u, v, rest)
    long_rows = _long_rows_of(u_loop, v_loop, rest, width, manner)
    if long_rows is not None:
        return long_rows
    return _transpose_of(u_loop, v_loop, rest, width, manner)


cdef Leaf _transpose_of(Loop u_loop, Loop v_loop, list rest, int64_t width, Manner manner):
    """The leaf whose sides are these loops, each with those that go on with it: a transpose, or ``strided`` if a side is too short."""
    cdef Side u, v
    cdef list others
    cdef int64_t row = v_loop.n * width, most_u, most_v, whole_v, fewest = min(FEW, LANE // width) if width < LANE else WIDE
    cdef int64_t chained_v = manner.chained_v if width <= NARROW else 2 * manner.chained_v
    is_chain = u_loop.target == row and u_loop.n * width >= min(manner.stretch_u, LEAST_STRETCHED)
    is_stretch = is_chain and row < manner.stretch_v
    whole_v = max(manner.whole_v, chained_v if is_chain and row % LANE and u_loop.n * row > STRIP // 2 else 0)
    is_ragged = manner.short_rows and width > NARROW and row > whole_v and u_loop.target % LINE
    most_u = (manner.stretch_u if is_stretch else CARRIED if is_ragged else manner.u) // width
    most_v = (manner.whole_v if is_ragged else manner.v) // width
    if LINE % width:
        most_v -= most_v % _cells(width)
    v, _ = _side_v(v_loop, u_loop, rest, width, manner, whole_v, most_v)  # as it were if side u took nothing: where rows would end
    ends = (row, (v.loop.n if v.cut is None else v.unit) * width) if manner.short_rows and row <= manner.whole_v else ()
    u, others = _side_u(u_loop, v_loop, rest, width, most_u, ends)
    if manner.short_rows and is_chain and row <= manner.whole_v and _fills_lanes(row) and u_loop.n >= MANY and len(u.steps) == 1:
        u = _cut(u_loop, _in_lines(u_loop.n, most_u, width), u_loop.target)
    row = u.loop.n * width
    if row < LINE and row % LANE and v_loop.source == row:
        most_v = manner.whole_v // width
    v, rest = _side_v(v_loop, u.loop, others, width, manner, whole_v, most_v)
    row = v.loop.n * width
    if u_loop.target == row <= chained_v and len(u.steps) == 1 and not _fills_lanes(row) and u.loop.n * row > STRIP // 4:
        u = _cut(u_loop, _alike(u_loop.n, min(manner.stretch_u // width, STRIP // 2 // row), max(1, LINE // width)), u_loop.target)
    return _leaf("transpose" if min(u.loop.n, v.loop.n) >= fewest else "strided", width, u, v, rest)


cdef tuple _side_u(Loop u_loop, Loop v_loop, list rest, int64_t width, int64_t most, tuple ends):
    """Side u of this loop and of those that follow it, up to ``most`` elements; and the loops left.

    Rows end ``ends`` bytes behind their beginning: those of v's first loop, and those of all that a block has whole. A loop of u that steps
    so far goes on where they end, and makes chains. Where blocks would cut it, they get a divisor of its steps each, so that all have whole
    chains; or else it goes around the block, so that each block carries on what the last one left. Rows of whole lines count too: they
    share lines where the target begins within one.
    """
    cdef Side u
    cdef Loop around
    cdef list others
    cdef int64_t per
    u, others = _extended(_cut(u_loop, most, u_loop.target), v_loop, rest, most, width, True)
    around = _going_on(u, rest, (*ends, u.steps[0][0] * ends[0]) if ends and u.steps[0][1] == ends[0] else ends, width)
    is_short = u.unit * width < LANE
    if around is None and len(u.steps) > 1 and u.cut is not None and u.cut.target in ends and (is_short or u.cut.target % LINE == 0):
        per = _divisor(u.cut.n, max(1, min(u.loop.n // u.unit, STRIP // (u.unit * ends[1]))))
        if per > 1:
            return _extended(_cut(u_loop, most, u_loop.target), v_loop, rest, u.unit * per, width, True)
        around = None if is_short else u.cut
    if around is not None:
        u, others = _extended(_cut(u_loop, most, u_loop.target), v_loop, without(rest, around), most, width, True)
        others.append(around)
    return u, others


cdef tuple _side_v(Loop v_loop, Loop other, list rest, int64_t width, Manner manner, int64_t whole_v, int64_t most_v):
    """Side v of this loop and of those that follow it; and the loops left.

    It has all of them up to ``manner.whole_v`` bytes, else ``most_v`` elements. The loop itself is not cut up to ``whole_v`` bytes.
    """
    cdef Side v, whole
    cdef list others
    v = _cut(v_loop, whole_v // width if v_loop.n * width <= whole_v else most_v, v_loop.source)
    whole, others = _extended(v, other, rest, manner.whole_v // width, width, False)
    return (whole, others) if whole.cut is None else _extended(v, other, rest, max(most_v, whole.unit), width, False)


cdef Loop _going_on(Side u, list rest, tuple ends, int64_t width):
    """The loop of side u that goes on where rows end, at one of ``ends``, if it is cut or makes chains too long for a block; or None.

    Only where rows end within a line. The loop is then left out of side u: it may become one of v, or goes around the block, so that each
    block carries on what the last one left.
    """
    cdef int64_t n, step, row, before
    cdef Loop loop
    for row in ends:
        before = 1
        for n, step in u.steps:
            is_broken = (u.cut is not None and u.cut.target == row) or before * n * ends[1] > STRIP
            if step == row and is_broken and row % LINE and LINE % row and before * width >= LANE:
                for loop in rest:
                    if loop.target == row:
                        return loop
            before *= n
    return None


cdef Leaf _long_rows_of(Loop u_loop, Loop v_loop, list rest, int64_t width, Manner manner):
    """The transpose whose rows are those of ``v_loop``, a line at the most, with others that follow them in the target; or None.

    Streamed, such rows are whole lines. Rows of which a line has a whole number stay as they are, unless side u would take the loop that
    follows them. In a cache, rows are lengthened only where they fill no vectors.
    """
    cdef Side u, v
    cdef int64_t row = v_loop.n * width, side = u_loop.n * width, unit = 1, most_u = manner.u // width, most_v
    if row > LINE or side < LANE:
        return None
    if manner.short_rows:
        if LINE % row == 0 and (side < 2 * LANE or not _takes(rest, side, row, manner.u)):
            return None
        unit, most_u = lcm(LINE, row) // width, manner.stretch_u // width
    elif side < LINE or _fills_lanes(row) or u_loop.target == row:
        return None
    most_v = max(unit, manner.whole_v // width // unit * unit)
    v, rest = _extended(_cut(v_loop, most_v, v_loop.source), u_loop, rest, most_v, width, False)
    if v.loop.n % unit or v.loop.n < WIDE:
        return None
    u, rest = _extended(_cut(u_loop, most_u, u_loop.target), v.loop, rest, most_u, width, True)
    return _leaf("transpose", width, u, v, rest)


cdef bint _takes(list rest, int64_t side, int64_t row, int64_t most):
    """Whether side u, which has ``side`` bytes, would take the loop that follows rows of ``row`` bytes before it has ``most``."""
    cdef Loop loop
    cdef bint goes_on = True
    while goes_on and side < most:
        goes_on = False
        for loop in rest:
            if loop.source == side:
                if loop.target == row:
                    return True
                side *= loop.n
                goes_on = loop.n > 1
                break
    return False


cdef Leaf _run_of(Loop along, list rest, int64_t width, Manner manner):
    """The run along a loop, whose rows are counted by the first loop in the manner's order.

    Short rows are instead grouped with those that follow them in the target, as few as make up ``manner.short_rows`` bytes, so that lines
    which they share with others stay at hand. That is not done with a few rows of two lines or more that are read from end to end.
    """
    cdef Side u = _cut(along, manner.row // width, 0), v
    cdef int64_t row = u.loop.n * width, rows = (manner.short_rows + row - 1) // row
    cdef Loop v_loop = _counting(along, rest, manner.by)
    u.steps = ()  # the elements of a row need no offsets
    if row < manner.short_rows and (row < 2 * LINE or v_loop.source != row or v_loop.n > MOST_ROWS):
        v_loop = _counting(along, rest, following)
        if v_loop.target == row:
            v = _cut(v_loop, _evenly(v_loop.n, rows), v_loop.source)
            v, rest = _extended(v, along, without(rest, v_loop), _whole(rows, v.loop.n), row, False)
            return _leaf("run", width, u, v, rest)
        v_loop = _counting(along, rest, manner.by)
    v = _cut(v_loop, max(1, manner.rows // row), v_loop.source)
    return _leaf("run", width, u, v, without(rest, v_loop))


cdef Leaf run_of_rows(Loop along, Loop rows, tuple steps, list others, int64_t width):
    """The run along one loop, of all rows that ``rows`` counts; their offsets in the source are sums of ``steps`` (``Side``)."""
    return _leaf("run", width, side_of(along, (), 1, None), side_of(rows, steps, 1, None), others)


cdef Loop _counting(Loop along, list rest, by):
    """The loop that counts rows: the first by this key that can be clipped without regard to the one along them."""
    cdef Loop loop
    for loop in sorted(rest, key=by):
        if along.independent(loop):
            return loop
    return _NOTHING


cdef double stride(Loop loop):
    """The shorter stride of a loop, to sort by: among equals, loops that have it in the target come first."""
    return min(1.01 * <double>abs(loop.source), <double>abs(loop.target))


def _shorter(Loop loop):
    return stride(loop)


def blockwise(Loop loop):
    """To sort by: the shorter stride, and among equals the one whose longer stride is longest, so that tiles come whole."""
    return min(abs(loop.source), abs(loop.target)), -max(abs(loop.source), abs(loop.target))


def following(Loop loop):
    """To sort by: the shorter stride, and among equals first the one that is in the target."""
    return min(abs(loop.source), abs(loop.target)), abs(loop.target)


#: How many rows there are kernels to interleave, by the bytes of an element.
cdef dict _FEW = {1: (2, 3, 4, 8), 2: (2, 3, 4), 4: (2, 3, 4), 8: (2, 3)}


cdef bint _interleaves(int64_t narrow, int64_t step, int64_t width):
    """Whether ``narrow`` rows are interleaved: there is a kernel for so few, and the other loop steps past one element of each."""
    return step == narrow * width and narrow in _FEW.get(width, ())


cdef Leaf _leaf(str kernel, int64_t width, Side u, Side v, list rest):
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


cdef Side _cut(Loop loop, int64_t most, int64_t across):
    """A side of at most ``most`` iterations of the loop, whose offsets (``Side``) are multiples of ``across``."""
    if loop.n <= most:
        return side_of(loop, ((loop.n, across),), 1, None)
    return side_of(loop.stepping(most), ((most, across),), 1, loop)


cdef int64_t _evenly(int64_t n, int64_t least):
    """How many of n to take at a time: all, if they are few; else a divisor of n from ``least`` to twice that, or ``least``."""
    cdef int64_t per
    if n <= MOST_ROWS:
        return n
    for per in range(least, 2 * least):
        if n % per == 0:
            return per
    return least


cdef int64_t _cells(int64_t width):
    """How many elements of a width that is no power of two are turned at a time, in cells of 4, 8 or 16 bytes."""
    return 16 if width < 4 else 8 if width < 8 else 4


cdef bint _fills_lanes(int64_t row):
    """Whether rows of so many bytes are made by whole vectors: one lane, two, or lines."""
    return row == LANE or row == 2 * LANE or row % LINE == 0


cdef int64_t _in_lines(int64_t n, int64_t most, int64_t width):
    """How many of n elements to take at a time, in whole lines: an equal part, if that needs few more blocks; else all but the last few."""
    cdef int64_t blocks, fewest = (n + most - 1) // most, line = LINE // width
    for blocks in range(fewest, 2 * fewest):
        if n % (blocks * line) == 0:
            return n // blocks
    return n // (fewest * line) * line


cdef int64_t _divisor(int64_t n, int64_t most):
    """The greatest divisor of n that is ``most`` or less."""
    while n % most:
        most -= 1
    return most


cdef int64_t _alike(int64_t n, int64_t most, int64_t line):
    """How many of n to take at a time, in whole lines: blocks are as few as with ``most``, and all about as long."""
    most = max(1, most // line) * line
    cdef int64_t blocks = (n + most - 1) // most
    return _whole((n + blocks - 1) // blocks, line)


cdef int64_t _whole(int64_t n, int64_t unit):
    """n rounded up to whole units."""
    return (n + unit - 1) // unit * unit


cdef tuple _extended(Side side, Loop other, list rest, int64_t most, int64_t width, bint is_u):
    """The side with loops that go on with it side by side, up to ``most`` elements, the last of them perhaps cut; and the loops left.

    Side by side in the source, if it is side u, else in the target. ``other`` is the loop of the other side.
    """
    cdef Loop loop, whole
    cdef Side more
    cdef int64_t unit
    while side.cut is None and 2 * side.loop.n <= most:
        unit = side.loop.n
        whole = None
        for loop in rest:
            if (loop.source if is_u else loop.target) == width * unit:
                whole = loop.along(side.loop)
                if whole is not None:
                    break
        if whole is None or not whole.independent(other):
            break
        rest = without(rest, loop)
        more = _cut(loop, most // unit, loop.target if is_u else loop.source)
        side = side_of(whole.stepping(unit * more.loop.n), side.steps + more.steps, unit, more.cut)
    return side, rest
