"""Arrays on their way from one store to another, a bounded piece at a time.

A piece is a box of the array. While one is laid out anew, the next is read and the one before is written; for an array that is one piece
no thread is started. Where no box has stretches of its own, elements are looked up (``scattered``).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np

from .. import memory
from ..bridges import Array
from ..digits import Layout
from . import scattered
from .behind import hand_over
from .sides import Side, Terms
from .stores import Bytes
from .windows import ENOUGH, Nested, Window, largest_box, nested, whole

#: Bytes of padding that are written at a time.
MOST_FILLED = 1 << 24


class _Piece(NamedTuple):
    """So many elements of a box, and where its stretches begin on either side."""

    size: int
    source: Window
    source_first: int
    target: Window
    target_first: int


class _Cut(NamedTuple):
    """Both layouts in boxes of the same extents."""

    extents: tuple[int, ...]
    source: Nested
    target: Nested


def move(source: Side, target: Side, terms: Terms) -> None:
    """Move every element, and fill what is padding."""
    cost = source.cost(source.layout.slots) + target.cost(target.layout.slots)
    is_affordable = source.layout.size > 0 and cost <= terms.memory
    is_small = is_affordable and max(source.nbytes, target.nbytes) <= ENOUGH
    cut = None if is_small else _cut(source, target, terms.memory)
    if cut is None and is_affordable:
        _at_once(source, target, terms)
        return
    is_covered = cut is not None and cut.target.is_covered(cut.extents)
    if target.layout.slots > target.layout.size and not terms.leaves_padding and not is_covered:
        _prefill(source, target, terms)
    if not source.layout.size:
        return
    if cut is None:
        scattered.move(source, target, terms)
    else:
        _by_boxes(source, target, cut, terms)


def _cut(source: Side, target: Side, memory: int) -> _Cut | None:
    """How to cut the array into boxes; None where it is one itself, or none has stretches of its own within so much memory."""
    before, after = nested(source.layout, source.bits), nested(target.layout, target.bits)
    if before is None or after is None or not source.layout.size:
        return None

    def fits(extents: tuple[int, ...]) -> bool:
        return (
            source.cost(before.window(extents, extents).layout.slots) + target.cost(after.window(extents, extents).layout.slots) <= memory
        )

    extents = largest_box((before, after), fits)
    return None if extents is None or extents == source.layout.shape else _Cut(extents, before, after)


def _at_once(source: Side, target: Side, terms: Terms) -> None:
    """Move the whole array as one piece."""
    before, after = whole(source.layout), whole(target.layout)
    held = source.read(before, 0, memory.empty((source.nbytes,), np.uint8))
    out = memory.empty((target.nbytes,), np.uint8)
    if terms.fill is None:
        target.read(after, 0, out)
    terms.lay_out(held, source.layout, target.layout, out.view(target.dtype))
    target.write(after, 0, out)
    terms.tell(source.layout.size, source)


def _by_boxes(source: Side, target: Side, cut: _Cut, terms: Terms) -> None:
    """Move box by box: one is read ahead, and one is written behind."""
    outs = [_room(target, cut.target, cut.extents) for _ in range(2)]
    done = 0
    with ThreadPoolExecutor(2, thread_name_prefix="tilelayout-files") as pool:
        behind: Future[None] | None = None
        for k, (piece, held) in enumerate(_read_ahead(pool, source, target, cut)):
            out = outs[k % 2][: target.bytes_of(piece.target.layout.slots)].view(target.dtype)
            if terms.fill is None:
                _finish(behind)
                target.read(piece.target, piece.target_first, out.view(np.uint8))
            terms.lay_out(held, piece.source.layout, piece.target.layout, out)
            _finish(behind)
            behind = hand_over(pool, target.write, piece.target, piece.target_first, out)
            done += piece.size
            terms.tell(done, source)
        _finish(behind)


def _read_ahead(pool: Executor, source: Side, target: Side, cut: _Cut) -> Iterator[tuple[_Piece, Array]]:
    """The pieces with their slots; while one is in use, the next is read."""
    rooms = [_room(source, cut.source, cut.extents) for _ in range(2)]
    before: tuple[_Piece, Future[Array]] | None = None
    for k, piece in enumerate(_pieces(source.layout, target.layout, cut)):
        held = before and before[1].result()
        reading = hand_over(pool, source.read, piece.source, piece.source_first, rooms[k % 2])
        if before and held is not None:
            yield before[0], held
        before = piece, reading
    if before:
        yield before[0], before[1].result()


def _pieces(source: Layout, target: Layout, cut: _Cut) -> Iterator[_Piece]:
    shape, windows = source.shape, {}
    for start in product(*(range(0, size, n) for size, n in zip(shape, cut.extents, strict=True))):
        extents = tuple(min(n, size - at) for n, size, at in zip(cut.extents, shape, start, strict=True))
        if extents not in windows:
            windows[extents] = cut.source.window(extents, cut.extents), cut.target.window(extents, cut.extents)
        before, after = windows[extents]
        yield _Piece(before.layout.size, before, source(*start), after, target(*start))


def _room(side: Side, found: Nested, units: tuple[int, ...]) -> Bytes:
    """Memory for the largest piece."""
    return memory.empty((side.bytes_of(found.window(units, units).layout.slots),), np.uint8)


def _finish(writing: Future[None] | None) -> None:
    if writing is not None:
        writing.result()


def _prefill(source: Side, target: Side, terms: Terms) -> None:
    """Write what padding holds to every slot."""
    slots = target.layout.slots
    most = min(slots, max(8, min(MOST_FILLED, terms.memory) * 8 // target.bits // 8 * 8))
    nothing = Layout((0,), (), element=source.layout.element)
    filled = terms.lay_out(np.empty(0, source.dtype), nothing, Layout((0,), (), slots=most, element=target.layout.element))
    for first in range(0, slots, most):
        here = min(most, slots - first)
        target.put(first * target.bits // 8, filled.view(np.uint8)[: target.bytes_of(here)])
