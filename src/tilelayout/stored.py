"""From checked arrays to kernels, whether elements have bytes of their own (``transfers``) or share them (``narrow``)."""

from __future__ import annotations

import numpy as np

from . import memory, narrow, transfers
from .bridges import Array
from .digits import Layout
from .doors import checked_out, checked_target
from .planning import Planned
from .regions import Region
from .storage import Storage


def buffer(out: Array | None, store: Storage, slots: int, source: Array | None, *, zeroed: bool, workers: int) -> Array:
    """Where to write so many slots: new memory, ``zeroed`` or not, or ``out`` if that is fit, and apart from the source if there is one."""
    size = store.buffer_size(slots)
    if out is None:
        return memory.empty((size,), store.buffer_dtype, zeroed=zeroed, threads=workers)
    return checked_target(out, size, store.buffer_dtype, source)


def array(out: Array | None, store: Storage, shape: tuple[int, ...], source: Array, *, workers: int) -> Array:
    """Where to write an array: new memory, or ``out`` likewise."""
    return memory.empty(shape, store.dtype, threads=workers) if out is None else checked_out(out, shape, store.dtype, source)


def scatter(raw: Array, layout: Layout, store: Storage, target: Array, pattern: bytes | None, *, workers: int) -> Planned:
    """Write every element of an array to its slot, and the pattern (where there is one) to every other; say by which plan."""
    if store.bits < 8:
        return narrow.scatter(raw, layout, store, target, pattern, workers=workers)
    return transfers.scatter(raw, layout, target.view(raw.dtype), pattern, workers)


def gather(source: Array, layout: Layout, store: Storage, target: Array, *, workers: int) -> Planned:
    """Read every element of an array from its slot; say by which plan."""
    if store.bits < 8:
        return narrow.gather(source, layout, store, target.view(np.uint8), workers=workers)
    raw = store.slots(source, layout.slots)
    return transfers.gather(raw, layout, target.view(raw.dtype), workers)


def scatter_region(raw: Array, layout: Layout, store: Storage, box: Region, target: Array, *, workers: int) -> None:
    """Write every element of a region, in an array of its extents, to its slot."""
    if store.bits < 8:
        narrow.scatter_region(raw, layout, store, box, target, workers=workers)
    else:
        transfers.scatter_region(raw, layout, box, target.view(raw.dtype), workers=workers)


def gather_region(source: Array, layout: Layout, store: Storage, box: Region, target: Array, *, workers: int) -> None:
    """Read every element of a region, into an array of its extents, from its slot."""
    if store.bits < 8:
        narrow.gather_region(source, layout, store, box, target, workers=workers)
    elif store.is_wide or (layout.element and not source.dtype.isnative):  # converted, but no more than is asked for
        given = source.dtype if source.itemsize == store.buffer_dtype.itemsize else store.buffer_dtype
        held = memory.empty(box.extents, given)
        bits = np.dtype(f"V{held.itemsize}")
        transfers.gather_region(source.view(bits), layout, box, held.view(bits), workers=workers)
        target[...] = store.slots(held.reshape(-1), box.size).view(store.dtype).reshape(box.extents)
    else:
        raw = store.slots(source, layout.slots)
        transfers.gather_region(raw, layout, box, target.view(raw.dtype), workers=workers)
