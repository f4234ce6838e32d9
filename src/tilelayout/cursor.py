"""A text and how far it has been read: the steps that the rules of every language's grammar are made of.

Positions are worked out only when an error needs one: reading a correct text costs one pass of one regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Any, ClassVar, Self, TypeVar

from .errors import LayoutError, LayoutSyntaxError, expect
from .sizes import MOST_SLOTS

T = TypeVar("T")

#: The most characters of a number that are read, more than any of 64 bits has without zeros in front.
MOST_DECIMALS = 64
#: The most characters of a word that an error message repeats.
MOST_SHOWN = 24


class Cursor:
    """A place among the words of a text; the last word is empty. A language's parser is a subclass, with its rules as methods.

    >>> cursor = Cursor("[ 12, x]")
    >>> cursor.words
    ['[', '12', ',', 'x', ']', '']
    >>> cursor.expect("[")
    >>> cursor.integer()
    12
    """

    #: What a word is: here a number, a name, or any other single character.
    WORD: ClassVar[re.Pattern[str]] = re.compile(r"-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*|\S")
    #: The part of a word that is a number.
    NUMBER: ClassVar[re.Pattern[str]] = re.compile(r"(-?[0-9]+)")
    #: What to say of words that stand where they should not.
    HINTS: ClassVar[Mapping[str, str]] = {}

    __slots__ = ("at", "text", "word", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = self.words_of(text)
        self.words.append("")
        self.at = 0
        self.word = self.words[0]

    @classmethod
    def whole(cls, text: str, rule: Callable[[Self], T], what: str, *given: Any) -> T:
        """What a rule reads, and nothing follows; ``what`` is said of a value that is no text, and ``given`` goes to the class.

        >>> Cursor.whole("[1, 2]", lambda cursor: cursor.listed("[", cursor.integer, "]"), "a list as text, such as '[1, 2]'")
        [1, 2]
        """
        expect(text, str, what)
        cursor = cls(text, *given)
        value = rule(cursor)
        cursor.finish()
        return value

    @classmethod
    def words_of(cls, text: str) -> list[str]:
        """The words of the text."""
        return [word for word in cls.WORD.findall(text) if not cls.skipped(word)]

    @classmethod
    def skipped(cls, word: str) -> bool:
        """Whether the word says nothing, as a comment does."""
        return False

    def position(self, at: int) -> int:
        """Where in the text word number ``at`` begins."""
        begins = (match.start() for match in self.WORD.finditer(self.text) if not self.skipped(match[0]))
        return next(islice(begins, at, None), len(self.text))

    def advance(self) -> None:
        """Go on to the next word."""
        if not self.word:
            raise self.error("the text ends where something is missing")
        self.at += 1
        self.word = self.words[self.at]

    def blank(self) -> None:
        """Go on behind white space, where that is a word and stands here."""
        if self.word.isspace():
            self.advance()

    def number(self) -> int | None:
        """The value of the next word if it is a decimal integer; beyond 64 bits some value that is too, as long words read slowly."""
        match = self.NUMBER.fullmatch(self.word)
        if not match:
            return None
        if len(match[1]) <= MOST_DECIMALS:
            return int(match[1])
        digits = match[1].lstrip("-").lstrip("0")
        magnitude = int(digits or "0") if len(digits) <= MOST_DECIMALS else MOST_SLOTS + 2
        return -magnitude if match[1].startswith("-") else magnitude

    def integer(self, what: str = "an integer") -> int:
        """A decimal number that fits in 64 bits."""
        number = self.number()
        if number is None:
            raise self.expected(what)
        if not -MOST_SLOTS - 1 <= number <= MOST_SLOTS:
            raise self.error(f"{self.described()} does not fit in 64 bits", hint="numbers run from -2**63 to 2**63 - 1")
        self.advance()
        return number

    def listed(self, opening: str, rule: Callable[[], T], closing: str, separator: str = ",", *, trails: bool = False) -> list[T]:
        """``opening [rule {separator rule}] closing``; where it ``trails``, a separator may stand behind the last as well."""
        self.expect(opening)
        items: list[T] = []
        if self.word != closing:
            items.append(rule())
            while self.word == separator:
                self.advance()
                if trails and self.word == closing:
                    break
                items.append(rule())
            if self.word != closing:
                raise self.expected(f"{separator!r} or {closing!r}")
        self.advance()
        return items

    def parenthesised(self, rule: Callable[[], T]) -> T:
        """``"(" rule ")"``"""
        self.expect("(")
        value = rule()
        self.expect(")")
        return value

    def name(self) -> str:
        """A word of letters, digits and underscores that does not begin with a digit."""
        word = self.word
        if not word.isidentifier():
            raise self.expected("a name")
        self.advance()
        return word

    def made(self, begin: int, make: Callable[..., T], *parts: Any) -> T:
        """What is made of the parts, with the caret under the word ``begin`` where they do not fit."""
        try:
            return make(*parts)
        except LayoutSyntaxError:
            raise
        except LayoutError as error:
            raise self.error(str(error), begin) from None

    def made_of(self, begins: Mapping[str, int], make: Callable[..., T], fields: Mapping[str, Any], others: Mapping[str, Any]) -> T:
        """What is made of fields, with the caret under the first that does not go with ``others`` in place of the rest, or the first."""
        for name, value in fields.items():
            self.made(begins[name], partial(make, **{**others, name: value}))
        return self.made(min(begins.values()), partial(make, **fields))

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
        """The next word as an error message names it."""
        if not self.word:
            return "the end of the text"
        return repr(self.word if len(self.word) <= MOST_SHOWN else self.word[:MOST_SHOWN] + "...")

    def expected(self, what: str, *, hint: str | None = None) -> LayoutSyntaxError:
        """The error for a word where something else should be."""
        return self.error(f"expected {what}, found {self.described()}", hint=hint or self.HINTS.get(self.word))

    def error(self, message: str, at: int | None = None, *, hint: str | None = None) -> LayoutSyntaxError:
        """An error at a word, by default the next."""
        return LayoutSyntaxError(message, self.text, self.position(self.at if at is None else at), hint)
