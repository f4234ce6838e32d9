"""What the command says: answers on standard output, complaints on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO


class OutputError(Exception):
    """Standard output that cannot be written."""


def say(text: str) -> None:
    """Print text, with escapes for what the output's encoding cannot say."""
    if sys.stdout is None:
        raise OutputError("cannot write to standard output: it is closed")
    try:
        _write(_escaped(text, sys.stdout), sys.stdout)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None


def say_json(answer: Any) -> None:
    """Print an answer as one line of JSON."""
    say(json.dumps(answer))


def is_output(path: str) -> bool:
    """Whether a path is that of standard output, where words behind what was written would be taken for data."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError, AttributeError):
        return False


def say_rows(rows: Sequence[tuple[str, str]]) -> None:
    """Print names and what there is to say of each, one a line."""
    width = max((len(name) for name, _ in rows), default=0)
    if rows:
        say("\n".join(f"{name.ljust(width)}   {text}".rstrip() for name, text in rows))


def complain(message: str) -> int:
    """Print an error, and return the exit code for it."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(_escaped(f"tilelayout: error: {message}", sys.stderr))
    return 2


def flush() -> None:
    """See that everything said has gone out."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write to standard output: {error.strerror}") from None


def printable(text: str) -> str:
    """Text of a stranger, with escapes for what a terminal would take for commands.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    return "".join([c if c.isprintable() else repr(c)[1:-1] for c in text])


def _write(text: str, stream: TextIO) -> None:
    """All of the text; a stream without a buffer, as under PYTHONUNBUFFERED, would write what the system takes at once."""
    raw = getattr(stream, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        stream.write(text)
        return
    left = memoryview(text.encode(stream.encoding))
    while left:
        left = left[raw.write(left) or 0 :]


def _escaped(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding) + "\n"


def discard() -> None:
    """Drop what could not be written, which Python would else try again when it ends."""
    if sys.stdout is None:
        return
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
