# cython: overflowcheck=True
"""The nest: the loops around a leaf, in the order in which they run; and whether the copy is streamed.

A streamed copy is written in whole lines, past the caches. A block is what a leaf moves. Blocks take turns where the innermost loop comes
to several, and the loop around it goes on with the rows of each.
"""

from operator import itemgetter

from libc.stdint cimport int64_t

from tilelayout._kernels.chains cimport along_rows, chains_of, end_to_end, following_rows, row_of, rows_of, size_of
from tilelayout._kernels.fitting cimport leaf_of, run_of_rows
from tilelayout._kernels.leaves cimport CUTS_INNERMOST, LEAST_ALONE, LINE, Leaf, Manner, Outer, outside
from tilelayout._kernels.loops cimport Loop, stride, widened
from tilelayout._kernels.machines cimport Machine, machine_at_hand
from tilelayout._kernels.manners cimport LEAST_LEAF
from tilelayout._kernels.rounds cimport MOST_IN_ROWS, MOST_ROUND, SHORT_ROW, goes_on, is_in_rows, piece_in_cache, rounds_of
from tilelayout._kernels.streaming cimport LEAST_ROW, is_worth_streaming

from tilelayout._kernels.manners import CACHED as _CACHED, DIRECT as _DIRECT, ONWARD as _ONWARD, STREAMED as _STREAMED

cdef extern from "tl_agreed.h":
    enum:
        MOST_CARRIES "TL_MOST_CARRIES"

cdef enum:
    #: Blocks of a stretch, at least and at the most: those along one dimension that are gone through before others take their turn.
    LEAST_STRETCH = 8
    MOST_STRETCH = 64
    #: Bytes of a row of the target, and of blocks of an unzip along one dimension, so few that those along another take turns: so many of
    #: these.
    SHORT_ROWS = 0x200
    LITTLE = 0x400
    TURNS = 16
    #: Rows of the source that may be read in turn, so that the target is written in order; of more, a stretch of each is read at a time.
    MOST_TURNS = 64
    #: Bytes that should be read of a page of the source before another has its turn; else ``_keep_to_pages`` changes the order.
    LEAST_PIECE = 0x800
    #: Pages that take turns then, at the most.
    PAGES = 8
    #: Bytes that a block reads together at the most, so that the lines at their ends are many.
    MOST_SHARED = 0x80
    #: Blocks of a series at the most, each of which has its place in a table.
    MOST_SERIES = 4096


cdef class Nest:
    """A leaf and the loops around it, ``outer``, outermost first.

    ``chain``, ``hop`` and ``link`` say which rows of a block follow each other in the target (``chains_of``). The ``series`` innermost
    loops run as one, and the ``rounds`` innermost ones are a round (``rounds_of``), of one piece of the source or ``in_rows``, a piece of
    each row of the leaf. The copy ``is_large`` if it is too large for a cache;
    then it ``is_streamed``, if that is worth while. Where steps in the target are of bytes, ``joined`` elements share each of these, and
    elements of up to ``narrow`` bytes go by way of a panel if they are transposed. It is made for that kind of ``machine``.
    """

    cdef int _order(self, outermost) except -1:
        """Sort the loops by this key, the greatest outermost."""
        self.outer = sorted(self.leaf.around, key=outermost, reverse=True)
        return 0

    cdef int _keep_to_rows(self) except -1:
        """Read a stretch of each row of the source at a time, where too many rows would be read in turn else, or lines twice."""
        cdef Outer outer, along = None
        cdef bint is_short = self.leaf.kernel == "run" and row_of(self.leaf) < SHORT_ROW
        cdef int64_t rows = self.leaf.v.loop.n, n, at
        for outer in reversed(self.outer):
            if outer.loop.source == self.leaf.u.loop.n * self.leaf.width:
                along = outer
                break
            rows *= outer.loop.n
        if along is None or (rows <= MOST_TURNS and not is_short):
            return 0
        at, n = self.outer.index(along), _stretch(along, self._most_stretch())
        self.outer.remove(along)
        if n < along.loop.n:
            self.outer.insert(at, _stretches(along, n))
            along = outside(along.loop.stepping(n))
        self.outer.append(along)
        return 0

    cdef int64_t _most_stretch(self) except -1:
        """How many blocks are a stretch at the most: of runs whose rows are fetched one by one, as many as a round has room for."""
        if self.machine.fetches_rows or self.leaf.kernel != "run":
            return MOST_STRETCH
        return max(MOST_STRETCH, min(MOST_IN_ROWS // size_of(self.leaf), MOST_CARRIES // self._chains()))

    cdef int _order_by_rounds(self, int64_t per_byte) except -1:
        """Go through the source as it lies in memory, if rounds make one piece of it then, and else leave the order as it is.

        Only of blocks that are stretches of whole lines, and large enough to be streamed in any order.
        """
        cdef list before = self.outer
        cdef int64_t size = size_of(self.leaf)
        if self.machine.fetches_rows or self.rounds or not self._is_stretch() or size % (LINE * per_byte) or size < LEAST_LEAF * per_byte:
            return 0
        self._order(_source)
        self.rounds = rounds_of(self.leaf, self.outer, 2 * MOST_ROUND)
        if not self.rounds:
            self.outer = before
        self.series = self._series()
        return 0

    cdef bint _shares_lines(self) except -1:
        """Whether blocks of a transpose, in stretches of ``LEAST_ALONE`` bytes or more, share lines of the source with others.

        Such are read before they leave the caches where blocks come as the source lies in memory. So do blocks of a run, where what shares
        its lines is another part of the copy.
        """
        cdef Leaf leaf = self.leaf
        cdef int64_t side = leaf.u.loop.n * leaf.width, stretch = row_of(leaf) * self.chain
        cdef int64_t piece = side * end_to_end(tuple(sorted(leaf.v.steps, key=itemgetter(1))), side)
        if not self.is_streamed or piece > MOST_SHARED or (side % LINE == 0 and not leaf.u.loop.clipped):
            return False
        if leaf.kernel != "transpose" and (leaf.kernel != "run" or any([_source(outer) == piece for outer in self.outer])):
            return False
        return stretch % LINE == 0 and stretch >= LEAST_ALONE

    cdef int _keep_to_banks(self) except -1:
        """Cut the innermost loop, if its blocks take turns, into stretches of as many as have room for their tails."""
        cdef Outer along, inner
        cdef int64_t n
        if len(self.outer) < 2:
            return 0
        along, inner = self.outer[len(self.outer) - 2], self.outer[len(self.outer) - 1]
        n = MOST_CARRIES // self._chains()
        if self._take_turns(along, inner) and inner.loop.n > n and not inner.cuts:
            self.outer[len(self.outer) - 2:] = [_stretches(inner, n), along, outside(inner.loop.stepping(n))]
        return 0

    cdef int64_t _chains(self) except -1:
        """How many chains a block has."""
        cdef int64_t n, rows = 1
        for n, _ in rows_of(self.leaf):
            rows *= n
        return rows // self.chain

    cdef bint _take_turns(self, Outer along, Outer inner) except -1:
        """Whether blocks take turns: those of the innermost loop do not follow each other in the target, but those of the next do."""
        cdef int64_t end = row_of(self.leaf) * self.chain // self.joined
        return along.loop.target == end != inner.loop.target

    cdef int _keep_together(self) except -1:
        """Go along rows of the source, or of the target, a stretch at a time, where the kernel gains by it."""
        if self.leaf.kernel == "zip" or (self.leaf.kernel == "run" and row_of(self.leaf) * self.chain >= LEAST_LEAF):
            self._keep_to_rows()
        elif self.leaf.kernel in ("unzip", "run") and not self._is_stretch() and not self._keeps_to_lines():
            self._take_turns_around()
        return 0

    cdef bint _keeps_to_lines(self) except -1:
        """Cut a long innermost loop of an unzip into stretches, and go along the rows of the target with each before the next."""
        cdef Outer along, inner
        cdef int64_t n
        if self.leaf.kernel != "unzip" or len(self.outer) < 2:
            return False
        along, inner = self.outer[len(self.outer) - 2], self.outer[len(self.outer) - 1]
        n = _stretch(inner, MOST_STRETCH)
        if along.loop.target != row_of(self.leaf) or n >= inner.loop.n:
            return False
        self.outer[len(self.outer) - 2:] = [_stretches(inner, n), along, outside(inner.loop.stepping(n))]
        return True

    cdef int _take_turns_around(self) except -1:
        """Let blocks along another loop take turns in going along rows of the target, where these are short and end within a block.

        Only where the loops inside have little: each turn would move but a few lines.
        """
        cdef int64_t row = row_of(self.leaf), moved = size_of(self.leaf)
        cdef int at = len(self.outer) - 1
        cdef Outer along, around, inner
        if at > 0 and (<Outer>self.outer[at]).loop.target != row:
            inner = self.outer[at]
            moved *= inner.loop.n
            at -= 1
        if at < 1 or not along_rows(self.leaf).loop.clipped or moved > LITTLE:
            return 0
        along, around = self.outer[at], self.outer[at - 1]
        if along.loop.target != row or along.loop.n * row > SHORT_ROWS or around.loop.n < 2 * TURNS:
            return 0
        for inner in self.outer[at - 1:]:
            if inner.cuts:
                return 0
        self.outer[at - 1:] = [_stretches(around, TURNS), *self.outer[at + 1:], along, outside(around.loop.stepping(TURNS))]
        return 0

    cpdef int64_t banks(self) except -1:
        """How many leaves take turns, where each goes on where it ended the last time: iterations of the innermost loop, or 1."""
        cdef int64_t n
        cdef Outer along, inner
        if not self.is_streamed or len(self.outer) < 2 or self.leaf.kernel not in _IN_LINES:
            return 1
        along, inner = self.outer[len(self.outer) - 2], self.outer[len(self.outer) - 1]
        n = inner.loop.n
        return n if self._take_turns(along, inner) and n * self._chains() <= MOST_CARRIES else 1

    cdef bint _is_stretch(self) except -1:
        """Whether a block is one stretch of the target, of rows that follow each other."""
        return self.chain * row_of(self.leaf) == size_of(self.leaf)

    cdef bint _turns_pages(self) except -1:
        """Whether blocks, in one piece on both sides, read less than ``LEAST_PIECE`` of a page of the source before another's turn."""
        cdef int64_t size = size_of(self.leaf), moved = size
        cdef Outer outer
        if size < LEAST_ROW or not self._is_stretch() or any([_source(outer) < size for outer in self.outer]):
            return False
        for outer in reversed(self.outer):
            if outer.loop.source != moved:
                return moved < LEAST_PIECE and outer.loop.source >= PAGE
            moved *= outer.loop.n
        return False

    cdef int _keep_to_pages(self) except -1:
        """Read the source page by page, a few pages in turn, so that what they become lies together in the target.

        As many pages as divide their loop; or else fewer the last time, if that loop comes innermost, and blocks of an unzip are not small.
        """
        cdef list outer = sorted(self.leaf.around, key=_source, reverse=True)
        cdef int at = max([at for at, each in enumerate(outer) if _source(each) >= PAGE]), inside = at + 1
        cdef Outer along = outer[at]
        cdef int64_t n = max([n for n in range(1, PAGES + 1) if along.loop.n % n == 0])
        while inside < len(outer) and _target(outer[inside]) > _target(along):
            inside += 1
        if n == 1 and (inside < len(outer) or (self.leaf.kernel == "unzip" and size_of(self.leaf) < LEAST_LEAF)):
            return 0
        outer[at] = _stretches(along, PAGES) if n == 1 else outside(along.loop.blocks(n))
        outer.insert(inside, outside(along.loop.stepping(PAGES if n == 1 else n)))
        self.outer = outer
        return 0

    cdef bint _goes_on(self) except -1:
        """Whether blocks are a stretch each, follow one another in the target for ``LEAST_LEAF`` bytes, and a kernel takes many."""
        cdef int64_t end = size_of(self.leaf)
        cdef Outer outer
        if self.leaf.kernel not in _IN_LINES or not self._is_stretch():
            return False
        for outer in reversed(self.outer):
            if end >= LEAST_LEAF or outer.loop.target != end:
                break
            end *= outer.loop.n
        return end >= LEAST_LEAF

    cdef int _series(self) except -1:
        """How many of the innermost loops are one series of blocks, each of them going on in the target where the last one ended.

        Only where short loops cost more than what they move: in a cache, and around small blocks that are streamed.
        """
        cdef int number = 0
        cdef int64_t end = size_of(self.leaf), n = 1
        cdef bint is_small = self.is_streamed and end < LEAST_LEAF
        cdef Outer outer
        if (self.is_large and not is_small) or row_of(self.leaf) * following_rows(self.leaf) != end:
            return 0
        for outer in reversed(self.outer):
            n *= outer.loop.n
            if outer.cuts or outer.loop.clipped or outer.loop.target != end or n > MOST_SERIES:
                break
            number += 1
            end *= outer.loop.n
        return number

cdef Nest _nest(Leaf leaf, bint is_large, int64_t in_source, Manner manner):
    """The nest of what goes around a leaf that was cut in that manner; so many elements share a byte ``in_source``."""
    cdef Nest made = Nest.__new__(Nest)
    cdef bint in_target, is_streamed = manner.streams
    cdef Machine machine = machine_at_hand()
    made.leaf, made.is_large, made.is_streamed, made.joined, made.machine = leaf, is_large, is_streamed, 1, machine
    made.narrow = manner.narrow
    made.chain, made.hop, made.link = chains_of(leaf, is_streamed, in_source)
    in_target = is_streamed and made._is_stretch() or leaf.kernel == "strided" and leaf.u.loop.n > 1
    made._order(_target if in_target else (_STREAMED_BY if is_streamed else _DIRECT_BY)[leaf.kernel])
    if is_streamed and leaf.kernel in _SHORT and made._turns_pages():
        made._keep_to_pages()
    if not is_large and leaf.kernel in _SHORT:
        made._order(_target)
        if made._series() < 2:
            made._order(_source)
            if machine.fetches_rows or not piece_in_cache(leaf, made.outer):
                made._order(_fewer)
    if made._shares_lines():
        made._order(_source)
    if manner.onward:
        made._order(_source)
        made._keep_to_banks()
    if is_streamed and not machine.fetches_rows:
        made.rounds = rounds_of(leaf, made.outer, MOST_ROUND)
    if is_streamed and not manner.onward and not made.rounds:
        made._keep_together()
        made.in_rows = not machine.fetches_rows and is_in_rows(leaf, made.outer)
        made.rounds = 1 if made.in_rows else 0
    made.series = made._series()
    return made


def nest(list loops, int64_t width, bint is_large, Loop first=None, int64_t per_byte=1, bint joins=True, bint is_ordered=False):
    """The nest of these joined loops around the leaf that suits them best, with ``first`` outermost where it is given.

    So many elements share a byte of the target, if the copy ``joins`` elements, or else of the source. ``is_ordered`` says whether the
    bytes of elements are put in order.
    """
    cdef int64_t in_target = per_byte if joins else 1, in_source = per_byte // in_target
    cdef Nest streamed, onward, direct
    cdef Machine machine = machine_at_hand()
    cdef Manner manner = machine.manner
    cdef bint may_go_on
    loops, width = widened(loops, width)
    if is_large and first is None:
        streamed = _streamed(leaf_of(loops, width, manner, in_source, in_target, is_ordered), in_source, in_target, manner)
        may_go_on = streamed is not None and not (machine.fetches_rows or is_ordered or streamed.rounds)
        if may_go_on and goes_on(streamed.leaf, streamed.outer, in_target):
            onward = _streamed(leaf_of(loops, width, _ONWARD, in_source, in_target, is_ordered), in_source, in_target, _ONWARD)
            return streamed if onward is None else onward
        if streamed is not None:
            streamed._order_by_rounds(in_target)
            return streamed
    manner = _DIRECT if is_large else _CACHED
    direct = _nest(leaf_of(loops, width, manner, in_source, in_target, is_ordered), is_large, in_source, manner)
    if first is not None:
        direct.outer.insert(0, outside(first))
    return direct


def nest_of_rows(Loop along, Loop rows, tuple steps, list others, int64_t width, bint is_large):
    """The nest of these loops around a run along one of them, of ``rows`` whose offsets in the source run in ``steps``."""
    cdef Leaf leaf = run_of_rows(along, rows, steps, others, width)
    cdef Nest streamed = _streamed(leaf, 1, 1, _STREAMED) if is_large else None
    return _nest(leaf, is_large, 1, _DIRECT) if streamed is None else streamed


cdef Nest _streamed(Leaf leaf, int64_t in_source, int64_t in_target, Manner manner):
    """The nest that is streamed, if that is worth while: of large blocks, those that go on where others end, or rows that end early."""
    cdef Nest streamed
    cdef bint ends_early = manner.onward and leaf.u.loop.clipped and row_of(leaf) % LINE == 0
    if not is_worth_streaming(leaf, in_target):
        return None
    streamed = _nest(leaf, True, in_source, manner)
    return streamed if ends_early or size_of(leaf) >= LEAST_LEAF or streamed.banks() > 1 or streamed._goes_on() else None


cdef int64_t _stretch(Outer outer, int64_t most) except -1:
    """How many iterations of a loop come together, at the most: so that it is cut evenly, if it can be."""
    cdef int64_t n
    if outer.cuts:
        return outer.loop.n
    for n in range(most, LEAST_STRETCH - 1, -1):
        if outer.loop.n % n == 0:
            return n
    return most


cdef Outer _stretches(Outer outer, int64_t n):
    """The loop over so many iterations of a loop at a time."""
    return outside(outer.loop.blocks(n), CUTS_INNERMOST, outer.loop.n, n)


def _source(Outer outer):
    return abs(outer.loop.source)


def _target(Outer outer):
    return abs(outer.loop.target)


def _shorter(Outer outer):
    return stride(outer.loop)


def _fewer(Outer outer):
    return -outer.loop.n


#: What comes outermost in a copy that is streamed, by kernel: lines of the target follow each other, or the machine fetches a long
#: stretch of the source by itself.
cdef dict _STREAMED_BY = {"run": _target, "zip": _target, "unzip": _source, "transpose": _target, "strided": _target}

#: What comes outermost in others, by kernel: rows are read or written one after the other where they can be, and blocks take turns.
#: Elements that have no neighbours in the target come as they lie there.
cdef dict _DIRECT_BY = {"run": _target, "zip": _target, "unzip": _source, "transpose": _shorter, "strided": _shorter}

#: Kernels that make lines in registers, whatever their blocks end with.
cdef tuple _IN_LINES = ("run", "zip", "unzip")

#: Kernels whose blocks are so short that short loops around them cost more in a cache than order gains, unless enough are one series.
cdef tuple _SHORT = ("zip", "unzip")
