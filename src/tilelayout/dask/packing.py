"""``pack`` and ``unpack`` over dask's arrays: one layer of tasks, each between a chunk of the array and its range of the buffer.

An array in other chunks is cut anew first, as dask does. A layout without such ranges has its elements looked up (``shuffling``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import packing, queries
from ..bridges import Array
from ..digits import Layout
from ..doors import check_injective
from ..memory import check_axes
from ..notations import LayoutLike
from ..notations import layout as as_layout
from ..storage import for_array, for_buffer, in_bytes
from . import shuffling
from .arrays import DaskArray, as_dask, checked_chunks, made, token
from .ranges import cut
from .suggesting import aligned, checked_limit, unaligned


def pack(array: Any, layout: LayoutLike, *, fill: Any = 0) -> DaskArray:
    """Lay an array out in the one-dimensional buffer that the layout describes, lazily; ``tilelayout.pack`` over ``dask.array``.

    >>> import dask.array as da
    >>> x = da.arange(15, dtype="float32").reshape(3, 5)
    >>> pack(x, "f32[3,5]{1,0:T(2,2)}", fill=-1)[4:8].compute()
    array([2., 3., 7., 8.], dtype=float32)

    Chunks that fill ranges of the buffer by themselves, such as those that ``suggest_chunks`` names, are packed as they are: chunk for
    chunk, in one layer of the graph. Others are cut anew to such chunks first, with ``Array.rechunk``.

    Parameters
    ----------
    array
        A dask array, or what ``dask.array.from_array`` takes: a numpy, zarr or HDF5 array.
    layout, fill
        As ``tilelayout.pack`` takes them.

    The result has as many chunks as the array is cut into, of whatever sizes their ranges have. Raises what ``tilelayout.pack`` raises,
    and at once; only whether two elements meet in one slot is seen while packing, where it takes comparing more than a million of them.
    """
    given = as_dask(array)
    bound = as_layout(layout, given.shape)
    if bound.ready.is_reversible or bound.size <= queries.PIECE:
        check_injective(bound)
    packed = packing.pack(np.empty(0, given.dtype), Layout((0,), (), element=bound.element), fill=fill)  # refuses what shows without values
    store, limit = for_array(given.dtype, bound.element), checked_limit()
    name = "tilelayout-pack-" + token(given.name, bound, fill, limit)
    if found := cut(bound, given.chunks, store.bits) or aligned(bound, store.bits, given.itemsize, limit):
        source = given.rechunk(found.chunks)
        slots = [inner.slots for _, inner in found.ranges]
        tasks = {(name, k): (_pack, (source.name, *chunk), inner, fill) for k, (chunk, inner) in enumerate(found.ranges)}
    else:
        source = given.rechunk(unaligned(bound.shape, given.itemsize, limit, given.chunks))
        slots = _equal(bound.slots, store.bits, limit)
        tasks = shuffling.pack_tasks(source, bound, name, slots, fill=fill)
    return made(name, tasks, source, (tuple(map(store.buffer_size, slots)),), packed.dtype)


def unpack(
    buffer: Any,
    layout: LayoutLike,
    *,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    chunks: Any = None,
) -> DaskArray:
    """Read the array back from a buffer, lazily; ``tilelayout.unpack`` over ``dask.array``.

    >>> import dask.array as da
    >>> x = da.arange(15, dtype="float32").reshape(3, 5)
    >>> unpack(pack(x, "{1,0:T(2,2)}"), "{1,0:T(2,2)}", shape=(3, 5), chunks=(2, 5))
    dask.array<tilelayout-unpack, shape=(3, 5), dtype=float32, chunksize=(2, 5), chunktype=numpy.ndarray>

    Parameters
    ----------
    buffer
        A dask array, or what ``dask.array.from_array`` takes; one of several dimensions is read in row-major order.
    layout, shape, dtype
        As ``tilelayout.unpack`` takes them.
    chunks
        Those of the result, in any form that dask takes; by default those of ``suggest_chunks``.

    Raises what ``tilelayout.unpack`` raises, and at once, and ``LayoutError`` for chunks that do not cut the array.
    """
    bound = as_layout(layout, shape)
    check_axes(bound.shape)
    given: DaskArray = in_bytes(as_dask(buffer).reshape(-1), bound.element)
    store, limit = for_buffer(given.dtype, bound.element, dtype), checked_limit()
    store.check_buffer(given, bound.slots)
    wanted = None if chunks is None else checked_chunks(chunks, bound.shape, store.dtype)
    name = "tilelayout-unpack-" + token(given.name, bound, dtype, wanted, limit)
    found = (wanted and cut(bound, wanted, store.bits)) or aligned(bound, store.bits, store.dtype.itemsize, limit)
    slots = [inner.slots for _, inner in found.ranges] if found else _equal(bound.slots, store.bits, limit)
    source = given.rechunk((tuple(-(-n * store.bits // (8 * given.itemsize)) for n in slots),))
    if found:
        cuts = found.chunks
        tasks = {(name, *chunk): (_unpack, (source.name, k), inner, store.dtype) for k, (chunk, inner) in enumerate(found.ranges)}
    else:
        cuts = wanted or unaligned(bound.shape, store.dtype.itemsize, limit)
        tasks = shuffling.unpack_tasks(source, bound, name, slots, chunks=cuts, dtype=store.dtype)
    result = made(name, tasks, source, cuts, store.dtype)
    return result if wanted is None else result.rechunk(wanted)


def _equal(slots: int, bits: int, limit: int) -> list[int]:
    """Ranges of as many slots, whole bytes, as the limit allows."""
    step = max(8, limit // bits * 8)
    return [min(step, slots - begin) for begin in range(0, slots, step)]


def _pack(chunk: Array, inner: Layout, fill: Any) -> Array:
    return packing.pack(chunk, inner, fill=fill, threads=1)


def _unpack(held: Array, inner: Layout, dtype: np.dtype[Any]) -> Array:
    return packing.unpack(held, inner, dtype=dtype, threads=1)
