"""The words of XLA's layout language: white space and comments may stand between any two, as in HLO text."""

from __future__ import annotations

import re

from ... import cursor


class Cursor(cursor.Cursor):
    """A place in the words of a text.

    >>> Cursor("f32[ 2, <=3 ] /* rows */ {1}").words
    ['f32', '[', '2', ',', '<=', '3', ']', '{', '1', '}', '']
    """

    #: A number, a name, ``<=``, a comment, a comment that never ends, or any other single character.
    WORD = re.compile(r"-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*|<=|/\*.*?\*/|//[^\r\n]*|/\*.*|[^ \t\r\n]", re.DOTALL)

    __slots__ = ()

    @classmethod
    def words_of(cls, text: str) -> list[str]:
        """The words of the text, without its comments."""
        return super().words_of(text) if "/" in text else cls.WORD.findall(text)

    @classmethod
    def skipped(cls, word: str) -> bool:
        """Whether the word is a comment; one that never ends is not skipped."""
        return word.startswith("//") or (word.startswith("/*") and word.endswith("*/") and len(word) >= len("/**/"))

    def described(self) -> str:
        """The next word as an error message names it."""
        return "a comment that is not closed" if self.word.startswith("/*") else super().described()
