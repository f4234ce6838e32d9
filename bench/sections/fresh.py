"""Results in new memory: what the call allocates is touched for the first time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import idioms
import peers
import targets
import tilelayout as tl
import yardsticks
from cases import DIRECTIONS, label
from measure import Times, Work, interleaved
from rows import Options, Row, Section
from sections.copies import about
from workloads import COPIES, Workload

Array = npt.NDArray[Any]

KEYS = ("A-f32", "A-s8", "B-f32", "C-bf16", "CP-bf16", "D-f32", "G-bf16")


def fresh(options: Options) -> Section:
    """Pack and unpack without ``out=``."""
    note = (
        "Ratios to `numpy.copy` of the bytes written with one thread, and with two to two threads that each copy half into a new array. "
        "numpy allocates and copies views; torch is `contiguous` of a strided tensor. `new` drops each result before the next call, "
        "which then finds its memory again; `new, held` holds them all, ours and the copies, so that every page comes from the system."
    )
    np.ones(2 * options.rounds << 26, np.uint8)  # what is held later has its place in a virtual machine, too, from now on
    return Section.measured("New arrays, 64 MiB", "ours / fresh copy", note, _rows(options))


def _rows(options: Options) -> Iterator[Row]:
    for workload in COPIES:
        if workload.key not in KEYS or not options.takes("fresh", f"fresh {workload.key}"):
            continue
        for direction in DIRECTIONS:
            works = _works(workload, direction, options)
            yield from _over_copies(f"{direction} {workload.key}, new", workload, options, interleaved(works, options.rounds))
            times: dict[str, Times] = {}
            for n in options.threads:
                held: list[object] = []
                holding = {name: partial(_hold, held, works[name]) for name in (label("copy", n), label("ours", n))}
                times |= interleaved(holding, options.rounds)
            yield from _over_copies(f"{direction} {workload.key}, new, held", workload, options, times)


def _over_copies(job: str, workload: Workload, options: Options, times: Mapping[str, Times]) -> Iterator[Row]:
    for n in options.threads:
        ours, copy = times[label("ours", n)], times[label("copy", n)]
        beside = {name: times[key].over(copy) for name in peers.NAMES if (key := label(name, n)) in times}
        details = {"fresh copy ms": copy.median * 1e3, "ours ms": ours.median * 1e3}
        yield Row(job, about(workload), n, ours.over(copy), targets.FRESH.get(n), beside, details)


def _hold(held: list[object], work: Work) -> None:
    held.append(work())


def _works(workload: Workload, direction: str, options: Options) -> dict[str, Work]:
    array, layout = workload.array(), workload.layout()
    buffer = tl.pack(array, layout)
    source, written, call = (array, buffer, tl.pack) if direction == "pack" else (buffer, array, tl.unpack)
    works: dict[str, Work] = {}
    for n in options.threads:
        works[label("copy", n)] = yardsticks.fresh(written, n)
        works[label("ours", n)] = partial(call, source, layout, threads=n)
    if "numpy" not in options.peers:
        return works

    def by_numpy() -> Array:
        new = np.empty_like(written)
        for target, view in idioms.route(workload, direction, *((source, new) if direction == "pack" else (new, source))):
            np.copyto(target, view)
        return new

    works["numpy"] = by_numpy
    if direction == "pack" and "torch" in peers.installed(options.peers):
        torch_peer = peers.installed(options.peers)["torch"]
        (_, view), *more = idioms.route(workload, direction, source, written.copy())
        if not more:
            tensor = torch_peer.tensor(view)
            works |= {label("torch", n): torch_peer.with_threads(tensor.contiguous, n) for n in options.threads}
    for name, work in works.items():
        got = np.asarray(work()).reshape(written.shape)
        if not name.startswith("copy") and not np.array_equal(got.view(f"u{got.itemsize}"), idioms.raw(written)):
            raise AssertionError(f"{direction} {workload.key}, new: {name} gave other bytes")
    return works
