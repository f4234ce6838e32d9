"""From a workload to jobs on real memory: ours, a plain copy, numpy's and the pure-Python twin's, each checked before it is handed out.

A copy is the yardstick: it moves as many bytes as the job, counting what is read and what is written, with as many threads.
It has arrays of its own. The job and numpy's way share the source and have a target each; all targets are warm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

import idioms
import tilelayout as tl
from measure import Work
from tilelayout import reference
from workloads import Query, Workload

Array = npt.NDArray[Any]

#: Slots that the twin is asked for, one by one.
TWIN_QUERIES = 2000
DIRECTIONS = ("pack", "unpack")
QUESTIONS = ("index", "inverse")


@dataclass(frozen=True)
class Case:
    """One job and what it is measured against; ``ours`` and ``copies`` by the number of threads, ``others`` by name.

    ``traffic`` counts the bytes read plus the bytes written, ``items`` the elements or queries, ``twin_items`` those that
    one run of the twin takes.
    """

    ours: dict[int, Work]
    copies: dict[int, Work]
    others: dict[str, Work]
    twin: Work
    traffic: int
    items: int
    twin_items: int


def copy_case(workload: Workload, direction: str, threads: Iterable[int]) -> Case:
    """Packing or unpacking a workload into warm memory."""
    layout, array = workload.layout(), workload.array()
    buffer = tl.pack(array, layout)
    ours: dict[int, Work]
    if direction == "pack":
        out, theirs = np.empty_like(buffer), np.empty_like(buffer)
        ours = {n: partial(tl.pack, array, layout, out=out, threads=n) for n in threads}
        numpys = partial(idioms.pack, workload, array, theirs)
    else:
        out, theirs = np.empty_like(array), np.empty_like(array)
        ours = {n: partial(tl.unpack, buffer, layout, out=out, threads=n) for n in threads}
        numpys = partial(idioms.unpack, workload, buffer, theirs)
    expected = buffer if direction == "pack" else array
    _check(f"{direction} {workload.key}", numpys, theirs, expected)
    for work in ours.values():
        _check(f"{direction} {workload.key}", work, out, expected)
    traffic = array.nbytes + buffer.nbytes
    twin, twin_items = _copy_twin(workload.scaled(), direction)
    return Case(ours, _copies(traffic // 2, ours), {"numpy": numpys}, twin, traffic, array.size, twin_items)


def query_case(query: Query, question: str) -> Case:
    """Asking a layout for the slots of many elements, or for the elements in many slots; the answer is a new array each time."""
    workload, layout = query.workload, query.workload.layout()
    coordinates = query.coordinates()
    slots = idioms.slots(workload, coordinates.astype(np.int64)).astype(query.dtype)
    ours: Work
    others: dict[str, Work]
    if question == "index":
        ours = partial(layout.index, coordinates)
        others = {
            "numpy": partial(idioms.slots, workload, coordinates),
            "ravel_multi_index": partial(idioms.slots_by_ravel, workload, coordinates),
        }
        expected = slots
    else:
        ours = partial(layout.coordinates, slots)
        others = {"numpy": partial(idioms.coordinates, workload, slots)}
        expected = coordinates
    ways: dict[str, Work] = {"tilelayout": ours, **others}
    for name, work in ways.items():
        if not np.array_equal(work(), expected):
            raise AssertionError(f"{question} {query.key}: {name} gave another answer")
    traffic = coordinates.nbytes + slots.nbytes + _widening(expected)
    twin, twin_items = _query_twin(workload, coordinates, slots) if question == "index" else _inverse_twin(workload.scaled())
    return Case({1: ours}, _copies(traffic // 2, [1]), others, twin, traffic, query.count, twin_items)


def tile_works(workload: Workload, direction: str) -> dict[str, Work]:
    """Ways to pack or unpack one tile, by name."""
    layout, array = workload.layout(), workload.array()
    text = workload.array_text + workload.text
    buffer = tl.pack(array, layout)
    if direction == "pack":
        out, expected = np.empty_like(buffer), np.empty_like(buffer)
        idioms.pack(workload, array, expected)
        views = idioms.prepared_pack(workload, array, out)
        call: Callable[..., Array] = partial(tl.pack, array)
    else:
        out, expected = np.empty_like(array), array
        views = idioms.prepared_unpack(workload, buffer, out)
        call = partial(tl.unpack, buffer)
    works: dict[str, Work] = {
        "Layout, out=": partial(call, layout, out=out),
        "text, out=": partial(call, text, out=out),
        "Layout, new": partial(call, layout),
        "numpy copyto of prepared views": partial(np.copyto, *views),
    }
    if direction == "pack":
        works["numpy reshape, transpose, ascontiguousarray"] = partial(idioms.fresh_pack, workload, array)
    else:
        works["numpy reshape, transpose, copyto"] = partial(idioms.unpack, workload, buffer, out)
    for name, work in works.items():
        idioms.raw(out)[...] = 0xA5
        answer = work()
        got = out if answer is None else answer
        if not np.array_equal(idioms.raw(got), idioms.raw(expected)):
            raise AssertionError(f"{direction} {workload.key}: {name} gave another answer")
    return works


def scalar_works(workload: Workload) -> dict[str, Work]:
    """Ways to ask for the slot of one element, by name."""
    layout = workload.layout()
    row, column = (n - 2 for n in workload.shape)
    plan = [(row, column)]
    works: dict[str, Work] = {
        "layout(row, column)": partial(layout, row, column),
        "layout.index([[row, column]])": partial(layout.index, plan),
        "reference.slot": partial(reference.slot, plan[0], layout.digits),
    }
    answers = {int(np.ravel(work())[0]) for work in works.values()}
    if answers != {int(idioms.slots(workload, np.array(plan))[0])}:
        raise AssertionError(f"slots of one element of {workload.key} differ: {answers}")
    return works


def _check(job: str, work: Work, target: Array, expected: Array) -> None:
    idioms.raw(target)[...] = 0xA5
    work()
    if not np.array_equal(idioms.raw(target), idioms.raw(expected)):
        raise AssertionError(f"{job}: two ways gave different bytes")


def _copies(size: int, threads: Iterable[int]) -> dict[int, Work]:
    """Plain copies of ``size`` bytes, by the number of threads."""
    source, target = _copy_arrays(size)
    return {n: partial(np.copyto, target, source) if n == 1 else partial(_copy_in_parts, target, source, n) for n in threads}


@lru_cache(maxsize=1)
def _copy_arrays(size: int) -> tuple[Array, Array]:
    return np.ones(size, np.uint8), np.ones(size, np.uint8)


def _copy_in_parts(target: Array, source: Array, threads: int) -> None:
    bounds = [len(source) * k // threads for k in range(threads + 1)]
    parts = [slice(*bounds[k : k + 2]) for k in range(threads)]
    list(_pool(threads).map(lambda part: np.copyto(target[part], source[part]), parts))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads)


def _copy_twin(small: Workload, direction: str) -> tuple[Work, int]:
    """The twin on a small array, as the bits of its elements, and how many there are."""
    layout, array = small.layout(), small.array()
    values = idioms.raw(array).ravel().tolist()
    pack = partial(reference.pack, values, layout.shape, layout.digits, layout.slots, 0)
    slots = pack()
    packed = tl.pack(array, layout)
    if (reference.pack_bits(slots, small.bits) if small.bits else np.array(slots, idioms.raw(packed).dtype).tobytes()) != packed.tobytes():
        raise AssertionError(f"pack {small.key}: the reference gave other bytes")
    unpack = partial(reference.unpack, slots, layout.shape, layout.digits)
    if unpack() != values:
        raise AssertionError(f"unpack {small.key}: the reference gave other values")
    return pack if direction == "pack" else unpack, len(values)


def _query_twin(workload: Workload, coordinates: Array, slots: Array) -> tuple[Work, int]:
    """The twin on the first of the queries, and how many these are."""
    digits, few = workload.layout().digits, coordinates[:TWIN_QUERIES].tolist()

    def twin() -> list[int]:
        return [reference.slot(index, digits) for index in few]

    if twin() != slots[: len(few)].tolist():
        raise AssertionError(f"index {workload.key}: the reference gave other slots")
    return twin, len(few)


def _inverse_twin(small: Workload) -> tuple[Work, int]:
    """The twin, asked for every element of a small array, and how many there are."""
    layout = small.layout()
    twin = partial(reference.coordinates, layout.shape, layout.digits, reference.offsets(layout.shape, layout.digits))
    if twin() != list(np.ndindex(layout.shape)):
        raise AssertionError(f"inverse {small.key}: the reference gave other elements")
    return twin, layout.size


def _widening(answer: Array) -> int:
    """The bytes by which the answer, always of 64-bit integers, exceeds the narrower ones that it is compared with."""
    return answer.size * (8 - answer.dtype.itemsize)
