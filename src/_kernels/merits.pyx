# cython: overflowcheck=True
"""The merit of a nest: how well it moves, by which a plan is chosen among others."""

from math import gcd
from operator import itemgetter

from libc.stdint cimport int64_t

from tilelayout._kernels.chains cimport along_rows, are_single, comes_behind, end_to_end, following_rows, moved_at_once
from tilelayout._kernels.chains cimport row_of, rows_of, size_of
from tilelayout._kernels.leaves cimport LANE, LINE, Leaf, Outer
from tilelayout._kernels.nests cimport Nest

cdef enum:
    #: Bytes of a stretch of the target of which few lines are written in part.
    LEAST_WRITTEN = 0x200
    #: Stretches of a block so few that what goes on where they end comes while their last lines are at hand: for each place of the nearest
    #: cache that these share, or if all of them share one, as those do that lie so many bytes apart.
    FEW_STRETCHES = 16
    FEW_IN_ONE = 12
    WAY = 0x1000


cpdef int64_t merit_of(Nest nest, bint has_all_rows=True) except -1:
    """How well the leaf moves: bytes that lie together in the source times those in the target, each a line at the most.

    In the source side u lies together, in the target side v; and all of the tuples of a zip or unzip, if vectors interleave them. Short
    rows of a run count as one where a vector moves several, which it does if all rows exist; and single elements, of which it moves one,
    as far as they lie together on either side, or in a line of the target with gaps. A side of a transpose counts a third where its rows
    fill vectors badly; and side v half where its rows are less than a lane and none follows another.
    """
    cdef Leaf leaf = nest.leaf
    cdef int64_t u = leaf.u.loop.n * leaf.width, v = leaf.v.loop.n * leaf.width, both = u * leaf.v.loop.n
    cdef int64_t together
    if leaf.kernel == "run":
        together = moved_at_once(leaf) if has_all_rows else 1
        if together == 1 and are_single(leaf):
            v = u * max(following_rows(leaf), min(leaf.v.loop.n, LINE // max(1, leaf.v.loop.target)))
            u *= end_to_end(leaf.v.steps, u)
        else:
            u *= together
            v = u
    elif leaf.kernel == "zip":
        v = both if _is_vector(u, leaf.v.loop.n) else leaf.width
    elif leaf.kernel == "unzip":
        u = both if _is_vector(v, leaf.u.loop.n) else leaf.width
    else:
        together = following_rows(leaf)
        if leaf.kernel == "transpose" and _is_broken(v, together):
            v //= 3
        elif v < LANE and together == 1:
            v //= 2
        if leaf.kernel == "transpose" and _is_broken(u, end_to_end(leaf.v.steps, u)):
            u //= 3
    return min(u, LINE) * min(v, LINE)


cpdef bint is_scattered(Nest nest) except -1:
    """Whether a nest writes lines in part that are in no cache: large and not streamed, in stretches of less than ``LEAST_WRITTEN``."""
    cdef Leaf leaf = nest.leaf
    cdef tuple steps = tuple(sorted(rows_of(leaf), key=itemgetter(1)))
    cdef int64_t stretch = row_of(leaf)
    cdef Outer outer
    if not nest.is_large or nest.is_streamed:
        return False
    if comes_behind(steps[0][1], stretch, along_rows(leaf).loop):
        stretch = steps[0][1]
    stretch *= end_to_end(steps, stretch)
    if FEW_STRETCHES * stretch < size_of(leaf):
        return stretch < LEAST_WRITTEN and (leaf.kernel != "transpose" or _lack_places(steps, stretch, size_of(leaf) // stretch))
    for outer in reversed(nest.outer):
        if outer.loop.target != stretch:
            break
        stretch *= outer.loop.n
    return stretch < LEAST_WRITTEN


cdef bint _lack_places(tuple steps, int64_t stretch, int64_t rows) except -1:
    """Whether so many rows, which begin at these steps, have too few places of the nearest cache for a line of each."""
    cdef int64_t n, step, between = WAY
    for n, step in steps:
        if n > 1 and step >= stretch:
            between = gcd(between, step)
    return rows * between > (FEW_IN_ONE if between == WAY else FEW_STRETCHES) * WAY


cpdef bint has_neighbours(Nest nest) except -1:
    """Whether a transpose has short rows on one side whose lines are those of the rows beside them as well."""
    cdef Leaf leaf = nest.leaf
    return leaf.kernel == "transpose" and (
        _are_close(leaf.v.loop.n * leaf.width, leaf.u.steps) or _are_close(leaf.u.loop.n * leaf.width, leaf.v.steps)
    )


cdef bint _are_close(int64_t row, tuple steps) except -1:
    """Whether rows are shorter than a vector, and so close together that each has several, for a line at least."""
    return row < LANE and 0 < steps[0][1] <= LANE and steps[0][0] * steps[0][1] >= LINE


cdef bint _is_vector(int64_t side, int64_t rows):
    """Whether a side of so many bytes is enough for vectors that interleave so many rows."""
    return side >= (LINE if rows & (rows - 1) else LANE)


cdef bint _is_broken(int64_t row, int64_t together):
    """Whether rows fill vectors badly: less than 0.6 of their lanes, no whole part of one, and with those that follow less than a line."""
    return LANE % row != 0 and 5 * row < 3 * ((row + LANE - 1) // LANE * LANE) and row * together < LINE
