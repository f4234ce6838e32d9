"""What is read and written piece by piece: files by name, and arrays, those of mapped files among them."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import memory, moves
from ..digits import Layout
from ..doors import checked_array, refuse_mask, unvoided
from ..errors import LayoutError, ShapeError, shown, type_of
from ..sizes import MOST_SLOTS
from ..storage import for_array, for_buffer
from . import npy
from .atomic import replacing
from .buffers import is_npy, is_npy_to_write
from .errors import checked_path
from .mapped import stretches
from .source import opened, unchanged
from .stores import FileStore, MemoryStore, Store

#: A file by its name, or an array without gaps.
Place: TypeAlias = str | os.PathLike[str] | npt.NDArray[Any]


class Given(NamedTuple):
    """What a source holds: the shape is None for raw bytes, which say nothing of it; ``check`` refuses a file that has changed."""

    store: Store
    dtype: np.dtype[Any]
    shape: tuple[int, ...] | None
    is_column_major: bool = False
    check: Callable[[], None] = lambda: None

    @property
    def layout(self) -> Layout:
        """The array as its bytes have it."""
        return ordered(self.shape or (), is_column_major=self.is_column_major)

    def taken_as(self, described: npt.DTypeLike, shape: tuple[int, ...]) -> Given:
        """Raw bytes as the array of that dtype and shape, row-major."""
        dtype = for_buffer(self.dtype, None, described).dtype
        if self.store.size != prod(shape) * dtype.itemsize:
            raise ShapeError(
                f"{self.store.name} holds {self.store.size} bytes, where shape {shape} of {dtype} takes {prod(shape) * dtype.itemsize}"
            )
        return self._replace(dtype=dtype, shape=shape)


def ordered(shape: tuple[int, ...], *, is_column_major: bool = False) -> Layout:
    """The row-major layout of a shape, or the column-major one."""
    dims = moves.axes(shape)
    return moves.compact(shape, dims[::-1] if is_column_major else dims)


@contextmanager
def reading(source: Place, *, by_content: bool = False) -> Iterator[Given]:
    """A source, open; with ``by_content`` what begins as a ``.npy`` file does is one whatever its name, such as standard input.

    An archive of such files is read as one, and refused for what it is.
    """
    if isinstance(source, np.ndarray):
        array = checked_array(source, "the source")
        for_array(array.dtype, None)
        yield Given(MemoryStore(array, "the source"), array.dtype, array.shape, not array.flags.c_contiguous)
        return
    path = _path(source, "source")
    with opened(path) as (file, size):
        check = unchanged(file, path)
        if is_npy(path) or path.suffix.lower() == ".npz" or (by_content and npy.begins(file)):
            header = npy.read_header(file, size, path)
            dtype = unvoided(header.dtype)
            begin = file.tell()
            yield Given(FileStore(file, path, begin, size - begin), dtype, header.shape, header.fortran_order, check)
        else:
            yield Given(FileStore(file, path, 0, size), np.dtype(np.uint8), None, check=check)


@contextmanager
def writing(target: Place, dtype: np.dtype[Any], shape: tuple[int, ...], source: Place) -> Iterator[tuple[Store, np.dtype[Any]]]:
    """A target for a row-major array of that dtype and shape, and the dtype that it is written as; a file is there when it is whole."""
    if isinstance(target, np.ndarray):
        yield MemoryStore(np.asarray(_checked_target(target, dtype, shape, source)), "the target"), dtype
        return
    path = _path(target, "target")
    header = npy.header_of(dtype, shape) if is_npy_to_write(path) else None
    nbytes = prod(shape) * dtype.itemsize
    with replacing(path) as file:
        if header is not None:
            npy.write_header(file, header)
        with body(file, path, nbytes) as part:
            yield part(0, nbytes), dtype if header is None else header.dtype


@contextmanager
def body(file: io.BufferedIOBase, path: Path, nbytes: int) -> Iterator[Callable[[int, int], Store]]:
    """The next so many bytes of a file that is written; called with a place among them and a size, it gives that part."""
    if nbytes > MOST_SLOTS:
        raise ShapeError(f"{os.fspath(path)!r} would hold {nbytes} bytes, more than a signed 64-bit integer holds ({MOST_SLOTS})")
    if file.seekable() and stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        begin = file.tell()
        file.truncate(begin + nbytes)
        yield lambda first, size: FileStore(file, path, begin + first, size)
    else:  # a pipe or device takes bytes in their order only
        held = memory.empty((nbytes,), np.uint8, zeroed=True)
        yield lambda first, size: MemoryStore(held[first : first + size], "the target")
        file.write(held.data)


def _checked_target(target: npt.NDArray[Any], dtype: np.dtype[Any], shape: tuple[int, ...], source: Place) -> npt.NDArray[Any]:
    refuse_mask(target, "the target")
    if target.shape != shape or target.dtype not in (dtype, npy.storable_dtype(dtype)):
        raise ShapeError(f"the target has shape {target.shape} and dtype {target.dtype}; it takes shape {shape} and dtype {dtype}")
    if not target.flags.writeable:
        raise LayoutError("the target is read-only; it takes an array that may be written, such as a memmap of mode 'r+'")
    if not target.flags.c_contiguous:
        raise LayoutError(f"the target has strides {target.strides}; it takes an array in row-major order without gaps")
    is_same = isinstance(source, np.ndarray) and np.may_share_memory(source, target)
    if is_same or any(written.meets(read) for written in stretches(target) for read in stretches(source)):
        raise LayoutError("the target shares memory with the source, which would be overwritten while it is read; give another")
    return target


def _path(place: Any, what: str) -> Path:
    if not isinstance(place, str | os.PathLike) or isinstance(os.fspath(place), bytes):
        raise LayoutError(f"{what} {shown(place)} is {type_of(place)}; it takes a path or an array")
    return checked_path(place)
