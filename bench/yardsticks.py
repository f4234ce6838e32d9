"""What ratios are ratios to: a plain copy, a read, and a first touch of new memory, by any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from measure import Work
from tilelayout.threads import WORTH_SHARING

Array = npt.NDArray[Any]


def copy(size: int, threads: int) -> Work:
    """A warm copy of ``size`` bytes, between arrays of its own."""
    return copying(*_arrays(size), threads)


def copying(target: Array, source: Array, threads: int) -> Work:
    """A copy between these arrays; by one thread where it is too little to share, as ours is."""
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
    helping = [_helpers(len(others)).submit(function, *part) for part in others]
    function(*first)
    for each in helping:
        each.result()


def _in_parts(function: Callable[..., object], threads: int, *arrays: Array) -> None:
    at_once(function, list(zip(*(np.array_split(array, threads) for array in arrays), strict=True)))


@cache
def _helpers(number: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(number)


@lru_cache(maxsize=1)
def _arrays(size: int) -> tuple[Array, Array]:
    return np.ones(size, np.uint8), np.ones(size, np.uint8)
