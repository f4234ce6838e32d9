# cython: overflowcheck=True
"""Whether a leaf is worth streaming: written in whole lines, past the caches."""

from libc.stdint cimport INT64_MAX, int64_t

from tilelayout._kernels.chains cimport along_rows, are_single, comes_behind, following_rows, is_repeated, moved_at_once
from tilelayout._kernels.chains cimport row_of, rows_of, rows_together
from tilelayout._kernels.leaves cimport LINE, NARROW, Leaf, Outer

cdef enum:
    #: Bytes of a stretch of the target, before a gap, that is worth streaming, as the lines at both ends are written in part; and how many
    #: bytes behind it the next has to begin, if the gap is the shorter of the two.
    LEAST_STRETCHED = 256
    FAR = 0x400
    #: The same of a row that ends early, as others follow it.
    LEAST_ENDED = 0x80
    #: The same of whole lines that transposes and unzips make, if all stretches lie alike in their lines: how many of narrow elements, and
    #: of wide ones. Transposes that do not lie alike take twice as many.
    LEAST_NARROW = 2
    LEAST_WIDE = 3


cdef bint is_worth_streaming(Leaf leaf, int64_t per_byte) except -1:
    """Whether rows are long enough, come fast enough, and leave few gaps; ``per_byte`` elements share a byte of the target."""
    return row_of(leaf) * rows_together(leaf, True) >= LEAST_ROW * per_byte and not _are_slow(leaf) and not _leaves_gaps(leaf)


cdef bint _are_slow(Leaf leaf) except -1:
    """Whether rows of a run are such that to bring them together takes longer than to store them where they belong.

    They are one element, again and again; or single elements, or such that a vector moves several, and makes less than a quarter of a line
    of them.
    """
    cdef int64_t rows
    if leaf.kernel != "run":
        return False
    if is_repeated(leaf):
        return True
    rows = moved_at_once(leaf)
    return (rows > 1 or are_single(leaf)) and 4 * rows * row_of(leaf) < LINE


cdef bint _leaves_gaps(Leaf leaf) except -1:
    """Whether the target is written in stretches too short to be streamed (``LEAST_STRETCHED``), with gaps that are left alone.

    Rows of ``LEAST_ENDED`` bytes that end early have no gap behind them where a loop around the block goes on about where they end.
    """
    cdef int64_t row = row_of(leaf), end = row * following_rows(leaf), nearest = INT64_MAX, n, step
    cdef bint lies_alike
    cdef Outer outer
    for outer in leaf.around:
        if outer.loop.n > 1 and outer.loop.target >= LEAST_ENDED and comes_behind(outer.loop.target, row, along_rows(leaf).loop):
            return False
    for n, step in [*rows_of(leaf), *[(outer.loop.n, abs(outer.loop.target)) for outer in leaf.around]]:
        if n > 1 and step == end:
            return False
        if n > 1 and step > end:
            nearest = min(nearest, step)
    if nearest == INT64_MAX:
        return False
    lies_alike = nearest % LINE == 0
    if end % LINE == 0 and (leaf.kernel == "transpose" or (leaf.kernel == "unzip" and lies_alike)):
        return end < (LEAST_NARROW if leaf.width <= NARROW else LEAST_WIDE) * LINE * (1 if lies_alike else 2)
    return end < LEAST_STRETCHED or nearest < min(2 * end, FAR)
