"""From checked arrays to kernels: elements from an array to a buffer, back, and from one buffer to another.

A plan runs where the digits allow one (``planning``). Where they do not, slots are looked up and elements moved one by one.
Layouts keep their plans. Raw arrays hold elements as bits, one a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import product
from math import lcm, prod
from typing import TypeVar

import numpy as np

from . import memory, planning, queries, regions
from . import threads as pool
from .bridges import Array
from .chains import chains
from .digits import Layout
from .loops import in_bytes, in_strides
from .planning import ByBlocks, Planned
from .regions import Region

Made = TypeVar("Made")

#: Plans that a layout keeps, one for each strides, width and form of region it has met.
MOST_PLANS = 64
#: Bytes of neighbouring blocks that are moved together within one buffer.
TOGETHER = 1 << 18
#: Bytes of an array by way of which elements go from one buffer to another, at the most.
MOST_BETWEEN = 1 << 30


def scatter(raw: Array, layout: Layout, target: Array, pattern: bytes | None, workers: int) -> Planned:
    """Write every element of an array to its slot, and the pattern (where there is one) to every other; say by which plan."""
    planned = _pack_plan(layout, layout.shape, raw, layout.slots if pattern else 0)
    if layout.slots > layout.size:
        _fill(target, pattern, planned.covered)
    if planned.copy is None:
        _put(raw, target, queries.blocks(layout))
    else:
        run(planned, raw, target[planned.target :], pattern if planned.covered else None, workers)
    return planned


def gather(raw: Array, layout: Layout, target: Array, workers: int) -> Planned:
    """Read every element of an array from its slot; say by which plan."""
    planned = _unpack_plan(layout, layout.shape, target, layout.slots)
    if planned.copy is None:
        _take(raw, queries.blocks(layout), target)
    else:
        run(planned, raw[planned.source :], target, None, workers)
    return planned


def scatter_region(raw: Array, layout: Layout, box: Region, target: Array, *, workers: int, first: int = 0) -> None:
    """Write every element of a region, in an array of its extents, to its slot; the target begins with slot ``first``."""
    walks = chains(layout.canonical, layout.shape)
    if walks is None:
        _put(raw, target, (slots - first for slots in regions.slots(layout, box)))
        return
    for piece in regions.pieces(box, walks):
        part = raw[piece.part]
        planned = _pack_plan(layout, piece.extents, part)
        run(planned, part, target[layout(*piece.start) - first :], None, workers)


def gather_region(raw: Array, layout: Layout, box: Region, target: Array, *, workers: int, first: int = 0) -> None:
    """Read every element of a region, into an array of its extents, from its slot; the buffer begins with slot ``first``."""
    walks = chains(layout.canonical, layout.shape)
    if walks is None:
        _take(raw, (slots - first for slots in regions.slots(layout, box)), target)
        return
    for piece in regions.pieces(box, walks):
        part = target[piece.part]
        planned = _unpack_plan(layout, piece.extents, part)
        run(planned, raw[layout(*piece.start) - first :], part, None, workers)


def move(raw: Array, source: Layout, target_raw: Array, target: Layout, pattern: bytes | None, *, workers: int) -> Planned:
    """Write every element of a buffer to its slot in another, and the pattern (where there is one) to every other; say by which plan."""

    def make() -> Planned:
        width = raw.itemsize
        return planning.plan(source.shape, in_bytes(source.digits, width), in_bytes(target.digits, width), width, room)

    room = target.slots if pattern else 0
    planned = kept(source, ("relayout", target.digits, room, raw.itemsize), make)
    if target.slots > target.size:
        _fill(target_raw, pattern, planned.covered)
    if not source.size:
        return planned
    if planned.copy is not None:
        filled = pattern if planned.covered else None
        run(planned, raw[planned.source :], target_raw[planned.target :], filled, workers)
    elif source.size * raw.itemsize <= MOST_BETWEEN and source.ndim <= memory.MOST_AXES:
        between = memory.empty(source.shape, raw.dtype, threads=workers)
        gather(raw, source, between, workers)
        scatter(between, target, target_raw, None, workers)
    elif (block := _common_block(source, target, max(1, TOGETHER // raw.itemsize))) is not None:
        _move_by_blocks(raw, source, target_raw, target, block, workers=workers)
    else:
        for from_, to in zip(queries.blocks(source), queries.blocks(target), strict=True):
            target_raw[to] = raw[from_]
    return planned


def plan_in_place(raw: Array, source: Layout, target: Layout, is_filled: bool) -> ByBlocks | None:
    """How to move elements within one buffer block by block, if its blocks keep to themselves; ``is_filled`` if padding is written."""

    def make() -> ByBlocks | None:
        width = raw.itemsize
        digits = in_bytes(source.digits, width), in_bytes(target.digits, width)
        return planning.in_place(source.shape, *digits, width, room=target.slots if is_filled else 0, most=TOGETHER)

    return kept(source, ("in place", target.digits, target.slots, raw.itemsize, is_filled), make)


def move_in_place(raw: Array, plan: ByBlocks, pattern: bytes | None, workers: int) -> None:
    """Move elements within one buffer: each block is set aside, and its elements are written from there."""
    for stint in pool.stints(plan.copy.blocks, raw.nbytes, workers):
        plan.copy.run_aside(raw, pattern, plan.size, stint)
    _fill(raw, pattern, plan.covered)


def _pack_plan(layout: Layout, shape: tuple[int, ...], array: Array, room: int = 0) -> Planned:
    """The plan from an array of that shape, in its strides, to a layout, as far as it concerns that; made once and kept."""

    def make() -> Planned:
        width = array.itemsize
        return planning.plan(shape, in_strides(shape, array.strides), in_bytes(layout.digits, width), width, room)

    return kept(layout, ("pack", shape, array.strides, array.itemsize, room), make)


def _unpack_plan(layout: Layout, shape: tuple[int, ...], array: Array, read: int = 0) -> Planned:
    """The plan of the way back likewise."""

    def make() -> Planned:
        width = array.itemsize
        return planning.plan(shape, in_bytes(layout.digits, width), in_strides(shape, array.strides), width, read=read)

    return kept(layout, ("unpack", shape, array.strides, array.itemsize, read), make)


def kept(layout: Layout, key: Hashable, make: Callable[[], Made]) -> Made:
    """What the layout keeps under that key, made the first time."""
    try:
        found: Made = layout.plans[key]
    except KeyError:
        if len(layout.plans) >= MOST_PLANS:
            layout.plans.clear()
        found = layout.plans[key] = make()
    return found


def run(planned: Planned, source: Array, target: Array, pattern: bytes | None, workers: int) -> bool:
    """Copy by a plan; whether all elements fit in the bits with which they share bytes."""
    copy = planned.copy
    assert copy is not None
    size = min(source.nbytes, target.nbytes)
    parts = copy, *planned.rest
    if size < pool.WORTH_SHARING:
        return all([part.run(source, target, pattern) for part in parts])
    return all([part.run(source, target, pattern, stint) for part in parts for stint in pool.stints(part.iterations, size, workers)])


def _fill(target: Array, pattern: bytes | None, begin: int) -> None:
    if pattern is not None:
        target[begin:] = np.frombuffer(pattern, target.dtype)[0]


def _put(raw: Array, target: Array, listed: Iterable[queries.Slots]) -> None:
    done = 0
    for slots in listed:
        target[slots] = raw.flat[done : done + len(slots)]
        done += len(slots)


def _take(raw: Array, listed: Iterable[queries.Slots], target: Array) -> None:
    done = 0
    for slots in listed:
        target.flat[done : done + len(slots)] = raw[slots]
        done += len(slots)


def _common_block(source: Layout, target: Layout, most: int) -> tuple[int, ...] | None:
    """The extents of a block of the array, of about ``most`` elements at the most, at whose ends the digits of both layouts end too."""
    from_, to = chains(source.canonical, source.shape), chains(target.canonical, target.shape)
    if from_ is None or to is None:
        return None
    extents: list[int] = []
    for axis, size in reversed([*enumerate(source.shape)]):
        unit = lcm(*(digit.divisor for digit in (*from_[axis], *to[axis])))
        whole = max(1, most // (unit * prod(extents))) * unit
        extents.append(min(size, whole))
    return tuple(reversed(extents))


def _move_by_blocks(raw: Array, source: Layout, target_raw: Array, target: Layout, extents: Sequence[int], *, workers: int) -> None:
    """Take blocks of the array out of one buffer and put them into the other."""
    for start in product(*(range(0, size, n) for size, n in zip(source.shape, extents, strict=True))):
        here = tuple(min(n, size - at) for at, n, size in zip(start, extents, source.shape, strict=True))
        box, block = Region(start, here, ()), np.empty(here, raw.dtype)
        gather_region(raw, source, box, block, workers=workers)
        scatter_region(block, target, box, target_raw, workers=workers)
