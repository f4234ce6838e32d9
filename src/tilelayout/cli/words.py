"""From the words of a command line to numbers and layouts."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from cmath import isinf
from collections.abc import Iterable, Iterator

from ..digits import Layout
from ..errors import LayoutError, shown
from ..notations import layout

_BRACKETS = {"(": ")", "[": "]"}


def integers(word: str, what: str) -> tuple[int, ...]:
    """The integers in ``2,3``, ``2 3``, ``(2, 3)`` or ``[2,3]``; ``()`` has none.

    >>> integers("(2, 3)", "coordinates"), integers("-1,2", "coordinates"), integers("()", "coordinates")
    ((2, 3), (-1, 2), ())
    """
    inside = word.strip()
    if inside and _BRACKETS.get(inside[0]) == inside[-1]:
        inside = inside[1:-1].strip().removesuffix(",")
    try:
        return tuple(int(number) for number in re.split(r"\s*,\s*|\s+", inside)) if inside else ()
    except ValueError:
        raise LayoutError(f"{shown(word)} makes no {what}; such are integers with commas between, as in 2,3") from None


def integer(word: str, what: str) -> int:
    """The one integer in a word."""
    try:
        return int(word)
    except ValueError:
        raise LayoutError(f"{shown(word)} is no {what}, which is an integer such as 17") from None


def region(word: str) -> tuple[int | slice, ...]:
    """A box of an array, as it stands between the brackets of a numpy index.

    >>> region("1:, 2:4, -1")
    (slice(1, None, None), slice(2, 4, None), -1)
    """
    try:
        return tuple(
            slice(*(int(end) if end.strip() else None for end in field.split(":"))) if ":" in field else int(field)
            for field in word.split(",")
        )
    except (ValueError, TypeError):
        raise LayoutError(f"{shown(word)} is no region; such are integers and slices with commas between, as in 1:,2:4") from None


def number(word: str) -> complex:
    """The number in a word: an integer (``0x`` and the like too), else a float, else a complex number.

    >>> number("-1"), number("0x3f80"), number("-inf"), number("1+2j")
    (-1, 16256, -inf, (1+2j))
    """
    for kind in (lambda text: int(text, 0), float, complex):
        try:
            found: complex = kind(word)
        except ValueError:
            continue
        if not isinstance(found, int) and isinf(found) and "inf" not in word.lower():
            raise LayoutError(f"--fill {shown(word)} is beyond all floats, and would become {found}; give a smaller number, or inf")
        return found
    raise LayoutError(f"--fill {shown(word)} is no number; such are -1, 0.5, nan and 0x3f80")


def described(options: Namespace) -> Layout:
    """The layout that the options say."""
    return layout(options.layout, sizes(options))


def sizes(options: Namespace) -> tuple[int, ...] | None:
    """The shape that the options say, if they do."""
    return None if options.shape is None else integers(options.shape, "shape")


def lines_of(words: Iterable[str]) -> Iterator[str]:
    """The words, with the lines of standard input in place of ``-``; empty lines are left out."""
    for word in words:
        if word != "-":
            yield word
        elif sys.stdin is None:
            raise LayoutError("'-' reads standard input, which is closed; give the values as arguments")
        else:
            try:
                yield from filter(str.strip, (line.removeprefix("\ufeff") for line in sys.stdin))
            except (OSError, UnicodeDecodeError) as error:
                raise LayoutError(f"standard input is no text that can be read: {error}") from None
