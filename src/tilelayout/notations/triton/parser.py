"""The texts of linear layouts: attributes, types, the listing that Triton prints of a LinearLayout, and bare bases."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeAlias

from ... import cursor
from ...sizes import MOST_SLOTS
from .layout import Basis, LinearLayout
from .reading import AttributeParser
from .types import Encoding, MemDescType, TensorType

Described: TypeAlias = Encoding | TensorType | MemDescType

_ALIAS = re.compile(r"#\w+")
#: Shared memory, and its older name.
_MEMORY = ("#ttg.shared_memory", "#triton_gpu.shared_memory")
_FORM = re.compile(
    r"\s*(?:#\w+\s*=\s*loc\([^\n]*\n\s*)*"
    r"(?:(?:#\w+\s*=\s*)?#(?:ttg|triton_gpu)\.|tensor\s*<[^#]*,\s*#(?:(?:ttg|triton_gpu)\.|\w+\s*>)|!ttg?\.memdesc\b"
    r"|-\s*\w+\s*=\s*\d+\s*->|-\s*\w+ is a size 1 dimension|\(empty layout\b|\[\s*\[)"
)


class Parser(AttributeParser):
    """The rules of the grammar, each a method that reads what it names."""

    __slots__ = ()

    def whole_text(self) -> Described:
        """``{alias} [layout]``; without a layout, the alias that no other depends on is what is described."""
        while _ALIAS.fullmatch(self.word) and self.words[self.at + 1] == "=":
            self.alias()
        if self.word or not self.aliases:
            return self.layout()
        if not self.unused:
            raise self.error("this names memory or places in a program, not how an array lies", 0)
        if len(self.unused) > 1:
            hint = f"write the name of one behind them, such as {next(iter(self.unused))}"
            raise self.error(f"{len(self.unused)} layouts are named, and none is said to be meant", hint=hint)
        return next(iter(self.unused.values()))

    def alias(self) -> None:
        """``NAME "=" (attribute | alias | memory | "loc" "(" whatever is balanced ")")``"""
        name = self.word
        if name in self.aliases:
            raise self.error(f"the alias {name} is given twice")
        self.advance()
        self.advance()
        if self.word == "loc":
            self.advance()
            self.enclosed("()")
            self.aliases[name] = "loc"
        elif self.word in _MEMORY:
            self.aliases[name] = self.memory()
        else:
            self.aliases[name] = self.unused[name] = self.encoding()

    def layout(self) -> Described:
        """``attribute | alias | type | listing | empty | bases``"""
        begin = self.at
        value: Described
        if self.word.startswith("#"):
            value = self.encoding()
        elif self.word.startswith(("tensor", "!ttg.memdesc", "!tt.memdesc")) and "<" in self.word:
            value = self.type()
        elif self.word == "[":
            value = self.linear_layout(begin, (("offset", self.bases()),))
        elif self.word == "(":
            value = self.empty()
        else:
            value = self.listing()
        return value

    def type(self) -> TensorType | MemDescType:
        """``"tensor<" {INT "x"} element "," encoding ">" | "!ttg.memdesc<" ... encoding "," memory ["," "mutable"] ">"``"""
        in_registers = self.word.startswith("tensor")
        sizes = re.findall(r"[0-9]+", self.word.partition("<")[2])
        if any(len(size) > cursor.MOST_DECIMALS or int(size) > MOST_SLOTS for size in sizes):
            raise self.error("a size in this type does not fit in 64 bits")
        self.advance()
        kind = self.element_type()
        self.expect(",")
        at, encoding = self.at, self.encoding()
        shape = tuple(map(int, sizes))
        if in_registers:
            self.expect(">")
            return self.made(at, TensorType, shape, kind, encoding)
        self.expect(",")
        self.memory()
        mutable = self.word == ","
        if mutable:
            self.advance()
            if self.word != "mutable":
                raise self.expected("mutable", hint="a part of a larger array is not read")
            self.advance()
        if self.word == ",":
            raise self.error("a part of a larger array is not read", hint="write the type of the whole")
        self.expect(">")
        return self.made(at, MemDescType, shape, kind, encoding, mutable)

    def memory(self) -> str:
        """``"#ttg.shared_memory" | alias``"""
        if self.aliases.get(self.word, self.word) not in _MEMORY:
            raise self.expected(_MEMORY[0])
        self.advance()
        return _MEMORY[0]

    def listing(self) -> LinearLayout:
        """What Triton prints: ``- offset=1 -> (0, 1)`` and so on for each kind, then the names and sizes of the axes."""
        begin = self.at
        bases: list[tuple[str, tuple[Basis, ...]]] = []
        while self.word == "-":
            self.advance()
            bases.append(self.listed_kind())
        if not bases:
            raise self.expected("an attribute or a type of Triton's, such as #ttg.blocked<{...}>, a list of bases, or '- offset=1 -> ...'")
        made = self.linear_layout(begin, tuple(bases))
        return self.sized(made, "where", "out", "dims", "are", ":") if self.word == "where" else made

    def empty(self) -> LinearLayout:
        """``"(empty layout" ["with out-dims" axes] ")"``, which is what Triton prints where there are no kinds of places."""
        for word in ("(", "empty", "layout"):
            self.expect(word)
        none = LinearLayout((), axes=0)
        made = self.sized(none, "with", "out", "-", "dims") if self.word == "with" else none
        self.expect(")")
        return made

    def sized(self, made: LinearLayout, *words: str) -> LinearLayout:
        """The layout with as many axes as are listed behind these words, of the sizes that its bases reach."""
        begin = self.at
        for word in words:
            self.expect(word)
        sizes = tuple(self.listed("[", self.axis, "]"))
        told = tuple(size for size in sizes if size is not None)
        sized = made if made.has_bases else replace(made, axes=len(sizes))
        if told and told != sized.shape:
            raise self.error(f"the axes have sizes {told}, and the bases reach {sized.shape}", begin, hint="bases reach each coordinate")
        return sized

    def listed_kind(self) -> tuple[str, tuple[Basis, ...]]:
        """``NAME "is a size 1 dimension" | {NAME "=" INT "->" "(" INT {"," INT} ")"}``"""
        kind = self.word
        bases: list[Basis] = []
        if not kind.isidentifier():
            raise self.expected("a kind of place, such as offset")
        while self.word == kind:
            self.advance()
            if self.word == "is" and not bases:
                for word in ("is", "a", "size", "1", "dimension"):
                    self.expect(word)
                break
            self.expect("=")
            if self.number() != 1 << len(bases):
                raise self.expected(f"{1 << len(bases)}, the next bit of {kind}")
            self.advance()
            self.expect("->")
            begin = self.at
            bases.append(tuple(self.listed("(", self.integer, ")")))
            self.read.append((bases[-1], begin))
        return kind, tuple(bases)

    def axis(self) -> int | None:
        """``NAME ["(" "size" INT ")"]``"""
        self.name()
        return self.parenthesised(self.size) if self.word == "(" else None

    def size(self) -> int:
        """``"size" INT``"""
        self.expect("size")
        return self.integer()


def parse(text: str) -> Described:
    """The attribute, type or linear layout that a text describes.

    >>> parse("[[0, 1], [1, 0]]")
    triton.LinearLayout((('offset', ((0, 1), (1, 0))),))
    >>> print(parse(" - offset=1 -> (2)\\n   offset=2 -> (4)\\n   offset=4 -> (1)\\nwhere out dims are: [dim0 (size 8)]"))
    #ttg.shared_linear<{offset = [[2], [4], [1]]}, alignment = 16>
    >>> parse("#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}> tensor<64xf32, #b>").shape
    (64,)
    """
    return Parser.whole(
        text, Parser.whole_text, "the text of one of Triton's layouts, such as '#ttg.shared_linear<{offset = [[0, 1]]}, alignment = 16>'"
    )


def recognizes(text: str) -> bool:
    """Whether the text has the form of one of Triton's layouts, or of a type that has one.

    >>> recognizes("#ttg.linear<{}>"), recognizes("[[0,1]]"), recognizes(" - lane=1 -> (1)"), recognizes("[1, 0]")
    (True, True, True, False)
    >>> recognizes("tensor<64xf32, #ttg.blocked<{}>>"), recognizes("#blocked = #ttg.blocked<{}>"), recognizes("tensor<64xf32>")
    (True, True, False)
    """
    return isinstance(text, str) and _FORM.match(text) is not None
