"""``index`` and ``coordinates`` over dask's arrays: a query for each chunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..digits import Layout
from ..errors import ShapeError
from ..notations import LayoutLike
from ..notations import layout as as_layout
from ..queries import check_coordinates
from .arrays import DaskArray, as_dask

Integers = npt.NDArray[np.int64]


def index(coordinates: Any, layout: LayoutLike, *, shape: Sequence[int] | None = None) -> DaskArray:
    """The slots of many elements, lazily: coordinates of shape ``(..., ndim)`` give slots of shape ``(...)``, in the same chunks.

    >>> import dask.array as da
    >>> index(da.from_array([[2, 3], [0, 4]], chunks=(1, 2)), "f32[3,5]{1,0:T(2,2)}").compute()
    array([17,  8])

    ``layout`` and ``shape`` are as ``tilelayout.layout`` takes them; chunks may be of unknown sizes. A coordinate outside the shape raises
    ``CoordinateError`` when it is computed.
    """
    bound = as_layout(layout, shape)
    given = as_dask(coordinates, is_sized=False)
    if given.ndim and np.isnan(given.shape[-1]):
        raise ShapeError(
            f"the last axis of {given.shape} holds the coordinates of an element; find its size first, with .compute_chunk_sizes()"
        )
    check_coordinates(given.shape, bound)
    bound.index(np.zeros((0, bound.ndim), given.dtype))  # refuses what shows without values
    last = given.ndim - 1
    return given.rechunk({last: -1}).map_blocks(_index, bound, drop_axis=last, dtype=np.int64, meta=np.empty((0,) * last, np.int64))


def coordinates(
    slots: Any, layout: LayoutLike, *, shape: Sequence[int] | None = None, padding: Literal["error", "mark"] = "error"
) -> DaskArray:
    """The inverse of ``index``, lazily: slots of shape ``(...)`` give coordinates of shape ``(..., ndim)``, in the same chunks.

    >>> import dask.array as da
    >>> coordinates(da.from_array([17, 8]), "f32[3,5]{1,0:T(2,2)}").compute()
    array([[2, 3],
           [0, 4]])

    ``padding`` is that of ``Layout.coordinates``. A slot that holds no element raises ``CoordinateError`` when it is computed.
    """
    bound = as_layout(layout, shape)
    given = as_dask(slots, is_sized=False)
    empty = bound.coordinates(np.empty((0,) * max(1, given.ndim), given.dtype), padding=padding)  # refuses what shows without values
    return given.map_blocks(
        _coordinates,
        bound,
        padding,
        new_axis=given.ndim,
        chunks=(*given.chunks, (bound.ndim,)),
        dtype=np.int64,
        meta=empty.reshape((0,) * (given.ndim + 1)),
    )


def _index(queries: Integers, layout: Layout) -> Integers:
    return layout.index(queries, threads=1)


def _coordinates(slots: Integers, layout: Layout, padding: Literal["error", "mark"]) -> Integers:
    return layout.coordinates(slots, padding=padding, threads=1)
