"""Arrays on their way from one store to another, a bounded piece at a time.

A piece is a box of the array. While one is laid out anew, the next is read and the one before is written. Where no box has stretches
of its own, elements are looked up (``scattered``).
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
from .windows import Nested, Window, largest_box, nested, whole

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
    """Both layouts in boxes of the same extents; where they do not nest there is one, the whole array."""

    extents: tuple[int, ...]
    source: Nested | None
    target: Nested | None

    @property
    def is_covered(self) -> bool:
        """Whether the boxes fill the whole target."""
        return self.target is None or self.target.is_covered(self.extents)


def move(source: Side, target: Side, terms: Terms) -> None:
    """Move every element, and fill what is padding."""
    cut = _cut(source, target, terms.memory)
    if target.layout.slots > target.layout.size and not terms.leaves_padding and not (cut and cut.is_covered):
        _prefill(source, target, terms)
    if not source.layout.size:
        return
    if cut is None:
        scattered.move(source, target, terms)
    else:
        _by_boxes(source, target, cut, terms)


def _cut(source: Side, target: Side, memory: int) -> _Cut | None:
    """How to cut the array into boxes; None where that cannot be within so much memory."""
    before, after = nested(source.layout, source.bits), nested(target.layout, target.bits)
    if not source.layout.size:
        return None
    if before is None or after is None:
        is_affordable = source.cost(source.layout.slots) + target.cost(target.layout.slots) <= memory
        return _Cut(source.layout.shape, None, None) if is_affordable else None

    def fits(extents: tuple[int, ...]) -> bool:
        return (
            source.cost(before.window(extents, extents).layout.slots) + target.cost(after.window(extents, extents).layout.slots) <= memory
        )

    extents = largest_box((before, after), fits)
    return None if extents is None else _Cut(extents, before, after)


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
            windows[extents] = _window(source, cut.source, extents, cut.extents), _window(target, cut.target, extents, cut.extents)
        before, after = windows[extents]
        is_whole = extents == shape
        size = before.layout.size
        yield _Piece(size, before, 0 if is_whole else source(*start), after, 0 if is_whole else target(*start))


def _window(layout: Layout, found: Nested | None, extents: tuple[int, ...], units: tuple[int, ...]) -> Window:
    return whole(layout) if found is None else found.window(extents, units)


def _room(side: Side, found: Nested | None, units: tuple[int, ...]) -> Bytes:
    """Memory for the largest piece."""
    return memory.empty((side.bytes_of(_window(side.layout, found, units, units).layout.slots),), np.uint8)


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
