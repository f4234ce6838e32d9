"""Where the lines of a text come from: a file, a string, or any lines, which can be read again and again.

No more than one line is held, and of a very long one no more than its beginning. Lines that cannot be read twice are
kept in a temporary file.
"""

from __future__ import annotations

import io
import os
import re
import stat
import weakref
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import LayoutError, shown
from ..files.errors import FileError, checked_path, refused
from .scanning import picked_out

#: What a text may be given as.
Source: TypeAlias = str | os.PathLike[str] | Iterable[str]
Numbered: TypeAlias = Iterator[tuple[int, str]]

#: The most characters of a line that are read.
LONGEST_LINE = 1 << 24
#: The most lines, and characters, over which a quoted string may go.
MOST_LINES, MOST_CHARACTERS = 100, 1 << 20

_TEXT = re.compile(r"\n| = ")
_PIECE = 1 << 20
#: How an instruction begins.
_INSTRUCTION = re.compile(r'\s*(?:ROOT\s+)?%?[^\s=,(){}\[\]"]+\s+=\s+[a-z(]')
_ESCAPE = re.compile(r"\\.", re.DOTALL)
#: How what gzip compresses begins: where bytes that are no text come as they are, are escaped, or replaced.
_GZIP = ("\x1f\x8b", "\x1f\udc8b", "\x1f\ufffd")


class Lines:
    """The lines of a text, each without its end, numbered from 1.

    >>> list(Lines("ENTRY e {\\n}"))
    [(1, 'ENTRY e {'), (2, '}')]

    A string that has a line break or ``" = "`` in it is the text itself, any other the path of a file.
    """

    def __init__(self, source: Source) -> None:
        if isinstance(source, str) and _TEXT.search(source):
            self._text: str | None = source
            return
        self._text = None
        if isinstance(source, str | os.PathLike):
            self.path = checked_path(source)
            self._check_file()
        else:
            self._keep(_pieces(source))

    def __iter__(self) -> Numbered:
        if self._text is not None:
            yield from _numbered(io.StringIO(self._text))
            return
        try:
            with self.path.open(encoding="utf-8", errors="replace", newline="\n") as file:
                yield from _numbered(file)
        except OSError as error:
            raise refused("read", self.path, error) from None

    def __str__(self) -> str:
        return "text" if self._text is not None else shown(os.fspath(self.path))

    def _check_file(self) -> None:
        """The file can be read, and begins as text does; a pipe is kept."""
        try:
            with self.path.open("rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    with io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n") as text:
                        self._keep(iter(lambda: text.read(_PIECE), ""))
                else:
                    _check_text(file.read(_PIECE).decode("utf-8", "replace"), shown(os.fspath(self.path)))
        except FileError:
            raise
        except OSError as error:
            raise refused("read", self.path, error) from None

    def _keep(self, pieces: Iterator[str]) -> None:
        import tempfile  # noqa: PLC0415 - needed for a pipe alone

        with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="replace", newline="\n", suffix=".txt", delete=False) as kept:
            self.path = Path(kept.name)
            weakref.finalize(self, self.path.unlink, missing_ok=True)
            for k, piece in enumerate(pieces):
                if not k:
                    _check_text(piece, "what was given")
                try:
                    kept.write(piece)
                except OSError as error:
                    raise refused("write", self.path, error) from None


def whole(lines: Iterable[tuple[int, str]]) -> Numbered:
    """The lines, those joined over which a quoted string goes, as in old dumps.

    A line that ends in ``...``, or behind which an instruction begins before the string ends, was cut off and stands alone.

    >>> list(whole([(1, 'a "b'), (2, 'c" d'), (3, "e")]))
    [(1, 'a "b\\nc" d'), (3, 'e')]
    """
    each = iter(lines)
    for number, line in each:
        if '"' not in line or not _is_open(line):
            yield number, line
            continue
        held, characters, begins = [(number, line)], len(line), False
        for further in each:
            held.append(further)
            characters += len(further[1])
            begins = _INSTRUCTION.match(picked_out(further[1])) is not None
            if begins or _quotes(further[1]) % 2 or len(held) > MOST_LINES or characters > MOST_CHARACTERS:
                break
        if len(held) > 1 and _quotes(held[-1][1]) % 2 and not begins:
            yield number, "\n".join(text for _, text in held)
        else:
            yield from held


def _numbered(file: io.TextIOBase) -> Numbered:
    """The lines as ``grep -n`` counts them; of one that was written over, as by a progress bar, what a terminal shows last."""
    begin, number = "", 1
    pieces = iter(partial(file.read, _PIECE), "")
    for piece in chain((next(pieces, "").removeprefix("\ufeff"),), pieces):
        lines = piece.split("\n")
        lines[0] = begin if len(begin) >= LONGEST_LINE else (begin + lines[0])[:LONGEST_LINE]
        begin = lines.pop()
        if lines and ("\r" in piece or "\r" in lines[0]):
            lines = list(map(_shown_last, lines))
        yield from enumerate(lines, number)
        number += len(lines)
    if begin:
        yield number, _shown_last(begin)


def _shown_last(line: str) -> str:
    return line.removesuffix("\r").rpartition("\r")[2]


def _is_open(line: str) -> bool:
    return _quotes(line) % 2 == 1 and not line.rstrip().endswith("...") and len(line) < LONGEST_LINE


def _quotes(line: str) -> int:
    return (_ESCAPE.sub("", line) if "\\" in line else line).count('"')


def _pieces(source: Any) -> Iterator[str]:
    """What is written to a file: of a file pieces, else lines, each with its end."""
    if isinstance(source, io.TextIOBase):
        yield from iter(lambda: source.read(_PIECE), "")
        return
    try:
        if isinstance(source, bytes | bytearray | memoryview):
            raise TypeError
        each = iter(source)
    except TypeError:
        raise LayoutError(f"{shown(source)} is no text: give the path of a file, the text itself, or its lines") from None
    for line in each:
        if not isinstance(line, str):
            raise LayoutError(f"{shown(line)} is no line of text; lines are str, as of a file that is open in text mode")
        yield line if line.endswith("\n") else line + "\n"


def _check_text(begin: str, name: str) -> None:
    """Refuse what does not begin as text does, and say what it is."""
    if begin.startswith(_GZIP):
        raise FileError(f"{name} is no text: it is compressed by gzip; take out what is in it first, as gunzip does")
    if "\0" not in begin:
        return
    halves = begin[2:66:2], begin[3:66:2]  # behind the mark of byte order
    if any(one == "\0" * 32 and "\0" not in other for one, other in (halves, halves[::-1])):
        raise FileError(f"{name} is text in UTF-16, and UTF-8 is read; write it anew, as iconv -f UTF-16 -t UTF-8 does")
    raise FileError(f"{name} is no text: it has NUL in it, as an HLO proto has; XLA writes HLO as text by --xla_dump_hlo_as_text")
