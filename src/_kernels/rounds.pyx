# cython: overflowcheck=True
"""How rows are read where the machine does not fetch them by itself: it reads memory fastest as that lies.

So a piece of the source is read in whatever order while the next is fetched as it lies (``rounds_of``, and ``piece_in_cache`` where nothing
is streamed); or else all of the source is read from end to end, wherever that is written (``goes_on``).
"""

from operator import itemgetter

from libc.stdint cimport int64_t

from tilelayout._kernels.chains cimport comes_behind, end_to_end, row_of, size_of
from tilelayout._kernels.leaves cimport LINE, Leaf, Outer
from tilelayout._kernels.loops cimport Loop

cdef enum:
    #: Which part of a round may be gaps: one in so many bytes.
    FEW_GAPS = 16
    #: Bytes of a piece of a row that is fetched from end to end, at the least.
    LEAST_IN_ROWS = 0x400
    #: Bytes of a piece of the source at the most that a copy in a cache reads in any order: the nearest cache has room for it.
    MOST_IN_CACHE = 0x8000
    #: Bytes that lie together in the source, from which on it is read from end to end.
    LEAST_ONWARD = 0x1000


cdef int rounds_of(Leaf leaf, list outer, int64_t most) except -1:
    """How many of the innermost of these loops, outermost first, a round of a zip or run goes through, or 0 where there is none.

    It reads one piece of the source, of ``most`` bytes at the most and with few gaps, in another order than that lies in memory.
    """
    return max(0, _loops_of_piece(leaf, outer, most)) if leaf.kernel in ("zip", "run") else 0


cdef int64_t piece_in_cache(Leaf leaf, list outer) except -1:
    """Bytes from one piece of the source to the next, each of which runs, zips and unzips read in any order, or 0."""
    cdef int number = -1
    if leaf.kernel in ("run", "zip", "unzip"):
        number = _loops_of_piece(leaf, outer, MOST_IN_CACHE)
    return 0 if number < 0 else (<Outer>outer[len(outer) - 1 - number]).loop.source


cdef int _loops_of_piece(Leaf leaf, list outer, int64_t most) except -2:
    """How many of the innermost of these loops, outermost first, read one piece of the source, behind which the next loop goes on.

    Of ``most`` bytes at the most and with few gaps; -1 if there is none.
    """
    cdef int number
    cdef int64_t reach
    cdef Outer around
    cdef list read = [(leaf.u.loop.n, leaf.width), *leaf.v.steps]
    for number, around in enumerate(reversed(outer)):
        reach = _piece(read, leaf.width)
        if reach > most:
            break
        if 0 < around.loop.source <= reach + reach // FEW_GAPS and reach // 2 <= around.loop.source:
            return number
        read.append((around.loop.n, around.loop.source))
    return -1


cdef bint is_in_rows(Leaf leaf, list outer) except -1:
    """Whether a run reads few bytes of each of its rows in turn, which lie apart, and the innermost loop goes on in them: for
    ``LEAST_IN_ROWS`` bytes of each, and not for more than can be fetched ahead.
    """
    cdef int64_t row = leaf.u.loop.n * leaf.width, piece
    cdef Loop inner
    if leaf.kernel != "run" or row >= SHORT_ROW or len(outer) < 2:
        return False
    inner = (<Outer>outer[len(outer) - 1]).loop
    piece = inner.n * row
    return inner.source == row and piece >= LEAST_IN_ROWS and piece * leaf.v.loop.n <= MOST_IN_ROWS and leaf.v.steps[0][1] > piece


cdef int64_t _piece(list steps, int64_t width) except -1:
    """How far elements of so many bytes at these steps reach, if few gaps lie between them; else 0."""
    cdef int64_t n, step, reach = width
    for n, step in sorted(steps, key=itemgetter(1)):
        if step > reach + reach // FEW_GAPS or step < 0:
            return 0
        reach += (n - 1) * step
    return reach


cdef bint goes_on(Leaf leaf, list outer, int64_t per_byte) except -1:
    """Whether rows of a zip or run go on for long in the source, and are written in whole lines, two or more, in another order.

    ``per_byte`` elements share a byte of the target.
    """
    cdef int64_t row = row_of(leaf), side = leaf.u.loop.n * leaf.width
    cdef int64_t written = (size_of(leaf) if leaf.kernel == "zip" else row) // per_byte
    cdef Outer along
    if leaf.kernel not in ("zip", "run") or written % LINE or written < 2 * LINE:
        return False
    if leaf.kernel == "run" and (per_byte > 1 or end_to_end(leaf.v.steps, row) == leaf.v.loop.n):
        return False
    for along in outer:
        if comes_behind(along.loop.source, side, leaf.u.loop) and not along.cuts:
            return along.loop.n * side >= LEAST_ONWARD
    return False
