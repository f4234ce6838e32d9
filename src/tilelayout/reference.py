"""The plain-Python twins of the kernels that index and move: slow, obvious, and what these are tested against.

It knows nothing of the library: shapes are tuples, digits are (axis, divisor, radix, stride), arrays are flat lists in
row-major order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import gcd
from typing import Any


def linear_index(index: Sequence[int], shape: Sequence[int]) -> int:
    """The place of an element in row-major order, as the tiled-layout page defines it.

    >>> linear_index((1, 1, 0, 1), (2, 3, 2, 2))
    17
    """
    place = 0
    for e, d in zip(index, shape, strict=True):
        place = place * d + e
    return place


def linear_index_with_tile(index: Sequence[int], shape: Sequence[int], tile: Sequence[int]) -> int:
    """The place of an element in an array with one tile on its last dimensions, as the tiled-layout page defines it.

    >>> linear_index_with_tile((2, 3), (3, 5), (2, 2))
    17
    """
    index, shape = tile_once(index, shape, tile)
    return linear_index(index, shape)


def tile_once(index: Sequence[int], shape: Sequence[int], tile: Sequence[int | str]) -> tuple[list[int], list[int]]:
    """An index and a shape after a tile: the last dimensions become (which tile, where in the tile).

    ``"*"`` fuses a dimension with the next first. A tile longer than the shape meets dimensions of size 1 in front.

    >>> tile_once((2, 3), (3, 5), (2, 2))
    ([1, 1, 0, 1], [2, 3, 2, 2])
    """
    missing = max(0, len(tile) - len(shape))
    index, shape = [0] * missing + list(index), [1] * missing + list(shape)
    kept = len(shape) - len(tile)
    which, inside, counts, sizes = [], [], [], []
    e, d = 0, 1
    for t, x, n in zip(tile, index[kept:], shape[kept:], strict=True):
        e, d = e * n + x, d * n
        if isinstance(t, int):
            which.append(e // t)
            inside.append(e % t)
            counts.append(-(-d // t))
            sizes.append(t)
            e, d = 0, 1
    return index[:kept] + which + inside, shape[:kept] + counts + sizes


def tiled_slot(
    index: Sequence[int], shape: Sequence[int], minor_to_major: Sequence[int], tiles: Sequence[Sequence[int | str]]
) -> tuple[int, int]:
    """The slot of an element of an XLA layout, tile after tile, and the number of slots of the whole.

    >>> tiled_slot((6, 5), (8, 8), (1, 0), [(2, 4), (2, 1, 1, 1)])
    (51, 64)
    """
    order = list(reversed(minor_to_major))
    e, d = [index[axis] for axis in order], [shape[axis] for axis in order]
    for tile in tiles:
        e, d = tile_once(e, d, tile)
    slots = 1
    for n in d:
        slots *= n
    return linear_index(e, d), slots


def slot(index: Sequence[int], digits: Sequence[Any]) -> int:
    """The slot of an element: the weighted sum of the digits, each of an axis, of a sum, or of the 1 that ``None`` is.

    >>> slot((2, 3), [(0, 2, 2, 12), (1, 2, 3, 4), (0, 1, 2, 2), (1, 1, 2, 1)])
    17
    """
    total = 0
    for source, divisor, radix, stride in digits:
        x = 1 if source is None else index[source] if isinstance(source, int) else slot(index, source)
        total += x // divisor % radix * stride
    return total


def indices(shape: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every index of a shape in row-major order."""
    return product(*map(range, shape))


def offsets(shape: Sequence[int], digits: Sequence[Any]) -> list[int]:
    """The slot of every element, in row-major order."""
    return [slot(index, digits) for index in indices(shape)]


def coordinates(shape: Sequence[int], digits: Sequence[Any], slots: Sequence[int]) -> list[tuple[int, ...] | None]:
    """The index of the element in each slot, None where there is none."""
    element = {slot(index, digits): index for index in indices(shape)}
    return [element.get(s) for s in slots]


def pack(values: Sequence[Any], shape: Sequence[int], digits: Sequence[Any], slots: int, fill: Any) -> list[Any]:
    """The buffer that holds the values of an array.

    >>> pack([1, 2, 3], (3,), [(0, 2, 2, 1), (0, 1, 2, 2)], 4, 0)
    [1, 3, 2, 0]
    """
    buffer = [fill] * slots
    for value, place in zip(values, offsets(shape, digits), strict=True):
        buffer[place] = value
    return buffer


def unpack(buffer: Sequence[Any], shape: Sequence[int], digits: Sequence[Any]) -> list[Any]:
    """The values of the array that a buffer holds."""
    return [buffer[place] for place in offsets(shape, digits)]


def relayout(
    buffer: Sequence[Any], shape: Sequence[int], source: Sequence[Any], target: Sequence[Any], *, slots: int, fill: Any
) -> list[Any]:
    """The buffer that holds in the target's slots what another holds in the source's.

    >>> relayout([1, 3, 2, 0], (3,), [(0, 2, 2, 1), (0, 1, 2, 2)], [(0, 1, 3, 1)], slots=4, fill=9)
    [1, 2, 3, 9]
    """
    return pack(unpack(buffer, shape, source), shape, target, slots, fill)


def box(start: Sequence[int], extents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every index of a box in row-major order.

    >>> list(box((1, 4), (2, 1)))
    [(1, 4), (2, 4)]
    """
    return product(*(range(at, at + n) for at, n in zip(start, extents, strict=True)))


def runs(slots: Iterable[int]) -> list[tuple[int, int]]:
    """The stretches of consecutive slots among these: (first slot, length).

    >>> runs([7, 2, 1, 0])
    [(0, 3), (7, 1)]
    """
    found: list[tuple[int, int]] = []
    for place in sorted(set(slots)):
        if found and sum(found[-1]) == place:
            found[-1] = found[-1][0], found[-1][1] + 1
        else:
            found.append((place, 1))
    return found


def widest_vector(shape: Sequence[int], digits: Sequence[Any], tile: Sequence[int]) -> int:
    """The largest power of two that divides the first slot and the length of every run of every tile; 0 where there is no tile.

    >>> widest_vector((4, 4), [(0, 1, 4, 4), (1, 1, 4, 1)], (2, 2))
    2
    """
    ends: list[int] = []
    for start in product(*(range(0, n, t) for n, t in zip(shape, tile, strict=True))):
        extents = [min(t, n - at) for at, n, t in zip(start, shape, tile, strict=True)]
        ends += [x for run in runs(slot(index, digits) for index in box(start, extents)) for x in run]
    common = gcd(*ends)
    return common & -common


def pack_bits(values: Sequence[int], bits: int) -> bytes:
    """Integers of a few bits each in bytes, the first in the low bits.

    >>> pack_bits([1, -2, 3], 4).hex()
    'e103'
    """
    packed = sum((value & (1 << bits) - 1) << k * bits for k, value in enumerate(values))
    return packed.to_bytes(-(-len(values) * bits // 8), "little")


def unpack_bits(packed: bytes, count: int, bits: int, signed: bool) -> list[int]:
    """The integers that ``pack_bits`` packed.

    >>> unpack_bits(bytes.fromhex("e103"), 3, 4, signed=True)
    [1, -2, 3]
    """
    whole = int.from_bytes(packed, "little")
    values = [whole >> k * bits & (1 << bits) - 1 for k in range(count)]
    top = 1 << bits - 1
    return [(value ^ top) - top for value in values] if signed else values
