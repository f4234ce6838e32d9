"""Digits, and the mixed-radix arithmetic on lists of them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import isqrt
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import CoordinateError, LayoutError, ShapeError, shown
from .sizes import MOST_SLOTS


class Digit(NamedTuple):
    """One digit: ``stride * ((x // divisor) % radix)``, where ``x`` is the coordinate on ``axis``.

    ``axis`` is the number of an axis, or a tuple of digits whose sum takes the coordinate's place, or ``None``, which always
    reads 1: ``Digit(None, 1, 2, 5)`` is the constant 5.
    """

    axis: Source
    divisor: int
    radix: int
    stride: int

    def value(self, coordinates: Sequence[int]) -> int:
        """What the digit reads at these coordinates, before its stride."""
        try:
            return read(self.axis, coordinates) // self.divisor % self.radix
        except (TypeError, IndexError):
            raise CoordinateError(f"{shown(coordinates)} are no coordinates that {self} reads; it takes an integer for each axis") from None

    @property
    def axes(self) -> frozenset[int]:
        """The axes that the digit depends on."""
        if isinstance(self.axis, tuple):
            return frozenset().union(*(digit.axes for digit in self.axis))
        return frozenset() if self.axis is None else frozenset((self.axis,))


Source: TypeAlias = int | tuple[Digit, ...] | None
Number = TypeVar("Number", int, npt.NDArray[np.int64])

#: The most digits that a layout may have, with those of the sums they read, counted each time one is read.
MOST_DIGITS = 10_000
#: The deepest nesting of such sums.
MOST_NESTED = 60


def constant(value: int) -> Digit:
    """The digit that adds ``value`` wherever it is read."""
    return Digit(None, 1, 2, value)


def evaluate(digits: Iterable[Digit], coordinates: Sequence[int]) -> int:
    """The weighted sum of the digits at these coordinates, in exact integers."""
    return sum(d.stride * d.value(coordinates) for d in digits)


def read(source: Source, coordinates: Sequence[int]) -> int:
    """The value of an axis, of a tuple of digits, or of the 1 that ``None`` is."""
    if isinstance(source, tuple):
        return evaluate(source, coordinates)
    return 1 if source is None else coordinates[source]


def unravelled(number: Number, shape: Sequence[int]) -> tuple[Number, ...]:
    """The coordinates of elements by row-major number; of any rank, where ``numpy.unravel_index`` stops at that of numpy's arrays.

    >>> unravelled(13, (3, 5)), unravelled(np.array([13, 4]), (3, 5))
    ((2, 3), (array([2, 0]), array([3, 4])))
    """
    coordinates = []
    for size in reversed(shape):
        number, x = divmod(number, size)
        coordinates.append(x)
    return tuple(reversed(coordinates))


def divisors(number: int, most: int | None = None) -> list[int]:
    """The divisors of a number, the least first.

    With ``most``, odd factors beyond that are not searched for, but in the cofactors of those that are found: it bounds the time.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    power = number & -number or 1
    odd = number // power
    low = [divisor for divisor in range(1, min(isqrt(odd), most or odd) + 1, 2) if odd % divisor == 0]
    return sorted({divisor << bit for divisor in (*low, *(odd // d for d in low)) for bit in range(power.bit_length())})


def extent(source: Source, shape: Sequence[int]) -> int:
    """One more than the largest value that the source can take (no less than the true figure, and at least 1)."""
    if isinstance(source, tuple):
        return reach(source, shape)[1] + 1
    return 2 if source is None else max(1, shape[source])


def fitting_radix(digit: Digit, shape: Sequence[int]) -> int:
    """How many values the digit can take: its radix, or fewer where its source ends before."""
    return min(digit.radix, -(-extent(digit.axis, shape) // digit.divisor))


def reach(digits: Iterable[Digit], shape: Sequence[int]) -> tuple[int, int]:
    """The least and the greatest value of the weighted sum, each digit taken on its own (so bounds, where an axis ends in mid-digit)."""
    low = high = 0
    for digit in digits:
        span = digit.stride * max(0, fitting_radix(digit, shape) - 1)
        if digit.axis is None:
            low, high = low + span, high + span
        else:
            low, high = low + min(span, 0), high + max(span, 0)
    return low, high


def as_digits(digits: Iterable[Sequence[Any]], shape: Sequence[int]) -> tuple[Digit, ...]:
    """Checked digits of an array of this shape, from sequences of their fields."""
    budget = iter(range(MOST_DIGITS))
    try:
        return tuple(_as_digit(fields, shape, budget, 0) for fields in digits)
    except (TypeError, NotImplementedError):  # the second is that of a view of memory with several axes
        raise LayoutError(f"digits={shown(digits)} is no sequence of digits, each (axis, divisor, radix, stride)") from None


def check_number(digits: Iterable[Digit]) -> None:
    """Refuse digits that are too many to make a layout, in time that does not grow beyond that number."""
    budget = iter(range(MOST_DIGITS))

    def count(listed: Iterable[Digit], depth: int) -> None:
        for digit in listed:
            _spend(budget, depth)
            if isinstance(digit.axis, tuple):
                count(digit.axis, depth + 1)

    count(digits, 0)


def _spend(budget: Iterator[int], depth: int) -> None:
    if next(budget, None) is None or depth > MOST_NESTED:
        raise LayoutError(
            f"these are too many digits: a layout has at most {MOST_DIGITS}, with those of the sums they read, nested {MOST_NESTED} deep"
        )


def _as_digit(fields: Sequence[Any], shape: Sequence[int], budget: Iterator[int], depth: int) -> Digit:
    _spend(budget, depth)
    try:
        axis, *numbers = islice(fields, 5)
        divisor, radix, stride = (operator.index(n) for n in numbers)
        source: Source = tuple(axis) if isinstance(axis, tuple | list) else None if axis is None else operator.index(axis)
    except (TypeError, ValueError):
        raise LayoutError(f"{shown(fields)} is no digit: it takes (axis, divisor, radix, stride), all integers") from None
    if isinstance(source, tuple):
        source = tuple(_as_digit(d, shape, budget, depth + 1) for d in source)
    elif source is None:
        if (divisor, radix) != (1, 2):
            raise LayoutError(f"digit {shown(tuple(fields))} is no constant, which is written (None, 1, 2, value)")
    elif not 0 <= source < len(shape):
        raise LayoutError(
            f"digit {shown(tuple(fields))} names axis {shown(source)} of an array of {len(shape)} dimensions (0 to {len(shape) - 1})"
        )
    least = 0 if 0 in shape else 1
    if divisor < 1 or radix < least:
        raise LayoutError(
            f"digit {shown(tuple(fields))} has divisor {shown(divisor)} and radix {shown(radix)}; they are at least 1 and {least}"
        )
    if max(divisor, radix, abs(stride)) > MOST_SLOTS:
        raise ShapeError(f"digit {shown(tuple(fields))} does not fit in signed 64-bit integers")
    return Digit(source, divisor, radix, stride)


def plain(digit: Digit) -> tuple[Any, ...]:
    """The digit as nested plain tuples."""
    axis = tuple(plain(d) for d in digit.axis) if isinstance(digit.axis, tuple) else digit.axis
    return axis, digit.divisor, digit.radix, digit.stride


def in_words(digit: Digit, shape: Sequence[int]) -> str:
    """The digit as a formula, with the sums that it reads written out.

    >>> in_words(Digit((Digit(0, 1, 8, 8), Digit(1, 2, 4, 1)), 16, 2, 3), (8, 16))
    '3*((8*x0 + (x1 // 2 % 4)) // 16 % 2)'
    """
    axis, divisor, radix, stride = digit
    if axis is None:
        return str(stride)
    source = f"({' + '.join(in_words(term, shape) for term in axis)})" if isinstance(axis, tuple) else f"x{axis}"
    divided = f" // {divisor}" if divisor > 1 else ""
    folded = f" % {radix}" if divisor * radix < extent(axis, shape) else ""
    reading = f"({source}{divided}{folded})" if divided or folded else source
    return reading if stride == 1 else f"{stride}*{reading}"
