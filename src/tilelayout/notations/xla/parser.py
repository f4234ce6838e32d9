"""The grammar of XLA shapes and layouts, as ``HloParserImpl::ParseShape`` and ``ParseLayout`` read it (xla/hlo/parser/hlo_parser.cc).

Properties come in one order, each at most once: ``T L # * E S SC P M``. In front of them the ``D(...)`` of dumps from
2022 to 2025 is read and dropped, as XLA does; text of any year is otherwise in the order of today.

Where XLA would abort, wrap a number around or overlook a missing parenthesis, the text is refused instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import LayoutError, LayoutSyntaxError, ShapeError
from . import validation
from .cursor import Cursor
from .layout import Layout
from .shape import MOST_NESTED, Shape
from .tiling import COMBINE, Tile
from .types import INTEGER_TYPES, NUMPY_NAMES, OPAQUE_TYPES, suggestion

_DIM_LEVELS = frozenset("DCSH")


class Parser(Cursor):
    """The rules of the grammar, each a method that reads what it names."""

    __slots__ = ("begins", "depth")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.begins: dict[str, int] = {}  # the word with which each field of the last layout begins

    def shape_or_layout(self) -> Shape | Layout:
        """``layout | shape``"""
        return self.layout() if self.word == "{" else self.shape()

    def shape(self) -> Shape:
        """``tuple | "b" "(" shape ")" | type dims [layout]``"""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error(f"shapes are nested more than {MOST_NESTED} deep", hint="no deeper nesting is read")
        try:
            if self.word == "(":
                return Shape("tuple", parts=tuple(self.listed("(", self.shape, ")")))
            if self.word == "b" and self.words[self.at + 1] == "(":
                return self.buffer()
            return self.array()
        finally:
            self.depth -= 1

    def buffer(self) -> Shape:
        """``"b" "(" array ")"``"""
        begin = self.at
        self.advance()
        held = self.parenthesised(self.shape)
        if not held.is_array:
            raise self.error(f"b({held}) is no buffer", begin, hint="a buffer holds one array, as in b(f32[2,3])")
        return Shape("buffer", parts=(held,))

    def array(self) -> Shape:
        """``type "[" dims "]" [layout]``"""
        at, name = self.at, self.word
        if name not in NUMPY_NAMES and name not in OPAQUE_TYPES:
            raise self.expected("an element type", hint=_type_hint(name))
        self.advance()
        if self.word != "[":
            hint = f"dimensions follow in brackets, as in {name}[3,5], or {name}[] for none"
            raise self.expected("'[' after the element type", hint=hint)
        begin = self.at
        dims = self.listed("[", self.dim, "]")
        layout = self.array_layout() if self.word == "{" else None
        if name in OPAQUE_TYPES and (dims or layout is not None):
            raise self.error(f"{name} has neither dimensions nor a layout", begin, hint=f"write {name}[]")
        sizes = tuple(size for size, _ in dims)
        try:
            return Shape(name, sizes, layout, tuple(flag for _, flag in dims))
        except ShapeError as error:
            wrong = None if layout is None else validation.fault(layout, sizes)
            found = self.begins[wrong[0]] if wrong and wrong[1] == str(error) else at
            raise ShapeError(str(self.error(str(error), found))) from None

    def array_layout(self) -> Layout:
        """The layout of an array, which is not empty: XLA leaves ``{}`` behind an array to whatever comes next."""
        begin = self.at
        self.advance()
        if self.word != ":" and self.number() is None:
            hint = "an array's empty layout is left out" if self.word == "}" else None
            raise self.expected("a dimension number or ':' after '{'", hint=hint)
        return self.layout_from(begin)

    def dim(self) -> tuple[int | None, bool]:
        """``INT | "<=" INT | "?"``: the size, and whether it is dynamic."""
        if self.word == "?":
            self.advance()
            return None, True
        dynamic = self.word == "<="
        if dynamic:
            self.advance()
        begin = self.at
        size = self.integer()
        if size < 0:
            hint = "sizes are 0 or more; a bounded one is written <=8, an unbounded one ?"
            raise self.error(f"dimension {size} is negative", begin, hint=hint)
        return size, dynamic

    def layout(self) -> Layout:
        """``"{" [INT {"," INT}] [":" properties] "}"``"""
        begin = self.at
        if self.word != "{":
            raise self.expected(
                "'{'", hint="a layout alone is written such as {1,0:T(8,128)}; one with a shape in front is read by parse_shape"
            )
        self.advance()
        return self.layout_from(begin)

    def layout_from(self, begin: int) -> Layout:
        """What follows the brace that is word number ``begin``."""
        order: list[int] = []
        if self.word not in (":", "}"):
            order.append(self.integer("a dimension number"))
            while self.word == ",":
                self.advance()
                order.append(self.integer("a dimension number"))
        if self.word not in (":", "}"):
            raise self.expected("',', ':' or '}' in the order of dimensions")
        values: dict[str, Any] = {}
        begins = {"minor_to_major": begin}
        if self.word == ":":
            self.advance()
            self.properties(values, begins)
        self.expect("}")
        values["minor_to_major"] = tuple(order)
        self.begins = begins
        try:
            return Layout(**values)
        except LayoutError as error:
            wrong = next(field for field in values if not validation.passes(field, values[field]))
            within = 1 + 2 * validation.odd_one_of(order) if wrong == "minor_to_major" else 0  # behind the brace and, each, a comma
            raise self.error(str(error), begins[wrong] + within) from None

    def properties(self, values: dict[str, Any], begins: dict[str, int]) -> None:
        """The properties, each after its name, in the one order; notes the value of each field and where it begins."""
        if self.word == "D":
            self.advance()
            self.listed("(", self.dim_level, ")")
        for name, (field, read) in PROPERTIES.items():
            if self.word == name:
                begins[field] = self.at
                self.advance()
                values[field] = read(self)
        if self.word != "}":
            raise self.misplaced(values)

    def misplaced(self, values: dict[str, Any]) -> LayoutSyntaxError:
        """The error for a word where a property or the end should be."""
        word = self.word
        if word not in PROPERTIES:
            return self.expected(f"a property ({_ORDER}) or '}}'")
        if PROPERTIES[word][0] in values:
            return self.error(f"property {word} is given twice; one {word} takes it all")
        return self.error(f"property {word} is out of order; the order is {_ORDER}")

    def dim_level(self) -> None:
        """``("D" | "C" | "S" | "H") ["+"] ["~"]``, which says nothing about a dense array."""
        if self.word not in _DIM_LEVELS:
            raise self.expected("a DimLevelType abbreviation (D, C, S or H)")
        self.advance()
        for mark in "+~":
            if self.word == mark:
                self.advance()

    def tiles(self) -> tuple[Tile, ...]:
        """``"(" [entry {"," entry}] ")"``, once or more."""
        tiles = [tuple(self.listed("(", self.tile_entry, ")"))]
        while self.word == "(":
            tiles.append(tuple(self.listed("(", self.tile_entry, ")")))
        return tuple(tiles)

    def tile_entry(self) -> int:
        """``INT | "*"``"""
        if self.word == "*":
            self.advance()
            return COMBINE
        begin = self.at
        size = self.integer("a tile dimension or '*'")
        if size < 1 and size != COMBINE:
            hint = "a dimension to be combined is written '*', as in T(*,128)" if size else "sizes of tiles are 1 or more"
            raise self.error(f"tile dimension {size} is {'negative' if size else 'no size'}", begin, hint=hint)
        return size

    def splits(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """``"(" INT ":" [INT {"," INT}] ")"``, once or more."""
        splits = [self.parenthesised(self.split)]
        while self.word == "(":
            splits.append(self.parenthesised(self.split))
        return tuple(splits)

    def split(self) -> tuple[int, tuple[int, ...]]:
        """A physical dimension and where it is cut."""
        dimension = self.integer()
        self.expect(":")
        indices = [] if self.word == ")" else [self.integer()]
        while indices and self.word == ",":
            self.advance()
            indices.append(self.integer())
        return dimension, tuple(indices)

    def one_integer(self) -> int:
        """``"(" INT ")"``"""
        return self.parenthesised(self.integer)

    def metadata_prefix(self) -> int:
        """``"(" INT ")"``; XLA takes a negative number for none."""
        return max(0, self.one_integer())

    def primitive_type(self) -> str:
        """``"(" type ")"``; XLA keeps no type that is not an integer's, and prints ``invalid``."""
        return self.parenthesised(self.type_name)

    def type_name(self) -> str:
        """The name of an integer type, or of none."""
        name = self.word
        if name not in NUMPY_NAMES and name not in OPAQUE_TYPES and name != validation.INVALID_TYPE:
            raise self.expected("an element type", hint=suggestion(name))
        self.advance()
        return name if name in INTEGER_TYPES else validation.INVALID_TYPE

    def physical_shape(self) -> Shape:
        """``"(" shape ")"``"""
        return self.parenthesised(self.shape)


#: The properties in XLA's order: the name in text, the field of Layout, and the rule for what follows the name.
PROPERTIES: dict[str, tuple[str, Callable[[Parser], Any]]] = {
    "T": ("tiles", Parser.tiles),
    "L": ("tail_padding_alignment_in_elements", Parser.one_integer),
    "#": ("index_primitive_type", Parser.primitive_type),
    "*": ("pointer_primitive_type", Parser.primitive_type),
    "E": ("element_size_in_bits", Parser.one_integer),
    "S": ("memory_space", Parser.one_integer),
    "SC": ("split_configs", Parser.splits),
    "P": ("physical_shape", Parser.physical_shape),
    "M": ("dynamic_shape_metadata_prefix_bytes", Parser.metadata_prefix),
}

_ORDER = " ".join(PROPERTIES)


def _type_hint(word: str) -> str:
    """What to write where an element type is expected."""
    if word == "{":
        return "a layout alone is read by parse_layout; an array goes in front of it, as in f32[3,5]{1,0}"
    if word == "[":
        return "the element type comes first, as in f32[3,5]"
    if word in ("tuple", "buffer"):
        return "a tuple is written (f32[2], s32[]), a buffer b(f32[2])"
    return suggestion(word) if word.isidentifier() else "a shape is written such as f32[3,5]{1,0:T(2,2)}, a scalar f32[]"
