"""Kinds of machines, as far as nests and their paces depend on these, and the kind that they are made for."""

from libc.stdint cimport int64_t

from tilelayout._kernels.leaves cimport Manner

from tilelayout._kernels.manners import PAIRED as _PAIRED, STORED as _STORED, STREAMED as _STREAMED, SWEPT as _SWEPT

cdef extern from "tl_level.h":
    bint tl_fetches_rows()
    bint tl_makes_pairs()
    bint tl_stores_sooner()

cdef enum:
    #: Bytes between the leaf at hand and the one that is fetched, about: what is moved while memory answers, and some more. Of 1 to 16 KiB
    #: ahead a Skylake gained most by 2 to 4.
    AHEAD = 0x4000
    AHEAD_STORING = 0x1000
    #: The same of a run that reads rows in turn, where lines are pairs of vectors: a Zen 3 took a tenth less for 64 MiB of tiles than by
    #: 16 KiB, and an eighth to a third less for 16 rows, a line of each in turn. Zips took as long as before.
    AHEAD_IN_ROWS_PAIRED = 0x1000
    #: Bytes that a transpose has to move before its rows end, for what lies ahead in them to be fetched, and not the next rows. As much as
    #: a second cache holds beside what else it is to hold: where rows end sooner, much would be fetched beyond their ends, and nothing
    #: before they begin. A Skylake took half of the time by less (32 rows of bytes that interleave).
    SOON_IN_ROWS = 0x80000
    SOON_STORING = 0x10000


cdef class Machine:
    """A kind of machine: the ``manner`` in which it cuts blocks that are streamed, what it is to fetch, and how it writes.

    It ``fetches_rows`` by itself that are read in turn, or not, and of these also very long ones (``fetches_long_rows``). Elsewhere what
    lies ``ahead`` so many bytes is fetched, about, and of plain rows that are read in turn what lies ``ahead_in_rows``. A transpose fetches
    so in its rows if these do not end for ``soon_in_rows``. It ``stores`` lines that follow one another sooner than it writes them past
    the caches, or not.
    """

    def __init__(
        self, Manner manner, bint fetches_rows, bint fetches_long_rows=False, bint stores=False, int64_t ahead=AHEAD,
        int64_t ahead_in_rows=AHEAD, int64_t soon_in_rows=SOON_IN_ROWS,
    ):
        self.manner, self.fetches_rows, self.fetches_long_rows, self.stores = manner, fetches_rows, fetches_long_rows, stores
        self.ahead, self.ahead_in_rows, self.soon_in_rows = ahead, ahead_in_rows, soon_in_rows


#: Those that fetch rows by themselves (``tl_fetches_rows``), of these Intel's first with vectors of 512 bits (``tl_stores_sooner``), and
#: those whose lines are pairs of vectors; and those that fetch no rows.
cdef dict _KINDS = {
    "fetching": Machine(_STREAMED, True),
    "storing": Machine(
        _STORED, True, fetches_long_rows=True, stores=True, ahead=AHEAD_STORING, ahead_in_rows=AHEAD_STORING, soon_in_rows=SOON_STORING
    ),
    "paired": Machine(_PAIRED, True, ahead_in_rows=AHEAD_IN_ROWS_PAIRED),
    "sweeping": Machine(_SWEPT, False),
}
MACHINES = tuple(_KINDS)


cdef str _name():
    """The kind of the machine that this runs on."""
    if not tl_fetches_rows():
        return "sweeping"
    return "paired" if tl_makes_pairs() else "storing" if tl_stores_sooner() else "fetching"


cdef str _machine = _name()


cdef Machine machine_at_hand():
    """The kind that nests are made for."""
    return _KINDS[_machine]


def set_machine(str machine):
    """Make nests for one of ``MACHINES`` from now on; returns which it was before."""
    global _machine
    if machine not in MACHINES:
        raise ValueError(f"nests are made for machines that are {', '.join(MACHINES)}, not {machine!r}")
    before = _machine
    _machine = machine
    return before
