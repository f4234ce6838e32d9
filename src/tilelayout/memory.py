"""New arrays for what calls return.

Linux puts a page in place, cleared, when somebody first writes to it. A large page it clears towards the place of that write, so that
what was cleared last is next to it: from the front to the back, which takes less than half as long as the other way round, only where
that is the page's end. So each large page is touched there before anything is written.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ._kernels import pages
from .errors import ShapeError
from .threads import count, share

#: Bytes of a large page, and those from which numpy asks for such pages.
LARGE_PAGE, LARGE = 2 << 20, 4 << 20


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike, *, zeroed: bool = False, threads: int | None = 1) -> npt.NDArray[Any]:
    """``numpy.empty``, or zeros, refused with a ``ShapeError`` where it cannot be had.

    What is large begins where a page does, and has its pages put in place by so many threads, which ``None`` leaves to us.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    try:
        if zeroed or size < LARGE:
            return np.zeros(shape, dtype) if zeroed else np.empty(shape, dtype)
        room = np.empty(size + LARGE_PAGE, np.uint8)
        first = -room.ctypes.data % LARGE_PAGE
        fresh = room[first : first + size]
        array = fresh.view(dtype).reshape(shape)
    except (MemoryError, ValueError, OverflowError):
        raise ShapeError(f"an array of shape {shape} and dtype {np.dtype(dtype)} does not fit in memory") from None
    share(lambda begin, end: pages.touch(fresh, LARGE_PAGE - 1, LARGE_PAGE, begin, end), size // LARGE_PAGE, size, count(threads))
    return array
