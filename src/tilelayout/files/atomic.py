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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import BufferedIOBase, BufferedRandom, BufferedWriter, FileIO
from pathlib import Path

from . import temporary
from .errors import FileError, Told, checked_path, telling

#: Links that a path leads over, at the most, as Linux has it.
MOST_LINKS = 40
#: The name of an open file, as the system writes its number.
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BufferedIOBase]:
    """A file to write, which becomes ``path`` when the block ends well.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "x.bin"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"new")
    ...     path.exists()
    False
    >>> path.read_bytes()
    b'new'

    A new file gets the permissions that any new file gets, a replaced one keeps its own, as far as its owner and group can be kept: in
    another group than its own, the group may do what everybody may. A symbolic link stays, and what it points to is replaced. A device or
    pipe, which cannot be replaced, is written straight through, and so is an open file that is named by its descriptor, such as
    ``/dev/stdout``: from where it is at.

    Raises ``FileError`` for a target that cannot be written; what the block itself raises comes out as it is.
    """
    path = checked_path(path)
    with ExitStack() as stack:
        with telling("write", path):
            old, number = _status(path), descriptor(path)
            if number is None and (old is None or stat.S_ISREG(old.st_mode)):
                raw, finish = _beside(stack, path, old)
                file: BufferedIOBase = BufferedRandom(raw)
            else:
                raw = stack.enter_context(Told(os.fspath(path) if number is None else os.dup(number), "wb", path))
                file, finish = BufferedWriter(raw) if number is None else _InOrder(raw), raw.close
        yield file
        with telling("write", path):
            _flush(file)
            finish()


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


def _beside(stack: ExitStack, path: Path, old: os.stat_result | None) -> tuple[Told, Callable[[], None]]:
    """A file beside the target, and what makes it the target."""
    target = Path(os.path.realpath(path))
    made, descriptor = stack.enter_context(temporary.beside(target, 0o666 if old is None else 0o600))
    raw = stack.enter_context(Told(os.fspath(made), "w+b", path, opener=lambda *_: descriptor))
    kept = stack.enter_context(FileIO(os.dup(descriptor), "r+b"))  # whoever writes may close what is written to
    if old is not None:
        _keep_permissions(made, old)

    def finish() -> None:
        os.fsync(kept.fileno())
        if not temporary.HAS_LOCKS:  # what is open is not moved on Windows; elsewhere it is locked until it has been
            raw.close()
            kept.close()
        made.replace(target)
        _sync_directory(target.parent)

    return raw, finish


def _flush(file: BufferedIOBase) -> None:
    """Write what is held back, unless whoever had the file has closed it, or taken what is below it, and so has done that."""
    try:
        is_closed = file.closed
    except ValueError:
        return
    if not is_closed:
        file.flush()


def _sync_directory(folder: Path) -> None:
    """See that a new name is on disk, on systems and file systems that have that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _keep_permissions(path: Path, old: os.stat_result) -> None:
    mode = stat.S_IMODE(old.st_mode)
    if hasattr(os, "chown") and not _gave(path, old.st_uid, old.st_gid):
        mode &= 0o777  # what runs as its owner or group is not to run as another
        if not _gave(path, -1, old.st_gid):
            mode &= ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3
    path.chmod(mode)


def _gave(path: Path, owner: int, group: int) -> bool:
    """Whether a file was given away; it may not be ours to give, or who gets it not be known in this container."""
    try:
        os.chown(path, owner, group)
    except OSError:
        return False
    return True
