"""One element of a layout as an example: what each digit reads of its coordinates, and how these add up to its slot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .cuts import tiles
from .formulas.sums import Formula
from .radix import Digit, read
from .tables import coordinate_text

if TYPE_CHECKING:
    from .digits import Layout


def example(layout: Layout) -> tuple[int, ...]:
    """The element that serves as the example: two thirds along each axis, which is seldom at the beginning of anything."""
    return tuple(2 * size // 3 for size in layout.shape)


def worked(layout: Layout, coordinates: Sequence[int], formula: Formula) -> Iterator[str]:
    """The lines of the example.

    >>> import tilelayout as tl
    >>> layout = tl.layout("f32[3,5]{1,0:T(2,2)}")
    >>> print("\\n".join(worked(layout, (2, 3), Formula(layout))))
    element 2,3, digit by digit:
      x0 // 2 = 2 // 2 = 1   times 12   is 12
      x1 // 2 = 3 // 2 = 1   times 4    is 4
      x0 % 2  = 2 % 2  = 0   times 2    is 0
      x1 % 2  = 3 % 2  = 1   times 1    is 1
    12 + 4 + 0 + 1 = 17, its slot: bytes 68 to 71 of the buffer
    it lies in tile 1,1, and there at 0,1
    """
    slot = layout(*coordinates)
    coordinates = [*map(int, coordinates)]
    values = {name: read(source, coordinates) for source, name in formula.names.items()}
    terms = [digit.stride * digit.value(coordinates) for digit in layout.digits]
    yield f"element {coordinate_text(coordinates)}" + (", digit by digit:" if terms else "")
    for name, meaning in formula.merged.items():
        yield f"  {name} = {meaning} = {_filled_in(meaning, values)} = {values[name]}"
    yield from _rows([_row(digit, coordinates, formula, values) for digit in layout.digits])
    yield f"{_sum(terms)} = {slot}, its slot{_place(layout, slot)}" if terms else f"its slot is {slot}{_place(layout, slot)}"
    if made := tiles(layout):
        tile = [x // size for x, size in zip(coordinates, made.extents, strict=True)]
        inside = [x % size for x, size in zip(coordinates, made.extents, strict=True)]
        yield f"it lies in tile {coordinate_text(tile)}, and there at {coordinate_text(inside)}"


def _row(digit: Digit, coordinates: Sequence[int], formula: Formula, values: dict[str, int]) -> tuple[str, ...]:
    term = f"is {digit.stride * digit.value(coordinates)}"
    if digit.axis is None:
        return "a constant", "", "", "", term
    reading = formula.reading(digit)
    numbers = _filled_in(reading, values)
    value = str(digit.value(coordinates))
    return reading, "" if numbers == value else f" = {numbers}", "" if reading == value else f" = {value}", f"times {digit.stride}", term


def _rows(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        reading, numbers, value, factor, term = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {reading}{numbers}{value}   {factor}   {term}".rstrip()


def _filled_in(text: str, values: dict[str, int]) -> str:
    return re.sub(r"[xm]\d+", lambda name: str(values[name[0]]), text)


def _sum(terms: Sequence[int]) -> str:
    first, *others = terms
    return str(first) + "".join(f" {'-' if term < 0 else '+'} {abs(term)}" for term in others)


def _place(layout: Layout, slot: int) -> str:
    """The bytes or bits of a buffer that a slot is."""
    bits = layout.element.bits if layout.element else 0
    if bits and bits % 8 == 0:
        first, last = slot * bits // 8, (slot + 1) * bits // 8 - 1
        return f": byte {first} of the buffer" if first == last else f": bytes {first} to {last} of the buffer"
    if bits and 8 % bits == 0:
        byte, low = divmod(slot * bits, 8)
        which = f"bit {low}" if bits == 1 else f"bits {low} to {low + bits - 1}"
        return f": {which}, counted from the lowest, of byte {byte} of the buffer"
    return ""
