"""Temporary files beside what they will replace, and the end of those that a killed process left.

The name of one begins with a digest of its target's name, and its writer holds a lock on it (``flock``), which a process loses when it
ends, however it ends. So whoever writes the same target next removes those that nobody holds. Where there are no such locks,
as on Windows, what a killed process left stays.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

_FLAGS = os.O_RDWR | getattr(os, "O_BINARY", 0)


@contextmanager
def beside(target: Path) -> Iterator[tuple[Path, int]]:
    """A new file in the directory of the target, open for reading and writing; removed in the end, if it was not moved away."""
    beginning = f".tilelayout-{hashlib.blake2s(os.fsencode(target.name), digest_size=8).hexdigest()}-"
    _remove_left_over(target.parent, beginning)
    while True:
        path = target.with_name(f"{beginning}{secrets.token_hex(8)}.tmp")
        try:
            descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666)
            if not HAS_LOCKS or (_locked(descriptor) and os.fstat(descriptor).st_nlink):
                yield path, descriptor
                return
            os.close(descriptor)  # somebody took it for left over before it was locked
        finally:
            with suppress(OSError):
                path.unlink()


def _remove_left_over(folder: Path, beginning: str) -> None:
    """Remove the files whose names begin so and that no process holds."""
    if not HAS_LOCKS:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        found = [entry.path for entry in entries if entry.name.startswith(beginning)]
        for path in found:
            with suppress(OSError):
                descriptor = os.open(path, _FLAGS)
                try:
                    if _locked(descriptor, otherwise=False):
                        Path(path).unlink()
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
