"""What a call costs before any bytes are moved: one tile, one element, one plan."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import perf_counter
from types import ModuleType

import numpy as np

import targets
import tilelayout as tl
from cases import DIRECTIONS, scalar_works, tile_works
from measure import interleaved
from peers import NAMES
from rows import Options, Row, Section
from sections.copies import about
from tilelayout import planning
from workloads import COPIES, QUERIES, TILES, Workload

CALLS = 500
#: Layouts made anew, each packed for the first time and once more.
PLANS = 200
PLANNED = ("A-f32", "CP-bf16", "C32-s8", "D-s8", "E-f32", "F-f32", "G-f32", "I-bf16", "JT-bf16", "V-bf16", "S-s4")
OURS = ("layout", "text", "new")


def tiles(options: Options) -> Section:
    """One tile, packed and unpacked; and the slot of one element."""
    note = (
        f"One thread, {CALLS} calls a round. `layout` and `text` say how the layout is given, with `out=`; `new` returns a new array. "
        "The peers have all prepared that can be: views, tensors, compiled loops, a primitive; beside `new`, numpy is "
        "`ascontiguousarray` of the views it makes."
    )
    return Section.measured("One tile, one call", "ours µs", note, _tile_rows(options))


def _tile_rows(options: Options) -> Iterator[Row]:
    for tile in TILES:
        for direction in DIRECTIONS if options.takes(tile.key, tile.name) else ():
            works = tile_works(tile, direction, options.peers)
            times = {name: each.median * 1e6 for name, each in interleaved(works, options.rounds, calls=CALLS).items()}
            prepared = {name: times[name] for name in NAMES if name in times}
            new = {"numpy": times["numpy, new"]} if prepared and direction == "pack" else {}
            for way in OURS:
                target = targets.CALL.get(way) if tile.element == "f32" else None
                yield Row(
                    f"{direction} one {tile.element} tile, {way}", about(tile), 1, times[way], target, new if way == "new" else prepared
                )


def scalars(options: Options) -> Section:
    """The slot of one element."""
    rows = []
    if options.takes("one element", "Q"):
        times = interleaved(scalar_works(QUERIES[0].workload), options.rounds, calls=CALLS)
        for way, each in times.items():
            target = targets.SCALAR if way.startswith("layout(") else None
            rows.append(Row(way, about(QUERIES[0].workload), 1, each.median * 1e9, target))
    return Section("One element", "ns", "A scalar query, a query by array, and the pure-Python twin.", rows)


def plans(options: Options) -> Section:
    """Making the plan of a copy."""
    note = (
        "Making the plan, within the first call with a layout that was just made; the whole of that call, checks at the door and all; and "
        f"the next call, which finds the plan with the layout. Medians of {PLANS}, of arrays of a few KiB: the plans of large ones are as "
        "long."
    )
    chosen = [workload for workload in COPIES if workload.key in PLANNED and options.takes("plan", f"plan {workload.key}")]
    rows = (_plan_row(workload.scaled(), direction) for workload in chosen for direction in DIRECTIONS)
    return Section.measured("Plans", "µs", note, rows)


def _plan_row(workload: Workload, direction: str) -> Row:
    made, array = workload.layout(), workload.array()
    buffer = tl.pack(array, made)
    source, call, out = (array, tl.pack, np.empty_like(buffer)) if direction == "pack" else (buffer, tl.unpack, np.empty_like(array))
    times = np.zeros((PLANS, 2))
    with _clocked(planning, "plan") as clocked:
        for each in times:
            layout = tl.Layout(made.shape, made.digits, slots=made.slots, element=made.element)
            for k in range(2):
                begin = perf_counter()
                call(source, layout, out=out, threads=1)
                each[k] = perf_counter() - begin
    plan = median(clocked) * 1e6
    first, later = np.median(times, axis=0) * 1e6
    details = {"first call µs": float(first), "later µs": float(later)}
    return Row(f"plan {direction} {workload.key}", about(workload), 1, plan, targets.PLAN, details=details)


@contextmanager
def _clocked(module: ModuleType, name: str) -> Iterator[list[float]]:
    """The seconds that each call of a function takes that the module's others find there."""
    seconds: list[float] = []
    function = getattr(module, name)

    def clocked(*args: object, **kwargs: object) -> object:
        begin = perf_counter()
        result = function(*args, **kwargs)
        seconds.append(perf_counter() - begin)
        return result

    setattr(module, name, clocked)
    try:
        yield seconds
    finally:
        setattr(module, name, function)
