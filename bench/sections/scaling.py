"""From a megabyte to gigabytes: the time a byte takes should stay what it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import targets
import tilelayout as tl
import yardsticks
from cases import label
from measure import Work, interleaved
from rows import Options, Row, Section
from sections.copies import about
from workloads import COPIES, Workload

Array = npt.NDArray[Any]

NAMES = ("A-f32", "C-bf16", "D-s8")
SIZES = tuple(1 << k for k in (20, 22, 24, 26, 28, 30, 33))
LARGE = 1 << 26
#: Seconds after which a work sits out.
PATIENCE = 20.0


def scaling(options: Options) -> Section:
    """Packs of growing arrays."""
    note = (
        f"The time of a byte over that of a byte of {LARGE >> 20} MiB, in the same rounds. The copy beside it is between the same "
        "two arrays, so that the largest fit in memory; in a cache both are faster."
    )
    return Section.measured("Scaling", "a byte / a byte of 64 MiB", note, _rows(options))


def _rows(options: Options) -> Iterator[Row]:
    for workload in COPIES:
        if workload.key in NAMES and options.takes("scaling", f"scaling {workload.key}"):
            for size in SIZES:
                if size <= options.most:
                    yield from _row(workload, size, options)


def _row(workload: Workload, size: int, options: Options) -> Iterator[Row]:
    sized = _sized(workload, size)
    arrays = _warm(sized)
    source, target = (array.reshape(-1).view(np.uint8) for array in arrays)
    largest = _sized(workload, LARGE)
    large_arrays = _warm(largest)
    works: dict[str, Work] = {}
    for n in options.threads:
        works[label("copy", n)] = yardsticks.copying(target, source, n)
        works[label("ours", n)] = _pack(sized, arrays, n)
        works[label("large", n)] = _pack(largest, large_arrays, n)
    times = interleaved(works, options.rounds, calls=max(1, LARGE // size // 4), patience=PATIENCE)
    for n in options.threads:
        ours, copy, large = (times[label(name, n)] for name in ("ours", "copy", "large"))
        details = {f"{name} ns/KiB": each.median / size * 1024e9 for name, each in (("copy", copy), ("ours", ours))}
        details["ours / copy"] = ours.over(copy)
        flat = ours.over(large) * LARGE / size
        yield Row(f"pack {workload.key}, {_size(size)}", about(sized), n, flat, targets.FLAT, details=details)


def _sized(workload: Workload, size: int) -> Workload:
    """The same on a matrix of so many bytes."""
    width = workload.scaled().room().itemsize
    rows = 1024 if size < LARGE else 8192
    return replace(workload, shape=(rows, size // rows // width))


def _warm(workload: Workload) -> tuple[Array, Array]:
    """An array and a buffer that have been touched."""
    dtype = workload.scaled().room().dtype
    sizes = workload.shape, workload.layout().slots
    array, buffer = (np.ones(size, f"u{dtype.itemsize}").view(dtype) for size in sizes)
    return array, buffer


def _pack(workload: Workload, arrays: tuple[Array, Array], threads: int) -> Work:
    return partial(tl.pack, arrays[0], workload.layout(), out=arrays[1], threads=threads)


def _size(size: int) -> str:
    return f"{size >> 30} GiB" if size >= 1 << 30 else f"{size >> 20} MiB"
