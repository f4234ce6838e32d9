"""What a drawing's colours tell: the tile of an element, or any quotient and remainder of a coordinate or of the slot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import bitwise
from ..cursor import Cursor
from ..digits import Layout
from ..errors import LayoutError, shown
from ..formulas.sums import Formula
from ..radix import Digit, as_digits
from .palette import FILLS
from .sides import block_sizes

Numbers: TypeAlias = npt.NDArray[np.int64]
ColorLike: TypeAlias = str | Digit

#: Tiles take the first so many fills: a prime number, so that tiles side by side differ.
TILE_FILLS = 7


class Coloring(NamedTuple):
    """What is told, in words, and the number of the fill of each element; coordinates are of shape ``(n, ndim)``."""

    says: str
    fills: Callable[[Numbers], Numbers]


def coloring(layout: Layout, color: ColorLike) -> Coloring:
    """How to colour by ``"tile"``, ``"none"``, a digit, or text such as ``"x1//2"``, ``"x0//2%4"``, ``"slot%8"``.

    >>> import tilelayout as tl
    >>> rule = coloring(tl.layout("f32[3,5]{1,0:T(2,2)}"), "x1//2")
    >>> rule.says, rule.fills(np.array([[0, 0], [2, 3], [1, 4]])).tolist()
    ('x1//2', [0, 1, 2])

    Tiles are the largest blocks that the axes are cut into. Layouts without such are coloured by what swizzling changes in the slot, by the
    blocks of merged axes, or by their slowest digit.
    """
    if isinstance(color, str):
        if color.strip() == "tile":
            return _by_tile(layout)
        return _PLAIN if color.strip() == "none" else _Reader(color, layout).rule()
    if isinstance(color, Digit):
        return _by_digit(layout, as_digits([color], layout.shape)[0])
    raise LayoutError(f"color={shown(color)} is no colouring; it is 'tile', 'none', a Digit, or text such as 'x1//2%4' or 'slot%8'")


_PLAIN = Coloring("", lambda coordinates: np.zeros(len(coordinates), np.int64))


class _Reader(Cursor):
    """Reads ``xN`` or ``slot``, then ``// divisor`` and ``% modulus``, if any."""

    def __init__(self, text: str, layout: Layout) -> None:
        super().__init__(text)
        self.layout = layout

    def rule(self) -> Coloring:
        says, source = self.source()
        divisor = self.factor("/")
        modulus = self.factor("%")
        self.finish()
        says += f"//{divisor}" if divisor else ""
        says += f"%{modulus}" if modulus else ""

        def fills(coordinates: Numbers) -> Numbers:
            values = source(coordinates) // (divisor or 1)
            return values % (modulus or len(FILLS)) % len(FILLS)

        return Coloring(says, fills)

    def source(self) -> tuple[str, Callable[[Numbers], Numbers]]:
        word, axes = self.word, [f"x{axis}" for axis in range(self.layout.ndim)]
        if word == "slot":
            self.advance()
            return word, self.layout.index
        if word not in axes:
            raise self.expected(f"'tile', 'none', 'slot' or a coordinate of shape {self.layout.shape}{' such as x0' if axes else ''}")
        self.advance()
        axis = axes.index(word)
        return word, lambda coordinates: coordinates[:, axis]

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


def _by_tile(layout: Layout) -> Coloring:
    swizzled = _swizzled(layout)
    if swizzled:
        return swizzled
    blocks = [sizes[0] if (sizes := block_sizes(layout, axis)) else 0 for axis in range(layout.ndim)]
    if any(blocks):
        return _by_blocks(layout.shape, blocks)
    merged = [digit for digit in layout.digits if isinstance(digit.axis, tuple) and digit.divisor > 1]
    if merged:
        return _by_digit(layout, merged[0])
    digits = sorted((digit for digit in layout.canonical if digit.axis is not None), key=lambda digit: -abs(digit.stride))
    return _by_digit(layout, digits[0]) if len(digits) > 1 else _PLAIN


def _by_blocks(shape: Sequence[int], blocks: Sequence[int]) -> Coloring:
    """The number of each tile, counted so that neighbours along any axis get different fills."""
    weights, weight = [0] * len(shape), 1
    for axis in reversed(range(len(shape))):
        if blocks[axis]:
            weights[axis] = weight
            tiles = -(-shape[axis] // blocks[axis])
            weight = weight * (tiles + (tiles % TILE_FILLS == 0)) % TILE_FILLS
    cut = [axis for axis, block in enumerate(blocks) if block]

    def fills(coordinates: Numbers) -> Numbers:
        number = np.zeros(len(coordinates), np.int64)
        for axis in cut:
            number += coordinates[:, axis] // blocks[axis] % TILE_FILLS * weights[axis]
        return number % TILE_FILLS

    return Coloring("tile " + ", ".join(f"x{axis}//{blocks[axis]}" for axis in cut), fills)


def _by_digit(layout: Layout, digit: Digit) -> Coloring:
    reading = Layout(layout.shape, [digit._replace(stride=1)])
    formula = Formula(reading)
    names = "".join(f", {name} = {meaning}" for name, meaning in formula.merged.items())
    return Coloring(formula.slot.replace(" ", "") + names, lambda coordinates: reading.index(coordinates) % len(FILLS))


def _swizzled(layout: Layout) -> Coloring | None:
    """The bits of the slot that are the XOR of several bits of coordinates, where there are any."""
    mixed = [bit for bit, row in enumerate(bitwise.rows(layout) or ()) if row.bit_count() > 1]
    if not mixed:
        return None
    divided = f"//{1 << mixed[0]}" if mixed[0] else ""
    return _Reader(f"slot{divided}%{1 << mixed[-1] + 1 - mixed[0]}", layout).rule()
