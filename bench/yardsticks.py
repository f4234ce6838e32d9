"""What ratios are ratios to: a plain copy, a read, and a first touch of new memory, by any number of threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import Work

Array = npt.NDArray[Any]


def copy(size: int, threads: int) -> Work:
    """A warm copy of ``size`` bytes, between arrays of its own."""
    return copying(*_arrays(size), threads)


def copying(target: Array, source: Array, threads: int) -> Work:
    """A copy between these arrays."""
    return partial(np.copyto, target, source) if threads == 1 else partial(_in_parts, np.copyto, threads, target, source)


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


@cache
def pool(threads: int) -> ThreadPoolExecutor:
    """So many threads, which wait for parts."""
    return ThreadPoolExecutor(threads)


def _in_parts(function: Any, threads: int, *arrays: Array) -> None:
    parts = zip(*(np.array_split(array, threads) for array in arrays), strict=True)
    list(pool(threads).map(lambda part: function(*part), parts))


@lru_cache(maxsize=1)
def _arrays(size: int) -> tuple[Array, Array]:
    return np.ones(size, np.uint8), np.ones(size, np.uint8)
