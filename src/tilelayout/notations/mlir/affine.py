"""Affine maps and strided layouts, and how they become digits.

A map of several results is a row-major buffer with a dimension for each; a single result is the slot. A dimension is as long as its
result has values, padding included: ``d0 mod 8`` has 8 even where an axis has 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import moves
from ...digits import Layout
from ...elements import Element
from ...errors import LayoutError, shown
from ...radix import Digit, constant
from ...sizes import MOST_LISTED, MOST_SLOTS, checked_product, integer, integers, listed, shape_of_rank
from .linear import Atom, Linear, bounds


@dataclass(frozen=True, slots=True)
class AffineMap:
    """A map from the dimensions of an array to those of a buffer, or to its slots.

    >>> from .parser import parse
    >>> print(parse("affine_map<(i, j) -> (j ceildiv 2, i)>"))
    affine_map<(d0, d1) -> ((d1 + 1) floordiv 2, d0)>
    """

    rank: int
    results: tuple[Linear, ...]

    def __post_init__(self) -> None:
        rank, results = integer(self.rank), listed(self.results)
        if rank is None or results is None or not 0 <= rank <= MOST_LISTED or not all(_reads(result, rank) for result in results):
            raise LayoutError(
                f"rank={shown(self.rank)} and results={shown(self.results)} are no affine map; mlir.parse reads one, such as "
                "affine_map<(d0, d1) -> (d1, d0)>"
            )
        object.__setattr__(self, "rank", rank)
        object.__setattr__(self, "results", results)

    def bind(self, shape: Sequence[int] | None = None, element: Element | None = None) -> Layout:
        """The layout of an array of this shape.

        >>> from .parser import parse
        >>> parse("affine_map<(d0, d1) -> (d0 floordiv 8, d1, d0 mod 8)>").bind((5, 2)).slots
        16

        Raises ``LayoutError`` where a result may be negative, and ``ShapeError`` for a shape of another rank, or none.
        """
        extents = shape_of_rank(shape, self.rank, self)
        slots = self.slots(extents)
        digits, stride, offset = list[Digit](), 1, 0
        for result in reversed(self.results):
            if 0 in extents:
                break
            found, rest = _digits(result, extents, stride)
            digits, offset = [*found, *digits], offset + rest
            stride *= self._size(result, extents)
        return Layout(extents, [*digits, *([constant(offset)] if offset else [])], slots=slots, element=element)

    def slots(self, extents: Sequence[int]) -> int:
        """How many slots the buffer has."""
        extents = shape_of_rank(extents, self.rank, self)
        return checked_product((self._size(result, extents) for result in self.results), "slots")

    def _size(self, result: Linear, extents: Sequence[int]) -> int:
        span = bounds(result, extents)
        if span is None:
            return 0
        if span[0] < 0:
            raise LayoutError(
                f"result {str(result)[:200]} of an affine map goes down to {span[0]} in an array of shape {tuple(extents)}, each of its "
                f"terms taken on its own, and places are counted from 0; add what is missing, or write it without what is subtracted"
            )
        return span[1] + 1

    def __str__(self) -> str:
        dims = ", ".join(f"d{number}" for number in range(self.rank))
        return f"affine_map<({dims}) -> ({', '.join(map(str, self.results))})>"


def _reads(result: object, rank: int) -> bool:
    return isinstance(result, Linear) and result.rank <= rank


def _digits(expression: Linear, shape: Sequence[int], stride: int) -> tuple[list[Digit], int]:
    """The digits of an expression times ``stride``, and the constant that is left."""
    digits, offset = [], expression.constant
    for atom, coefficient in expression.terms:
        dim, below = _dim(atom, shape)
        offset -= below * coefficient
        digits.append(Digit(dim.source, dim.divisor, dim.radix, coefficient * stride))
    return digits, offset * stride


def _dim(atom: Atom, shape: Sequence[int]) -> tuple[moves.Dim, int]:
    """An atom as a dimension, and how much that is above the atom."""
    if isinstance(atom, int):
        return moves.Dim(atom, shape[atom], 1, shape[atom]), 0
    source, above = _source(atom.of, shape, atom.by)
    outer, inner = moves.split((source,), 0, atom.by)
    return (inner, 0) if atom.remainder else (outer, above)


def _source(expression: Linear, shape: Sequence[int], by: int) -> tuple[moves.Dim, int]:
    """What is divided as a dimension; where it may be negative, as many times ``by`` as make up for it are added."""
    if expression.atom is not None:
        dim, below = _dim(expression.atom, shape)
        if not below:
            return dim, 0
    low, high = bounds(expression, shape) or (0, 0)
    times = max(0, -(low // by))
    digits, offset = _digits(expression, shape, 1)
    offset += times * by
    extent = high + times * by + 1
    return moves.Dim((*digits, *([constant(offset)] if offset else [])), extent, 1, extent), times


@dataclass(frozen=True, slots=True)
class Strided:
    """A stride for each dimension, and the slot of the first element.

    >>> print(Strided((5, 1), 2))
    strided<[5, 1], offset: 2>
    >>> Strided((5, 1), 2).bind((3, 5)).slots
    17
    """

    strides: tuple[int, ...]
    offset: int = 0

    def __post_init__(self) -> None:
        strides, offset = integers(self.strides), integer(self.offset)
        if strides is None or offset is None or max(map(abs, (*strides, offset))) > MOST_SLOTS:
            raise LayoutError(
                f"strides={shown(self.strides)} and offset={shown(self.offset)} are no strided layout, which has a stride for each "
                "dimension and an offset, all integers of 64 bits"
            )
        object.__setattr__(self, "strides", strides)
        object.__setattr__(self, "offset", offset)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.strides)

    def bind(self, shape: Sequence[int] | None = None, element: Element | None = None) -> Layout:
        """The layout of an array of this shape; its slots end with the last element."""
        extents = shape_of_rank(shape, self.rank, self)
        digits = [Digit(axis, 1, size, stride) for axis, (size, stride) in enumerate(zip(extents, self.strides, strict=True))]
        if 0 in extents:
            return Layout(extents, [], slots=0, element=element)
        return Layout(extents, [*digits, *([constant(self.offset)] if self.offset else [])], element=element)

    def __str__(self) -> str:
        offset = f", offset: {self.offset}" if self.offset else ""
        return f"strided<[{', '.join(map(str, self.strides))}]{offset}>"
