"""From the slot of every element to digits: the moves that build a layout, backwards.

Axes that add to the slot on their own are taken off first, then parts of axes: the upper part ``x // t`` or the lower part ``x % t``. What
remains depends on several dimensions at once. It is a function of them merged, or one whose bits are folded into others by XOR.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations
from math import gcd

import numpy as np

from .. import moves
from ..digits import Layout
from ..joining import canonical
from ..moves import Dim, Dims
from ..radix import Digit, divisors, reach
from .folding import folded, unfolded, without_units
from .steps import Values, steps

#: Dimensions of which every order is tried when they are merged; of more, only the order of the axes.
MOST_REORDERED = 4
#: So few digits of merged dimensions that no shorter explanation is looked for.
SHORT = 2
#: Multiples at which the upper part of a dimension is tried.
MOST_CUTS = 64


def explain(values: Values, dims: Dims) -> tuple[Digit, ...] | None:
    """Digits of the dimensions whose sum is ``values``, an array with one axis for each, 0 at the origin; None if none are found.

    >>> for digit in explain(np.array([[0, 1], [3, 2]]), moves.axes([2, 2])):
    ...     print(digit.stride, digit.axis)
    1 (Digit(axis=1, divisor=1, radix=2, stride=1), Digit(axis=0, divisor=1, radix=2, stride=1))
    2 0
    """
    values, dims = without_units(values, dims)
    lines = [line(values, axis) for axis in range(values.ndim)]
    rest = values - spread_sum(lines)
    if not rest.any():
        return _all(along(each, dim) for each, dim in zip(lines, dims, strict=True))
    whole = _merged(values, dims)
    if whole is not None and len(whole) <= SHORT:
        return whole
    parts = _in_parts(values, dims, lines, tied_axes(rest))
    return _simpler(whole, parts)


def along(values: Values, dim: Dim) -> tuple[Digit, ...] | None:
    """Digits of one dimension whose sum is ``values``, which is 0 at 0; bits may be folded into others, too."""
    found = steps(values, dim)
    if found is not None and all(digit.axis == dim.source for digit in found):
        return found
    return _simpler(found, _in_bits(values, (dim,)))


def simplest(digits: Iterable[Digit], shape: Sequence[int], slots: int) -> Layout:
    """The layout of these digits, those that are one joined, slowest first.

    Digits that overrun their axis together may claim slots beyond the buffer that no element has. Their sum is then one digit's source.
    """
    ordered = tuple(sorted(canonical(digits, shape), key=lambda digit: -abs(digit.stride)))
    if reach(ordered, shape)[1] >= slots > 0:
        ordered = (Digit(ordered, 1, slots, 1),)
    return Layout(shape, ordered, slots=slots)


def line(values: Values, axis: int) -> Values:
    """The values along an axis where every other coordinate is 0."""
    return values[tuple(slice(None) if k == axis else 0 for k in range(values.ndim))]


def tied_axes(rest: Values) -> list[list[int]]:
    """Groups of axes that depend on each other, given what remains of the values when what each axis adds alone is taken off."""
    groups: list[list[int]] = []
    for pair in combinations(range(rest.ndim), 2):
        if _depend(rest, *pair):
            joined = sorted({*pair, *(axis for group in groups if set(pair) & set(group) for axis in group)})
            groups = [group for group in groups if not set(pair) & set(group)] + [joined]
    return groups


def spread_sum(lines: Sequence[Values]) -> Values:
    """The sum of one function for each axis, as an array."""
    total = np.zeros((1,) * len(lines), np.int64)
    for axis, each in enumerate(lines):
        total = total + each.reshape([-1 if k == axis else 1 for k in range(len(lines))])
    return total


def _depend(rest: Values, a: int, b: int) -> bool:
    """Whether some step along one axis differs along the other."""
    change = rest - rest.take([0], a)
    return bool((change != change.take([0], b)).any())


def _section(values: Values, axes: Sequence[int]) -> Values:
    """The values where every other coordinate is 0."""
    return values[tuple(slice(None) if k in axes else 0 for k in range(values.ndim))]


def _in_parts(values: Values, dims: Dims, lines: Sequence[Values], tied: Sequence[Sequence[int]]) -> tuple[Digit, ...] | None:
    """Digits found by taking off what can be: axes that are not tied, groups of those that are, parts of an axis, a bit."""
    if len(tied) > 1 or len(tied[0]) < values.ndim:
        alone = [axis for axis in range(values.ndim) if not any(axis in group for group in tied)]
        groups = [explain(_section(values, group), tuple(dims[axis] for axis in group)) for group in tied]
        return _all([*(along(lines[axis], dims[axis]) for axis in alone), *groups])
    for axis, each in enumerate(lines):
        taken = _lower_part(values, dims, axis, each) or _upper_part(values, dims, axis, each)
        if taken is not None:
            found, values, dims = taken
            return _all([found, explain(values, dims)])
    return _in_bits(values, dims)


def _in_bits(values: Values, dims: Dims) -> tuple[Digit, ...] | None:
    """Digits found by taking off a bit, or by taking all bits at once."""
    if (bit := unfolded(values, dims)) is not None:
        digit, values, dims = bit
        return _all([(digit,), explain(values, dims)])
    return folded(values, dims)


def _simpler(one: tuple[Digit, ...] | None, other: tuple[Digit, ...] | None) -> tuple[Digit, ...] | None:
    return min((found for found in (one, other) if found is not None), key=_weight, default=None)


def _weight(digits: Sequence[Digit]) -> int:
    """How many digits there are, with those of the sums they read."""
    return sum(1 + (_weight(digit.axis) if isinstance(digit.axis, tuple) else 0) for digit in digits)


def _merged(values: Values, dims: Dims) -> tuple[Digit, ...] | None:
    """The fewest digits of the dimensions merged in some order, that of the axes first."""
    best: tuple[Digit, ...] | None = None
    orders = permutations(range(len(dims))) if len(dims) <= MOST_REORDERED else [tuple(range(len(dims)))]
    for order in orders:
        found = steps(values.transpose(order).reshape(-1), moves.merge(moves.permute(dims, order), 0, len(dims))[0])
        if found is not None and (best is None or _weight(found) < _weight(best)):
            best = found
            if len(best) <= SHORT:
                break
    return best


def _lower_part(values: Values, dims: Dims, axis: int, each: Values) -> tuple[tuple[Digit, ...], Values, Dims] | None:
    """Take off what ``x % cut`` adds on its own: its digits, and the values at multiples of ``cut``."""
    change = np.diff(values, axis=axis)
    others = tuple(k for k in range(values.ndim) if k != axis)
    tied = np.flatnonzero((change != np.expand_dims(np.diff(each), others)).any(axis=others)) + 1
    for cut in divisors(gcd(*tied.tolist()))[::-1]:
        if cut == 1:
            break
        base, inside = np.arange(len(each)) // cut * cut, np.arange(len(each)) % cut
        if np.array_equal(values - values.take(base, axis), np.broadcast_to(np.expand_dims(each[inside], others), values.shape)):
            outer, inner = moves.split((dims[axis],), 0, cut)
            if (found := along(each[:cut], inner)) is not None:
                return found, values.take(range(0, len(each), cut), axis), (*dims[:axis], outer, *dims[axis + 1 :])
    return None


def _upper_part(values: Values, dims: Dims, axis: int, each: Values) -> tuple[tuple[Digit, ...], Values, Dims] | None:
    """Take off what ``x // cut`` adds on its own: its digits, and the values below ``cut``."""
    others = tuple(k for k in range(values.ndim) if k != axis)
    for cut in _cuts(each):
        places = np.arange(len(each))
        above = np.expand_dims(each[places // cut * cut], others)
        second = slice(cut, 2 * cut)  # looked at first, for it is seldom right by chance
        quick = values.take(range(*second.indices(len(each))), axis)
        if not np.array_equal(quick - each[cut], values.take(range(quick.shape[axis]), axis)):
            continue
        if np.array_equal(values - above, values.take(places % cut, axis)):
            outer, inner = moves.split((dims[axis],), 0, cut)
            if (found := along(each[::cut], outer)) is not None:
                return found, values.take(range(cut), axis), (*dims[:axis], inner, *dims[axis + 1 :])
    return None


def _cuts(each: Values) -> list[int]:
    """Where the upper part of a dimension may begin: where its steps change, at its divisors, and at powers of two."""
    changes = (np.flatnonzero(np.diff(each) != each[1]) + 1)[:MOST_CUTS].tolist()
    believed = [cut for cut in changes if cut == changes[0] or 2 * cut <= len(each)]
    powers = [1 << k for k in range(1, len(each).bit_length())]
    return sorted({cut for cut in (*believed, *divisors(len(each)), *powers) if 1 < cut < len(each)})


def _all(parts: Iterator[tuple[Digit, ...] | None] | Sequence[tuple[Digit, ...] | None]) -> tuple[Digit, ...] | None:
    found: list[Digit] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return tuple(found)
