"""The grammar of affine maps, as MLIR's AffineParser.cpp reads them; maps with symbols, which have no values, are refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from ...errors import LayoutSyntaxError
from ...radix import MOST_NESTED
from ..element_types import TypeParser
from .affine import AffineMap
from .linear import Linear, dim, quotient, remainder, scaled, total

#: What to do about a size that stands as ``?`` or as an SSA value.
DYNAMIC = "a size that is not known has no layout yet; write a number"


class AffineParser(TypeParser):
    """The rules of the grammar, each a method that reads what it names."""

    WORD = re.compile(r"//[^\n]*|->|(?<=[0-9?])x|[0-9]+|%[\w$.#-]+|[A-Za-z_][\w$.]*|\"[^\"]*\"|\S")
    NUMBER = re.compile("([0-9]+)")
    HINTS: ClassVar[Mapping[str, str]] = {
        "?": DYNAMIC,
        "/": "division is floordiv, ceildiv or mod",
        "div": "division is floordiv, ceildiv or mod",
        "%": "the remainder is mod",
    }

    __slots__ = ("depth", "dims")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.dims: dict[str, int] = {}

    def expected(self, what: str, *, hint: str | None = None) -> LayoutSyntaxError:
        """The error for a word where something else should be; where a comment may have hidden it, that is said."""
        hidden = None if self.word or "//" not in self.text else "behind // is a comment; division is floordiv"
        return super().expected(what, hint=hint or hidden)

    def affine_map(self) -> AffineMap:
        """``"affine_map" "<" "(" names ")" "->" "(" expressions ")" ">"``"""
        self.expect("affine_map")
        self.expect("<")
        self.dims = {}
        rank = len(self.listed("(", self._new_dim, ")"))
        if self.word == "[":
            self.advance()
            if self.word != "]":
                raise self.error("a map with symbols is a layout only when they have values", hint="write the numbers in their place")
            self.advance()
        self.expect("->")
        results = self.listed("(", self.expression, ")")
        self.expect(">")
        return AffineMap(rank, tuple(results))

    def _new_dim(self) -> None:
        if not re.fullmatch(r"[A-Za-z_][\w$.]*", self.word):
            raise self.expected("the name of a dimension")
        if self.word in self.dims:
            raise self.error(f"dimension {self.described()} is named twice", hint="each dimension has its own name")
        self.dims[self.word] = len(self.dims)
        self.advance()

    def expression(self) -> Linear:
        """``product {("+" | "-") product}``"""
        parts = [self._product()]
        while self.word in ("+", "-"):
            sign = -1 if self.word == "-" else 1
            self.advance()
            parts.append(scaled(self._product(), sign))
        return total(parts)

    def _product(self) -> Linear:
        """``operand {("*" | "floordiv" | "ceildiv" | "mod") operand}``"""
        left = self._operand()
        while self.word in ("*", "floordiv", "ceildiv", "mod"):
            operator, at = self.word, self.at
            self.advance()
            left = self._combined(left, operator, self._operand(), at)
        return left

    def _combined(self, left: Linear, operator: str, right: Linear, at: int) -> Linear:
        if operator == "*":
            if left.terms and right.terms:
                raise self.error("a product of two dimensions is not affine", at, hint="one side of * is a number")
            return scaled(left, right.constant) if left.terms else scaled(right, left.constant)
        if right.terms:
            raise self.error(f"{operator} by a dimension is not affine", at + 1, hint=f"the right side of {operator} is a number")
        if right.constant < 1:
            raise self.error(f"{operator} by {right.constant} has no meaning", at + 1, hint="divisors are 1 or more")
        if operator == "ceildiv":
            return quotient(total([left, Linear(right.constant - 1)]), right.constant)
        return (remainder if operator == "mod" else quotient)(left, right.constant)

    def _operand(self) -> Linear:
        """``{"-"} (integer | name | "(" expression ")")``"""
        sign = 1
        while self.word == "-":
            sign = -sign
            self.advance()
        if self.word == "(":
            self.depth += 1
            if self.depth > MOST_NESTED:
                raise self.error(f"parentheses are nested more than {MOST_NESTED} deep", hint="no deeper nesting is read")
            value = self.parenthesised(self.expression)
            self.depth -= 1
        elif self.word in self.dims:
            value = dim(self.dims[self.word])
            self.advance()
        else:
            value = Linear(self.integer(f"a number or one of the dimensions {', '.join(self.dims)}" if self.dims else "a number"))
        return scaled(value, sign)
