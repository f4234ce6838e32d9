"""Temporary files beside what they will replace, and the end of those that a killed process left.

The name of one is a digest of its target's name and a number, and its writer holds a lock on it (``flock``), which a process loses when it
ends, however it ends. So whoever writes the same target next removes those that nobody holds: by their names, for a directory may have
very many. Only who has locked the file that bears a name removes it: where two did, the second could remove what a third has made since.
Where there are no such locks, as on Windows, what a killed process left stays.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

try:
    import fcntl
except ImportError:
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

_FLAGS = os.O_RDWR | getattr(os, "O_BINARY", 0)
#: Files of further writers that are looked at, whether they were left over.
LOOKED_AT = 4


@contextmanager
def beside(target: Path, mode: int = 0o666) -> Iterator[tuple[Path, int]]:
    """A new file in the directory of the target, open for reading and writing; removed in the end, if it was not moved away.

    Its permissions are those of ``mode``, less those that new files do not get.
    """
    digest = hashlib.blake2s(os.fsencode(target.name), digest_size=8).hexdigest()
    for number in count():
        path, *others = (_named(target, digest, k) for k in range(number, number + 1 + LOOKED_AT))
        held, is_ours = None, False
        try:
            _remove_left_over(path)
            held = _created(path, mode)
            is_ours = held is not None and (not HAS_LOCKS or _locked(held))
            if held is not None and is_ours and (not HAS_LOCKS or os.fstat(held).st_nlink):
                for other in others:
                    _remove_left_over(other)
                yield path, os.dup(held) if HAS_LOCKS else held
                return
        finally:
            if held is not None and is_ours:
                _remove(path, held)
            else:  # another has it, or Ctrl-C came as it was made
                if held is not None:
                    os.close(held)
                _remove_left_over(path)


def _named(target: Path, digest: str, number: int) -> Path:
    return target.with_name(f".tilelayout-{digest}-{number if HAS_LOCKS else secrets.token_hex(8)}.tmp")


def _created(path: Path, mode: int) -> int | None:
    """A new file, open; None where there is one already."""
    try:
        return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError:
        return None


def _remove(path: Path, held: int) -> None:
    """Remove a file, and let go of it; another may have its name once it has been moved away."""
    with suppress(OSError):
        if not HAS_LOCKS or os.path.samestat(path.stat(), os.fstat(held)):
            path.unlink()
    if HAS_LOCKS:
        os.close(held)


def _remove_left_over(path: Path) -> None:
    """Remove a file that no process holds, if it is there."""
    if not HAS_LOCKS:
        return
    with suppress(OSError):
        descriptor = os.open(path, _FLAGS)
        try:
            if _locked(descriptor, otherwise=False) and os.path.samestat(path.stat(), os.fstat(descriptor)):
                path.unlink()
        finally:
            os.close(descriptor)


def _locked(descriptor: int, *, otherwise: bool = True) -> bool:
    """Lock a file; False if another holds it, and ``otherwise`` where the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return otherwise
    return True
