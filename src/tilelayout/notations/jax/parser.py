"""The text that JAX's objects print."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from ... import cursor
from .layout import FIELDS, Layout

T = TypeVar("T")

#: The names of the objects, today's layout first.
_NAMES = ("Layout", "Format", "DeviceLocalLayout")
_EXAMPLE = "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)"
_HINT = f"a layout is written as {_EXAMPLE}"


class Parser(cursor.Cursor):
    """The text that JAX's objects print."""

    __slots__ = ("begins",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.begins: dict[str, int] = {}  # the word with which each field's value begins

    def layout(self) -> Layout:
        """``format | bare``"""
        found = self.held() if self.words[1:2] == ["("] and self.words[2:3] in (["layout"], ["device_local_layout"]) else self.bare()
        return self.made_of(self.begins, Layout, found, {"major_to_minor": ()})

    def held(self) -> dict[str, Any]:
        """``name "(" name "=" bare "," "sharding" "=" anything ")"``"""
        for _ in range(3):
            self.advance()
        self.expect("=")
        if self.word in ("AUTO", "None"):
            raise self.error(
                f"the layout is {self.word}, which leaves it to the compiler", hint="compile first, and take the format of the result"
            )
        found = self.bare()
        self.expect(",")
        self.expect("sharding")
        self.expect("=")
        while self.word and self.words[self.at + 1]:
            self.advance()
        self.expect(")")
        return found

    def bare(self) -> dict[str, Any]:
        """``name "(" field "=" value {"," field "=" value} ")"``"""
        if self.word not in _NAMES:
            raise self.expected(_NAMES[0], hint=_HINT)
        self.advance()
        begin = self.at
        fields = self.listed("(", self.field, ")")
        names = [name for name, _ in fields]
        if len(set(names)) < len(names):
            raise self.error("a field is given twice", begin, hint=_HINT)
        if "major_to_minor" not in names:
            raise self.error("major_to_minor is missing", begin, hint=_HINT)
        return dict(fields)

    def field(self) -> tuple[str, Any]:
        """``field "=" value``"""
        name = self.word.removeprefix("_")
        if name not in FIELDS:
            raise self.expected(f"a field ({', '.join(FIELDS)})")
        self.advance()
        self.expect("=")
        self.begins[name] = self.at
        if name == "sub_byte_element_size_in_bits":
            return name, self.integer()
        if name == "tiling" and self.word == "None":
            self.advance()
            return name, None
        return name, self.items(self.sizes if name == "tiling" else self.integer)

    def sizes(self) -> tuple[int, ...]:
        """A tile."""
        return self.items(self.integer)

    def items(self, rule: Callable[[], T]) -> tuple[T, ...]:
        """A tuple as Python prints it, with a comma after an only item."""
        self.expect("(")
        found = []
        while self.word != ")":
            found.append(rule())
            if self.word == ",":
                self.advance()
            elif self.word != ")":
                raise self.expected("',' or ')'")
        self.advance()
        return tuple(found)


def parse(text: str) -> Layout:
    """The layout that a text says.

    >>> parse("Format(layout=Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0), sharding=Sharding(x))")
    Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)

    Raises ``LayoutSyntaxError`` for other text, and for a layout that is left to the compiler.
    """
    return Parser.whole(text, Parser.layout, f"a layout as JAX prints it, such as '{_EXAMPLE}'")


def recognizes(text: str) -> bool:
    """Whether the text has the form of a JAX layout, right or wrong.

    >>> recognizes("Layout(major_to_minor=(0,))"), recognizes("Layout((3, 5), [])"), recognizes("f32[3]")
    (True, False, False)
    """
    return isinstance(text, str) and bool(re.match(rf"\s*({'|'.join(_NAMES)})\s*\(\s*(_?[a-z_]+)\s*=", text))
