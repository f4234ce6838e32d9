"""Which slot, which element: many at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import peers
import targets
import yardsticks
from cases import QUESTIONS, label, query_case
from measure import Times, Work, interleaved, with_threads
from rows import Options, Row, Section
from tilelayout import cute
from workloads import QUERIES

Array = npt.NDArray[Any]

#: Calls a round of queries so few that they take some ten microseconds.
CALLS, FEW = 50, 10**5
TWIN_ROUNDS = 3

SWIZZLED, SIDE, MANY = "S<3,4,3> o 0 o (4096,4096):(4096,1)", 4096, 10**7


def queries(options: Options) -> Section:
    """Batches of coordinates, and of slots."""
    note = (
        "Ratios to a copy of as many bytes as the queries read and write. numpy is shifts, masks and multiply-adds without bounds checks, "
        "`ravel` ends with `numpy.ravel_multi_index`, torch is numpy's formula, numba the same in one loop; ours checks every coordinate."
    )
    return Section.measured("Index queries", "ours / copy", note, chain(_rows(options), _swizzled_rows(options)))


def over_numpy(asked: Section) -> Section:
    """numpy's time over ours, from the rows of the queries."""
    rows = [_over_numpy(row, row.details["x numpy"]) for row in asked.rows if row.job.startswith("index") and row.threads == 1]
    note = "numpy checks no bounds, and makes a new array at each step."
    return Section("Index queries over numpy's formula", "times as fast", note, rows)


def _over_numpy(row: Row, times: float) -> Row:
    note = f"a copy is {times * row.ours:.1f} times as fast"
    return Row(f"{row.job}, over numpy", row.about, row.threads, times, targets.OVER_NUMPY, more=True, note=note)


def _rows(options: Options) -> Iterator[Row]:
    for query in QUERIES:
        workload = query.workload
        for question in QUESTIONS if options.takes(query.key, workload.name) else ():
            case = query_case(query, question, options.threads, options.peers)
            times = interleaved(case.works(), options.rounds, calls=CALLS if query.count <= FEW else 1)
            reference = interleaved({"twin": case.twin}, TWIN_ROUNDS)["twin"].median / case.twin_items
            about = f"{query.count:.0e} of {np.dtype(query.dtype)}, {workload.array_text} {workload.text}"
            for n in case.ours:
                each = _Asked(f"{question} {query.key}", about, n, query.count, targets.QUERY[question])
                yield each.row(times, reference * 1e9)


class _Asked(NamedTuple):
    """So many queries by so many threads."""

    job: str
    about: str
    threads: int
    count: int
    target: float

    def row(self, times: Mapping[str, Times], reference_ns: float | None = None) -> Row:
        """The row of what was measured."""
        ours, copy = times[label("ours", self.threads)], times[label("copy", self.threads)]
        beside = {name: times[key].over(copy) for name in (*peers.NAMES, "ravel") if (key := label(name, self.threads)) in times}
        details = {
            "copy ns each": copy.median / self.count * 1e9,
            "ours ns each": ours.median / self.count * 1e9,
            "x numpy": times["numpy"].over(ours),
            "reference ns each": reference_ns,
        }
        return Row(self.job, self.about, self.threads, ours.over(copy), self.target, beside, details)


def _swizzled_rows(options: Options) -> Iterator[Row]:
    """CuTe's swizzled layout at pairs of coordinates, an array for each."""
    if not options.takes("swizzle", "Qswizzle"):
        return
    layout = cute.parse(SWIZZLED)
    rows, columns = np.random.default_rng(2).integers(0, SIDE, (2, MANY))

    def by_numpy() -> Array:
        offset = rows * SIDE + columns
        return offset ^ ((offset & (7 << 7)) >> 3)

    works: dict[str, Work] = {"numpy": by_numpy}
    for n in options.threads:
        works[label("copy", n)] = yardsticks.copy(12 * MANY, n)
        works[label("ours", n)] = with_threads(partial(layout, rows, columns), n)
    if numba_peer := peers.installed(options.peers).get("numba"):
        compiled = numba_peer.compiled_source(
            "def run(r, c, out):\n"
            "    for k in prange(len(r)):\n"
            f"        offset = r[k] * {SIDE} + c[k]\n"
            f"        out[k] = offset ^ ((offset & {7 << 7}) >> 3)"
        )

        def by_numba() -> Array:
            out = np.empty(MANY, np.int64)
            compiled(rows, columns, out)
            return out

        works |= {label("numba", n): numba_peer.with_threads(by_numba, n) for n in options.threads}
    expected = by_numpy()
    for name, work in works.items():
        if not name.startswith("copy") and not np.array_equal(work(), expected):
            raise AssertionError(f"{SWIZZLED}: {name} gave another answer")
    times = interleaved(works, options.rounds)
    for n in options.threads:
        yield _Asked("index swizzle", f"{MANY:.0e} pairs of int64, {SWIZZLED}", n, MANY, targets.QUERY["index"]).row(times)
