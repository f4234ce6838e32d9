"""What makes a list of physical dimensions a layout, whatever the shape."""

from __future__ import annotations

import operator
from collections.abc import Set
from itertools import islice
from typing import Any

from ...errors import LayoutError, shown
from ...sizes import integer, integers, positive
from .kinds import Dims, OddEven, PhysDim, dim_text, dims_text

#: The largest number of a logical dimension, and the most physical dimensions: Morello keeps both in 8 bits.
MOST_DIMS = 255


def checked_dims(dims: Any) -> Dims:
    """The list as a tuple of plain pairs, refused where it is no layout of any shape."""
    result = _pairs(dims)
    wrong = fault(result)
    if wrong:
        raise LayoutError(wrong[1])
    return result


def fault(dims: Dims) -> tuple[int, str] | None:
    """The first physical dimension that does not fit with the others, by its place in the list, and why."""
    if len(dims) > MOST_DIMS:
        return MOST_DIMS, f"a layout has at most {MOST_DIMS} physical dimensions, and this list goes on"
    seen: set[int] = set()
    for place, (dim, kind) in enumerate(dims):
        if not 0 <= dim <= MOST_DIMS:
            return place, _out_of_range(dim)
        if kind is PhysDim.Dynamic and dim in seen:
            return place, _misplaced(dims, dim)
        if place and isinstance(kind, OddEven) and dims[place - 1][0] == dim and isinstance(dims[place - 1][1], OddEven):
            pair = " and ".join(dim_text(*entry) for entry in dims[place - 1 : place + 1])
            return (
                place,
                f"{dims_text(dims)} has {pair} side by side, which Morello leaves undefined; another dimension belongs between them",
            )
        seen.add(dim)
    return None


def checked_contig(contig: Any, dims: Dims) -> int:
    """The number of contiguous physical dimensions, at most all."""
    number = integer(contig)
    if number is None:
        raise LayoutError(f"contig={shown(contig)} is no number of physical dimensions")
    if not 0 <= number <= len(dims):
        raise LayoutError(f"contig={shown(number)} of {len(dims)} physical dimensions; it is 0 to {len(dims)}")
    return number


def logical_dims(values: Any, what: str) -> tuple[int, ...]:
    """Numbers of logical dimensions."""
    numbers = integers(list(values) if isinstance(values, Set) else values)
    if numbers is None:
        raise LayoutError(f"{shown(values)} are no dimensions {what}, such as (0, 1)")
    for number in numbers:
        if not 0 <= number <= MOST_DIMS:
            raise LayoutError(_out_of_range(number))
    return numbers


def at_least_one(value: Any, what: str) -> int:
    """An integer of 1 or more."""
    return positive(value, f"{what}={shown(value)} is out of range; it is an integer, 1 or more")


def _pairs(dims: Any) -> Dims:
    if isinstance(dims, str):
        raise LayoutError(f"dims={shown(dims)} is text, which morello.parse reads")
    try:
        entries = iter(dims)
    except TypeError:
        raise LayoutError(f"dims={shown(dims)} is no list of (dimension, kind), such as [(0, PhysDim.Dynamic)]") from None
    return tuple(_pair(entry) for entry in islice(entries, MOST_DIMS + 1))


def _pair(entry: Any) -> tuple[int, PhysDim]:
    try:
        dim, kind = entry
        dim = operator.index(dim)
    except (TypeError, ValueError):
        raise LayoutError(f"{shown(entry)} is no physical dimension, which is a pair such as (1, PhysDim.Packed(4))") from None
    if not isinstance(kind, PhysDim) or type(kind) is PhysDim:
        raise LayoutError(f"{shown(kind)} is no kind of physical dimension: PhysDim.Dynamic, PhysDim.Packed(n) or PhysDim.OddEven(n)")
    return dim, kind


def _out_of_range(dim: int) -> str:
    return f"{shown(dim)} is no logical dimension: Morello numbers them from 0 to {MOST_DIMS}"


def _misplaced(dims: Dims, dim: int) -> str:
    """What to say where a Dynamic is not the outermost of its dimension."""
    if dims.count((dim, PhysDim.Dynamic)) > 1:
        return f"{dims_text(dims)} has more than one Dynamic of dimension {dim}, and the inner takes it all; give all but the first a size"
    outer = next(kind for at, kind in dims if at == dim)
    return (
        f"{dims_text(dims)} has {dim_text(dim, outer)} outside of {dim}, which is Dynamic and takes all that is left of dimension {dim}; "
        "the Dynamic is the outermost"
    )
