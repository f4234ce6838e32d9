"""CuTe's algebra beside tensor-layouts, and its layouts at many coordinates."""

from __future__ import annotations

from collections.abc import Iterator

import algebra
import targets
from measure import interleaved, with_threads
from rows import Options, Row, Section

CALLS = 500


def operations(options: Options) -> Section:
    """One operation at a time."""
    return Section.measured("CuTe's algebra", "ours µs", "128 x 128 values, and 32 threads with 8 each.", _operations(options))


def _operations(options: Options) -> Iterator[Row]:
    for job, works in algebra.operations().items() if options.takes("algebra", "cute") else ():
        times = {way: each.median * 1e6 for way, each in interleaved(works, options.rounds, calls=CALLS).items()}
        yield Row(job, "", 1, times.pop("tilelayout"), targets.ALGEBRA.get(job), times)


def batches(options: Options) -> Section:
    """Ten million coordinates a call."""
    return Section.measured("CuTe layouts at ten million coordinates", "ns each", "The answer is a new array each time.", _batches(options))


def _batches(options: Options) -> Iterator[Row]:
    for job, work in algebra.batches().items() if options.takes("batch", "cute") else ():
        times = interleaved({str(n): with_threads(work, n) for n in options.threads}, options.rounds)
        for n in options.threads:
            seconds = times[str(n)].median / algebra.MANY
            yield Row(job, "", n, seconds * 1e9, targets.BATCH, details={"million a second": 1e-6 / seconds})
