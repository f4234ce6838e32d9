"""The words of XLA's layout language, and where they stand.

White space and comments may stand between any two words, as in HLO text. Positions are worked out only when an
error needs one: reading a correct text costs one pass of one regular expression.
"""

from __future__ import annotations

import re
from itertools import islice

#: A number, a name, ``<=``, a comment, a comment that never ends, or any other single character.
_WORD = re.compile(r"-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*|<=|/\*.*?\*/|//[^\r\n]*|/\*.*|[^ \t\r\n]", re.DOTALL)

#: A number of this many characters may not fit in 64 bits.
_LONG = 19

#: Characters of a word that an error message repeats.
_SHOWN = 24


def words(text: str) -> list[str]:
    """The words of the text, with an empty one at the end.

    >>> words("f32[ 2, <=3 ] /* rows */ {1}")
    ['f32', '[', '2', ',', '<=', '3', ']', '{', '1', '}', '']
    """
    found = _WORD.findall(text)
    if "/" in text:
        found = [word for word in found if not _is_comment(word)]
    found.append("")
    return found


def position(text: str, index: int) -> int:
    """Where in the text word number ``index`` begins.

    >>> position("f32 [2]", 1), position("f32 [2]", 4)
    (4, 7)
    """
    begins = (match.start() for match in _WORD.finditer(text) if not _is_comment(match[0]))
    return next(islice(begins, index, None), len(text))


def number(word: str) -> int | None:
    """The value of a word that is a decimal integer; beyond 64 bits some value that is too, as converting very long words is slow.

    >>> number("007"), number("-12"), number("T")
    (7, -12, None)
    """
    if len(word) < _LONG and word.isdecimal() and word.isascii():
        return int(word)
    digits = word.removeprefix("-")
    if not (digits.isdecimal() and digits.isascii()):
        return None
    digits = digits.lstrip("0")
    magnitude = int(digits or "0") if len(digits) <= _LONG else 2**64
    return -magnitude if word.startswith("-") else magnitude


def described(word: str) -> str:
    """The word as an error message names it."""
    if not word:
        return "the end of the text"
    if word.startswith("/*"):
        return "a comment that is not closed"
    return repr(word if len(word) <= _SHOWN else word[:_SHOWN] + "...")


def _is_comment(word: str) -> bool:
    """Whether the word is to be skipped; a comment that never ends is not."""
    return word.startswith("//") or (word.startswith("/*") and word.endswith("*/") and len(word) >= len("/**/"))
