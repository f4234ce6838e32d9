"""Pack and unpack of whole arrays, warm: 64 MiB a workload, and 256 KiB, which stay in a cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import NamedTuple

import targets
from cases import DIRECTIONS, copy_case, label
from measure import Times, interleaved
from peers import NAMES
from rows import Options, Row, Section
from workloads import COPIES, SMALL, Workload

#: Calls a round of what takes some ten microseconds.
CALLS = 40
#: What is said of each of these rows.
CALL = "a tenth is the call"
TWIN_ROUNDS = 3
#: Processors that may be idle, on average, without a word about it.
IDLE = 0.3


class Measured(NamedTuple):
    """One job with every number of threads: the times by ``label``, and what they were spent on."""

    workload: Workload
    direction: str
    threads: tuple[int, ...]
    times: dict[str, Times]
    traffic: int
    items: int
    reference: float

    @property
    def job(self) -> str:
        """The name of the job."""
        return f"{self.direction} {self.workload.key}"

    def gain(self, name: str, threads: int) -> float:
        """One thread's time over that of so many."""
        return self.times[name].over(self.times[label(name, threads)])


def large(options: Options) -> Iterator[Section]:
    """64 MiB a workload: beside a copy and the peers, what a second thread gains, and beside plain Python."""
    jobs, again, once_more = tee(_jobs(options), 3)
    note = (
        "Ratios to a plain copy of the bytes written; packing elements that share bytes, to a read of the source. Unpack is to stay within "
        "0.10 of its pack, padded C within 0.05 of C."
    )
    yield Section.measured("Pack and unpack, 64 MiB", "ours / copy", note, _large_rows(jobs))
    yield Section("Two threads over one", "ours x1/x2", "One thread's time over that of two.", list(_gains(again)))
    note = "The reference ran on a small array of the same kind."
    yield Section("Beside the reference in plain Python", "ours ns", note, list(_plain(once_more)))


def _jobs(options: Options) -> Iterator[Measured]:
    for workload in COPIES:
        for direction in DIRECTIONS if options.takes(workload.key, workload.name) else ():
            yield _measured(workload, direction, options)


def _measured(workload: Workload, direction: str, options: Options) -> Measured:
    case = copy_case(workload, direction, options.threads, options.peers)
    times = interleaved(case.works(), options.rounds)
    reference = interleaved({"twin": case.twin}, TWIN_ROUNDS)["twin"].median / case.twin_items
    return Measured(workload, direction, tuple(case.ours), times, case.traffic, case.items, reference)


def _large_rows(jobs: Iterable[Measured]) -> Iterator[Row]:
    measured: dict[tuple[str, str, str, int], float] = {}
    for job in jobs:
        for n in job.threads:
            ours, copy = job.times[label("ours", n)], job.times[label("copy", n)]
            ratio = measured[job.workload.name, job.workload.element, job.direction, n] = ours.over(copy)
            target = targets.of_copy(job.workload, job.direction, n, measured)
            details = {
                "copy ms": copy.median * 1e3,
                "ours ms": ours.median * 1e3,
                "GB/s": job.traffic / ours.median / 1e9,
                "busy": ours.busy,
            }
            yield Row(job.job, about(job.workload), n, ratio, target, of_peers(job.times, n), details, note=_idle(ours, n))


def _gains(jobs: Iterable[Measured]) -> Iterator[Row]:
    for job in jobs:
        if {1, 2} <= set(job.threads):
            ours, copy = (job.gain(name, 2) for name in ("ours", "copy"))
            note = f"a copy gains {copy:.2f}" if copy < targets.TWO_THREADS else _idle(job.times["ours x2"], 2)
            details = {"copy x1/x2": copy, "busy": job.times["ours x2"].busy}
            yield Row(f"{job.job}, two threads", about(job.workload), 2, ours, targets.TWO_THREADS, {}, details, more=True, note=note)


def _plain(jobs: Iterable[Measured]) -> Iterator[Row]:
    for job in jobs:
        details = {"reference ns": job.reference * 1e9}
        if 1 in job.threads:
            yield Row(f"{job.job}, an element", about(job.workload), 1, job.times["ours"].median / job.items * 1e9, details=details)


def small(options: Options) -> Section:
    """The same where all fits in a cache."""
    return Section.measured(
        "Pack and unpack in a cache, 256 KiB",
        "ours / copy",
        f"One thread, {CALLS} calls a round. A plain copy is no lower bound here: other copies are faster in a cache.",
        _small_rows(options),
    )


def _small_rows(options: Options) -> Iterator[Row]:
    for workload in SMALL:
        for direction in DIRECTIONS if options.takes(workload.key, workload.name, "small") else ():
            case = copy_case(workload, direction, [1], options.peers)
            times = interleaved(case.works(), options.rounds, calls=CALLS)
            details = {"copy µs": times["copy"].median * 1e6, "ours µs": times["ours"].median * 1e6}
            target = targets.of(targets.IN_CACHE, workload.name, workload.element)
            ratio = times["ours"].over(times["copy"])
            yield Row(f"{direction} {workload.key}, small", about(workload), 1, ratio, target, of_peers(times, 1), details, note=CALL)


def of_peers(times: dict[str, Times], threads: int) -> dict[str, float]:
    """The peers' ratios with so many threads."""
    copy = times[label("copy", threads)]
    return {name: times[key].over(copy) for name in NAMES if (key := label(name, threads)) in times}


def _idle(times: Times, threads: int) -> str | None:
    """What to say where the system did not spread the threads."""
    return f"{times.busy:.1f} of {threads} processors were busy" if times.busy < threads - IDLE else None


def about(workload: Workload) -> str:
    """The array and the layout."""
    source = "" if workload.source == "x" else f" from {workload.source}"
    return f"{workload.array_text}{source} {workload.cute_text if workload.cute else workload.text}"
