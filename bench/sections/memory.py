"""Peak memory: what a call adds to the memory of a process of its own, as the system counts it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import targets
from rows import Options, Row, Section
from sections.copies import about
from workloads import COPIES

JOBS = ("pack A-f32", "unpack A-f32", "pack CP-bf16", "unpack CP-bf16", "pack D-s8", "pack S-s4", "unpack S-s4", "relayout C-bf16")

CHILD = """
import resource, sys
import numpy as np
import tilelayout as tl
from dataclasses import replace
from workloads import COPIES

def run(workload):
    array, layout = workload.array(), workload.layout()
    buffer = tl.pack(array, layout)
    plain = tl.layout(workload.array_text + "{" + ",".join(map(str, reversed(range(array.ndim)))) + "}")
    call, given, source, written = {
        "pack": (lambda: tl.pack(array, layout), array, buffer, buffer.nbytes),
        "unpack": (lambda: tl.unpack(buffer, layout), buffer, array, array.nbytes),
        "relayout": (lambda: tl.relayout(buffer, layout, plain), buffer, array, array.nbytes),
    }[job]
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    # The peak only grows, so it is driven to what is held now before the call: by what fills the gap.
    held = int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
    gap = np.ones(max(0, peak() - held), np.uint8)
    before = peak()
    call()
    return peak() - before, given.nbytes, written

job, key = sys.argv[1:]
workload = next(each for each in COPIES if each.key == key)
run(workload.scaled())
print(*run(workload))
"""


def memory(options: Options) -> Section:
    """Calls that return new arrays."""
    note = (
        "What the call added to the peak of a process that held the input already (`getrusage`); that and the input, over input and "
        "output. 1.00 is nothing beside them."
    )
    return Section.measured("Peak memory", "peak / (input + output)", note, _rows(options))


def _rows(options: Options) -> Iterator[Row]:
    for text in JOBS:
        job, _, key = text.partition(" ")
        if not options.takes("memory", f"memory {key}"):
            continue
        command = [sys.executable, "-c", CHILD, job, key]
        path = {"PYTHONPATH": ":".join(filter(None, sys.path))}
        answer = subprocess.run(command, capture_output=True, text=True, check=True, env=path, cwd=Path(__file__).parents[1])
        added, given, written = map(int, answer.stdout.split())
        details = {"input MiB": given / 2**20, "output MiB": written / 2**20, "added MiB": added / 2**20}
        workload = next(each for each in COPIES if each.key == key)
        yield Row(f"memory of {text}", about(workload), 1, (given + added) / (given + written), targets.PEAK, details=details)
