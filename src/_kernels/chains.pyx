# cython: overflowcheck=True
"""Which rows of a block lie together in the target: those that follow one another are a chain, and where that ends another may begin.

These have nothing to do with the chains of digits in ``tilelayout.chains``.
"""

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport CLOSE, LANE, LINE, STRIP, Leaf, Side, is_no_part
from tilelayout._kernels.loops cimport Loop

cdef extern from "tl_agreed.h":
    enum:
        HELD "TL_HELD"


cpdef int64_t size_of(Leaf leaf) except -1:
    """Bytes of a whole block."""
    return leaf.u.loop.n * leaf.v.loop.n * leaf.width


cdef Side along_rows(Leaf leaf):
    """The side whose elements lie together in the target."""
    return leaf.u if leaf.kernel == "run" else leaf.v


cdef int64_t row_of(Leaf leaf) except -1:
    """Bytes of a block that lie together in the target."""
    return along_rows(leaf).loop.n * leaf.width


cdef tuple rows_of(Leaf leaf):
    """Where the rows of a block begin in the target."""
    return ((leaf.v.loop.n, leaf.v.loop.target),) if leaf.kernel == "run" else leaf.u.steps


cdef int64_t following_rows(Leaf leaf) except -1:
    """How many rows of a block follow each other in the target."""
    return end_to_end(rows_of(leaf), row_of(leaf))


cpdef int64_t end_to_end(tuple steps, int64_t row) except -1:
    """How many rows of so many bytes, which begin at these steps, follow each other."""
    cdef int64_t n, step, rows = 1
    for n, step in steps:
        if n > 1 and step != row * rows:
            break
        rows *= n
    return rows


cdef bint comes_behind(int64_t step, int64_t row, Loop along):
    """Whether what begins ``step`` bytes behind a row comes where that ends: or less far, by half at most, where its loop is clipped."""
    return step == row or (along.clipped and row // 2 <= step < row)


cdef bint are_single(Leaf leaf) except -1:
    """Whether rows of a run are elements without neighbours, of a lane at the most."""
    return leaf.kernel == "run" and row_of(leaf) == leaf.width <= LANE and not is_no_part(leaf.width)


cdef bint is_repeated(Leaf leaf) except -1:
    """Whether a run is one element, again and again without gaps."""
    return are_single(leaf) and leaf.v.steps[0][1] == 0 and leaf.v.loop.target == leaf.width


cdef int64_t moved_at_once(Leaf leaf) except -1:
    """How many rows of a run a vector moves.

    Several, if it spans them in the source, they lie close together in the target, and elements are not put in order.
    """
    cdef int64_t row = row_of(leaf), step = leaf.v.steps[0][1]
    if leaf.kernel != "run" or is_no_part(leaf.width) or not (0 <= step <= LINE - row and row <= leaf.v.loop.target <= CLOSE):
        return 1
    return min(leaf.v.loop.n, (LINE - row) // max(step, leaf.v.loop.target) + 1)


cdef int64_t rows_together(Leaf leaf, bint is_streamed, int64_t in_source=1) except -1:
    """How many rows of a block are a chain: those that follow each other in the target, but for an unzip, which writes all rows at once.

    There each row is a chain of its own, unless the block is one stretch of the target, and is written as such: one of ``HELD`` bytes of
    the source, where so many elements share each (``in_source``); or, where it is streamed, of fewer bytes, or of rows that end within a
    line.
    """
    cdef int64_t chain = following_rows(leaf), size = size_of(leaf), held = HELD * in_source
    if leaf.kernel != "unzip" or chain * row_of(leaf) == size == held:
        return chain
    return chain if is_streamed and chain * row_of(leaf) == size and (size < held or row_of(leaf) % LINE) else 1


cdef tuple chains_of(Leaf leaf, bint is_streamed, int64_t in_source):
    """The chain, hop and link of a block.

    So many rows are a chain. Row r of it is followed in the target by row r + hop, and chain c, where it ends, by chain c + link, if the
    block has that; link is 0 where none is. Only a transpose that is streamed has hops of more than 1, or links. With such hops all rows
    exist, and blocks have whole chains.
    """
    cdef int64_t n, step, row = row_of(leaf), hop = 1, chain = 1, between = 1, link = 0
    if not is_streamed or leaf.kernel != "transpose":
        return rows_together(leaf, is_streamed, in_source), 1, 0
    for n, step in leaf.u.steps:
        if step == row * chain and between == 1:
            chain *= n
        elif step == row * chain:
            link = hop * between
            break
        elif chain == 1:
            hop *= n
        else:
            between *= n
    if chain == 1 or leaf.u.loop.clipped:
        return following_rows(leaf), 1, 0
    if hop > 1 and (hop * chain * row > STRIP or (leaf.u.cut is not None and leaf.u.unit * leaf.u.cut.n % (hop * chain))):
        return 1, 1, 0
    return chain, hop, link if (link - hop) * chain * leaf.width >= LINE else 0
