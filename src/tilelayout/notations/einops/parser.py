"""The grammar of patterns: two sides with an arrow between, and sizes behind commas."""

from __future__ import annotations

import re
from typing import ClassVar

from ...cursor import Cursor
from .layout import ELLIPSIS, Layout, fault, misfit

_FORM = re.compile(r"[\w\s().…]*->[\w\s().…]*(,|$)")


class Parser(Cursor):
    """The rules of the grammar, each a method that reads what it names."""

    #: An arrow, a number, a name or an ellipsis with whatever is written against it, or any other single character.
    WORD = re.compile(r"->|-?[0-9]+(?![\w.…])|[\w.…]+|\S")
    HINTS: ClassVar = {
        "[": "brackets are einx's; einops has parentheses",
        "*": "einops has no '*'; '...' stands for axes without names",
    }

    __slots__ = ("begins",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.begins: list[int] = []  # the word of each name so far

    def layout(self) -> Layout:
        """``side "->" side {"," NAME "=" INT}``"""
        left, left_at = self.side(on_left=True), self.begins
        self.expect("->")
        self.begins = []
        right = [name for group in self.side(on_left=False) for name in group]
        begins = {"left": left_at, "right": self.begins, "sizes": list[int]()}
        sizes = []
        while self.word == ",":
            self.advance()
            begins["sizes"].append(self.at)
            sizes.append(self.size())
        if self.word:
            raise self.expected("the name of an axis, '(', ')', '...', or ', name=size' behind the pattern")
        wrong = misfit(left, right, sizes)
        if wrong:
            raise self.error(wrong[2], begins[wrong[0]][wrong[1]])
        return Layout(tuple(left), tuple(right), tuple(sizes))

    def side(self, *, on_left: bool) -> list[tuple[str, ...]]:
        """``{axis | "(" {axis} ")"}``"""
        groups: list[tuple[str, ...]] = []
        while self.word and self.word not in ("->", ","):
            if self.word != "(":
                groups.append(self.axis())
                continue
            begin = self.at
            self.advance()
            names: list[str] = []
            while self.word != ")":
                if self.word == "(":
                    raise self.error("parentheses do not stand in parentheses", hint="write the names side by side, as in (a b c)")
                names += self.axis()
            self.advance()
            if on_left and ELLIPSIS in names:
                raise self.error("on the left '...' stands for whole axes, outside parentheses", begin)
            groups.append(tuple(names))
        return groups

    def axis(self) -> tuple[str, ...]:
        """``NAME | "1" | "..."``; 1 has no name."""
        name = ELLIPSIS if self.word in (ELLIPSIS, "…") else self.word
        if name != ELLIPSIS and self.number() != 1:
            if not re.fullmatch(r"\w+", name):
                hint = "axes without names are written '...', which stands apart" if re.search("[.…]", name) else None
                raise self.expected("the name of an axis", hint=hint)
            if why := fault(name):
                raise self.error(why)
        is_unit = self.number() == 1
        if not is_unit:
            self.begins.append(self.at)
        self.advance()
        return () if is_unit else (name,)

    def size(self) -> tuple[str, int]:
        """``NAME "=" INT``"""
        name = self.word
        if not name.isidentifier():
            raise self.expected("the name of an axis", hint="sizes follow the pattern, as in 'h (a b) -> a h b, b=4'")
        self.advance()
        self.expect("=")
        return name, self.integer()


def parse(text: str) -> Layout:
    """The layout that a pattern describes, with its sizes.

    >>> parse("h (a b) -> a (h b), b=4")
    einops.Layout((('h',), ('a', 'b')), ('a', 'h', 'b'), (('b', 4),))
    >>> parse("h w -> h")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: w stands on the left alone: all axes stand on the right too, as a layout reduces nothing
        h w -> h
          ^
    """
    return Parser.whole(text, Parser.layout, "the text of a pattern, such as 'h (a b) -> a h b, b=4'")


def recognizes(text: str) -> bool:
    """Whether the text has the form of a pattern: names and parentheses on both sides of an arrow.

    >>> recognizes("h (a b) -> a h b, b=4"), recognizes("(i,j)->(j,i)"), recognizes("{1,0}")
    (True, False, False)
    """
    return isinstance(text, str) and _FORM.match(text) is not None
