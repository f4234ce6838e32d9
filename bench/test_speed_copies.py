"""Pack and unpack of every workload with one thread and two, and the same by hand with numpy."""

from __future__ import annotations

from functools import lru_cache

import pytest

from cases import DIRECTIONS, Case, copy_case
from workloads import COPIES, Workload

ROUNDS = 5
ROUNDS_OF_NUMPY = 2
THREADS = (1, 2)


@lru_cache(maxsize=1)  # the next one's arrays take the memory of these
def case_of(workload: Workload, direction: str) -> Case:
    return copy_case(workload, direction, THREADS)


# The topmost changes fastest, so each case is made once.
@pytest.mark.parametrize("way", [*THREADS, "numpy"])
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("workload", COPIES, ids=lambda workload: workload.key)
def test_copies(beside_copy, workload, direction, way):
    case = case_of(workload, direction)
    if way == "numpy":
        beside_copy(case.others["numpy"], case.copies[1], case.traffic, ROUNDS_OF_NUMPY)
    else:
        beside_copy(case.ours[way], case.copies[way], case.traffic, ROUNDS)
