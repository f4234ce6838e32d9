"""What can be wrong with a file."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import Any

from ..errors import LayoutError, shown, type_of

_ADVICE = {
    errno.ENOENT: "check its name and directory",
    errno.ENOTDIR: "check its directory",
    errno.EISDIR: "name a file in it",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EACCES: "choose another place, or ask for permission",
    errno.EROFS: "choose another place",
    errno.ENOSPC: "free some space, or choose another place",
    errno.EFBIG: "choose a place that takes files of that size",
}


class FileError(LayoutError, OSError):
    """A file that cannot be read or written, or that is not what it was taken for."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (str(self), self.errno)


def _made(message: str, number: int | None) -> FileError:
    made = FileError(message)
    made.errno = number
    return made


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path, refused where no file can have that name."""
    try:
        checked = Path(path)
        name = os.fsencode(checked)
    except TypeError:
        raise FileError(f"{shown(path)} is {type_of(path)}; a file is named by text or a path") from None
    except UnicodeEncodeError as error:
        raise FileError(f"{shown(path)} is no name of a file: {error.object[error.start]!r} is no character") from None
    if path == "":
        raise FileError("'' is no name of a file: it is empty")
    # Path drops what ends it: "x/" would be a file x.
    if os.fsdecode(path).replace(os.sep, "/").rpartition("/")[2] in ("", "."):
        raise FileError(f"{shown(path)} is the name of a directory; name a file in it")
    if b"\0" in name:
        raise FileError(f"{os.fspath(checked)!r} is no name of a file: it has a NUL in it")
    return checked


def checked_ending(path: Any, endings: Sequence[str], what: str) -> str:
    """What the name of a file ends in, in small letters, refused where that is none of the endings."""
    listed = ", ".join(endings)
    if not isinstance(path, str | os.PathLike):
        raise LayoutError(f"path={shown(path)} is no name of a file; it is a str or a path that ends in {listed}")
    name = os.fspath(path)
    ending = Path(name).suffix.lower() if isinstance(name, str) else ""
    if ending not in endings:
        raise LayoutError(f"{what} cannot be saved as {shown(path)}: its name must end in {listed}")
    return ending


def refused(doing: str, path: Path, error: OSError) -> FileError:
    """The system's refusal to read or write a file, in one sentence.

    >>> print(refused("read", Path("x.npy"), FileNotFoundError(2, "No such file or directory")))
    cannot read 'x.npy': No such file or directory; check its name and directory
    """
    advice = _ADVICE.get(error.errno or 0, "")
    return _made(f"cannot {doing} {os.fspath(path)!r}: {error.strerror or error}{advice and '; '}{advice}", error.errno)


class telling:  # noqa: N801 - used as a function; a generator takes as long as a short read
    """A block of calls whose refusals are the file's, and told as such."""

    def __init__(self, doing: str, path: Path) -> None:
        self.doing, self.path = doing, path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and not isinstance(error, FileError):
            raise refused(self.doing, self.path, error) from None


class Told(FileIO):
    """An open file that tells what the system refuses of ``path``, whoever reads or writes it."""

    def __init__(self, file: str | int, mode: str, path: Path, **how: Any) -> None:
        self.path = path
        with telling("read" if mode == "rb" else "write", path):
            super().__init__(file, mode, **how)

    def readinto(self, buffer: Any) -> int | None:
        """Fill a buffer as far as one call of the system does."""
        with telling("read", self.path):
            return super().readinto(buffer)

    def readall(self) -> bytes:
        """All bytes that are left."""
        with telling("read", self.path):
            return super().readall()

    def write(self, data: Any) -> int:
        """Write what one call of the system takes, and say how much that is."""
        with telling("write", self.path):
            return super().write(data)

    def truncate(self, size: int | None = None) -> int:
        """Make the file that long."""
        with telling("write", self.path):
            return super().truncate(size)
