"""A layout with as few digits as say it, in the order that reads best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..digits import Layout
from ..joining import canonical
from ..radix import Digit, constant, evaluate, extent


def simplified(layout: Layout) -> Layout:
    """The layout with sums that are read whole taken apart, constants worked out, neighbours joined, and the digits by falling stride.

    >>> layout = Layout((3, 5, 7), [(0, 1, 3, 36), (((1, 1, 5, 7), (2, 1, 7, 1)), 1, 36, 1)])
    >>> simplified(layout)
    Layout((3, 5, 7), [(0, 1, 3, 36), (1, 1, 5, 7), (2, 1, 7, 1)], slots=107)
    """
    digits = canonical(_flat(layout.canonical, layout.shape), layout.shape)
    return Layout(layout.shape, _largest_first(digits), slots=layout.slots)


def _flat(digits: Iterable[Digit], shape: Sequence[int]) -> Iterator[Digit]:
    for digit in digits:
        if not digit.axes:
            yield constant(evaluate((digit,), ()))
            continue
        if not isinstance(digit.axis, tuple):
            yield digit
            continue
        source = tuple(_flat(digit.axis, shape))
        if digit.divisor == 1 and digit.radix >= extent(source, shape):
            yield from (inner._replace(stride=inner.stride * digit.stride) for inner in source)
        else:
            yield digit._replace(axis=source)


def _largest_first(digits: tuple[Digit, ...]) -> tuple[Digit, ...]:
    """The digits by falling stride, then the constant, then what is taken away; in the sums that they read, too."""
    ordered = (digit._replace(axis=_largest_first(digit.axis)) if isinstance(digit.axis, tuple) else digit for digit in digits)
    return tuple(sorted(ordered, key=lambda digit: (digit.stride < 0, digit.axis is None, -abs(digit.stride))))
