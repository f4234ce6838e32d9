# cython: overflowcheck=True
"""The block of a transpose: as much of side u as the source gives in one piece, and rows of v that come in whole lines of the target.

Three strategies make such rows of what the loops offer. Rows of less than a line are lengthened by those that follow them in the target
(``_of_long_rows``). Rows that follow each other are a chain, wherever they end, and side u is cut so that blocks have whole chains
(``_Rows.side_u``, ``in_lines``, ``evened``). Other rows are whole if they have few bytes, or else cut (``_Rows.side_v``).
"""

from math import lcm

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport LANE, LEAST_ALONE, LINE, NARROW, STRIP, Leaf, Manner, Side
from tilelayout._kernels.leaves cimport cut_u, cut_v, leaf, more_of_u, more_of_v, rounded_up
from tilelayout._kernels.loops cimport Loop, without

cdef enum:
    #: Bytes of side u from which on rows that follow each other in the target count as a chain, if ``Manner.stretch_u`` is not less.
    LEAST_STRETCHED = 256
    #: Elements that a transpose has at least on its shorter side; and of elements of whole lanes, as many as a line has.
    FEW = 3
    WIDE = 4
    #: Elements of u from which on u is cut to whole lines, and what is left is a block of its own.
    MANY = 128
    #: Bytes of side u at the least, however large a block is.
    LEAST_U = 0x800
    #: Bytes of side u where rows of wide elements are cut and begin anywhere in a line: so few rows that a kernel carries all of their
    #: tails.
    CARRIED = 1024
    #: Bytes of the target in rows that are cut, at the most, where they do not go by way of a panel, do not all lie alike in lines, or
    #: side u is not some lines: they are made by one or two lines then.
    UNEVEN = 128
    #: Rows of less than a line that a block has at the most in a cache, if whole times so many bytes lie between them: they share few
    #: places of it, and others go on with their lines.
    APART = 1024
    FEWEST_ROWS = 16


cdef Leaf transpose_of(Loop u, Loop v, list rest, int64_t width, Manner manner, int64_t in_target):
    """The leaf whose sides are these loops, each with those that go on with it: a transpose, or ``strided`` if a side is too short.

    So many elements share a byte ``in_target``.
    """
    cdef Leaf made = _of_long_rows(u, v, rest, width, manner)
    return _of_any_rows(u, v, rest, width, manner, in_target) if made is None else made


cdef Leaf _of_long_rows(Loop u_loop, Loop v_loop, list rest, int64_t width, Manner manner):
    """The leaf whose rows are those of ``v_loop``, a line at the most, with others that follow them in the target; or None.

    Streamed, such rows are whole lines. Rows of which a line has a whole number stay as they are, unless side u would take the loop that
    follows them. In a cache, rows are lengthened only where they fill no vectors.
    """
    cdef Side u, v
    cdef int64_t row = v_loop.n * width, side = u_loop.n * width, unit = 1, most_u = manner.u // width, most_v
    if row > LINE or side < LANE:
        return None
    if manner.streams:
        if LINE % row == 0 and (side < 2 * LANE or not _takes(rest, side, row, manner.u)):
            return None
        unit, most_u = lcm(LINE, row) // width, manner.stretch_u // width
    elif side < LINE or _fills_lanes(row) or u_loop.target == row:
        return None
    most_v = max(unit, manner.whole_v // width // unit * unit)
    v, rest = more_of_v(cut_v(v_loop, most_v), u_loop, rest, most_v, width)
    if v.loop.n % unit or v.loop.n < WIDE:
        return None
    u, rest = more_of_u(cut_u(u_loop, most_u), v.loop, rest, most_u, width)
    return leaf("transpose", width, u, v, rest)


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


cdef Leaf _of_any_rows(Loop u_loop, Loop v_loop, list rest, int64_t width, Manner manner, int64_t in_target):
    """The leaf whose rows are those of ``v_loop`` or a part of them, with others that follow if all of these are few bytes."""
    cdef _Rows rows = _rows_of(u_loop, v_loop, width, manner, in_target)
    cdef Side u, v
    cdef int64_t fewest = min(FEW, LANE // width) if width < LANE else WIDE
    u, rest = rows.side_u(rest)
    u = rows.in_lines(u)
    v, rest = rows.side_v(u.loop, rest, rows.most_beside(u))
    u = rows.evened(u, v)
    if not manner.streams and v.loop.n >= fewest and rows.share_places(u, v):
        u = cut_u(u_loop, FEWEST_ROWS)
    return leaf("transpose" if min(u.loop.n, v.loop.n) >= fewest else "strided", width, u, v, rest)


cdef class _Rows:
    """The rows of a block, and what is known of them from the two loops that are turned into each other, ``u`` and ``v``.

    Those of v's loop alone have ``row`` bytes. They are not cut if these are ``whole_v`` or less, and where ``is_chain``, they follow each
    other in the target. Side u has up to ``most_u`` elements, or ``longest_u`` if these are all that lies together; ``most_v`` are taken of
    rows that are cut.
    """
    cdef Loop u, v
    cdef Manner manner
    cdef int64_t width, row, whole_v, chained_v, most_u, longest_u, most_v
    cdef bint is_chain

    cdef bint share_places(self, Side u, Side v):
        """Whether the rows of a block, those of u's loop alone, are parts of lines that share few places of a cache."""
        return not self.is_chain and v.loop.n * self.width < LINE and len(u.steps) == 1 and u.loop.target % APART == 0

    cdef tuple side_u(self, list rest):
        """Side u, and the loops left.

        A loop of u that steps as far as rows reach (``ends``) goes on where they end, and makes chains. Where blocks would cut it, they get
        a divisor of its steps each, so that all have whole chains; or else it goes around the block, so that each block carries on what the
        last one left. Rows of whole lines count too: they share lines where the target begins within one.
        """
        cdef tuple ends = self.ends(rest)
        cdef Side u
        cdef list others
        cdef Loop around
        cdef int64_t per
        cdef bint is_short
        u, others = more_of_u(cut_u(self.u, self.longest_u), self.v, rest, self.longest_u, self.width)
        if u.cut is not None and self.longest_u > self.most_u:
            u, others = self.as_much_of_u(rest, self.most_u)
        around = self.going_on(u, rest, ends)
        is_short = u.unit * self.width < LANE
        if around is None and len(u.steps) > 1 and u.cut is not None and u.cut.target in ends and (is_short or u.cut.target % LINE == 0):
            per = _divisor(u.cut.n, max(1, min(u.loop.n // u.unit, STRIP // (u.unit * ends[1]))))
            if per > 1:
                return self.as_much_of_u(rest, u.unit * per)
            around = None if is_short else u.cut
        if around is not None:
            u, others = self.as_much_of_u(without(rest, around), self.most_u)
            others.append(around)
        return u, others

    cdef tuple as_much_of_u(self, list rest, int64_t most):
        """Side u of its loop, up to ``most_u`` elements, and of those that go on with it, up to ``most``; and the loops left."""
        return more_of_u(cut_u(self.u, self.most_u), self.v, rest, most, self.width)

    cdef tuple ends(self, list rest):
        """How far rows reach that end within a chain: those of v's first loop, and those of all that a block has whole."""
        cdef Side v
        if not self.manner.streams or self.row > self.manner.whole_v:
            return ()
        v, _ = self.side_v(self.u, rest, self.most_v)  # as it were if side u took nothing
        return self.row, (v.loop.n if v.cut is None else v.unit) * self.width

    cdef Loop going_on(self, Side u, list rest, tuple ends):
        """The loop of side u that goes on where rows end, or else None.

        Only where they end within a line, and the loop is cut or makes chains too long for a block. It is then left out of side u: it may
        become one of v, or goes around the block.
        """
        cdef int64_t n, step, row, before
        cdef Loop loop
        if ends and u.steps[0][1] == ends[0]:
            ends = (*ends, u.steps[0][0] * ends[0])
        for row in ends:
            before = 1
            for n, step in u.steps:
                is_broken = (u.cut is not None and u.cut.target == row) or before * n * ends[1] > STRIP
                if step == row and is_broken and row % LINE and LINE % row and before * self.width >= LANE:
                    for loop in rest:
                        if loop.target == row:
                            return loop
                before *= n
        return None

    cdef Side in_lines(self, Side u):
        """Side u cut to whole lines, if rows that fill vectors are a chain and it has no other loop."""
        if not self.manner.streams or not self.is_chain or self.row > self.manner.whole_v or not _fills_lanes(self.row):
            return u
        if self.u.n < MANY or len(u.steps) > 1:
            return u
        return cut_u(self.u, _in_lines(self.u.n, self.most_u, LINE // self.width))

    cdef tuple side_v(self, Loop u, list rest, int64_t most):
        """Side v beside this loop of side u, and the loops left.

        It has all loops that go on with v's, up to ``manner.whole_v`` bytes, or else ``most`` elements.
        """
        cdef Side v, whole
        cdef list others
        v = cut_v(self.v, self.whole_v // self.width if self.row <= self.whole_v else most)
        whole, others = more_of_v(v, u, rest, self.manner.whole_v // self.width, self.width)
        return (whole, others) if whole.cut is None else more_of_v(v, u, rest, max(most, whole.unit), self.width)

    cdef int64_t most_beside(self, Side u):
        """How many elements of rows that are cut: more where rows of the source, less than a line and no whole lanes, lie end to end.

        Where those of narrow elements share lines with others instead, as many as may come before and after any other: so blocks can come
        as the source lies in memory, and what shares a line is moved before that leaves the caches.
        """
        cdef int64_t row = u.loop.n * self.width
        cdef bint share_lines = self.width <= NARROW and row % LANE == 0 and row < LINE <= self.v.source
        if share_lines and self.manner.streams and self.row > self.whole_v:
            return LEAST_ALONE // self.width
        return self.manner.whole_v // self.width if row < LINE and row % LANE and self.v.source == row else self.most_v

    cdef Side evened(self, Side u, Side v):
        """Side u cut to equal blocks of whole lines, if rows that fill no vectors are a chain and it has no other loop."""
        cdef int64_t row = v.loop.n * self.width
        if self.u.target != row or row > self.chained_v or len(u.steps) > 1 or _fills_lanes(row) or u.loop.n * row <= STRIP // 4:
            return u
        return cut_u(self.u, _alike(self.u.n, min(self.manner.stretch_u // self.width, STRIP // 2 // row), max(1, LINE // self.width)))


cdef _Rows _rows_of(Loop u, Loop v, int64_t width, Manner manner, int64_t in_target):
    cdef _Rows rows = _Rows.__new__(_Rows)
    cdef int64_t row = v.n * width, most_u = manner.u, most_v = manner.v * in_target, beside, by_block
    rows.u, rows.v, rows.width, rows.manner, rows.row = u, v, width, manner, row
    rows.chained_v = manner.chained_v if width <= NARROW else 2 * manner.chained_v
    rows.is_chain = u.target == row and u.n * width >= min(manner.stretch_u, LEAST_STRETCHED)
    rows.whole_v = manner.whole_v
    if rows.is_chain and row % LANE and u.n * row > STRIP // 2:
        rows.whole_v = max(manner.whole_v, rows.chained_v)
    if manner.streams and (width > manner.narrow or u.target % LINE or u.n * width % LINE or u.n * width == LINE):
        most_v = min(most_v, UNEVEN * in_target)
    if manner.streams and width > NARROW and row > rows.whole_v and u.target % LINE:
        most_u, most_v = CARRIED, manner.whole_v
    if rows.is_chain and row < manner.stretch_v:
        most_u = manner.stretch_u
    beside = v.n if row <= rows.whole_v else most_v // width
    by_block = max(LEAST_U, manner.block // beside)
    rows.longest_u = min(most_u, 2 * by_block) // width
    rows.most_u, rows.most_v = min(most_u, by_block) // width, most_v // width
    if LINE % width:
        rows.most_v -= rows.most_v % _cells(width)
    return rows


cdef int64_t _cells(int64_t width):
    """How many elements of a width that is no power of two are turned at a time, in cells of 4, 8 or 16 bytes."""
    return 16 if width < 4 else 8 if width < 8 else 4


cdef bint _fills_lanes(int64_t row):
    """Whether rows of so many bytes are made by whole vectors: one lane, two, or lines."""
    return row == LANE or row == 2 * LANE or row % LINE == 0


cdef int64_t _divisor(int64_t n, int64_t most):
    """The greatest divisor of n that is ``most`` or less."""
    while n % most:
        most -= 1
    return most


cdef int64_t _in_lines(int64_t n, int64_t most, int64_t line):
    """How many of n to take at a time, in whole lines: an equal part, if that needs few more blocks; else all but the last few."""
    cdef int64_t blocks, fewest = (n + most - 1) // most
    for blocks in range(fewest, 2 * fewest):
        if n % (blocks * line) == 0:
            return n // blocks
    return n // (fewest * line) * line


cdef int64_t _alike(int64_t n, int64_t most, int64_t line):
    """How many of n to take at a time, in whole lines: blocks are as few as with ``most``, and all about as long."""
    most = max(1, most // line) * line
    cdef int64_t blocks = (n + most - 1) // most
    return rounded_up((n + blocks - 1) // blocks, line)
