"""How far a long command has come, on standard error where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

#: Characters of a bar.
WIDTH = 30


@contextmanager
def shown_progress() -> Iterator[Callable[[int, int], None] | None]:
    """What to call with the bytes done and all of them; None where nobody would see it.

    With the package ``tqdm`` (``pip install 'tilelayout[files]'``) the bar has times and rates.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    try:
        from tqdm import tqdm  # noqa: PLC0415 - an extra, imported where used
    except ImportError:
        try:
            yield _plain
        finally:
            _write("\r\033[K")
        return
    with tqdm(unit="B", unit_scale=True, unit_divisor=1024, leave=False) as bar:

        def update(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield update


def _plain(done: int, total: int) -> None:
    filled = WIDTH * done // max(1, total)
    _write(f"\r[{'#' * filled}{' ' * (WIDTH - filled)}] {100 * done // max(1, total):3}% of {total:,} bytes")


def _write(text: str) -> None:
    with suppress(OSError):
        sys.stderr.write(text)
        sys.stderr.flush()
