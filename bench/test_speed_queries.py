"""Which slot, which element: many at once, in several integer types, and one by one."""

from __future__ import annotations

from functools import lru_cache

import pytest

from cases import QUESTIONS, Case, query_case, scalar_works
from workloads import QUERIES, Query

ROUNDS = 5
ROUNDS_OF_NUMPY = 2

SCALARS = scalar_works(QUERIES[0].workload)


@lru_cache(maxsize=1)
def case_of(query: Query, question: str) -> Case:
    return query_case(query, question)


# The topmost changes fastest, so each case is made once.
@pytest.mark.parametrize("way", ["tilelayout", "numpy"])
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.key)
def test_queries(beside_copy, query, question, way):
    case = case_of(query, question)
    if way == "numpy":
        beside_copy(case.others["numpy"], case.copies[1], case.traffic, ROUNDS_OF_NUMPY)
    else:
        beside_copy(case.ours[1], case.copies[1], case.traffic, ROUNDS)


@pytest.mark.parametrize("name", SCALARS)
def test_one_element(benchmark, name):
    benchmark(SCALARS[name])
