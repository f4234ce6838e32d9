# cython: overflowcheck=True
"""The manners in which blocks are cut (``Manner`` in ``leaves``): how large they may be, where they are written how."""

from tilelayout._kernels.leaves cimport LINE, NARROW, NARROW_PAIRED, Manner

from tilelayout._kernels.loops import blockwise, following

cdef enum:
    #: Bytes that no block has.
    MUCH = 0x40000000

#: Blocks that are written where they belong: small ones, which stay in the nearest cache on both sides.
DIRECT = Manner(
    streams=False,
    onward=False,
    row=1 << 16,
    rows=1 << 12,
    short_rows=0,
    kept=2 * LINE,
    u=128,
    v=128,
    block=MUCH,
    whole_v=128,
    stretch_u=128,
    stretch_v=128,
    chained_v=0,
    repeated=256,
    unzipped=8 * LINE,
    narrow=NARROW,
    by=blockwise,
)
#: The same where all of it is in a cache: what follows in the target comes next.
CACHED = Manner(
    streams=False,
    onward=False,
    row=1 << 16,
    rows=1 << 12,
    short_rows=0,
    kept=2 * LINE,
    u=1024,
    v=1024,
    block=MUCH,
    whole_v=1024,
    stretch_u=128,
    stretch_v=1024,
    chained_v=0,
    repeated=1024,
    unzipped=16 * LINE,
    narrow=NARROW,
    by=following,
)
#: Blocks that are written in whole lines: long stretches of rows of the source, which the machine fetches by itself, and as few rows as
#: make up lines of the target.
_IN_WHOLE_LINES = {
    "streams": True,
    "row": 1 << 12,
    "rows": 1 << 12,
    "short_rows": LEAST_LEAF,
    "kept": 2 * LINE,
    "u": 1 << 13,
    "v": 2 * LINE,
    "block": MUCH,
    "whole_v": 8 * LINE,
    "stretch_u": 512,
    "stretch_v": LINE,
    "chained_v": 10 * LINE,
    "repeated": 256,
    "unzipped": 4 * LINE,
    "narrow": NARROW,
    "by": blockwise,
}
STREAMED = Manner(onward=False, **_IN_WHOLE_LINES)
#: The same where lines that follow one another are stored (``writes_on`` in ``pacing``): a few more rows are put together for that.
STORED = Manner(onward=False, **_IN_WHOLE_LINES | {"kept": 4 * LINE})
#: The same where a line is a pair of vectors: transposes make several lines of a row together (``TL_MOST_TOGETHER`` in ``tl_panels.h``).
PAIRED = Manner(onward=False, **_IN_WHOLE_LINES | {"v": 8 * LINE, "narrow": NARROW_PAIRED})
#: The same where the machine does not fetch rows by itself: a source that is read from end to end comes fastest.
ONWARD = Manner(onward=True, **_IN_WHOLE_LINES)
#: The same for transposes there: a second cache has room for a block and for the next one, which is fetched row by row meanwhile
#: (``sweeps`` in ``pacing``).
SWEPT = Manner(onward=False, **_IN_WHOLE_LINES | {"block": 1 << 18})
