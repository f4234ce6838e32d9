"""How a benchmark is timed beside a plain copy."""

from __future__ import annotations

from collections.abc import Callable
from timeit import Timer

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from measure import Work


@pytest.fixture
def beside_copy(benchmark: BenchmarkFixture) -> Callable[[Work, Work, int, int], None]:
    """Time a work of so many bytes read and written, each round right after a copy; ``extra_info`` tells what came of it."""

    def run(work: Work, copy: Work, traffic: int, rounds: int) -> None:
        timer, copies = Timer(copy), []
        benchmark.pedantic(work, setup=lambda: copies.append(timer.timeit(1)), rounds=rounds, warmup_rounds=1)
        if benchmark.stats is None:
            return
        times = np.array(benchmark.stats.stats.data)
        benchmark.extra_info["bytes"] = traffic
        benchmark.extra_info["GB/s"] = round(traffic / float(np.median(times)) / 1e9, 3)
        benchmark.extra_info["ratio"] = round(float(np.median(times / copies[-rounds:])), 3)

    return run
