"""Quotients and remainders of a coordinate or of the slot, as colours and labels tell them: ``x1//2``, ``x0//2%4``, ``slot%8``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..cursor import Cursor
from ..digits import Layout

Numbers: TypeAlias = npt.NDArray[np.int64]


class Quotient(NamedTuple):
    """What is told, in words, its value for each element by coordinates of shape ``(n, ndim)``, and the number that values stay below."""

    says: str
    values: Callable[[Numbers], Numbers]
    modulus: int | None


def _column(axis: int, coordinates: Numbers) -> Numbers:
    return coordinates[:, axis]


def _values(source: Callable[[Numbers], Numbers], divisor: int, modulus: int | None, coordinates: Numbers) -> Numbers:
    whole = source(coordinates) // divisor
    return whole % modulus if modulus else whole


def quotient(layout: Layout, text: str, *, instead: str = "") -> Quotient:
    """Read ``xN`` or ``slot``, then ``// divisor`` and ``% modulus``, if any; ``instead`` is what else could stand there, for errors.

    >>> import tilelayout as tl
    >>> told = quotient(tl.layout("f32[3,5]{1,0:T(2,2)}"), "slot // 4 % 3")
    >>> told.says, told.values(np.array([[0, 0], [2, 3], [1, 4]])).tolist()
    ('slot//4%3', [0, 1, 2])
    """
    return Parser.whole(text, Parser.quotient, "a quotient as text, such as 'slot//4%3'", layout, instead)


class Parser(Cursor):
    """The rules of the grammar, for the coordinates of one layout."""

    def __init__(self, text: str, layout: Layout, instead: str) -> None:
        super().__init__(text)
        self.layout, self.instead = layout, instead

    def quotient(self) -> Quotient:
        """``source ["//" INT] ["%" INT]``"""
        says, source = self.source()
        divisor, modulus = self.factor("/"), self.factor("%")
        says += f"//{divisor}" if divisor else ""
        says += f"%{modulus}" if modulus else ""
        return Quotient(says, partial(_values, source, divisor or 1, modulus), modulus)

    def source(self) -> tuple[str, Callable[[Numbers], Numbers]]:
        """``"slot" | "x" axis``: its name, and its values."""
        word, axes = self.word, [f"x{axis}" for axis in range(self.layout.ndim)]
        if word == "slot":
            self.advance()
            return word, self.layout.index
        if word not in axes:
            raise self.expected(f"{self.instead}'slot' or a coordinate of shape {self.layout.shape}{' such as x0' if axes else ''}")
        self.advance()
        return word, partial(_column, axes.index(word))

    def factor(self, sign: str) -> int | None:
        """What follows a sign; ``//`` is two of one."""
        if self.word != sign:
            return None
        self.advance()
        if sign == "/":
            self.expect(sign)
        number = self.integer()
        if number < 1:
            raise self.error(f"{number} is no divisor; divisors are 1 or more", self.at - 1)
        return number
