"""The words of CuTe's text, and how far it has been read.

A word is a number (``_4`` is CuTe's spelling of a static 4), a run of letters, ``_``, or any other single character.
White space may stand between any two words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..errors import LayoutSyntaxError
from ..sizes import MOST_SLOTS
from .tuples import MOST_NESTED

_WORD = re.compile(r"_?-?[0-9]+|[A-Za-z]+|\S")
_NUMBER = re.compile(r"_?(-?[0-9]+)")

#: The most characters of a number that are read, more than any of 64 bits has without zeros in front.
_MOST_DIGITS = 64
#: The most characters of a word that an error message repeats.
_SHOWN = 24

_HINTS = {
    "?": "a value known only at run time has no place here; write the number",
    "/": "strides are integers, not ratios",
}


class Cursor:
    """A place among the words of a text; the last word is empty."""

    __slots__ = ("at", "depth", "starts", "text", "word", "words")

    def __init__(self, text: str) -> None:
        found = list(_WORD.finditer(text))
        self.text = text
        self.words = [match[0] for match in found] + [""]
        self.starts = [match.start() for match in found] + [len(text)]
        self.at = self.depth = 0
        self.word = self.words[0]

    def advance(self) -> None:
        """Go on to the next word."""
        self.at += 1
        self.word = self.words[self.at]

    def integer(self, what: str = "an integer") -> int:
        """A decimal number that fits in 64 bits."""
        match = _NUMBER.fullmatch(self.word)
        if not match:
            raise self.expected(what)
        number = int(match[1]) if len(match[1]) <= _MOST_DIGITS else MOST_SLOTS + 1
        if abs(number) > MOST_SLOTS:
            raise self.error(f"{self.described()} does not fit in 64 bits", hint=f"numbers run from {-MOST_SLOTS} to {MOST_SLOTS}")
        self.advance()
        return number

    def listed(self, opening: str, rule: Callable[[], Any], separator: str, closing: str) -> tuple[Any, ...]:
        """``opening [rule {separator rule}] closing``"""
        self.expect(opening)
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error(f"tuples are nested more than {MOST_NESTED} deep", hint="no deeper nesting is read")
        items = []
        if self.word != closing:
            items.append(rule())
            while self.word == separator:
                self.advance()
                items.append(rule())
            if self.word != closing:
                raise self.expected(f"{separator!r} or {closing!r}")
        self.advance()
        self.depth -= 1
        return tuple(items)

    def expect(self, word: str) -> None:
        """Read this word and no other."""
        if self.word != word:
            raise self.expected(repr(word))
        self.advance()

    def finish(self) -> None:
        """Nothing may follow."""
        if self.word:
            raise self.expected("the end of the text")

    def described(self) -> str:
        """The word as an error message names it."""
        if not self.word:
            return "the end of the text"
        return repr(self.word if len(self.word) <= _SHOWN else self.word[:_SHOWN] + "...")

    def expected(self, what: str) -> LayoutSyntaxError:
        """The error for a word where something else should be."""
        return self.error(f"expected {what}, found {self.described()}", hint=_HINTS.get(self.word))

    def error(self, message: str, at: int | None = None, *, hint: str | None = None) -> LayoutSyntaxError:
        """An error at a word, by default the next."""
        return LayoutSyntaxError(message, self.text, self.starts[self.at if at is None else at], hint)
