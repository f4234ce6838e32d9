"""Scaled basis vectors, strides that add to one mode of a coordinate instead of to an offset: ``2@1@0``.

    >>> from tilelayout import cute
    >>> print(cute.E(0, 1), 2 * cute.E(1))
    1@1@0 2@1
    >>> cute.Layout((4, 8), (cute.E(1), cute.E(0)))(1, 2)
    (2, 1)

A layout with such strides maps coordinates to coordinates (include/cute/numeric/arithmetic_tuple.hpp). The path of mode
numbers is given from the outermost in; CuTe's text has it the other way round, behind the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias, Union

from ..errors import LayoutError
from .nesting import MOST_NESTED, shallow
from .spelling import shown
from .tuples import IntTuple, Path, as_int_tuple, at, integer, leaves

#: The largest mode number in a path: a coordinate is written with all the modes before it.
MOST_MODES = 255


@dataclass(frozen=True, slots=True, repr=False)
class ScaledBasis:
    """``value`` in the mode that ``path`` names, zero in every other.

    >>> ScaledBasis(3, (0, 1))
    cute.ScaledBasis(3, (0, 1))
    >>> str(ScaledBasis(3, (0, 1))), ScaledBasis(3, (0, 1)) + ScaledBasis(5, (1,))
    ('3@1@0', ((0, 3), 5))
    """

    value: int
    path: Path

    def __post_init__(self) -> None:
        path = tuple(map(integer, self.path)) if isinstance(self.path, tuple | list) else (integer(self.path),)
        if not path or len(path) > MOST_NESTED or not all(0 <= mode <= MOST_MODES for mode in path):
            raise LayoutError(f"{shown(path)} is no path to a mode; it takes 1 to {MOST_NESTED} mode numbers from 0 to {MOST_MODES}")
        object.__setattr__(self, "path", path)
        object.__setattr__(self, "value", integer(self.value))

    def as_tuple(self) -> IntTuple:
        """The vector as a coordinate: the value in its place, zeros before it.

        >>> ScaledBasis(3, (2,)).as_tuple()
        (0, 0, 3)
        """
        result: IntTuple = self.value
        for mode in reversed(self.path):
            result = (*(0,) * mode, result)
        return result

    def __mul__(self, factor: int) -> ScaledBasis:
        return ScaledBasis(self.value * integer(factor), self.path)

    __rmul__ = __mul__

    def __neg__(self) -> ScaledBasis:
        return self * -1

    def __add__(self, other: Stride) -> IntTuple:
        return tuple_add(self.as_tuple(), other.as_tuple() if isinstance(other, ScaledBasis) else other)  # type: ignore[arg-type]

    __radd__ = __add__

    def __str__(self) -> str:
        return "@".join(map(str, (self.value, *reversed(self.path))))

    def __repr__(self) -> str:
        return f"cute.ScaledBasis({self.value}, {self.path})"


Stride: TypeAlias = Union[int, ScaledBasis, "tuple[Stride, ...]"]


def E(*path: int) -> int | ScaledBasis:  # noqa: N802 - CuTe's own name
    """The basis vector of the mode that the path names; without a path, 1.

    >>> E(1), E()
    (cute.ScaledBasis(1, (1,)), 1)
    """
    return ScaledBasis(1, path) if path else 1


def basis_like(shape: Any) -> Stride:
    """The basis vectors of all leaves of a shape, in their places: the strides of an identity layout.

    >>> basis_like((2, (3, 4)))
    (cute.ScaledBasis(1, (0,)), (cute.ScaledBasis(1, (1, 0)), cute.ScaledBasis(1, (1, 1))))
    """
    return as_int_tuple(shape, lambda _, path: E(*path))  # type: ignore[no-any-return]


@shallow
def tuple_add(a: IntTuple, b: IntTuple) -> IntTuple:
    """The sum of two tuples, leaf by leaf; modes that only one of them has stay, and 0 adds to anything.

    >>> tuple_add((1, (2, 3)), (4, (5,))), tuple_add(0, (3, 4))
    ((5, (7, 3)), (3, 4))
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        shared = min(len(a), len(b))
        return (*map(tuple_add, a[:shared], b[:shared]), *a[shared:], *b[shared:])
    if isinstance(a, tuple) or isinstance(b, tuple):
        alone, other = (b, a) if isinstance(a, tuple) else (a, b)
        if isinstance(alone, Integral) and alone == 0:
            return other
        raise LayoutError(f"{shown(a)} and {shown(b)} cannot be added: one is an integer and the other a tuple; only 0 adds to both")
    return integer(a) + integer(b)


@shallow
def tuple_sub(a: IntTuple, b: IntTuple) -> IntTuple:
    """The difference of two tuples, leaf by leaf; modes that only one of them has stay as they are, and 0 takes nothing away.

    >>> tuple_sub((5, 8, 3), (1, 2)), tuple_sub((10, 8), (3, 2, 5)), tuple_sub((5, 8), 0)
    ((4, 6, 3), (7, 6, 5), (5, 8))
    """
    if isinstance(a, tuple) and isinstance(b, tuple):
        shared = min(len(a), len(b))
        return (*map(tuple_sub, a[:shared], b[:shared]), *a[shared:], *b[shared:])
    if isinstance(a, tuple) and isinstance(b, Integral) and b == 0:
        return a
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise LayoutError(f"{shown(b)} cannot be taken from {shown(a)}: one is an integer and the other a tuple; only 0 can be from both")
    return integer(a) - integer(b)


def as_stride(value: Any) -> Stride:
    """A checked stride: a nest of integers, or one of scaled basis vectors and zeros whose paths all end at leaves.

    >>> as_stride([16, [ScaledBasis(1, (0,))]])
    Traceback (most recent call last):
    tilelayout.errors.LayoutError: strides are all integers or all scaled basis vectors (and zeros), got (16,(1@0))
    """
    stride: Stride = as_int_tuple(value, lambda leaf, _: leaf if isinstance(leaf, ScaledBasis) else integer(leaf))
    flat = tuple(leaves(stride))
    paths = {leaf.path for leaf in flat if isinstance(leaf, ScaledBasis)}
    if not paths:
        return stride
    if any(isinstance(leaf, int) and leaf for leaf in flat):
        raise LayoutError(f"strides are all integers or all scaled basis vectors (and zeros), got {shown(stride)}")
    for path in paths:
        for level in range(1, len(path)):
            if path[:level] in paths:
                raise LayoutError(
                    f"in {shown(stride)} one path ends{at(path[:level])}, another goes on to {list(path)}; they end at leaves"
                )
    return stride


def span_of(flat: Iterable[tuple[int, int | ScaledBasis]]) -> IntTuple:
    """The sums of ``count * stride`` over all pairs: an offset, or a coordinate where the strides are basis vectors.

    >>> span_of([(2, 10), (3, 1)]), span_of([(2, ScaledBasis(5, (0, 1))), (3, ScaledBasis(1, (1,)))])
    (23, ((0, 10), 3))
    """
    total: IntTuple = 0
    for count, stride in flat:
        term = stride * count
        total = tuple_add(total, term.as_tuple() if isinstance(term, ScaledBasis) else term)
    return total
