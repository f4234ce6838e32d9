"""Digits, and the mixed-radix arithmetic on lists of them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from .errors import LayoutError, ShapeError
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
        return read(self.axis, coordinates) // self.divisor % self.radix

    @property
    def axes(self) -> frozenset[int]:
        """The axes that the digit depends on."""
        if isinstance(self.axis, tuple):
            return frozenset().union(*(digit.axes for digit in self.axis))
        return frozenset() if self.axis is None else frozenset((self.axis,))


Source: TypeAlias = int | tuple[Digit, ...] | None


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


def extent(source: Source, shape: Sequence[int]) -> int:
    """One more than the largest value that the source can take (no less than the true figure, and at least 1)."""
    if isinstance(source, tuple):
        return reach(source, shape)[1] + 1
    return 2 if source is None else max(1, shape[source])


def joined(digits: Iterable[Digit], shape: Sequence[int]) -> tuple[Digit, ...]:
    """The digits sorted by source and divisor, with every chain of digits that is one digit written as one.

    >>> joined([Digit(0, 2, 3, 2), Digit(0, 1, 2, 1)], (6,))
    (Digit(axis=0, divisor=1, radix=6, stride=1),)
    """
    clipped = list(_clipped(digits, shape))
    offset = sum(digit.stride for digit in clipped if digit.axis is None)
    result = [constant(offset)] if offset else []
    for digit in sorted((digit for digit in clipped if digit.axis is not None), key=_order):
        last = result[-1] if result else None
        if last and last.axis == digit.axis and digit.divisor == last.divisor * last.radix and digit.stride == last.stride * last.radix:
            radix = min(last.radix * digit.radix, -(-extent(last.axis, shape) // last.divisor))
            result[-1] = last._replace(radix=radix)
        else:
            result.append(digit)
    return tuple(result)


def _order(digit: Digit) -> tuple[Any, ...]:
    return (0, digit.axis, digit.divisor) if isinstance(digit.axis, int) else (1, repr(digit.axis), digit.divisor)


def _clipped(digits: Iterable[Digit], shape: Sequence[int]) -> Iterator[Digit]:
    """The digits that can add something, each with no larger radix than its source reaches."""
    for digit in digits:
        source = joined(digit.axis, shape) if isinstance(digit.axis, tuple) else digit.axis
        if isinstance(source, tuple) and len(source) == 1 and _is_identity(source[0], shape):
            source = source[0].axis
        reach = -(-extent(source, shape) // digit.divisor)
        radix = min(digit.radix, reach)
        if radix > 1 and digit.stride:
            yield Digit(source, digit.divisor, radix, digit.stride)


def _is_identity(digit: Digit, shape: Sequence[int]) -> bool:
    return digit.divisor == 1 and digit.stride == 1 and digit.radix >= extent(digit.axis, shape)


def reach(digits: Iterable[Digit], shape: Sequence[int]) -> tuple[int, int]:
    """The least and the greatest value of the weighted sum, each digit taken on its own (so bounds, where an axis ends in mid-digit)."""
    low = high = 0
    for digit in digits:
        span = digit.stride * max(0, min(digit.radix, -(-extent(digit.axis, shape) // digit.divisor)) - 1)
        if digit.axis is None:
            low, high = low + span, high + span
        else:
            low, high = low + min(span, 0), high + max(span, 0)
    return low, high


def as_digit(fields: Sequence[Any], ndim: int) -> Digit:
    """A checked digit of an array of ``ndim`` dimensions, from a sequence of its fields."""
    try:
        axis, *numbers = fields
        divisor, radix, stride = (operator.index(n) for n in numbers)
        source: Source = tuple(axis) if isinstance(axis, tuple | list) else None if axis is None else operator.index(axis)
    except (TypeError, ValueError):
        raise LayoutError(f"{fields!r} is no digit: it takes (axis, divisor, radix, stride), all integers") from None
    if isinstance(source, tuple):
        source = tuple(as_digit(d, ndim) for d in source)
    elif source is None:
        if (divisor, radix) != (1, 2):
            raise LayoutError(f"digit {tuple(fields)} is no constant, which is written (None, 1, 2, value)")
    elif not 0 <= source < ndim:
        raise LayoutError(f"digit {tuple(fields)} names axis {source} of an array of {ndim} dimensions (0 to {ndim - 1})")
    if divisor < 1 or radix < 0:
        raise LayoutError(f"digit {tuple(fields)} has divisor {divisor} and radix {radix}; they are at least 1 and 0")
    if max(divisor, radix, abs(stride)) > MOST_SLOTS:
        raise ShapeError(f"digit {tuple(fields)} does not fit in signed 64-bit integers")
    return Digit(source, divisor, radix, stride)


def plain(digit: Digit) -> tuple[Any, ...]:
    """The digit as nested plain tuples."""
    axis = tuple(plain(d) for d in digit.axis) if isinstance(digit.axis, tuple) else digit.axis
    return axis, digit.divisor, digit.radix, digit.stride
