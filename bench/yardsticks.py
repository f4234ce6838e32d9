"""What ratios are ratios to: a plain copy, a read, and a first touch of new memory, by any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import Work

Array = npt.NDArray[Any]

#: Bytes from which numpy's copies gain by a second of Python's threads.
WORTH_SHARING = 8 << 20


def copy(size: int, threads: int) -> Work:
    """A warm copy of ``size`` bytes, between arrays of its own."""
    return copying(*_arrays(size), threads)


def copying(target: Array, source: Array, threads: int) -> Work:
    """A copy between these arrays; by one thread where it is too little to share."""
    is_shared = threads > 1 and target.nbytes >= WORTH_SHARING
    return partial(_in_parts, np.copyto, threads, target, source) if is_shared else partial(np.copyto, target, source)


def read(size: int, threads: int) -> Work:
    """A read of ``size`` bytes: the greatest of its words."""
    words = _arrays(size)[0].view(np.uint64)
    return partial(np.max, words) if threads == 1 else partial(_in_parts, np.max, threads, words)


def fresh(array: Array, threads: int) -> Work:
    """What a new array of the same bytes costs: ``numpy.copy``, or the same with each thread first to touch its part."""
    if threads == 1:
        return partial(np.copy, array)

    def run() -> Array:
        target = np.empty_like(array)
        _in_parts(np.copyto, threads, target, array)
        return target

    return run


def at_once(function: Callable[..., object], parts: Sequence[tuple[Array, ...]]) -> None:
    """Call the function with each part from a thread of its own; the first from this one, as ours do."""
    first, *others = parts
    helping = [_helper(k) for k in range(len(others))]
    for helper, part in zip(helping, others, strict=True):
        helper.begin(partial(function, *part))
    try:
        function(*first)
    finally:
        for helper in helping:
            helper.end()


class _Helper:
    """A thread that does one thing after another, handed over by bare locks: Python's pools take some 100 microseconds more."""

    def __init__(self) -> None:
        self._work: Work | None = None
        self._failure: BaseException | None = None
        self._begin, self._end = threading.Lock(), threading.Lock()
        self._begin.acquire()
        self._end.acquire()
        threading.Thread(target=self._run, daemon=True).start()

    def begin(self, work: Work) -> None:
        """Have it done meanwhile."""
        self._work = work
        self._begin.release()

    def end(self) -> None:
        """Wait until it is done, and raise what it raised."""
        self._end.acquire()
        self._work, failure, self._failure = None, self._failure, None
        if failure:
            raise failure

    def _run(self) -> None:
        while True:
            self._begin.acquire()
            try:
                if self._work:
                    self._work()
            except BaseException as failure:
                self._failure = failure
            self._end.release()


_helper = cache(lambda _: _Helper())


def _in_parts(function: Callable[..., object], threads: int, *arrays: Array) -> None:
    at_once(function, list(zip(*(np.array_split(array, threads) for array in arrays), strict=True)))


@lru_cache(maxsize=1)
def _arrays(size: int) -> tuple[Array, Array]:
    return np.ones(size, np.uint8), np.ones(size, np.uint8)
