"""Division of shapes: how many tiles a shape holds, and what shape every n-th element, or the first n, have.

    >>> from tilelayout import cute
    >>> cute.ceil_div((8, 10), (3, 4)), cute.shape_div((6, 2), 3), cute.shape_mod((6, 2), 3)
    ((3, 3), (2, 2), (3, 1))

A tuple is divided by an integer from the left: each mode takes what it can, and the rest goes on to the next
(include/cute/int_tuple.hpp; "Layout Algebra", sections "Composition" and "mod out" of CUTLASS's documentation).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import LayoutError
from . import batch
from .nesting import shallow
from .spelling import shown
from .tuples import IntTuple, Shaped, as_shape, integer, product, size


def ceil_div(a: IntTuple, b: IntTuple) -> IntTuple:
    """``a / b`` rounded up, of tuples and integers; ``cute.ceil_div`` takes layouts too, and tells more."""
    return _by_mode(a, b, ceil_div, _ceil_div)


@shallow
def round_up(a: IntTuple, b: IntTuple) -> IntTuple:
    """The smallest multiples of the integers of ``b`` that are no less than those of ``a``.

    >>> round_up((8, 10, 6), (3, 4)), round_up(10, 4)
    ((9, 12, 6), 12)
    """
    if isinstance(a, tuple) and not isinstance(b, tuple):
        raise LayoutError(f"cannot round {shown(a)} up to {shown(b)}: which mode should grow is open; give a tuple of multiples")
    return _by_mode(a, b, round_up, lambda x, y: _ceil_div(x, y) * y)


def shape_div(a: IntTuple, b: IntTuple) -> IntTuple:
    """The shape of every ``b``-th element of shape ``a``; of two tuples, mode by mode.

    >>> shape_div((3, 6, 2, 8), 3), shape_div((3, 6, 2, 8), 9), shape_div((8, 10), (2, 5)), shape_div(60, (3, 4, 5))
    ((1, 6, 2, 8), (1, 2, 2, 8), (4, 2), 1)

    Wherever two integers meet, one must divide the other: every fourth element of ``(6, 2)`` has no shape, so that raises ``LayoutError``.
    """
    if batch.has_array(a, b):
        return batch.shape_div(a, b)  # type: ignore[return-value]
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) != len(b):
        raise LayoutError(f"shape_div of {shown(a)} by {shown(b)}: the ranks {len(a)} and {len(b)} must be equal")
    return _by_mode(a, b, shape_div, _exact_div)


@shallow
def shape_mod(a: IntTuple, n: IntTuple) -> IntTuple:
    """The shape of the first ``n`` elements of shape ``a``; of two tuples, mode by mode.

    >>> shape_mod((6, 2), 3), shape_mod((3, 6, 2, 8), 9), shape_mod((6, 2), 12)
    ((3, 1), (3, 3, 1, 1), (6, 2))

    The first eight elements of ``(6, 2)`` have no shape: that raises ``LayoutError``. Where ``n`` is more than there are, all are taken.
    """
    if batch.has_array(a, n):
        return batch.shape_mod(a, n)  # type: ignore[return-value]
    if isinstance(n, tuple):
        if not isinstance(a, tuple) or len(a) != len(n):
            raise LayoutError(f"shape_mod of {shown(a)} by {shown(n)}: the ranks must be equal")
        return tuple(map(shape_mod, a, n))
    as_shape(a)
    rest = _divisor(a, integer(n))
    if rest >= product(a):
        return a
    if not isinstance(a, tuple):
        return rest
    result: list[IntTuple] = []
    for mode in a:
        result.append(shape_mod(mode, rest))
        covered = product(mode)
        if rest > covered and rest % covered:
            raise LayoutError(f"the first {n} elements of {shown(a)} have no shape: {rest} is no multiple of {covered}")
        rest = max(1, rest // covered)
    return tuple(result)


@shallow
def evenly_divides(shape: Any, tiler: Any) -> bool:
    """Whether tiles of shape ``tiler`` cover ``shape`` without a remainder, mode by mode.

    >>> evenly_divides((8, 6), (4, 3)), evenly_divides((8, 6), (3, 3)), evenly_divides((8, 6), 16)
    (True, False, True)
    """
    shape, tiler = (value.shape if isinstance(value, Shaped) else value for value in (shape, tiler))
    if isinstance(tiler, tuple):
        modes = shape if isinstance(shape, tuple) else (shape,)
        return len(tiler) <= len(modes) and all(evenly_divides(mode, tile) for mode, tile in zip(modes, tiler, strict=False))
    return size(shape) == size(tiler) * size(ceil_div(shape, tiler))


@shallow
def _by_mode(a: Any, b: Any, divide: Callable[[Any, Any], IntTuple], divide_integers: Callable[[int, int], int]) -> IntTuple:
    """The walk that all divisions share: mode by mode, or from the left with what is left of ``b``."""
    if not isinstance(a, tuple):
        return divide_integers(integer(a), _divisor(a, product(b)))
    if isinstance(b, tuple):
        if len(b) > len(a):
            raise LayoutError(f"{shown(a)} by {shown(b)}: the divisor has rank {len(b)}, more than {len(a)}; give at most as many modes")
        return tuple(map(divide, a, (*b, *(1,) * (len(a) - len(b)))))
    as_shape(a)
    rest, result = _divisor(a, integer(b)), []
    for mode in a:
        result.append(divide(mode, rest))
        rest = divide_integers(rest, product(mode))
    return tuple(result)


def _divisor(a: Any, b: int) -> int:
    if b < 1:
        raise LayoutError(f"{shown(a)} cannot be divided by {b}; a divisor is 1 or more")
    return b


def _ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def _exact_div(a: int, b: int) -> int:
    if a % b and b % a:
        raise LayoutError(f"{a} is not divisible by {b} (neither {a} % {b} nor {b} % {a} is 0); one must divide the other")
    return _ceil_div(a, b)
