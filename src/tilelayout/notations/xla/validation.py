"""What makes a layout valid: the rules of ``LayoutUtil::ValidateLayoutForShape`` in xla/layout_util.cc.

Each check of a field takes what a caller gave, and returns it in the form that is stored or raises. What depends on the
array comes last, in ``check_for_shape``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import LayoutError, ShapeError
from ...sizes import checked_product
from .tiling import COMBINE, Tile, tile_text
from .types import INTEGER_TYPES

if TYPE_CHECKING:
    from .layout import Layout

#: The name that XLA prints for an index or pointer type that is no integer type.
INVALID_TYPE = "invalid"

_MOST = 2**63 - 1


class SplitConfig(NamedTuple):
    """Where a physical dimension (0 is the most major) is cut into pieces that lie in different memories: ``SC(0:3)``."""

    dimension: int
    split_indices: tuple[int, ...]


def integers(values: Any, what: str) -> tuple[int, ...]:
    """A sequence of integers as a tuple."""
    try:
        return tuple(map(operator.index, values))
    except TypeError:
        raise LayoutError(f"{what} {values!r} is no sequence of integers, such as (1, 0)") from None


def _minor_to_major(values: Any) -> tuple[int, ...]:
    order = integers(values, "minor_to_major")
    if sorted(order) != list(range(len(order))):
        shown = ",".join(map(str, order))
        odd = next((n for n in order if not 0 <= n < len(order)), None)
        wrong = "has duplicate values" if odd is None else f"has the out-of-bounds value {odd}"
        raise LayoutError(f"minor_to_major {{{shown}}} {wrong}; {len(order)} dimensions are a permutation of 0 to {len(order) - 1}")
    return order


def _tiles(values: Any) -> tuple[Tile, ...]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise LayoutError(f"tiles {values!r} is no sequence of tiles, such as ((8, 128), (2, 1))")
    return tuple(map(_tile, values))


def _tile(values: Any) -> Tile:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise LayoutError(f"tile {values!r} is no sequence of sizes, such as (8, 128)")
    sizes = integers((COMBINE if isinstance(size, str) and size == "*" else size for size in values), "tile")
    tile = tuple(COMBINE if size in (-1, COMBINE) else size for size in sizes)
    for size in tile:
        if not (0 < size <= _MOST or size is COMBINE):
            raise LayoutError(f"T{tile_text(tile)} has the tile dimension {size}; it must be positive or '*'")
    return tile


def _ranged(low: int, high: int, what: str, instead: str) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise LayoutError(f"{what} {value!r} is no integer") from None
        if not low <= number <= high:
            raise LayoutError(f"{what}({number}) is out of range; {instead}")
        return number

    return check


def _integer_type(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and (value in INTEGER_TYPES or value == INVALID_TYPE)):
        return value
    raise LayoutError(f"{value!r} is no integer type, as index and pointer types are; such as 'u32'")


def _split_configs(values: Any) -> tuple[SplitConfig, ...]:
    try:
        pairs = [(operator.index(dimension), indices) for dimension, indices in values]
    except (TypeError, ValueError):
        raise LayoutError(f"split_configs {values!r} is no sequence of (dimension, indices), such as ((0, (3,)),)") from None
    return tuple(SplitConfig(dimension, integers(indices, "split indices")) for dimension, indices in pairs)


def _physical_shape(value: Any) -> Any:
    if value is not None and not hasattr(value, "element_type"):
        raise LayoutError(f"physical_shape {value!r} is no xla.Shape")
    return value


#: The check of each field of a layout.
CHECKS: dict[str, Callable[[Any], Any]] = {
    "minor_to_major": _minor_to_major,
    "tiles": _tiles,
    "tail_padding_alignment_in_elements": _ranged(1, _MOST, "tail padding alignment L", "it counts elements, 1 or more"),
    "index_primitive_type": _integer_type,
    "pointer_primitive_type": _integer_type,
    "element_size_in_bits": _ranged(0, _MOST, "element size E", "it counts bits, and 0 means whole bytes"),
    "memory_space": _ranged(-128, 127, "memory space S", "XLA keeps it in 8 bits: -128 to 127"),
    "split_configs": _split_configs,
    "physical_shape": _physical_shape,
    "dynamic_shape_metadata_prefix_bytes": _ranged(0, _MOST, "metadata prefix M", "it counts bytes, 0 or more"),
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
    try:
        sizes = tuple(None if size is None else operator.index(size) for size in values)
    except TypeError:
        raise ShapeError(f"dims {values!r} are no sequence of sizes, such as (3, 5)") from None
    known = [size for size in sizes if size is not None]
    if any(size < 0 for size in known):
        raise ShapeError(f"dims {sizes} have the negative size {min(known)}; sizes are 0 or more, and None where unbounded")
    try:
        checked_product(known, "elements")
    except ShapeError as error:
        raise ShapeError(f"Dimensions overflow: {error}") from None
    return sizes


def dynamic_flags(values: Any, sizes: tuple[int | None, ...]) -> tuple[bool, ...]:
    """Which of the dimensions are dynamic; unbounded ones always are."""
    try:
        flags = tuple(map(bool, values)) or (False,) * len(sizes)
    except TypeError:
        raise ShapeError(f"dynamic {values!r} is no sequence of flags, such as (True, False)") from None
    if len(flags) != len(sizes):
        raise ShapeError(f"{len(flags)} dynamic flags are given for {len(sizes)} dimensions; give one for each, or none")
    return tuple(flag or size is None for flag, size in zip(flags, sizes, strict=True))


def check_for_shape(layout: Layout, shape: Sequence[int | None]) -> None:
    """The layout is one for a dense array of these dimensions; ``None`` is an unbounded one."""
    if layout.rank != len(shape):
        raise ShapeError(
            f"Dimensions size is {len(shape)}, but minor to major size is {layout.rank}, in {layout}; "
            f"an order that fits is {{{','.join(map(str, reversed(range(len(shape)))))}}}"
        )
    for value, what in (
        (layout.index_primitive_type, "index type ('#')"),
        (layout.pointer_primitive_type, "pointer type ('*')"),
        (layout.physical_shape, "physical shape ('P')"),
    ):
        if value is not None:
            raise ShapeError(f"Layout has {what}, but is not for a sparse array: {layout}; XLA's arrays are dense, leave it out")
    if shape and () in layout.tiles:
        raise ShapeError(f"{layout} has an empty tile; a tile has one or more entries, such as T(8,128)")
    _check_splits(layout, shape)


def _check_splits(layout: Layout, shape: Sequence[int | None]) -> None:
    seen = set()
    for dimension, indices in layout.split_configs:
        if not 0 <= dimension < len(shape):
            raise ShapeError(f"{layout} splits physical dimension {dimension} of {len(shape)}; they are numbered from 0, the most major")
        if dimension in seen:
            raise ShapeError(f"{layout} splits physical dimension {dimension} twice; all its indices go together, as in SC(0:1,2)")
        seen.add(dimension)
        size = shape[layout.minor_to_major[-1 - dimension]]
        ends = (0, *indices) if size is None else (0, *indices, size)
        if indices and any(low >= high for low, high in pairwise(ends)):
            limit = "its size" if size is None else size
            raise ShapeError(
                f"{layout} splits physical dimension {dimension} at {indices}; indices increase strictly, and lie above 0 and below {limit}"
            )
