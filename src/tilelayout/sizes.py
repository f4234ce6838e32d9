"""Sizes that fit: shapes and products of extents, checked before anything is done with them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import prod

from .errors import ShapeError, shown

#: The largest number of slots, and the largest slot, that a layout may have: what a signed 64-bit integer holds.
MOST_SLOTS = 2**63 - 1
#: Factors that an error message lists.
MOST_SHOWN = 16


def checked_shape(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape as a tuple of plain ints, refused if any extent is negative or their product passes 64 bits."""
    try:
        extents = tuple(operator.index(n) for n in shape)
    except TypeError:
        raise ShapeError(f"{shown(shape)} is no shape: it takes a sequence of integers, such as (4, 8)") from None
    if any(n < 0 for n in extents):
        raise ShapeError(f"shape {shown(extents)} has a negative extent; extents are 0 or more")
    checked_product(extents, "elements")
    return extents


def checked_product(factors: Iterable[int], what: str) -> int:
    """The product of the factors, refused if it passes 2**63 - 1."""
    factors = tuple(factors)
    product = prod(factors)
    if prod(max(1, f) for f in factors) > MOST_SLOTS:
        listed = [shown(f) for f in factors if f != 1]
        asked = " * ".join(listed if len(listed) <= MOST_SHOWN else [*listed[:MOST_SHOWN], "..."])
        raise ShapeError(f"{asked} {what} are more than a signed 64-bit integer holds ({MOST_SLOTS})")
    return product
