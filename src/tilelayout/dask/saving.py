"""Buffers in files: each chunk written to its place when it is done, by whichever process has it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from typing import Any

import numpy as np

from ..bridges import Array
from ..errors import LayoutError, ShapeError
from ..files.errors import Told
from ..files.opening import writing
from ..files.stores import FileStore
from .arrays import as_dask, dask_array


def save(buffer: Any, path: str | os.PathLike[str]) -> None:
    """Compute a buffer, and write it to a file chunk by chunk, in parallel: a ``.npy`` file, or under any other name the bytes alone.

    >>> import pathlib, tempfile, dask.array as da, numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "packed.npy"
    >>> save(da.arange(6, chunks=2), path)
    >>> np.load(path, mmap_mode="r")[3:]
    memmap([3, 4, 5])

    The file is there when it is whole. Where workers are on other machines, they see it under the same name. (``dask.array.store`` into a
    ``numpy.memmap`` is lost when a worker is another process, for what it gets is a copy.) Raises ``FileError`` for a file that cannot be
    written.
    """
    given = as_dask(buffer)
    if given.ndim != 1:
        raise ShapeError(f"an array of shape {given.shape} where a buffer of one dimension is saved; for others, see dask.array.to_zarr")
    with writing(path, given.dtype, given.shape, np.empty(0)) as (store, _):
        if not isinstance(store, FileStore):
            raise LayoutError("the target is no regular file, which all workers can write to at once; give the path of one")
        file: Any = store.file
        dask_array().store(given, _Target(store.path, str(file.name), store.begin, given.size, given.dtype), lock=False)


@dataclass(frozen=True)
class _Target:
    """Where in a file a buffer lies, and the file that takes the place of ``path`` in the end; items are written to it."""

    path: Path
    written: str
    begin: int
    size: int
    dtype: np.dtype[Any]

    def __setitem__(self, index: tuple[slice], chunk: Array) -> None:
        first, stop = index[0].start, index[0].stop
        if chunk.shape != (stop - first,) or chunk.dtype.newbyteorder("=") != self.dtype.newbyteorder("="):
            raise LayoutError(
                f"the chunk of elements {first} to {stop - 1} came out with shape {chunk.shape} and dtype {chunk.dtype}, where its array "
                f"was said to have dtype {self.dtype}; correct what it was made with, such as the dtype= of map_blocks"
            )
        held, width = np.ascontiguousarray(chunk, self.dtype), self.dtype.itemsize
        with BufferedRandom(Told(self.written, "r+b", self.path)) as file:
            FileStore(file, self.path, self.begin, self.size * width).write(first * width, held.view(np.uint8))
