"""From a workload to jobs on real memory: ours, the yardstick, the peers' and the pure-Python twin's, each checked before it is handed out.

The yardstick of pack and unpack is a copy of the bytes written, with as many threads, between arrays of its own; where elements
share bytes, packing them is measured beside a read of the source. That of queries is a copy which moves as many bytes as they do.
A job and its peers share the source; ours has a target, and the peers have another. All are warm.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import numpy.typing as npt

import idioms
import peers
import tilelayout as tl
import yardsticks
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
    """One job and what it is measured against; ``ours`` and ``copies`` by the number of threads, ``others`` by ``label``.

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

    def works(self) -> dict[str, Work]:
        """All of them, each yardstick right before ours."""
        mine = {label(name, n): ways[n] for n in self.ours for name, ways in (("copy", self.copies), ("ours", self.ours))}
        return mine | self.others


def label(name: str, threads: int) -> str:
    """The name of a way with so many threads: one goes without saying."""
    return name if threads == 1 else f"{name} x{threads}"


def copy_case(workload: Workload, direction: str, threads: Iterable[int], names: tuple[str, ...] = ("numpy",)) -> Case:
    """Packing or unpacking a workload into warm memory."""
    threads = tuple(threads)
    layout, array = workload.layout(), workload.array()
    buffer = tl.pack(array, layout)
    if direction == "pack":
        source, expected, out, theirs = array, buffer, np.empty_like(buffer), np.empty_like(buffer)
        call: Any = tl.pack
        sides = array, theirs
    else:
        source, expected, out, theirs = buffer, array, workload.room(array.dtype), workload.room(array.dtype)
        call = tl.unpack
        sides = theirs, buffer
    ours: dict[int, Work] = {n: partial(call, source, layout, out=out, threads=n) for n in threads}
    others: dict[str, Work] = {}
    for name, peer in peers.installed(names).items():
        if way := peer.transfer(workload, direction, *sides):
            others |= {label(name, n): way(n) for n in threads}
    job = f"{direction} {workload.key}"
    for n, work in ours.items():
        _check(f"{job} by {label('tilelayout', n)}", work, out, expected)
    for name, work in others.items():
        _check(f"{job} by {name}", work, theirs, expected)
    yardstick = yardsticks.read if workload.bits and direction == "pack" else yardsticks.copy
    size = array.nbytes if workload.bits else expected.nbytes
    twin, twin_items = _copy_twin(workload.scaled(), direction)
    return Case(ours, {n: yardstick(size, n) for n in threads}, others, twin, array.nbytes + buffer.nbytes, array.size, twin_items)


def query_case(query: Query, question: str, threads: Iterable[int] = (1,), names: tuple[str, ...] = ()) -> Case:
    """Asking a layout for the slots of many elements, or for the elements in many slots.

    The answer goes to a warm array if the library takes one, and is a new array each time if not; the same holds for numba.
    """
    workload, layout = query.workload, query.workload.layout()
    coordinates = query.coordinates()
    slots = idioms.slots(workload, coordinates.astype(np.int64))
    others: dict[str, Work]
    if question == "index":
        asked, given, expected = layout.index, coordinates, slots
        others = {
            "numpy": partial(idioms.slots, workload, coordinates),
            "ravel": partial(idioms.slots_by_ravel, workload, coordinates),
        }
    else:
        asked, given, expected = layout.coordinates, slots.astype(query.dtype), coordinates
        others = {"numpy": partial(idioms.coordinates, workload, given)}
    known = signature(asked).parameters
    out, theirs = (np.empty(expected.shape, np.int64) if "out" in known else None for _ in range(2))
    warm = {} if out is None else {"out": out}
    spread = [{"threads": n} for n in threads] if "threads" in known else [{}]
    ours: dict[int, Work] = {each.get("threads", 1): partial(asked, given, **each, **warm) for each in spread}
    for name, peer in peers.installed(names).items():
        if question == "index" and hasattr(peer, "slots"):
            way = peer.slots(workload, coordinates, theirs)
            others |= {label(name, n): way(n) for n in ours}
    for name, work in {**{label("tilelayout", n): work for n, work in ours.items()}, **others}.items():
        for target in (out, theirs) if out is not None else ():
            target[...] = -1
        if not np.array_equal(work(), expected):
            raise AssertionError(f"{question} {query.key}: {name} gave another answer")
    traffic = given.nbytes + 8 * expected.size
    twin, twin_items = _query_twin(workload, coordinates, slots) if question == "index" else _inverse_twin(workload.scaled())
    return Case(ours, {n: yardsticks.copy(traffic // 2, n) for n in ours}, others, twin, traffic, query.count, twin_items)


def tile_works(workload: Workload, direction: str, names: tuple[str, ...] = ("numpy",)) -> dict[str, Work]:
    """Ways to pack or unpack one tile, by name."""
    case = copy_case(workload, direction, [1], names)
    layout, array = workload.layout(), workload.array()
    buffer = tl.pack(array, layout)
    source, call, out = (array, tl.pack, np.empty_like(buffer)) if direction == "pack" else (buffer, tl.unpack, np.empty_like(array))
    text = workload.array_text + workload.text
    return {
        "layout": lambda: call(source, layout, out=out),  # as it is written in a program: a partial looks up its keywords anew
        "text": lambda: call(source, text, out=out),
        "new": lambda: call(source, layout),
        **case.others,
        **({"numpy, new": partial(idioms.fresh_pack, workload, array)} if direction == "pack" else {}),
    }


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
        raise AssertionError(f"{job}: other bytes than ours")


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
