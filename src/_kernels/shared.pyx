# cython: overflowcheck=True
"""What a nest of elements becomes where several share a byte on one side: the same nest, with steps of bytes there."""

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport LINE, Leaf, Outer, Side, outside, side_of
from tilelayout._kernels.loops cimport Loop
from tilelayout._kernels.nests cimport Nest


def in_bytes(Nest nest, int64_t per_byte, bint joins):
    """The nest with steps of bytes on the side where ``per_byte`` elements share one, and whether elements of a byte lie across rows.

    That side is the target, if the copy ``joins`` elements. Across rows, each is in a row of its own of the array; else they lie along a
    row. None where those of a byte do not move together, or steps are not whole bytes.
    """
    cdef Leaf leaf = nest.leaf, bytes_ = Leaf.__new__(Leaf)
    cdef bint is_run = leaf.kernel == "run"
    cdef Side offsets = leaf.u if joins else leaf.v
    cdef Side shorter
    cdef Outer outer
    cdef Nest found = Nest.__new__(Nest)
    cdef Loop v_loop = leaf.v.loop
    cdef int64_t n, step, along = 0, rows = 0
    if leaf.kernel == ("unzip" if joins else "zip"):
        return None  # it takes the rows aside for one stretch
    if leaf.kernel == "unzip" and len(leaf.v.steps) > 1 and leaf.v.steps[0][0] * leaf.u.loop.n * leaf.width % (LINE * per_byte):
        return None  # what lies together in the source is less than a line
    if is_run:
        along = leaf.u.loop.n * leaf.width if joins else 0
    elif leaf.width > 1:
        along = leaf.width
    else:
        rows = (leaf.v if joins else leaf.u).loop.n
        if rows == per_byte and leaf.kernel in ("zip", "unzip"):
            return None  # no kernel moves what is left, a single row
    if along % per_byte or rows % per_byte or (is_run and joins and v_loop.target % per_byte):
        return None
    for _, step in offsets.steps:
        if step % per_byte:
            return None
    for outer in nest.outer:
        if (outer.loop.target if joins else outer.loop.source) % per_byte:
            return None
    shorter = side_of(offsets.loop, tuple([(n, step // per_byte) for n, step in offsets.steps]), offsets.unit, offsets.cut, offsets.each)
    bytes_.kernel, bytes_.width, bytes_.around = leaf.kernel, leaf.width, leaf.around
    bytes_.u, bytes_.v = (shorter, leaf.v) if joins else (leaf.u, shorter)
    if is_run and joins:
        bytes_.v = side_of(v_loop.shorter(per_byte, True), leaf.v.steps, leaf.v.unit, leaf.v.cut, leaf.v.each)
    found.leaf, found.chain, found.hop, found.link, found.series = bytes_, nest.chain, nest.hop, nest.link, nest.series
    found.is_large, found.is_streamed, found.machine, found.narrow = nest.is_large, nest.is_streamed, nest.machine, nest.narrow
    found.joined, found.rounds, found.in_rows = per_byte if joins else 1, nest.rounds, nest.in_rows
    found.outer = [outside(outer.loop.shorter(per_byte, joins), outer.cuts, outer.total, outer.per) for outer in nest.outer]
    return found, rows > 0
