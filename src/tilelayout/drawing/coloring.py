"""What a drawing's colours tell: the tile of an element, or any quotient and remainder of a coordinate or of the slot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from .. import bitwise
from ..digits import Layout
from ..errors import LayoutError, shown
from ..formulas.sums import Formula
from ..radix import Digit, as_digits
from .palette import FILLS
from .quotients import Numbers, quotient
from .sides import block_sizes

ColorLike: TypeAlias = str | Digit

#: More tiles than there are fills take the first so many: a prime number, so that tiles side by side differ.
TILE_FILLS = 7


class Coloring(NamedTuple):
    """What is told, in words, and the number of the fill of each element; coordinates are of shape ``(n, ndim)``.

    ``values`` is how many values there are, if each has a fill of its own.
    """

    says: str
    fills: Callable[[Numbers], Numbers]
    values: int = 0


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
        return _PLAIN if color.strip() == "none" else _by_quotient(layout, color)
    if isinstance(color, Digit):
        return _by_digit(layout, as_digits([color], layout.shape)[0])
    raise LayoutError(f"color={shown(color)} is no colouring; it is 'tile', 'none', a Digit, or text such as 'x1//2%4' or 'slot%8'")


def _no_fills(coordinates: Numbers) -> Numbers:
    return np.zeros(len(coordinates), np.int64)


def _fills_in_turn(values: Callable[[Numbers], Numbers], coordinates: Numbers) -> Numbers:
    return values(coordinates) % len(FILLS)


def _fills_of_tiles(tiles: Mapping[int, tuple[int, int]], turn: int, coordinates: Numbers) -> Numbers:
    """Those of the tiles that coordinates are in: for each axis there is its block and the weight of a tile along it."""
    number = np.zeros(len(coordinates), np.int64)
    for axis, (block, weight) in tiles.items():
        number += coordinates[:, axis] // block % turn * weight
    return number % turn


_PLAIN = Coloring("", _no_fills)


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


def _by_quotient(layout: Layout, text: str) -> Coloring:
    told = quotient(layout, text, instead="'tile', 'none', ")
    return Coloring(told.says, partial(_fills_in_turn, told.values), _shown(told.modulus or 0))


def _by_blocks(shape: Sequence[int], blocks: Sequence[int]) -> Coloring:
    """The number of each tile, if there is a fill for each; else counted so that neighbours along any axis get different fills."""
    tiles = {axis: -(-shape[axis] // block) for axis, block in enumerate(blocks) if block}
    enough = prod(tiles.values()) <= len(FILLS)
    turn = len(FILLS) if enough else TILE_FILLS
    weighted, weight = {}, 1
    for axis in reversed(tiles):
        weighted[axis] = blocks[axis], weight
        weight = weight * (tiles[axis] + (not enough and tiles[axis] % TILE_FILLS == 0)) % turn
    return Coloring("tile " + ", ".join(f"x{axis}//{blocks[axis]}" for axis in tiles), partial(_fills_of_tiles, weighted, turn))


def _by_digit(layout: Layout, digit: Digit) -> Coloring:
    reading = Layout(layout.shape, [digit._replace(stride=1)])
    formula = Formula(reading)
    names = "".join(f", {name} = {meaning}" for name, meaning in formula.merged.items())
    says = formula.slot.replace(" ", "") + names
    return Coloring(says, partial(_fills_in_turn, reading.index), _shown(digit.radix))


def _shown(values: int) -> int:
    return values if values <= len(FILLS) else 0


def _swizzled(layout: Layout) -> Coloring | None:
    """The bits of the slot that are the XOR of several bits of coordinates, where there are any."""
    mixed = [bit for bit, row in enumerate(bitwise.rows(layout) or ()) if row.bit_count() > 1]
    if not mixed:
        return None
    divided = f"//{1 << mixed[0]}" if mixed[0] else ""
    return _by_quotient(layout, f"slot{divided}%{1 << mixed[-1] + 1 - mixed[0]}")
