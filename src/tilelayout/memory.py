"""New arrays for what calls return.

Linux puts a page in place, cleared, when somebody first writes to it, which takes about as long as packing into it does. So the memory
of the array that was freed last is kept for the next one of its size, or of up to an eighth less. Until then it is lent to the system,
which takes its pages back when it is short of them, and not before. There is no more than one such piece, and it is given up before a large
array of another size, or of zeros, is made of new pages, so that it never comes on top of those.

Where pages are new, a large page is cleared towards the place of the first write, so that what was cleared last is next to it: from the
front to the back, which takes less than half as long as the other way round, only where that is the page's end. So each large page is
touched there before anything is written.
"""

from __future__ import annotations

from collections import deque
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ._kernels import pages
from .errors import ShapeError
from .threads import count, stints

Bytes = npt.NDArray[np.uint8]

#: Bytes of a large page, and those from which numpy asks for such pages.
LARGE_PAGE, LARGE = 2 << 20, 4 << 20
#: Bytes of the largest array whose memory is kept.
LARGEST_KEPT = 256 << 20

#: Dimensions of an array of numpy's, at the most.
MOST_AXES = 64

_kept: deque[Bytes] = deque(maxlen=1)


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike, *, zeroed: bool = False, threads: int | None = 1) -> npt.NDArray[Any]:
    """``numpy.empty``, or zeros, refused with a ``ShapeError`` where it cannot be had.

    What is large begins where a page does, and has its pages put in place by so many threads, which ``None`` leaves to us.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    try:
        if zeroed and size >= LARGE:
            _kept.clear()
        if zeroed or size < LARGE:
            return np.zeros(shape, dtype) if zeroed else np.empty(shape, dtype)
        known = _known(size)
        room = np.empty(size + LARGE_PAGE, np.uint8) if known is None else known
        fresh = _lent(room, size)
        array = fresh.view(dtype).reshape(shape)
    except (MemoryError, ValueError, OverflowError):
        check_axes(shape)
        raise ShapeError(f"an array of shape {shape} and dtype {np.dtype(dtype)} does not fit in memory") from None
    if known is None:
        for stint in stints(size // LARGE_PAGE, size, count(threads)):
            pages.touch(fresh, LARGE_PAGE - 1, LARGE_PAGE, stint)
    return array


def check_axes(shape: tuple[int, ...]) -> None:
    """Refuse a shape of more dimensions than numpy's arrays have."""
    if len(shape) > MOST_AXES:
        raise ShapeError(f"an array of {len(shape)} dimensions; numpy's have {MOST_AXES} at the most")


def _lent(room: Bytes, size: int) -> Bytes:
    """The first bytes of a room from a page's beginning on; when nobody has them any longer, the room is kept, if that is not too large."""
    first = -room.ctypes.data % LARGE_PAGE
    whole = (room.size - first) // LARGE_PAGE * LARGE_PAGE
    return np.asarray(pages.Loan(room, first, size, whole if room.size - LARGE_PAGE <= LARGEST_KEPT else 0, _kept))


def _known(size: int) -> Bytes | None:
    """The room that is kept, if it is right for so many bytes; what is kept otherwise is given up, before there is another."""
    try:
        room = _kept.pop()
    except IndexError:
        return None
    return room if 0 <= room.size - LARGE_PAGE - size <= size // 8 else None
