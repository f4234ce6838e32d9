"""Layouts that only move and XOR bits, told by which bits of the coordinates each bit of the slot is the XOR of.

Swizzled layouts of power-of-two shapes are of this kind however they are written, and compare equal without a look at their elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .radix import Digit, Source, extent

if TYPE_CHECKING:
    from .digits import Layout

#: For each bit of a number, the lowest first, the set of coordinate bits whose XOR it is, as a bit mask.
Rows: TypeAlias = tuple[int, ...]
#: The same by how far bits move: for each source and number of places to the left, the bits of the result that it flips.
Moves: TypeAlias = dict[tuple[int, int], int]
#: What tells the lowest bits of an axis or a sum, as many as are asked for.
Reader: TypeAlias = Callable[[Source, int], Moves | None]


def rows(layout: Layout) -> Rows | None:
    """The bits of the slot as XOR of those of the coordinates; None where the digits do not show that they are.

    Bits of coordinates are numbered axis by axis, the lowest of axis 0 first.

    >>> import tilelayout as tl
    >>> [bin(row) for row in rows(tl.layout("S<1,0,2> o 0 o (2,4):(4,1)"))]
    ['0b11', '0b100', '0b1']
    >>> rows(tl.layout("{0}", (6,)))
    """
    if any(size.bit_count() != 1 for size in layout.shape):
        return None

    def read(source: Source, width: int) -> Moves | None:
        if isinstance(source, tuple):
            return summed(source, layout.shape, width, read)
        return None if source is None else {(source, 0): ones(layout.shape[source], width)}

    width = max(layout.slots - 1, 0).bit_length()
    found = summed(layout.canonical, layout.shape, width, read)
    if found is None:
        return None
    first = [0, *accumulate(size.bit_length() - 1 for size in layout.shape)]
    told = [0] * width
    for (axis, left), mask in found.items():
        for bit in bits(mask):
            told[bit] ^= 1 << first[axis] + bit - left
    return tuple(told)


def summed(digits: Iterable[Digit], shape: Sequence[int], width: int, read: Reader) -> Moves | None:
    """The lowest bits of a sum, as ``read`` has those of what its digits read; None where a carry may reach them."""
    total: Moves = {}
    below, taken = (1 << width) - 1, 0
    for digit in digits:
        size, end = extent(digit.axis, shape), digit.divisor * digit.radix
        if end >= size:
            end = 1 << (size - 1).bit_length()
        if digit.stride < 0 or any(number.bit_count() != 1 for number in (digit.divisor, end, digit.stride)):
            return None
        if (found := read(digit.axis, end.bit_length() - 1)) is None:
            return None
        reached = 0
        by = digit.stride.bit_length() - digit.divisor.bit_length()
        for (source, left), mask in found.items():
            moved = mask // digit.divisor * digit.stride & below
            total[source, left + by] = total.get((source, left + by), 0) ^ moved
            reached |= moved
        if taken & reached & below >> 1:
            return None
        taken |= reached
    return {way: mask for way, mask in total.items() if mask}


class Inverse(NamedTuple):
    """Bits of the sources as the XOR of bits of the result: (source, bit, mask), and masks of those that give 0 for every source."""

    found: list[tuple[int, int, int]]
    checks: list[int]


def inverse(forward: Moves, width: int) -> Inverse | None:
    """The way back from results of so many bits to the bits that they are made of; None where several sources give one result."""
    columns = sorted({(source, bit - left) for (source, left), mask in forward.items() for bit in bits(mask)})
    number = {column: k for k, column in enumerate(columns)}
    told = [0] * width
    for (source, left), mask in forward.items():
        for bit in bits(mask):
            told[bit] ^= 1 << number[source, bit - left]
    solved: dict[int, tuple[int, int]] = {}  # by column: what is left of it there and of those not solved yet, and the mask that gives it
    checks = []
    for bit in sorted(range(width), key=lambda bit: told[bit].bit_count()):
        row, mask = told[bit], 1 << bit
        for column, (its_row, its_mask) in solved.items():
            if row >> column & 1:
                row, mask = row ^ its_row, mask ^ its_mask
        if not row:
            checks.append(mask)
            continue
        new = row.bit_length() - 1
        solved = {c: (r ^ row, m ^ mask) if r >> new & 1 else (r, m) for c, (r, m) in solved.items()}
        solved[new] = row, mask
    if len(solved) < len(columns):
        return None
    return Inverse([(*columns[column], mask) for column, (_, mask) in solved.items()], checks)


def inverted(columns: Sequence[int]) -> list[int] | None:
    """The rows of the inverse of a square matrix of bits, given by its columns; None where it has none.

    >>> inverted([0b10, 0b11]), inverted([0b10, 0b10])
    ([3, 1], None)
    """
    found = inverse({(k, bit): 1 << bit for k, column in enumerate(columns) for bit in bits(column)}, len(columns))
    return None if found is None or len(found.found) < len(columns) else [mask for _, _, mask in sorted(found.found)]


def transposed(rows: Sequence[int]) -> list[int]:
    """The columns of a square matrix of bits, given by its rows.

    >>> transposed([0b01, 0b11])
    [3, 2]
    """
    return [sum((row >> column & 1) << number for number, row in enumerate(rows)) for column in range(len(rows))]


def ones(size: int, width: int) -> int:
    """The lowest bits of numbers below ``size``, at most ``width`` of them."""
    return (1 << min(width, (size - 1).bit_length())) - 1


def bits(mask: int) -> Iterator[int]:
    """Which bits are set, the lowest first."""
    return (bit for bit in range(mask.bit_length()) if mask >> bit & 1)
