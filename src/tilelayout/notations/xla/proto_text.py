"""Protobuf's text format, as far as messages of layouts and shapes go: what ``print`` and logs make of them.

    layout { minor_to_major: 1 minor_to_major: 0 tiles { dimensions: 8 dimensions: 128 } }

A field that is repeated stands there again for each value. Source: the page "Text Format Language" of protobuf's documentation.
"""

from __future__ import annotations

import re
from typing import Any

from ...cursor import Cursor
from .shape import MOST_NESTED

_FIELDS = (
    "element_type|dimensions|tuple_shapes|is_dynamic_dimension|layout|minor_to_major|tiles|element_size_in_bits|memory_space|dim_level_types"
    "|dim_unique|dim_ordered|physical_shape|index_primitive_type|pointer_primitive_type|dynamic_shape_metadata_prefix_bytes"
    "|tail_padding_alignment_in_elements|split_configs"
)
_BEGINS = re.compile(rf"\s*(?:#[^\n]*\n\s*)*(?:{_FIELDS})\s*[:{{]")
_REPEATED = frozenset(
    {
        *("minor_to_major", "tiles", "dimensions", "tuple_shapes", "is_dynamic_dimension", "split_configs", "split_indices"),
        *("dim_level_types", "dim_unique", "dim_ordered"),
    }
)


def recognizes(text: str) -> bool:
    """Whether the text begins with a field of a layout or a shape.

    >>> recognizes("minor_to_major: 0"), recognizes("layout {}"), recognizes("f32[3]{0}")
    (True, True, False)
    """
    return _BEGINS.match(text) is not None


def parse(text: str) -> dict[str, Any]:
    """The fields of a message; those of its layout, where it has no other.

    >>> parse("element_type: F32  layout { minor_to_major: [1, 0] }")
    {'element_type': 'F32', 'layout': {'minor_to_major': [1, 0]}}
    """
    fields = Parser.whole(text, lambda parser: parser.fields(""), "the text of a message, such as 'minor_to_major: 0'")
    inner = fields.get("layout")
    return inner if len(fields) == 1 and isinstance(inner, dict) else fields


class Parser(Cursor):
    """The rules of the grammar, each a method that reads what it names."""

    WORD = re.compile(r"#[^\n]*|-?[0-9]+|[A-Za-z_][A-Za-z0-9_]*|\S")

    __slots__ = ("depth",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    @classmethod
    def skipped(cls, word: str) -> bool:
        """Comments."""
        return word.startswith("#")

    def fields(self, closing: str) -> dict[str, Any]:
        """``{name [":"] value [","|";"]} closing``"""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error(f"messages are nested more than {MOST_NESTED} deep", hint="no deeper nesting is read")
        found: dict[str, Any] = {}
        while self.word != closing:
            begin, name = self.at, self.name()
            if self.word == ":":
                self.advance()
            elif self.word not in ("{", "<"):
                raise self.expected("':' or '{'")
            value = self.listed("[", self.value, "]") if self.word == "[" else self.value()
            if name in _REPEATED:
                found.setdefault(name, []).extend(value if isinstance(value, list) else [value])
            elif name in found or isinstance(value, list):
                raise self.error(f"{name} is given more than once", begin, hint="it has one value")
            else:
                found[name] = value
            if self.word in (",", ";"):
                self.advance()
        self.depth -= 1
        if closing:
            self.advance()
        return found

    def value(self) -> Any:
        """``"{" fields "}" | "<" fields ">" | integer | name``"""
        if self.word in ("{", "<"):
            closing = "}" if self.word == "{" else ">"
            self.advance()
            return self.fields(closing)
        if self.number() is not None:
            return self.integer()
        name = self.name()
        return {"true": True, "false": False}.get(name, name)
