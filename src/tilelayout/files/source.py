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
from .errors import FileError, refused


@contextmanager
def opened(path: Path) -> Iterator[tuple[io.BufferedIOBase, int]]:
    """The file, open at its beginning, and its size; a pipe is read to its end first."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                yield file, status.st_size
            elif stat.S_ISFIFO(status.st_mode):
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
