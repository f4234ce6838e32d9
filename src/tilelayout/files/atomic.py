"""Files written whole or not at all.

What is written goes to a temporary file beside the target, which takes the target's place when it is complete and on
disk. Until then the old file is as it was; whatever goes wrong, Ctrl-C included, the temporary file is removed. A process that is
killed cannot do that: the old file stays, and whoever writes it next removes what was left (``temporary``).

After a loss of power the target is the old file or the new one as well: the new one is synced before it takes the place. The
directory is synced too, where the system can, so that what was reported written is there. That waits for the disk, as a plain
``numpy.save`` does not.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase, BufferedWriter, FileIO
from pathlib import Path

from . import temporary
from .errors import FileError, checked_path, refused

#: Links that a path leads over, at the most, as Linux has it.
MOST_LINKS = 40
#: The name of an open file, as the system writes its number.
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BufferedIOBase]:
    """A file to write, which becomes ``path`` when the block ends well.

    A new file gets the permissions that any new file gets, a replaced one keeps its own; a symbolic link stays, and what it
    points to is replaced. A device or pipe, which cannot be replaced, is written straight through, and so is an open file that is named by
    its descriptor, such as ``/dev/stdout``: from where it is at.
    Raises ``FileError`` for a target that cannot be written.
    """
    path = checked_path(path)
    try:
        old = _status(path)
        if (number := descriptor(path)) is not None:
            with _InOrder(FileIO(os.dup(number), "wb")) as file:
                yield file
        elif old is None or stat.S_ISREG(old.st_mode):
            with _beside(Path(os.path.realpath(path)), old) as file:
                yield file
        else:
            with path.open("wb") as file:
                yield file
    except FileError:
        raise
    except OSError as error:
        raise refused("write", path, error) from None


class _InOrder(BufferedWriter):
    """A file that takes bytes in their order, behind those that are there."""

    def seekable(self) -> bool:
        """Not, though the system would."""
        return False


def descriptor(path: Path) -> int | None:
    """The descriptor of this process that a path such as ``/dev/stdout`` leads to."""
    for _ in range(MOST_LINKS):
        folder = os.path.realpath(path.parent)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and _NUMBER.fullmatch(path.name):
            return int(path.name)
        if not path.is_symlink():
            break
        path = Path(folder, path.readlink())
    return None


def _status(path: Path) -> os.stat_result | None:
    """What is at the target now, or None; refused where it must not be written."""
    try:
        old = path.stat()
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise FileError(f"cannot write {os.fspath(path)!r}: it is write-protected; allow writing, or choose another name")
    return old


@contextmanager
def _beside(target: Path, old: os.stat_result | None) -> Iterator[BufferedIOBase]:
    with temporary.beside(target) as (path, descriptor), open(path, "w+b", opener=lambda *_: descriptor) as file:
        if old is not None:
            _keep_permissions(path, old)  # before there is anything to read
        yield file
        file.flush()
        os.fsync(file.fileno())
        if not temporary.HAS_LOCKS:
            file.close()  # what is open is not moved on Windows; elsewhere it is locked until it has been
        path.replace(target)
    _sync_directory(target.parent)


def _sync_directory(folder: Path) -> None:
    """See that a new name is on disk, on systems and file systems that have that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _keep_permissions(path: Path, old: os.stat_result) -> None:
    if hasattr(os, "chown"):
        with suppress(OSError):  # it is not ours to give away, or its owner is not known in this container
            os.chown(path, old.st_uid, old.st_gid)
    path.chmod(stat.S_IMODE(old.st_mode))
