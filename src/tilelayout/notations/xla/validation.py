"""What makes a layout valid: the rules of ``LayoutUtil::ValidateLayoutForShape`` in xla/layout_util.cc.

Each check of a field takes what a caller gave, and returns it in the form that is stored or raises. What depends on the
array comes last, in ``check_for_shape``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import LayoutError, ShapeError, shown
from ...sizes import MOST_SLOTS, checked_product, integer, integers, items_of, listed
from .tiling import COMBINE, Tile
from .types import INTEGER_TYPES

if TYPE_CHECKING:
    from .layout import Layout

#: The name that XLA prints for an index or pointer type that is no integer type.
INVALID_TYPE = "invalid"


class SplitConfig(NamedTuple):
    """Where a physical dimension (0 is the most major) is cut into pieces that lie in different memories: ``SC(0:3)``."""

    dimension: int
    split_indices: tuple[int, ...]


def checked_integers(values: Any, what: str) -> tuple[int, ...]:
    """A sequence of integers as a tuple."""
    numbers = integers(values)
    if numbers is None:
        raise LayoutError(f"{what} {shown(values)} is no sequence of integers, such as (1, 0)")
    return numbers


def _spelt(numbers: tuple[int, ...]) -> str:
    """The numbers as text has them, cut short where they are many."""
    return shown(numbers).strip("()").rstrip(",").replace(", ", ",").replace(repr(COMBINE), str(COMBINE))


def _minor_to_major(values: Any) -> tuple[int, ...]:
    order = checked_integers(values, "minor_to_major")
    if wrong := wrong_order(order):
        raise LayoutError(f"minor_to_major {{{_spelt(order)}}} {wrong}")
    return order


def wrong_order(order: Sequence[int]) -> str | None:
    """What is wrong with an order of dimensions, if anything is."""
    if sorted(order) == list(range(len(order))):
        return None
    odd = order[odd_one_of(order)]
    wrong = "duplicate values" if 0 <= odd < len(order) else f"the out-of-bounds value {shown(odd)}"
    digits = tuple(int(digit) for digit in _spelt(tuple(order)) if digit.isdigit())
    is_run_together = len(digits) > len(order) and sorted(digits) == list(range(len(digits)))
    hint = f"; did you mean {{{_spelt(digits)}}}?" if is_run_together else ""
    return f"has {wrong}; {len(order)} dimensions are a permutation of 0 to {len(order) - 1}{hint}"


def odd_one_of(order: Sequence[int]) -> int:
    """The place of the first number that is out of bounds, else of the first that is there a second time, in what is no permutation.

    >>> odd_one_of((0, 0, 7)), odd_one_of((1, 0, 1))
    (2, 2)
    """
    outside = next((place for place, number in enumerate(order) if not 0 <= number < len(order)), None)
    first = {number: place for place, number in reversed(tuple(enumerate(order)))}
    return next(place for place, number in enumerate(order) if first[number] != place) if outside is None else outside


def _tiles(values: Any) -> tuple[Tile, ...]:
    tiles = listed(values)
    if tiles is None:
        raise LayoutError(f"tiles {shown(values)} is no sequence of tiles, such as ((8, 128), (2, 1))")
    return tuple(map(_tile, tiles))


def _tile(values: Any) -> Tile:
    entries = listed(values)
    sizes = None if entries is None else integers(COMBINE if isinstance(size, str) and size == "*" else size for size in entries)
    if sizes is None:
        raise LayoutError(f"tile {shown(values)} is no sequence of sizes, such as (8, 128)")
    tile = tuple(COMBINE if size in (-1, COMBINE) else size for size in sizes)
    for size in tile:
        if not (0 < size <= MOST_SLOTS or size is COMBINE):
            raise LayoutError(f"T({_spelt(tile)}) has the tile dimension {shown(size)}; it must be positive, in 64 bits, or '*'")
    return tile


def _ranged(low: int, high: int, what: str, instead: str) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        number = integer(value)
        if number is None:
            raise LayoutError(f"{what} {shown(value)} is no integer")
        if not low <= number <= high:
            raise LayoutError(f"{what}({shown(number)}) is out of range; {instead}")
        return number

    return check


def _integer_type(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and (value in INTEGER_TYPES or value == INVALID_TYPE)):
        return value
    raise LayoutError(f"{shown(value)} is no integer type, as index and pointer types are; such as 'u32'")


def _split_configs(values: Any) -> tuple[SplitConfig, ...]:
    try:
        pairs = [(operator.index(dimension), indices) for dimension, indices in items_of(values)]
    except (TypeError, ValueError):
        raise LayoutError(f"split_configs {shown(values)} is no sequence of (dimension, indices), such as ((0, (3,)),)") from None
    return tuple(SplitConfig(dimension, checked_integers(indices, "split indices")) for dimension, indices in pairs)


def _physical_shape(value: Any) -> Any:
    if value is not None and not hasattr(value, "element_type"):
        raise LayoutError(f"physical_shape {shown(value)} is no xla.Shape")
    return value


#: The check of each field of a layout.
CHECKS: dict[str, Callable[[Any], Any]] = {
    "minor_to_major": _minor_to_major,
    "tiles": _tiles,
    "tail_padding_alignment_in_elements": _ranged(1, MOST_SLOTS, "tail padding alignment L", "it counts elements, 1 or more"),
    "index_primitive_type": _integer_type,
    "pointer_primitive_type": _integer_type,
    "element_size_in_bits": _ranged(0, MOST_SLOTS, "element size E", "it counts bits, and 0 means whole bytes"),
    "memory_space": _ranged(-128, 127, "memory space S", "XLA keeps it in 8 bits: -128 to 127"),
    "split_configs": _split_configs,
    "physical_shape": _physical_shape,
    "dynamic_shape_metadata_prefix_bytes": _ranged(0, MOST_SLOTS, "metadata prefix M", "it counts bytes, 0 or more"),
}


def passes(field: str, value: Any) -> bool:
    """Whether the value is one that the field of a layout may have."""
    try:
        CHECKS[field](value)
    except LayoutError:
        return False
    return True


def dims(values: Any) -> tuple[int | None, ...]:
    """The dimensions of an array, None for an unbounded one."""
    entries = listed(values)
    known = None if entries is None else integers(size for size in entries if size is not None)
    if entries is None or known is None:
        raise ShapeError(f"dims {shown(values)} are no sequence of sizes, such as (3, 5)")
    if any(size < 0 for size in known):
        raise ShapeError(f"dims {shown(entries)} have the negative size {shown(min(known))}; sizes are 0 or more, and None where unbounded")
    try:
        checked_product(known, "elements")
    except ShapeError as error:
        raise ShapeError(f"Dimensions overflow: {error}") from None
    left = iter(known)
    return tuple(None if size is None else next(left) for size in entries)


def dynamic_flags(values: Any, sizes: tuple[int | None, ...]) -> tuple[bool, ...]:
    """Which of the dimensions are dynamic; unbounded ones always are."""
    given = listed(values)
    if given is None or not all(isinstance(flag, bool | np.bool_) or integer(flag) in (0, 1) for flag in given):
        raise ShapeError(f"dynamic {shown(values)} is no sequence of flags, such as (True, False)")
    flags = tuple(map(bool, given)) or (False,) * len(sizes)
    if len(flags) != len(sizes):
        raise ShapeError(f"{len(flags)} dynamic flags are given for {len(sizes)} dimensions; give one for each, or none")
    return tuple(flag or size is None for flag, size in zip(flags, sizes, strict=True))


def check_for_shape(layout: Layout, shape: Sequence[int | None]) -> None:
    """The layout is one for a dense array of these dimensions; ``None`` is an unbounded one."""
    wrong = fault(layout, shape)
    if wrong:
        raise ShapeError(wrong[1])


def fault(layout: Layout, shape: Sequence[int | None]) -> tuple[str, str] | None:
    """The first field of a layout that does not fit a dense array of these dimensions, and why."""
    if layout.rank != len(shape):
        return (
            "minor_to_major",
            f"Dimensions size is {len(shape)}, but minor to major size is {layout.rank}: {layout} is given for an array of shape "
            f"{shown(tuple(shape))}; an order that fits is {{{_spelt(tuple(reversed(range(len(shape)))))}}}",
        )
    for field, what in (
        ("index_primitive_type", "index type ('#')"),
        ("pointer_primitive_type", "pointer type ('*')"),
        ("physical_shape", "physical shape ('P')"),
    ):
        if getattr(layout, field) is not None:
            return field, f"Layout has {what}, but is not for a sparse array: {layout}; XLA's arrays are dense, leave it out"
    if () in layout.tiles and shape:  # XLA's own texts have it of scalars; nothing can be bound with it
        return "tiles", f"{layout} has an empty tile; a tile has one or more entries, such as T(8,128)"
    why = _split_fault(layout, shape)
    return None if why is None else ("split_configs", f"{layout} splits physical dimension {why}")


def _split_fault(layout: Layout, shape: Sequence[int | None]) -> str | None:
    seen = set()
    for dimension, indices in layout.split_configs:
        if not 0 <= dimension < len(shape):
            return f"{dimension} of {len(shape)}; they are numbered from 0, the most major"
        if dimension in seen:
            return f"{dimension} twice; all its indices go together, as in SC(0:1,2)"
        seen.add(dimension)
        size = shape[layout.minor_to_major[-1 - dimension]]
        if not indices:
            continue
        if size is None:
            return f"{dimension}, which is unbounded ('?'); only a size or a bound is"
        if any(low >= high for low, high in pairwise((0, *indices, size))):
            return f"{dimension} at {indices}; indices increase strictly, and lie above 0 and below {size}"
    return None
