"""Elements that share bytes.

The kernels move whole bytes, so such elements are moved one to a byte, and put together or taken apart at the buffer: block by block,
where the layout keeps blocks together, so that a block stays in the nearest cache between the two steps.

Of a region, those bytes are read and written that hold some element of it. Where these lie close together, the whole stretch of the
buffer is taken apart, and put together again; where they lie far apart, they are collected first.
"""

from __future__ import annotations

import numpy as np

from . import queries, regions, transfers
from . import threads as pool
from .chains import chains
from .digits import Layout
from .doors import Array
from .joining import joined
from .loops import in_strides
from .planning import ByBlocks, by_blocks
from .radix import reach
from .regions import Region
from .storage import Storage

#: Slots of a block at the most: with as many elements of the array, what stays in the nearest cache.
BLOCK = 1 << 16
#: Bytes of a line of the caches.
LINE = 64
#: Slots of a stretch for each element of a region, above which bytes are collected.
FAR_APART = 16


def scatter(raw: Array, layout: Layout, store: Storage, target: Array, pattern: bytes | None, *, workers: int, is_fresh: bool) -> None:
    """Write every element of an array to its slot, and the pattern (where there is one) to every other.

    An element that does not fit in its bits is refused before anything is written, but where the target is fresh.
    """
    plan = _blocks(layout, "pack", raw, store.bits, is_filled=pattern is not None)
    if plan is None:
        slots = queries.empty((layout.slots,), np.uint8) if pattern else store.slots(target, layout.slots)
        transfers.scatter(raw, layout, slots, pattern, workers)
        packed = queries.empty(target.shape, np.uint8)
        store.pack(slots, packed)
        target[:] = packed
        return
    if not is_fresh:
        store.check(raw)
    copy, size = plan.copy, plan.size

    def work(begin: int, end: int) -> None:
        aside = _at_a_line(size)
        for k in range(begin, end):
            first, here = _part(size, k, layout.slots)
            block = target[first * store.bits // 8 :][: store.buffer_size(here)]
            if not pattern:
                aside[:here] = store.slots(block, here)
            copy.run(raw, aside, pattern, k, k + 1)
            store.pack(aside[:here], block)

    pool.share(work, copy.iterations, raw.nbytes, workers)
    if pattern:
        done = min(plan.covered, layout.slots) * store.bits // 8
        store.pack(np.full((len(target) - done) * 8 // store.bits, pattern[0], np.uint8), target[done:])


def gather(buffer: Array, layout: Layout, store: Storage, target: Array, *, workers: int) -> None:
    """Read every element of an array from its slot."""
    plan = _blocks(layout, "unpack", target, store.bits)
    if plan is None:
        transfers.gather(store.slots(buffer, layout.slots), layout, target, workers)
        return
    copy, size = plan.copy, plan.size

    def work(begin: int, end: int) -> None:
        for k in range(begin, end):
            first, here = _part(size, k, layout.slots)
            copy.run(store.slots(buffer[first * store.bits // 8 :], here), target, None, k, k + 1)

    pool.share(work, copy.iterations, target.nbytes, workers)


def _blocks(layout: Layout, way: str, array: Array, bits: int, *, is_filled: bool = False) -> ByBlocks | None:
    """How to move the elements block by block of the buffer, each of whole bytes; None where one block would be all of it."""

    def make() -> ByBlocks | None:
        spread, shape = in_strides(layout.shape, array.strides), layout.shape
        if way == "pack":
            room = layout.slots if is_filled else 0
            plan = by_blocks(shape, spread, layout.digits, 1, aside="target", room=room, most=BLOCK)
        else:
            plan = by_blocks(shape, layout.digits, spread, 1, aside="source", room=0, most=BLOCK)
        if plan is None or plan.copy.iterations == 1 or plan.size * bits % 8 or plan.covered * bits % 8:
            return None
        return plan

    return transfers.kept(layout, ("narrow", way, array.strides, bits, is_filled), make)


def _at_a_line(size: int) -> Array:
    """So many bytes that begin with a line of the caches, which kernels fill with whole stores."""
    room = np.empty(size + LINE, np.uint8)
    return room[-room.ctypes.data % LINE :][:size]


def _part(size: int, k: int, slots: int) -> tuple[int, int]:
    """The first slot of block number k, and how many there are from there."""
    return k * size, min(size, slots - k * size)


def gather_region(buffer: Array, layout: Layout, store: Storage, box: Region, target: Array, *, workers: int) -> None:
    """Read every element of a region, into an array of its extents."""
    low, high = _stretch(layout, box, 8 // store.bits)
    if high - low <= FAR_APART * box.size:
        raw = store.slots(buffer[low * store.bits // 8 :], high - low)
        transfers.gather_region(raw, layout, box, target.view(raw.dtype), workers=workers, first=low)
        return
    done = 0
    for slots in regions.slots(layout, box):
        places, within = _bytes(slots, store.bits)
        raw = store.slots(buffer[places], len(places) * 8 // store.bits)
        target.flat[done : done + len(slots)] = raw[within].view(target.dtype)
        done += len(slots)


def scatter_region(raw: Array, layout: Layout, store: Storage, box: Region, target: Array, *, workers: int) -> None:
    """Write every element of a region, in an array of its extents, if each fits in its bits."""
    flat = raw.ravel()
    store.pack(flat, np.empty(store.buffer_size(len(flat)), np.uint8))
    low, high = _stretch(layout, box, 8 // store.bits)
    if high - low <= FAR_APART * box.size:
        here = target[low * store.bits // 8 :][: store.buffer_size(high - low)]
        slots = store.slots(here, high - low)
        transfers.scatter_region(raw, layout, box, slots, workers=workers, first=low)
        packed = queries.empty(here.shape, np.uint8)
        store.pack(slots, packed)
        here[:] = packed
        return
    done = 0
    for slots in regions.slots(layout, box):
        places, within = _bytes(slots, store.bits)
        held = store.slots(target[places], len(places) * 8 // store.bits)
        held[within] = flat[done : done + len(slots)]
        packed = np.empty(len(places), np.uint8)
        store.pack(held, packed)
        target[places] = packed
        done += len(slots)


def _stretch(layout: Layout, box: Region, per_byte: int) -> tuple[int, int]:
    """The first slot and the one after the last of the whole bytes between which all of a region lies."""
    walks = chains(layout.canonical, layout.shape)
    if walks is None:
        return 0, layout.slots
    if not box.size:
        return 0, 0
    low, high = layout.slots, 0
    for piece in regions.pieces(box, walks):
        start = layout(*piece.start)
        below, above = reach((digit for digit in joined(layout.canonical, piece.extents) if digit.axis is not None), piece.extents)
        low, high = min(low, start + below), max(high, start + above + 1)
    return low // per_byte * per_byte, min(layout.slots, -(-high // per_byte) * per_byte)


def _bytes(slots: queries.Slots, bits: int) -> tuple[Array, Array]:
    """The bytes that hold these slots, each once, and where each slot is among the slots of those bytes."""
    places, which = np.unique(slots * bits // 8, return_inverse=True)
    per_byte = 8 // bits
    return places, which * per_byte + slots % per_byte
