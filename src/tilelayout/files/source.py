"""Files to read from, with the number of bytes that they really have."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..memory import empty
from .atomic import descriptor
from .errors import FileError, Told, telling


@contextmanager
def opened(path: Path) -> Iterator[tuple[io.BufferedIOBase, int]]:
    """The file, open at its beginning, and its size; a pipe is read to its end first, and so is a file that others have begun to read.

    That is an open file that is named by its descriptor, such as ``/dev/stdin``: what is read of it begins where it is at.
    """
    with io.BufferedReader(Told(os.fspath(path), "rb", path)) as file:
        with telling("read", path):
            status = os.fstat(file.fileno())
            is_regular, begin = stat.S_ISREG(status.st_mode), 0
            if is_regular and (number := descriptor(path)) is not None:
                begin = file.seek(os.lseek(number, 0, os.SEEK_CUR))
        if is_regular and not begin:
            yield file, status.st_size
        elif is_regular or stat.S_ISFIFO(status.st_mode):
            content = file.read()
            yield io.BytesIO(content), len(content)
        else:
            raise FileError(f"{os.fspath(path)!r} is a device or socket; arrays are read from a regular file or a pipe")


def unchanged(file: io.BufferedIOBase, path: Path) -> Callable[[], None]:
    """A check that refuses a file that was written to since now; what was read to its end is no longer asked for."""
    if isinstance(file, io.BytesIO):
        return lambda: None
    before = os.fstat(file.fileno())

    def check() -> None:
        now = os.fstat(file.fileno())
        if now.st_size != before.st_size:
            raise changed(path, f"has {now.st_size} bytes now, and had {before.st_size} when it was opened")
        if now.st_mtime_ns != before.st_mtime_ns:
            raise changed(path, "was written to after it was opened")

    return check


def changed(path: Path, how: str) -> FileError:
    """The error for a file that is no longer what it was when it was opened."""
    return FileError(f"{os.fspath(path)!r} {how}; it was changed while it was read, so read it again")


def take(file: io.BufferedIOBase, count: int, path: Path) -> npt.NDArray[Any]:
    """The next ``count`` bytes of a file that has them."""
    content = empty((count,), np.uint8)
    done = file.readinto(content.data)
    if done != count:
        raise changed(path, f"ended after {done} of {count} bytes")
    return content
