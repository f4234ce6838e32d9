"""Dask's arrays: what is taken as one, and how one is made of tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..bridges import has
from ..doors import checked_array, checked_buffer
from ..errors import LayoutError, ShapeError, shown
from ..extras import needed

#: A ``dask.array.Array``; its module is an extra, and imported where it is used.
DaskArray: TypeAlias = Any
#: The sizes of the chunks along each axis.
Chunks: TypeAlias = tuple[tuple[int, ...], ...]


def dask_array() -> Any:
    """The module ``dask.array``."""
    return needed("dask", "dask.array", "tilelayout.dask")


def as_dask(array: Any, *, is_sized: bool = True) -> DaskArray:
    """What was given as an array of dask's: its own as it is, and what has a shape, a dtype and items without being read.

    With ``is_sized``, chunks of unknown sizes are refused.
    """
    da = dask_array()
    if isinstance(array, bytes | bytearray | memoryview):
        array = checked_buffer(array)
    if not isinstance(array, da.Array):
        is_array = all(has(array, name) for name in ("shape", "dtype", "__getitem__"))
        array = array if is_array else checked_array(array)
        try:
            array = da.from_array(array, chunks=-1 if 0 in array.shape else "auto")
        except Exception as error:  # whatever dask, or a stranger's array, raises
            raise LayoutError(f"{shown(array)} makes no dask array: {error}") from None
    plain = checked_array(array._meta).dtype
    if is_sized and any(np.isnan(n) for n in array.shape):
        raise ShapeError(f"a dask array of shape {array.shape} has chunks of unknown sizes; find them first, with .compute_chunk_sizes()")
    return array if plain == array.dtype else array.map_blocks(checked_array, dtype=plain, meta=np.empty((0,) * array.ndim, plain))


def checked_chunks(
    chunks: Any, shape: Sequence[int], dtype: np.dtype[Any], limit: int | None = None, before: Chunks | None = None
) -> Chunks:
    """Chunks in whatever form dask takes them, as the sizes along each axis."""
    core = dask_array().core
    try:
        found: Chunks = core.normalize_chunks(chunks, shape, limit, dtype, before)
    except (ValueError, TypeError, ArithmeticError, NotImplementedError) as error:
        if isinstance(error, ZeroDivisionError) and 0 in shape:  # dask's, where it is to choose chunks of no elements
            return tuple((n,) for n in shape)
        raise LayoutError(f"chunks={shown(chunks)} do not cut an array of shape {tuple(shape)}: {error}") from None
    if any(n < 0 for sizes in found for n in sizes) or any(sum(sizes) != n for sizes, n in zip(found, shape, strict=True)):
        raise LayoutError(f"chunks={shown(chunks)} do not cut an array of shape {tuple(shape)}: they would be {shown(found)}")
    return found


def made(name: str, tasks: Mapping[Any, Any], source: DaskArray, chunks: Chunks, dtype: np.dtype[Any]) -> DaskArray:
    """The array whose chunks are made by the tasks ``(name, ...)``, which read chunks of the source: one layer of its graph."""
    graph = needed("dask", "dask.highlevelgraph", "tilelayout.dask").HighLevelGraph.from_collections(name, tasks, dependencies=[source])
    return dask_array().Array(graph, name, chunks, meta=np.empty((0,) * len(chunks), dtype))


def token(*parts: Any) -> str:
    """A name that is the same for the same parts."""
    found: str = needed("dask", "dask.base", "tilelayout.dask").tokenize(*parts)
    return found
