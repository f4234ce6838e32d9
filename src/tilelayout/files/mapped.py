"""Which bytes of which files an array is mapped from: what is written there is a file's, however the array came about."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

#: Where Linux lists the memory of a process; elsewhere only arrays are known whose memory is in the end a ``numpy.memmap``'s.
MAPS = Path("/proc/self/maps")


class Stretch(NamedTuple):
    """Bytes of a file, which device and inode tell from others."""

    file: tuple[int, int]
    begin: int
    end: int

    def meets(self, other: Stretch) -> bool:
        """Whether both have a byte in common."""
        return self.file == other.file and self.begin < other.end and other.begin < self.end


def stretches(place: str | os.PathLike[str] | npt.NDArray[Any]) -> list[Stretch]:
    """What of files a place is: all of the one that it names, or what an array without gaps is mapped from."""
    try:
        if not isinstance(place, np.ndarray):
            return [Stretch(_identity(place), 0, sys.maxsize)]
        if not place.nbytes or [*owners(place)][-1].flags.owndata:
            return []
        return [*(_listed(place.ctypes.data, place.ctypes.data + place.nbytes) if MAPS.exists() else _of_memmap(place))]
    except OSError:
        return []


def owners(array: Any) -> Iterator[npt.NDArray[Any]]:
    """The array, that of which it is a view, and so on, as far as they are arrays or views of an array's memory."""
    while isinstance(array, np.ndarray):
        yield array
        array = array.base
        while isinstance(array, memoryview):
            array = array.obj


def _listed(begin: int, end: int) -> Iterator[Stretch]:
    for line in MAPS.read_bytes().split(b"\n")[:-1]:
        span, _, offset, device, inode, *name = line.split(maxsplit=5)
        first, last = (int(edge, 16) for edge in span.split(b"-"))
        if int(inode) and first < end and begin < last:
            try:
                file = _identity(os.fsdecode(b"".join(name)))  # the device that is listed may be one below the file's own, as on btrfs
            except OSError:
                file = os.makedev(*(int(number, 16) for number in device.split(b":"))), int(inode)
            shift = int(offset, 16) - first
            yield Stretch(file, max(begin, first) + shift, min(end, last) + shift)


def _of_memmap(array: npt.NDArray[Any]) -> Iterator[Stretch]:
    owner = [*owners(array)][-1]
    if isinstance(owner, np.memmap) and owner.filename is not None:
        begin = owner.offset + array.ctypes.data - owner.ctypes.data
        yield Stretch(_identity(owner.filename), begin, begin + array.nbytes)


def _identity(name: str | os.PathLike[str]) -> tuple[int, int]:
    status = Path(name).stat()
    return status.st_dev, status.st_ino
