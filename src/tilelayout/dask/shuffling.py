"""Elements whose slots follow no ranges, looked up: every chunk of the source falls apart by where its elements go.

A chunk of the array and a range of the buffer have some elements in common, perhaps none. These are taken from the one, in the order of
their slots, sent, and put into the other. Each task looks up the slots of one chunk, so with the array grows only their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from operator import getitem
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import packing, regions
from ..bridges import Array
from ..digits import Layout
from ..elements import Element
from ..errors import NotInjective
from ..radix import Source
from ..regions import Region
from .arrays import Chunks, DaskArray

Integers = npt.NDArray[Any]
Tasks = dict[Any, tuple[Any, ...]]


class Places(NamedTuple):
    """The elements that a chunk and a range have in common, by rising slot: their numbers in the chunk, and in the range."""

    in_chunk: Integers
    in_range: Integers


def pack_tasks(source: DaskArray, layout: Layout, name: str, sizes: Sequence[int], *, fill: Any) -> Tasks:
    """Tasks ``(name, k)`` for ranges of so many slots, all the same but the last."""
    tasks: Tasks = {}
    parts: list[list[Any]] = [[] for _ in sizes]
    for number, (chunk, box) in enumerate(_boxes(source.chunks)):
        tasks[name + "-spread", number] = _spread, (source.name, *chunk), layout, box, sizes[0]
        for k in _met(layout, box, sizes[0]):
            tasks[name + "-part", number, k] = getitem, (name + "-spread", number), k
            parts[k].append((name + "-part", number, k))
    for k, slots in enumerate(sizes):
        tasks[name, k] = _packed, parts[k], slots, layout.element, source.dtype, fill
    return tasks


def unpack_tasks(source: DaskArray, layout: Layout, name: str, sizes: Sequence[int], *, chunks: Chunks, dtype: np.dtype[Any]) -> Tasks:
    """Tasks ``(name, *chunk)`` for chunks of the array, from a buffer whose chunks are ranges of so many slots."""
    tasks: Tasks = {}
    for k, slots in enumerate(sizes):
        tasks[name + "-elements", k] = _elements, (source.name, k), slots, layout.element, dtype
    for number, (chunk, box) in enumerate(_boxes(chunks)):
        tasks[name + "-places", number] = _places, layout, box, sizes[0]
        met = _met(layout, box, sizes[0])
        for k in met:
            tasks[name + "-place", number, k] = getitem, (name + "-places", number), k
            tasks[name + "-part", number, k] = _taken, (name + "-elements", k), (name + "-place", number, k)
        tasks[name, *chunk] = _put, [(name + "-part", number, k) for k in met], box.extents, dtype
    return tasks


def _boxes(chunks: Chunks) -> Iterator[tuple[tuple[int, ...], Region]]:
    """The number of each chunk along each axis, and the box that it is."""
    axes = [[*enumerate(zip([0, *accumulate(sizes)][:-1], sizes, strict=True))] for sizes in chunks]
    for spans in product(*axes):
        yield tuple(k for k, _ in spans), Region(tuple(at for _, (at, _) in spans), tuple(n for _, (_, n) in spans), ())


def _met(layout: Layout, box: Region, step: int) -> range:
    """The ranges in which elements of a box may lie."""
    if not box.size:
        return range(0)
    low, high = _bounds(layout.digits, box)
    return range(low // step, high // step + 1)


def _bounds(source: Source, box: Region) -> tuple[int, int]:
    """The least and the greatest value that an axis, or a sum of digits, may take in a box."""
    if not isinstance(source, tuple):
        return (1, 1) if source is None else (box.start[source], box.start[source] + box.extents[source] - 1)
    least = greatest = 0
    for digit in source:
        low, high = (value // digit.divisor for value in _bounds(digit.axis, box))
        is_whole = low // digit.radix < high // digit.radix
        ends = (0, digit.radix - 1) if is_whole else (low % digit.radix, high % digit.radix)
        low, high = sorted(end * digit.stride for end in ends)
        least, greatest = least + low, greatest + high
    return least, greatest


def _places(layout: Layout, box: Region, step: int) -> list[Places]:
    """What a box has in common with each range of ``step`` slots."""
    slots = np.concatenate([np.empty(0, np.int64), *regions.slots(layout, box)])
    order = np.argsort(slots, kind="stable")
    slots = slots[order]
    edges = np.searchsorted(slots, np.arange(step, layout.slots, step))
    in_chunk, in_range = order.astype(np.min_scalar_type(box.size)), (slots % step).astype(np.min_scalar_type(step))
    return [Places(*pair) for pair in zip(np.split(in_chunk, edges), np.split(in_range, edges), strict=True)]


def _spread(chunk: Array, layout: Layout, box: Region, step: int) -> list[tuple[Integers, Array]]:
    """For each range, where in it elements of the chunk go, and the elements."""
    flat = chunk.reshape(-1)
    return [(there, flat[here]) for here, there in _places(layout, box, step)]


def _packed(parts: Sequence[tuple[Integers, Array]], slots: int, element: Element | None, dtype: np.dtype[Any], fill: Any) -> Array:
    """A range of the buffer."""
    padding = packing.pack(np.empty(0, dtype), Layout((0,), (), slots=1, element=element), fill=fill)
    held = np.repeat(_elements(padding, 1, element, dtype), slots)
    used = np.zeros(slots, bool)
    for there, elements in parts:
        held[there] = elements
        used[there] = True
    if np.count_nonzero(used) < sum(len(there) for there, _ in parts):
        raise NotInjective("the layout sends several elements to one slot; each needs a slot of its own to be written to")
    return packing.pack(held, _line(slots, element), threads=1)


def _elements(held: Array, slots: int, element: Element | None, dtype: np.dtype[Any]) -> Array:
    """A range of the buffer, one element for each slot."""
    return packing.unpack(held, _line(slots, element), dtype=dtype, threads=1)


def _taken(elements: Array, places: Places) -> tuple[Integers, Array]:
    return places.in_chunk, elements[places.in_range]


def _put(parts: Sequence[tuple[Integers, Array]], extents: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A chunk of the array."""
    flat = np.empty(sum(len(here) for here, _ in parts), dtype)
    for here, elements in parts:
        flat[here] = elements
    return flat.reshape(extents)


def _line(slots: int, element: Element | None) -> Layout:
    """The layout of elements one after the other."""
    return Layout((slots,), ((0, 1, slots, 1),), element=element)
