"""What else an array could be: other orders of its dimensions, other shapes with the same elements, other sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice, pairwise, permutations
from math import inf, prod
from typing import NamedTuple

from ..errors import LayoutError
from ..notations.xla import COMBINE, Layout, Shape, tpu_layout
from ..notations.xla.tpu import WORD_BITS
from ..notations.xla.types import xla_element
from .causes import causes

#: The most orders of dimensions that are tried, and the rank above which not every way to merge dimensions is.
MOST_ORDERS, MOST_MERGED = 5040, 8
_LANES = 128


class Remedy(NamedTuple):
    """An array to have instead: what to do (``kind``), the array, and the bytes that it takes.

    ``order`` puts the dimensions in another order with the same tiles, ``tiles`` has the tiles that a TPU would choose for the order,
    ``merge`` reshapes to fewer dimensions; these hold the same elements. ``grow`` and ``shrink`` change sizes to multiples of the tile.
    """

    kind: str
    shape: Shape
    bytes: int


def is_tpu(layout: Layout) -> bool:
    """Whether the tiles are of 128 lanes, as a TPU's are."""
    return bool(layout.tiles and layout.tiles[0]) and layout.tiles[0][-1] != COMBINE and layout.tiles[0][-1] % _LANES == 0


def remedies(shape: Shape, generation: str) -> Iterator[Remedy]:
    """Everything that is tried, each array once; the array itself is not among it."""
    seen = {str(shape)}
    for kind, other in _candidates(shape, generation):
        if str(other) not in seen:
            seen.add(str(other))
            with suppress(LayoutError):  # too large to be had at all
                yield Remedy(kind, other, other.allocation_byte_size)


def _candidates(shape: Shape, generation: str) -> Iterator[tuple[str, Shape]]:
    layout = shape.layout
    assert layout is not None
    for order in orders(shape.bounds, layout.minor_to_major, reach(layout)):
        yield "order", _array(shape, shape.bounds, replace(layout, minor_to_major=order))
    tpu = is_tpu(layout)
    if tpu:
        yield from _fitting(shape, generation)
    yield from _merged(shape, generation if tpu else None)
    yield from _resized(shape)


def _fitting(shape: Shape, generation: str) -> Iterator[tuple[str, Shape]]:
    assert shape.layout is not None
    for order in orders(shape.bounds, shape.layout.minor_to_major, 2):
        yield "tiles", _chosen(shape, shape.bounds, generation, order)


def _merged(shape: Shape, generation: str | None) -> Iterator[tuple[str, Shape]]:
    """For each way to merge neighbouring dimensions the array that takes least."""
    assert shape.layout is not None
    for bounds in merges(shape.bounds):
        row_major = tuple(reversed(range(len(bounds))))
        ways: Iterable[Shape]
        if generation is None:
            layouts = (replace(shape.layout, minor_to_major=order) for order in orders(bounds, row_major, reach(shape.layout)))
            ways = (_array(shape, bounds, layout) for layout in layouts)
        else:
            ways = (_chosen(shape, bounds, generation, order) for order in orders(bounds, row_major, 2))
        yield "merge", min(ways, key=_bytes)


def _bytes(shape: Shape) -> float:
    """What an array takes; without end if it is too large to be had."""
    try:
        return shape.allocation_byte_size
    except LayoutError:
        return inf


def _resized(shape: Shape) -> Iterator[tuple[str, Shape]]:
    """The dimensions that a tile fills up at their next multiples, all together, and each at the last multiple below."""
    assert shape.layout is not None
    filled = {
        cause.axes[0]: cause
        for cause in reversed(causes(shape))
        if cause.kind == "tile" and len(cause.axes) == 1 and cause.size == shape.bounds[cause.axes[0]]
    }
    if filled:
        grown = tuple(filled[axis].filled if axis in filled else size for axis, size in enumerate(shape.bounds))
        yield "grow", _array(shape, grown, shape.layout)
    for axis, cause in sorted(filled.items()):
        if cause.filled > cause.multiple:
            shrunk = tuple(cause.filled - cause.multiple if k == axis else size for k, size in enumerate(shape.bounds))
            smaller = _array(shape, shrunk, shape.layout)
            if _bytes(smaller) < shape.allocation_byte_size:  # else a second tile, or the end of the buffer, fills it up all the same
                yield "shrink", smaller


def orders(bounds: Sequence[int], present: Sequence[int], minor: int) -> Iterator[tuple[int, ...]]:
    """Orders of dimensions, the present one first: one for each choice of the sizes of so many most minor ones, which alone can matter.

    >>> list(orders((8, 8, 4), (2, 1, 0), 2))
    [(2, 1, 0), (1, 2, 0), (1, 0, 2)]
    """
    seen = set()
    for first in islice(permutations(present, min(minor, len(present))), MOST_ORDERS):
        sizes = tuple(bounds[axis] for axis in first)
        if sizes not in seen:
            seen.add(sizes)
            yield (*first, *(axis for axis in present if axis not in first))


def merges(bounds: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The shapes in which neighbouring dimensions are merged into one.

    >>> list(merges((2, 3, 4)))
    [(24,), (2, 12), (6, 4)]
    """
    rank = len(bounds)
    cuts = range(1, rank)
    chosen: Iterator[tuple[int, ...]]
    if rank <= MOST_MERGED:
        chosen = (kept for count in range(len(cuts)) for kept in combinations(cuts, count))
    else:
        chosen = iter([(), *(tuple(cut for cut in cuts if cut != left) for left in reversed(cuts))])
    for kept in chosen:
        ends = (0, *kept, rank)
        yield tuple(prod(bounds[begin:end]) for begin, end in pairwise(ends))


def reach(layout: Layout) -> int:
    """How many of the most minor dimensions the tiles meet."""
    met = parts = 0
    for tile in layout.tiles:
        met += max(0, len(tile) - parts)
        parts = max(0, parts - len(tile)) + 2 * sum(1 for entry in tile if entry != COMBINE)
    return min(met, layout.rank)


def tiled_as(name: str) -> str:
    """The type whose tiles a TPU gives elements of a type: wide ones lie in words of 32 bits, each of which has its tiles."""
    return "u32" if xla_element(name).bits > WORD_BITS else name


def _chosen(shape: Shape, bounds: tuple[int, ...], generation: str, order: Sequence[int]) -> Shape:
    """The array with the tiles that a TPU chooses."""
    assert shape.layout is not None
    tiled = tpu_layout(bounds, tiled_as(shape.element_type), generation=generation, minor_to_major=order)
    kept = {field: getattr(shape.layout, field) for field in ("memory_space", "dynamic_shape_metadata_prefix_bytes")}
    return _array(shape, bounds, replace(tiled, **kept))


def _array(shape: Shape, bounds: tuple[int, ...], layout: Layout) -> Shape:
    return Shape(shape.element_type, bounds, layout=layout)
