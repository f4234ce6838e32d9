"""The grammar of strided layouts, memref types and ``linalg.pack``, as MLIR's parsers read them; ``?`` and SSA tiles are refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from .affine import AffineMap, Strided
from .expressions import DYNAMIC, AffineParser
from .pack import Pack, PackOp
from .types import MemRef

Described: TypeAlias = AffineMap | Strided | MemRef | Pack | PackOp

_LISTS = ("outer_dims_perm", "inner_dims_pos", "inner_tiles")
_OPERATION = re.compile(r"(?:linalg|tensor)\.pack")
_RECOGNIZED = re.compile(rf"\s*(?:(?:affine_map|memref|strided)\s*<|(?:{'|'.join(_LISTS)})\s*=|(?:%\S+\s*=\s*)?{_OPERATION.pattern}\b)")


def recognizes(text: str) -> bool:
    """Whether a text begins as one of MLIR's does.

    >>> recognizes("affine_map<(d0) -> (d0)>"), recognizes("inner_dims_pos = [1]"), recognizes("memref<3xf32>"), recognizes("[1, 0]")
    (True, True, True, False)
    """
    return isinstance(text, str) and _RECOGNIZED.match(text) is not None


def parse(text: str) -> Described:
    """The affine map, strided layout, memref type, pack attributes or pack operation that a text says.

    >>> parse("memref<3x5xf32, strided<[5, 1], offset: 2>>").bind().slots
    17
    >>> parse("inner_dims_pos = [1] inner_tiles = [4] outer_dims_perm = [1, 0]")
    Pack(inner_dims_pos=(1,), inner_tiles=(4,), outer_dims_perm=(1, 0))
    >>> parse("affine_map<(i) -> (i div 2)>")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: expected ',' or ')', found 'div'
        affine_map<(i) -> (i div 2)>
                             ^
    division is floordiv, ceildiv or mod

    Raises ``LayoutSyntaxError`` for other text, and ``ShapeError`` for an operation whose types do not fit.
    """
    return Parser.whole(text, Parser.layout, "MLIR's text, such as 'affine_map<(d0, d1) -> (d1, d0)>'")


class Parser(AffineParser):
    """The rules of the grammar, each a method that reads what it names."""

    __slots__ = ()

    def layout(self) -> Described:
        """``affine_map | strided | memref | operation | attributes``"""
        if self.word == "affine_map":
            return self.affine_map()
        if self.word == "strided":
            return self.strided()
        if self.word == "memref":
            return self.memref()
        if self.word.startswith("%") or _OPERATION.fullmatch(self.word):
            return self.operation()
        if self.word in _LISTS:
            return self.attributes()
        raise self.expected("affine_map<...>, strided<...>, memref<...>, linalg.pack or its attributes")

    def strided(self) -> Strided:
        """``"strided" "<" "[" strides "]" ["," "offset" ":" integer] ">"``"""
        self.expect("strided")
        self.expect("<")
        strides, offset = self.listed("[", self._signed, "]"), 0
        if self.word == ",":
            for word in (",", "offset", ":"):
                self.expect(word)
            offset = self._signed()
        self.expect(">")
        return Strided(tuple(strides), offset)

    def _signed(self) -> int:
        negative = self.word == "-"
        if negative:
            self.advance()
        return -self.integer() if negative else self.integer()

    def memref(self) -> MemRef:
        """``"memref" "<" dims type ["," layout] ["," memory_space] ">"``"""
        self.expect("memref")
        self.expect("<")
        shape, element_type = self._typed()
        layout: AffineMap | Strided | None = None
        if self.word == ",":
            self.advance()
            if self.word in ("affine_map", "strided"):
                begin = self.at
                layout = self.affine_map() if self.word == "affine_map" else self.strided()
                if layout.rank != len(shape):
                    raise self.error(f"a layout of {layout.rank} dimensions for a memref of {len(shape)}", begin)
                if self.word == ",":
                    self.advance()
                    self._memory_space()
            else:
                self._memory_space()
        self.expect(">")
        return MemRef(shape, element_type, layout)

    def _memory_space(self) -> None:
        """A number, a string, or an attribute such as ``#gpu.address_space<workgroup>``; elements lie the same in each."""
        begin = self.at
        if self.word.startswith('"'):
            self.advance()
        elif self.word == "#":
            self.advance()
            name = self.word
            if not name[:1].isalpha():
                raise self.expected("the name of an attribute")
            self.advance()
            if "." not in name and self.word != "<":
                raise self.error(
                    f"#{name} is an alias, which may stand for a layout or a memory space", begin, hint="write what the alias stands for"
                )
            if self.word == "<":
                self.enclosed("<>")
        else:
            if self.word == "-":
                self.advance()
            self.integer("a layout, as affine_map<...> or strided<...>, or a memory space")
            if self.word == ":":
                self.advance()
                self.name()

    def _typed(self) -> tuple[tuple[int, ...], str]:
        """``{integer "x"} type``"""
        shape = []
        while self.word.isdecimal() or self.word in ("?", "*"):
            shape.append(self.integer("a size"))
            if not self.word.startswith("x"):
                raise self.expected("'x'")
            if self.word == "x":
                self.advance()
            else:
                self.word = self.words[self.at] = self.word[1:]
        return tuple(shape), self.element_type()

    def attributes(self) -> Pack:
        """``{("outer_dims_perm" | "inner_dims_pos" | "inner_tiles") "=" "[" integers "]"}``, each once, in any order"""
        lists: dict[str, tuple[int, ...]] = {}
        begins: dict[str, int] = {}
        while self.word in _LISTS:
            name = self.word
            if name in lists:
                raise self.error(f"{name} is given twice")
            self.advance()
            self.expect("=")
            begins[name] = self.at
            rule: Callable[[], int] = self._tile if name == "inner_tiles" else self._dimension
            lists[name] = tuple(self.listed("[", rule, "]"))
        for name in _LISTS[1:]:
            if name not in lists:
                raise self.expected(f"{name} = [...]")
        order, positions, tiles = (lists.get(name, ()) for name in _LISTS)
        if len(set(positions)) < len(positions):
            raise self.error("inner_dims_pos names a dimension twice", begins["inner_dims_pos"], hint="a dimension has one tile in a pack")
        if len(positions) != len(tiles):
            raise self.error(
                f"{len(tiles)} tiles for {len(positions)} dimensions", begins["inner_tiles"], hint="each of inner_dims_pos has one"
            )
        if sorted(order) != list(range(len(order))):
            raise self.error("outer_dims_perm is no permutation", begins["outer_dims_perm"], hint="it names each dimension once, from 0")
        if order and any(position >= len(order) for position in positions):
            raise self.error(f"inner_dims_pos goes beyond the {len(order)} dimensions", begins["inner_dims_pos"], hint="they count from 0")
        return Pack(positions, tiles, order)

    def _dimension(self) -> int:
        return self.integer("the number of a dimension")

    def _tile(self) -> int:
        if self.word.startswith("%"):
            raise self.error(f"tile {self.described()} is not known", hint=DYNAMIC)
        size = self.integer("the size of a tile")
        if size < 1:
            raise self.error(f"a tile of {size}", self.at - 1, hint="tiles are 1 or more")
        return size

    def operation(self) -> PackOp:
        """``[value "="] "linalg.pack" value [padding] attributes "into" value [dictionary] ":" array "->" array ["loc" "(" ... ")"]``"""
        kinds: tuple[str, ...] = ("tensor", "memref")
        if self.word.startswith("%"):
            self._value()
            self.expect("=")
            kinds = ("tensor",)  # on memrefs an operation has no result
        if not _OPERATION.fullmatch(self.word):
            raise self.expected("linalg.pack")
        begin = self.at
        self.advance()
        self._value()
        padding_at, padding = self.at, self._padding() if self.word == "padding_value" else None
        pack = self.attributes()
        self.expect("into")
        self._value()
        if self.word == "{":
            self.enclosed("{}")
        self.expect(":")
        source = self._packed(pack, *kinds)
        if self.word == "loc":
            self.advance()
            self.enclosed("()")
        if padding not in (None, source.element_type):
            raise self.error(f"a padding_value of {padding} among elements of {source.element_type}; both have one type", padding_at)
        if not padding and any(source.shape[axis] % tile for axis, tile in zip(pack.inner_dims_pos, pack.inner_tiles, strict=True)):
            raise self.error(
                "tiles that do not divide a dimension take a padding_value", begin, hint="padding_value(%pad : f32) comes first"
            )
        return PackOp(pack, source.shape, source.element_type, padding is not None)

    def _packed(self, pack: Pack, *kinds: str) -> MemRef:
        """``array "->" array``, of which the first; the other is what the pack makes of it"""
        kind = self.word
        source = self._array(*kinds)
        self.expect("->")
        begin = self.at
        target = self._array(kind)
        expected = MemRef(pack.packed_shape(pack.checked(source.shape)), source.element_type)
        if target != expected:
            raise self.error(f"the packed {kind} is of another type than {kind}{str(expected).removeprefix('memref')}", begin)
        return source

    def _padding(self) -> str:
        """``"padding_value" "(" value ":" type ")"``, of which the type"""
        self.expect("padding_value")
        self.expect("(")
        self._value()
        self.expect(":")
        name = self.element_type()
        self.expect(")")
        return name

    def _value(self) -> None:
        if not self.word.startswith("%") or len(self.word) == 1:
            raise self.expected("an SSA value, such as %0")
        self.advance()

    def _array(self, *kinds: str) -> MemRef:
        """``"tensor" "<" dims type ">" | memref``, of the kinds that may stand here"""
        if self.word not in kinds:
            raise self.expected(" or ".join(kinds))
        if self.word == "memref":
            return self.memref()
        self.advance()
        self.expect("<")
        begin = self.at
        shape, element_type = self._typed()
        if element_type.startswith("memref"):
            raise self.error("a tensor has no memrefs for its elements", begin)
        self.expect(">")
        return MemRef(shape, element_type)
