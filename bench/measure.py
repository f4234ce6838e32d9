"""Measuring side by side: works take turns, round after round, and a ratio is the median of the ratios of the rounds.

What the machine does to one of them in a round it mostly does to its neighbours too, so ratios hold where times drift.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time, sleep
from timeit import Timer
from typing import Any, TypeAlias
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from tilelayout.threads import VARIABLE

Work: TypeAlias = Callable[[], Any]
Rounds: TypeAlias = npt.NDArray[np.float64]

#: Rounds that even the slowest work takes part in.
LEAST_ROUNDS = 3
#: Seconds until a thread that helped has gone to sleep: what it took is counted only then.
SETTLING = 3e-4


def with_threads(work: Work, threads: int) -> Work:
    """A call of ours that takes no number of threads, by so many."""

    def run() -> Any:
        with patch.dict(os.environ, {VARIABLE: str(threads)}):
            return work()

    return run


@dataclass(frozen=True)
class Times:
    """What a call took in each round, in seconds by the clock and in seconds of processors; NaN where a work sat out."""

    clock: Rounds
    processors: Rounds

    @property
    def median(self) -> float:
        """Seconds a call by the clock."""
        return float(np.nanmedian(self.clock))

    @property
    def busy(self) -> float:
        """How many processors were at work, which is fewer than there are threads where the system did not spread them."""
        return float(np.nanmedian(self.processors / self.clock))

    def over(self, base: Times) -> float:
        """The median of the ratios of the rounds in which both took part."""
        return float(np.nanmedian(self.clock / base.clock))


def interleaved(works: Mapping[str, Work], rounds: int, *, calls: int = 1, patience: float = 0.5) -> dict[str, Times]:
    """The times of each work, ``calls`` calls at a time, without garbage collection.

    A work that has taken more than ``patience`` seconds sits out after ``LEAST_ROUNDS``.
    """
    times = {name: Times(np.full(rounds, np.nan), np.full(rounds, np.nan)) for name in works}
    timers = {name: Timer(work) for name, work in works.items()}
    for k in range(rounds):
        for name, timer in timers.items():
            mine = times[name]
            if k < LEAST_ROUNDS or np.nansum(mine.clock) * calls <= patience:
                begin = process_time()
                mine.clock[k] = timer.timeit(calls) / calls
                sleep(SETTLING)
                mine.processors[k] = (process_time() - begin) / calls
    return times
