"""Sizes that fit: shapes and products of extents, checked before anything is done with them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from math import prod
from typing import Any

from .errors import LayoutError, ShapeError, SizesMissing, shown

#: The largest number of slots, and the largest slot, that a layout may have: what a signed 64-bit integer holds.
MOST_SLOTS = 2**63 - 1
#: Factors that an error message lists.
MOST_SHOWN = 16
#: The most integers that a shape, an order of axes or a tile is read to.
MOST_LISTED = 1 << 16
#: The types of the items of a tuple of plain ints.
_PLAIN = frozenset({int})


def integer(value: Any) -> int | None:
    """The value as a plain integer; None where it is no integer.

    >>> integer(True), integer(2.0)
    (1, None)
    """
    try:
        return int(operator.index(value))
    except TypeError:
        return None


def positive(value: Any, refusal: str) -> int:
    """The value as an integer of 1 or more; raises ``LayoutError`` with what is said where it is none.

    >>> positive(3, "threads=3 is no number of threads")
    3
    """
    number = integer(value)
    if number is None or number < 1:
        raise LayoutError(refusal)
    return number


def listed(values: Any) -> tuple[Any, ...] | None:
    """A sequence, or whatever gives items in an order, as a tuple; None for anything else, text and sets included.

    >>> listed([3, "x"]), listed("35"), listed({3, 5}), listed(3)
    ((3, 'x'), None, None, None)

    One of more than ``MOST_LISTED`` items is refused.
    """
    if isinstance(values, tuple | list):
        items = tuple(values)
    elif isinstance(values, str | bytes | bytearray | Set | Mapping) or not isinstance(values, Iterable):
        return None
    else:
        try:
            items = tuple(islice(values, MOST_LISTED + 1))
        except (TypeError, NotImplementedError):  # numpy's own, for an array without axes, and that of a view of memory with several
            return None
    if len(items) > MOST_LISTED:
        raise ShapeError(f"{shown(values)} has more than {MOST_LISTED} items, which are the most that are taken")
    return items


def items_of(values: Any) -> tuple[Any, ...]:
    """What ``listed`` gives, with a ``TypeError`` instead of None."""
    items = listed(values)
    if items is None:
        raise TypeError
    return items


def integers(values: Any) -> tuple[int, ...] | None:
    """A sequence of integers as a tuple of plain ones; None for anything else.

    >>> integers([3, 5]), integers((3, 5.0)), integers(b"35")
    ((3, 5), None, None)
    """
    if type(values) is tuple and len(values) <= MOST_LISTED and _PLAIN.issuperset(map(type, values)):
        return values
    items = listed(values)
    try:
        return None if items is None else tuple(map(int, map(operator.index, items)))
    except TypeError:
        return None


def checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape as a tuple of plain ints, refused if any extent is negative or their product passes 64 bits."""
    extents = integers(shape)
    if extents is None:
        raise ShapeError(f"{shown(shape)} is no shape: it takes a sequence of integers, such as (4, 8)")
    if any(n < 0 for n in extents):
        raise ShapeError(f"shape {shown(extents)} has a negative extent; extents are 0 or more")
    checked_product(extents, "elements")
    return extents


def shape_of_rank(shape: Sequence[int] | None, rank: int, described: object) -> tuple[int, ...]:
    """The shape for something described without sizes, which must be there and have that many dimensions.

    >>> shape_of_rank([4, 8], 2, "{1,0}")
    (4, 8)
    """
    if shape is None:
        raise SizesMissing(f"{described} says nothing of sizes: give a shape of {rank} dimensions")
    extents = checked_shape(shape)
    if len(extents) != rank:
        raise ShapeError(f"{described} is for arrays of {rank} dimensions, not for shape {shown(extents)}")
    return extents


def checked_product(factors: Iterable[int], what: str) -> int:
    """The product of the factors, refused if that of those above 0 passes 2**63 - 1."""
    factors = tuple(factors)
    magnitude = 1
    for factor in factors:
        magnitude *= max(1, factor)
        if magnitude > MOST_SLOTS:
            asked = [shown(f) for f in islice((f for f in factors if f != 1), MOST_SHOWN + 1)]
            product = " * ".join(asked if len(asked) <= MOST_SHOWN else [*asked[:MOST_SHOWN], "..."])
            aside = "; sizes of 0 do not count here, as in numpy" if 0 in factors else ""
            raise ShapeError(f"{product} {what} are more than a signed 64-bit integer holds ({MOST_SLOTS}){aside}")
    return prod(factors)
