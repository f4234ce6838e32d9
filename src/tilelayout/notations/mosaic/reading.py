"""Reading Mosaic's attribute and ``memref`` types."""

from __future__ import annotations

import re

from ... import cursor
from ...sizes import MOST_SLOTS
from ..element_types import TypeParser
from .layout import MemRef, TiledLayout, fault

_FORM = re.compile(r"\s*(#tpu\.tiled|memref\s*<(?![^,]*,\s*(?:strided|affine_map)\b).*#tpu\.)", re.DOTALL)


class Parser(TypeParser):
    """The text of both, as the dialect reads it; numbers are decimal."""

    #: A comment, a memref with its sizes, an attribute's or a type's name, a number, an arrow, or any other single character.
    WORD = re.compile(r"//[^\n]*|->|memref\s*<\s*(?:(?:[0-9]+|\?)\s*x\s*)*|[#!]?[A-Za-z_][\w.]*|-?[0-9]+|\S")

    __slots__ = ()

    def layout(self) -> TiledLayout | MemRef:
        """``tiled | memref``"""
        return self.memref() if re.match(r"memref\s*<", self.word) else self.tiled()

    def memref(self) -> MemRef:
        """``"memref<" {size "x"} type ["," tiled] ["," space] ">"``"""
        begin = self.at
        written = re.findall(r"[0-9]+|\?", self.word)
        self.advance()
        if any(size != "?" and (len(size) > cursor.MOST_DECIMALS or int(size) > MOST_SLOTS) for size in written):
            raise self.error("a size in this memref does not fit in 64 bits", begin)
        kind = self.element_type()
        layout = space = None
        if self.word == "," and self.words[self.at + 1] == "#tpu.tiled":
            self.advance()
            layout = self.tiled()
        if self.word == ",":
            self.advance()
            space = self.memory_space()
        self.expect(">")
        shape = tuple(None if size == "?" else int(size) for size in written)
        return self.made(begin, MemRef, shape, kind, layout, space)

    def memory_space(self) -> str | None:
        """``"#tpu.memory_space<" name ">" | number [":" type]``; 0 is none, and of 64 bits is a number whose type is not said."""
        if self.word == "#tpu.memory_space":
            self.advance()
            return "#tpu.memory_space" + self.angled()
        hint = "a layout is written as #tpu.tiled<...>, before the memory space, and left out where it is row-major"
        if self.number() is None:
            raise self.error(f"expected #tpu.tiled or a memory space, found {self.described()}", hint=hint)
        number, kind = self.integer(), "i64"
        if self.word == ":":
            self.advance()
            kind = self.name()
        return f"{number}{'' if kind == 'i64' else f' : {kind}'}" if number else None

    def angled(self) -> str:
        """``"<" name ">"``"""
        self.expect("<")
        name = self.name()
        self.expect(">")
        return f"<{name}>"

    def tiled(self) -> TiledLayout:
        """``"#tpu.tiled<" {"(" [size {"," size}] ")"} "," "[" [stride {"," stride}] "]" ">"``"""
        if self.word != "#tpu.tiled":
            raise self.expected("#tpu.tiled or memref", hint="a layout is written such as #tpu.tiled<(8,128),[2,1]>")
        self.advance()
        self.expect("<")
        tiles, begins = [], []
        while self.word == "(":
            begins.append(self.at)
            tiles.append(tuple(self.listed("(", self.integer, ")")))
        if self.word != ",":
            raise self.expected("'(' or ','", hint="tiles, and after them a stride for each dimension, as in #tpu.tiled<(8,128),[2,1]>")
        self.advance()
        begins.append(self.at)
        strides = self.listed("[", self.integer, "]")
        self.expect(">")
        wrong = fault(tiles, strides)
        if wrong:
            raise self.error(wrong[1], begins[wrong[0]])
        return TiledLayout(tuple(tiles), tuple(strides))


def parse(text: str) -> TiledLayout | MemRef:
    """The layout or array type that a text says.

    >>> parse("#tpu.tiled<(8,128)(2,1),[2,1]>")
    mosaic.TiledLayout(((8, 128), (2, 1)), (2, 1))

    Raises ``LayoutSyntaxError`` for text that says neither, or that the dialect refuses.
    """
    return Parser.whole(text, Parser.layout, "Mosaic's text, such as '#tpu.tiled<(8,128),[2,1]>'")


def recognizes(text: str) -> bool:
    """Whether the text has the form of Mosaic's notation, right or wrong: an attribute, or a ``memref`` with one of the dialect's.

    >>> recognizes("#tpu.tiled<(8,128),[1,1]>"), recognizes("memref<4xf32, #tpu.memory_space<smem>>"), recognizes("memref<4xf32>")
    (True, True, False)

    A memref with a layout of MLIR's own is MLIR's, wherever it lies.
    """
    return isinstance(text, str) and _FORM.match(text) is not None
