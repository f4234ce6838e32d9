"""Where the bytes of an array or a buffer are: in a file, or in memory that may itself be a mapped file."""

from __future__ import annotations

import mmap
import os
import sys
from io import BufferedIOBase
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import LayoutError
from .errors import FileError, telling
from .mapped import owners
from .source import changed

Bytes = npt.NDArray[np.uint8]

#: Bytes of a mapped file that are used before their pages are given back.
MOST_TOUCHED = 4 << 20
#: Bytes that a system maps around those that are used.
AROUND = 1 << 16


class Store(Protocol):
    """A number of bytes that are read and written in stretches."""

    name: str
    size: int

    def read(self, at: int, out: Bytes) -> None:
        """Fill ``out`` with the bytes from there on."""

    def write(self, at: int, data: Bytes) -> None:
        """Write these bytes from there on."""


class FileStore:
    """A part of an open file: ``size`` bytes, ``begin`` bytes from its start."""

    def __init__(self, file: BufferedIOBase, path: Path, begin: int, size: int) -> None:
        self.file, self.path, self.begin, self.size = file, path, begin, size
        self.name = repr(os.fspath(path))

    def read(self, at: int, out: Bytes) -> None:
        """Fill ``out``; a file that ends before was changed, and is refused."""
        with telling("read", self.path):
            self.file.seek(self.begin + at)
            done = self.file.readinto(out.data)
        if done != out.size:
            raise changed(self.path, f"ended after {at + done} of {self.size} bytes")

    def write(self, at: int, data: Bytes) -> None:
        """Write these bytes from there on."""
        with telling("write", self.path):
            self.file.seek(self.begin + at)
            self.file.write(data.data)
            self.file.flush()  # what the system refuses is refused here, and not by whatever is done next


class MemoryStore:
    """An array without gaps; of a mapped file, pages that were used are given back, for their contents stay with the file.

    A mapped file that was cut short is refused: who touches what is gone is killed by the system (``SIGBUS``). That is looked at before
    each part of ``MOST_TOUCHED`` bytes, so a file that is cut in the moment when a part is copied still kills; files by name never do.
    (A copy that the system makes, with Linux's ``process_vm_readv``, would be cut short instead, and takes 2 to 3 times as long.)
    """

    def __init__(self, array: npt.NDArray[Any], name: str) -> None:
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            raise LayoutError(
                f"{name}, of shape {array.shape} and strides {array.strides}, has gaps between its elements; "
                f"it takes a path, or an array without gaps"
            )
        self.name, self.size = name, array.nbytes
        self._bytes = array.ravel(order="K").view(np.uint8)
        self._pages = _Pages(array)
        self._check = _Extent(array, name).check

    def read(self, at: int, out: Bytes) -> None:
        """Fill ``out`` with the bytes from there on."""
        for begin in range(0, out.size, MOST_TOUCHED):
            part = out[begin : begin + MOST_TOUCHED]
            self._check()
            part[:] = self._bytes[at + begin : at + begin + part.size]
            self._pages.touch(self._bytes[at + begin :], part.size)

    def write(self, at: int, data: Bytes) -> None:
        """Write these bytes from there on."""
        for begin in range(0, data.size, MOST_TOUCHED):
            part = data[begin : begin + MOST_TOUCHED]
            self._check()
            self._bytes[at + begin : at + begin + part.size] = part
            self._pages.touch(self._bytes[at + begin :], part.size)


class _Pages:
    """The pages of a mapped file that were used since pages were last given back."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._map = _shared_map(array) if hasattr(mmap, "MADV_DONTNEED") else None
        self._start = 0 if self._map is None else np.frombuffer(self._map, np.uint8).ctypes.data
        self._size, self._first, self._last = 0, sys.maxsize, 0

    def touch(self, data: Bytes, size: int) -> None:
        """Take note of so many bytes, and give pages back once there are many."""
        if self._map is None:
            return
        begin = data.ctypes.data - self._start
        self._first, self._last = min(self._first, begin), max(self._last, begin + size)
        self._size += size + AROUND
        if self._size > MOST_TOUCHED:
            first = self._first // mmap.PAGESIZE * mmap.PAGESIZE
            self._map.madvise(mmap.MADV_DONTNEED, first, self._last - first)
            self._size, self._first, self._last = 0, sys.maxsize, 0


class _Extent:
    """How far a mapped file has to reach for an array of it to be there."""

    def __init__(self, array: npt.NDArray[Any], name: str) -> None:
        self._name, self._map, self._end = name, None, 0
        owner = [*owners(array)][-1]
        if isinstance(owner, np.memmap) and isinstance(owner.base, mmap.mmap):
            self._map, self._end = owner.base, owner.offset + owner.nbytes

    def check(self) -> None:
        """Refuse a file that no longer reaches so far."""
        if self._map is not None and (now := self._map.size()) < self._end:
            raise FileError(f"{self._name} is mapped from a file that has {now} bytes now, where {self._end} are mapped; map it again")


def _shared_map(array: npt.NDArray[Any]) -> mmap.mmap | None:
    """The mapping that an array lies in, if all that is written to it is the file's."""
    every = [*owners(array)]
    base = every[-1].base
    is_shared = all(owner.mode in ("r", "r+", "w+") for owner in every if isinstance(owner, np.memmap))
    return base if isinstance(base, mmap.mmap) and isinstance(every[-1], np.memmap) and is_shared else None
