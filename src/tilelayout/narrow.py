"""Elements that share bytes.

The kernels join them to bytes, and spread bytes to them, as they move (``sharing``). Where the elements of a byte do not move together,
or only a few at a time, they are moved one to a byte, and put together or taken apart in the whole buffer.

Of a region, those bytes are read and written that hold some element of it. Where these lie close together, the whole stretch of the
buffer is taken apart, and put together again; where they lie far apart, they are collected first.
"""

from __future__ import annotations

import numpy as np

from . import memory, planning, regions, transfers
from .bridges import Array
from .chains import chains
from .digits import Layout
from .joining import canonical
from .loops import in_strides
from .planning import Planned
from .queries import Slots
from .radix import reach
from .regions import Region
from .sharing import Sharing
from .storage import Storage

#: Slots of a stretch for each element of a region, above which bytes are collected.
FAR_APART = 16


def scatter(raw: Array, layout: Layout, store: Storage, target: Array, pattern: bytes | None, *, workers: int) -> Planned:
    """Write every element of an array to its slot, and the pattern (where there is one) to every other; say by which plan.

    An element that does not fit in its bits is found as it is moved. Bits behind the last slot become 0 with a pattern, and else stay.
    """
    own = 0xFF >> -layout.slots * store.bits % 8
    behind = target[-1:] & (0 if pattern else 0xFF ^ own)
    planned = _scattered(raw, layout, store, target, pattern, workers=workers)
    if own < 0xFF:
        target[-1:] = target[-1:] & own | behind
    return planned


def _scattered(raw: Array, layout: Layout, store: Storage, target: Array, pattern: bytes | None, *, workers: int) -> Planned:
    planned = _plan(layout, raw, Sharing(store.bits, joins=True, sign=store.is_signed), room=layout.slots if pattern else 0)
    if planned.copy is None:
        slots = memory.empty((layout.slots,), np.uint8) if pattern else store.spread(target, layout.slots)
        transfers.scatter(raw, layout, slots, pattern, workers)
        store.put(slots, target)
        return planned
    bytes_ = pattern and store.bytes_of(pattern)
    if bytes_:
        target[planned.covered * store.bits // 8 :] = bytes_[0]
    filled = bytes_ if planned.covered else None
    if not transfers.run(planned, raw, target[planned.target * store.bits // 8 :], filled, workers):
        store.check(raw)
    return planned


def gather(buffer: Array, layout: Layout, store: Storage, target: Array, *, workers: int) -> Planned:
    """Read every element of an array from its slot; say by which plan."""
    planned = Planned(None) if store.is_loose else _plan(layout, target, Sharing(store.bits, joins=False, sign=store.is_signed))
    if planned.copy is None:
        transfers.gather(store.slots(buffer, layout.slots), layout, target, workers)
    else:
        transfers.run(planned, buffer[planned.source * store.bits // 8 :], target, None, workers)
    return planned


def _plan(layout: Layout, array: Array, sharing: Sharing, room: int = 0) -> Planned:
    """The plan that joins or spreads elements as it moves them; it has no copy where those of a byte do not move together."""

    def make() -> Planned:
        spread = in_strides(layout.shape, array.strides)
        source, target = (spread, layout.digits) if sharing.joins else (layout.digits, spread)
        return planning.plan(layout.shape, source, target, 1, room, sharing=sharing)

    return transfers.kept(layout, (array.strides, room, sharing), make)


def gather_region(buffer: Array, layout: Layout, store: Storage, box: Region, target: Array, *, workers: int) -> None:
    """Read every element of a region, into an array of its extents."""
    low, high = _stretch(layout, box, store.bits)
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
    low, high = _stretch(layout, box, store.bits)
    if high - low <= FAR_APART * box.size:
        here = target[low * store.bits // 8 :][: store.buffer_size(high - low)]
        slots = store.spread(here, high - low)
        transfers.scatter_region(raw, layout, box, slots, workers=workers, first=low)
        store.put(slots, here)
        return
    done = 0
    for slots in regions.slots(layout, box):
        places, within = _bytes(slots, store.bits)
        held = store.spread(target[places], len(places) * 8 // store.bits)
        held[within] = flat[done : done + len(slots)]
        packed = np.empty(len(places), np.uint8)
        store.pack(held, packed)
        target[places] = packed
        done += len(slots)


def _stretch(layout: Layout, box: Region, bits: int) -> tuple[int, int]:
    """The first slot and the one after the last of the whole bytes between which all of a region lies."""
    per_byte, walks = 8 // bits, chains(layout.canonical, layout.shape)
    if walks is None:
        return 0, -(-layout.slots // per_byte) * per_byte
    if not box.size:
        return 0, 0
    low, high = layout.slots, 0
    for piece in regions.pieces(box, walks):
        start = layout(*piece.start)
        below, above = reach((digit for digit in canonical(layout.canonical, piece.extents) if digit.axis is not None), piece.extents)
        low, high = min(low, start + below), max(high, start + above + 1)
    return low // per_byte * per_byte, -(-high // per_byte) * per_byte


def _bytes(slots: Slots, bits: int) -> tuple[Array, Array]:
    """The bytes that hold these slots, each once, and where each slot is among the slots of those bytes."""
    places, which = np.unique(slots * bits // 8, return_inverse=True)
    per_byte = 8 // bits
    return places, which * per_byte + slots % per_byte
