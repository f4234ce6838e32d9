"""Files to read from, with the number of bytes that they really have."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..memory import empty
from .atomic import descriptor
from .errors import FileError, refused


@contextmanager
def opened(path: Path) -> Iterator[tuple[io.BufferedIOBase, int]]:
    """The file, open at its beginning, and its size; a pipe is read to its end first, and so is a file that others have begun to read.

    That is an open file that is named by its descriptor, such as ``/dev/stdin``: what is read of it begins where it is at.
    """
    try:
        with path.open("rb") as file:
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
    except FileError:
        raise
    except OSError as error:
        raise refused("read", path, error) from None


def take(file: io.BufferedIOBase, count: int, path: Path) -> npt.NDArray[Any]:
    """The next ``count`` bytes of a file that has them."""
    content = empty((count,), np.uint8)
    done = file.readinto(content.data)
    if done != count:
        raise FileError(f"{os.fspath(path)!r} ended after {done} of {count} bytes; it was changed while it was read, so read it again")
    return content
