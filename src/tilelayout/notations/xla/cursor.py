"""A text and how far it has been read: the steps that every rule of the grammar is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...errors import LayoutSyntaxError
from . import tokens

T = TypeVar("T")


class Cursor:
    """A place in the words of a text."""

    __slots__ = ("at", "text", "word", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = tokens.words(text)
        self.at = 0
        self.word = self.words[0]

    def advance(self) -> None:
        """Go on to the next word; the last one is empty."""
        self.at += 1
        self.word = self.words[self.at]

    def integer(self, what: str = "an integer") -> int:
        """A decimal number that fits in 64 bits."""
        number = tokens.number(self.word)
        if number is None:
            raise self.error(f"expected {what}, found {tokens.described(self.word)}")
        if not -(2**63) <= number < 2**63:
            raise self.error(f"{tokens.described(self.word)} does not fit in 64 bits", hint="numbers run from -2**63 to 2**63 - 1")
        self.advance()
        return number

    def listed(self, opening: str, rule: Callable[[], T], closing: str) -> list[T]:
        """``opening [rule {"," rule}] closing``"""
        self.expect(opening)
        items: list[T] = []
        if self.word != closing:
            items.append(rule())
            while self.word == ",":
                self.advance()
                items.append(rule())
            if self.word != closing:
                raise self.error(f"expected ',' or '{closing}', found {tokens.described(self.word)}")
        self.advance()
        return items

    def parenthesised(self, rule: Callable[[], T]) -> T:
        """``"(" rule ")"``"""
        self.expect("(")
        value = rule()
        self.expect(")")
        return value

    def expect(self, word: str) -> None:
        """Read this word and no other."""
        if self.word != word:
            raise self.error(f"expected {word!r}, found {tokens.described(self.word)}")
        self.advance()

    def error(self, message: str, at: int | None = None, *, hint: str | None = None) -> LayoutSyntaxError:
        """An error at a word, by default the next."""
        return LayoutSyntaxError(message, self.text, tokens.position(self.text, self.at if at is None else at), hint)
