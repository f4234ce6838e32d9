"""Regions: boxes of an array, asked for as numpy indexes it, and the pieces in which the digits of a layout walk a box.

Within a piece every digit begins at 0, or goes on without a carry, so a piece is a small array with a layout of its own: the same
digits, counted from the slot of its first element.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from . import queries
from .chains import Chain
from .errors import CoordinateError, LayoutError, shown
from .radix import unravelled

if TYPE_CHECKING:
    from .digits import Layout

Index: TypeAlias = int | slice | EllipsisType
#: What numpy takes between brackets, as far as it is a box.
RegionLike: TypeAlias = Index | tuple[Index, ...]


class Region(NamedTuple):
    """A box: its first element, its extents, and the axes that were given as integers, which a numpy index drops."""

    start: tuple[int, ...]
    extents: tuple[int, ...]
    dropped: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that holds the region."""
        return tuple(n for axis, n in enumerate(self.extents) if axis not in self.dropped)

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.extents)


class Piece(NamedTuple):
    """A part of a region: its first element, its extents, and the index that takes it, as a view, from an array of the region."""

    start: tuple[int, ...]
    extents: tuple[int, ...]
    part: tuple[slice | EllipsisType, ...]


def box_of(index: RegionLike | None, shape: Sequence[int]) -> Region:
    """The box of an array of that shape that a numpy index names; ``None`` is the whole array.

    >>> box_of(np.s_[1, ..., -2:], (3, 4, 5))
    Region(start=(1, 0, 3), extents=(1, 4, 2), dropped=(0,))
    """
    if index is None:
        return Region((0,) * len(shape), tuple(shape), ())
    fields = index if isinstance(index, tuple) else (index,)
    gaps = [k for k, field in enumerate(fields) if field is Ellipsis]
    if len(gaps) > 1:
        raise LayoutError(f"region {shown(index)} has {len(gaps)} ellipses; it may have one")
    missing = len(shape) - len(fields) + len(gaps)
    if missing < 0:
        raise CoordinateError(f"region {shown(index)} has {len(fields) - len(gaps)} indices for an array of {len(shape)} dimensions")
    gap = gaps[0] if gaps else len(fields)
    fields = (*fields[:gap], *[slice(None)] * missing, *fields[gap + len(gaps) :])
    bounds = [_bounds(field, size, axis, index) for axis, (field, size) in enumerate(zip(fields, shape, strict=True))]
    dropped = tuple(axis for axis, field in enumerate(fields) if not isinstance(field, slice))
    return Region(tuple(start for start, _ in bounds), tuple(n for _, n in bounds), dropped)


def pieces(box: Region, chains: Sequence[Chain]) -> Iterator[Piece]:
    """The pieces of a box, row-major; no more along an axis than it has digits."""
    axes = [[*cuts(chain, low, low + n)] for chain, low, n in zip(chains, box.start, box.extents, strict=True)]
    for spans in product(*axes):
        start = tuple(low for low, _ in spans)
        part = (slice(low - first, high - first) for (low, high), first in zip(spans, box.start, strict=True))
        yield Piece(start, tuple(high - low for low, high in spans), (*part, ...))


def cuts(chain: Chain, low: int, high: int) -> Iterator[tuple[int, int]]:
    """The interval in parts that each begin at a multiple of some digit's divisor and end before the next digit counts on."""
    for digit in chain[1:]:
        edge = -(-low // digit.divisor) * digit.divisor
        if edge >= high:
            break
        if edge > low:
            yield low, edge
            low = edge
    if low < high:
        yield low, high


def slots(layout: Layout, box: Region) -> Iterator[queries.Slots]:
    """The slots of the elements of a box in row-major order, a bounded piece at a time."""
    if box.size == layout.size:
        yield from queries.blocks(layout)
        return
    for begin in range(0, box.size, queries.PIECE):
        flat = np.arange(begin, min(begin + queries.PIECE, box.size))
        yield layout.index(np.stack(unravelled(flat, box.extents), axis=-1) + np.array(box.start))


def _bounds(field: Any, size: int, axis: int, index: object) -> tuple[int, int]:
    """The first coordinate on an axis, and how many."""
    if isinstance(field, slice):
        try:
            if field.step is not None and operator.index(field.step) != 1:
                raise LayoutError(
                    f"region {shown(index)} has step {shown(field.step)} on axis {axis}; a region is a box, and takes steps of 1 only"
                )
            start, stop, _ = field.indices(size)
        except TypeError:
            raise LayoutError(f"region {shown(index)} has {shown(field)} on axis {axis}; the ends of a slice are integers") from None
        return start, max(0, stop - start)
    try:
        if isinstance(field, bool):
            raise TypeError
        at = operator.index(field)
    except TypeError:
        raise LayoutError(
            f"region {shown(index)} has {shown(field)} on axis {axis}; it takes integers, slices with step 1, and one Ellipsis"
        ) from None
    if not -size <= at < size:
        allowed = f"{-size} to {size - 1}" if size else "none: it has no elements"
        raise CoordinateError(f"region {shown(index)} asks for {shown(at)} on axis {axis}, where the allowed are {allowed}")
    return at % size, 1
