"""How well the accesses of the threads of a warp fit memory: banks of shared memory, and segments of global memory.

    >>> from tilelayout import cute
    >>> tile, padded = cute.Layout((32, 32), (32, 1)), cute.Layout((32, 32), (33, 1))
    >>> cute.bank_conflicts(tile, element_bytes=4).degree, cute.bank_conflicts(padded, element_bytes=4).degree
    (32, 1)
    >>> cute.coalescing_efficiency(tile, element_bytes=4), cute.coalescing_efficiency(cute.Layout(32), element_bytes=4)
    (0.125, 1.0)

Memory is taken to begin at a multiple of all the sizes in question.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import CoordinateError, LayoutError
from ..composed import AnyLayout
from ..coordinates import Coordinate
from ..spelling import shown
from ..tuples import integer
from .listing import as_offsets, positive

Threads: TypeAlias = "int | AnyLayout"

#: The most bytes that all threads of one access ask for together.
MOST_BYTES = 1 << 20


class BankConflicts(NamedTuple):
    """What an access of many threads to banks takes.

    ``words[p, b]`` is the number of different words of bank ``b`` that phase ``p`` asks for, ``degree`` the most of them, which is 1
    where nothing conflicts, and ``passes`` the sum over the phases of the most in each: how often the banks are gone to.
    """

    degree: int
    passes: int
    words: npt.NDArray[np.int64]

    # Those of tuples compare an array to get an array.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, BankConflicts) and self[:2] == other[:2] and np.array_equal(self.words, other.words)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((*self[:2], self.words.shape))


def bank_conflicts(
    layout: AnyLayout, *, element_bytes: int, threads: Threads = 32, banks: int = 32, bank_bytes: int = 4, vector: int = 1
) -> BankConflicts:
    """The bank conflicts of one access, in which thread ``t`` reads or writes ``vector`` elements from its coordinate's offset on.

    Parameters
    ----------
    threads
        How many threads there are, thread ``t`` being at the 1-D coordinate ``t * vector``; or a layout from thread to coordinate, which
        may lead to 1-D coordinates or, with basis strides, to those of several modes.
    banks, bank_bytes
        Successive words of ``bank_bytes`` bytes lie in successive banks, ``banks`` of them in turn.
    vector
        Neighbouring elements in memory that a thread takes at once; it has to begin at a multiple of their bytes.

    Different words of one bank are served one after the other, and a word that several threads ask for counts once (CUDA C++ Programming
    Guide, "Compute Capability 5.x", section "Shared Memory"). Consecutive threads are served together, in one phase, as many as fill all
    banks once: 32 threads with 4 bytes or less each, a half-warp with 8 bytes and a quarter-warp with 16.

    >>> from tilelayout.cute import ComposedLayout, Layout, Swizzle
    >>> rows, thread = Layout((8, 64), (64, 1)), Layout(8)
    >>> bank_conflicts(rows, element_bytes=2, threads=thread, vector=8).degree
    8
    >>> swizzled = ComposedLayout(Swizzle(3, 3, 3), 0, rows)
    >>> bank_conflicts(swizzled, element_bytes=2, threads=thread, vector=8).degree
    1
    """
    count, width = positive(banks, "banks"), positive(bank_bytes, "bank_bytes")
    if count * width > MOST_BYTES:
        raise LayoutError(f"{count} banks of {width} bytes are no memory that one access goes to; they are up to {MOST_BYTES} bytes in all")
    starts, access = _accesses(layout, element_bytes, threads, vector)
    if access & (access - 1) or access > count * width:
        raise LayoutError(
            f"{vector} elements of {element_bytes} bytes make an access of {access}; it takes a power of 2, at most all {count} banks "
            f"of {width} bytes"
        )
    misaligned = np.flatnonzero(starts % access)
    if len(misaligned):
        thread = int(misaligned[0])
        raise LayoutError(
            f"thread {thread} of {shown(layout)} begins at byte {int(starts[thread])}; "
            f"it has to be a multiple of the {access} bytes of an access"
        )
    together = max(1, count * width // max(access, width))
    phases = [starts[begin : begin + together] for begin in range(0, len(starts), together)]
    words = np.stack([np.bincount(_units(phase, access, width) % count, minlength=count) for phase in phases])
    most = words.max(axis=1)
    return BankConflicts(int(most.max()), int(most.sum()), words)


def coalescing_efficiency(
    layout: AnyLayout, *, element_bytes: int, threads: Threads = 32, segment_bytes: int = 32, vector: int = 1
) -> float:
    """The bytes that one access of all threads asks for, by the bytes of the segments that it touches; each byte counts once.

    Threads and vectors are those of ``bank_conflicts``. From compute capability 6.0 on, devices move segments of 32 bytes
    (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory").

    >>> from tilelayout.cute import Layout
    >>> coalescing_efficiency(Layout(32, 2), element_bytes=4), coalescing_efficiency(Layout(32, 0), element_bytes=4)
    (0.5, 0.125)
    """
    size = positive(segment_bytes, "segment_bytes")
    starts, access = _accesses(layout, element_bytes, threads, vector)
    return len(_units(starts, access, 1)) / (len(_units(starts, access, size)) * size)


def _units(starts: npt.NDArray[np.int64], length: int, unit: int) -> npt.NDArray[np.int64]:
    """The numbers of the units of memory that runs of bytes touch, each once."""
    first, last = starts // unit, (starts + length - 1) // unit
    steps = np.arange(int((last - first).max()) + 1)
    return np.unique(np.minimum(first[:, None] + steps, last[:, None]))


def _accesses(layout: AnyLayout, element_bytes: int, threads: Threads, vector: int) -> tuple[npt.NDArray[np.int64], int]:
    """The byte at which each thread begins, and the bytes that it takes."""
    checked, size, together = as_offsets(layout), positive(element_bytes, "element_bytes"), positive(vector, "vector")
    if isinstance(threads, AnyLayout):
        count = threads.size
        places = (threads(thread) for thread in range(count))
    else:
        count = positive(integer(threads), "threads")
        places = (thread * together for thread in range(count))
    if count * size * together > MOST_BYTES:
        raise LayoutError(f"{count} threads with {size * together} bytes each are no one access; it takes up to {MOST_BYTES} bytes in all")
    offsets = [_offset(checked, place, thread, layout) * size for thread, place in enumerate(islice(places, count))]
    if max(map(abs, offsets)) >= 1 << 62:
        raise LayoutError(f"{shown(layout)} with elements of {size} bytes goes beyond 64-bit addresses; give smaller strides")
    return np.array(offsets, np.int64), size * together


def _offset(checked: Callable[[Coordinate], int], place: Coordinate, thread: int, layout: AnyLayout) -> int:
    try:
        return checked(place)
    except CoordinateError as error:
        where = f"thread {thread} is at coordinate {shown(place)} of {shown(layout)}"
        raise CoordinateError(f"{where}: {error}; threads= says how many there are") from None
