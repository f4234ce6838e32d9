"""Runs: the stretches of consecutive slots that hold a region, for lists of DMA transfers and for reads of ranges.

A box falls apart into blocks in which every digit counts through all it has. The fastest digits of a block make its stretches, as long as
each begins where those below it end; the others say where the stretches lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from . import queries, regions
from .chains import Chain, chains
from .errors import LayoutError, ShapeError, shown
from .regions import Region, RegionLike, box_of
from .sizes import MOST_SLOTS, integers, positive

if TYPE_CHECKING:
    from .digits import Layout

Runs: TypeAlias = npt.NDArray[np.int64]

#: The most stretches that are put together to runs.
MOST_RUNS = 1 << 24
#: The most tiles that are looked at.
MOST_TILES = 1 << 16
#: The most elements, or slots, that are looked at one by one.
MOST_LISTED = 1 << 25


class Walk(NamedTuple):
    """``n`` places that lie ``stride`` slots apart, ``stride`` of 1 or more."""

    n: int
    stride: int


class Stretches(NamedTuple):
    """Stretches of ``length`` slots, one for each place of the walks from ``first`` on."""

    first: int
    length: int
    walks: tuple[Walk, ...]

    @property
    def number(self) -> int:
        """How many there are."""
        return prod(walk.n for walk in self.walks)

    def listed(self) -> Runs:
        """Each as (first slot, length)."""
        firsts = np.array([self.first], np.int64)
        for walk in self.walks:
            firsts = (firsts[:, None] + walk.stride * np.arange(walk.n)).ravel()
        return np.stack([firsts, np.full_like(firsts, self.length)], axis=-1)


def runs(layout: Layout, region: RegionLike | None, bits: int | None) -> Runs:
    """The runs of a region, (first slot, length) in rising order; in bytes where a slot has so many bits."""
    box = box_of(region, layout.shape)
    found = _runs(layout, box)
    return found if bits is None else _in_bytes(found, layout.slots, bits)


def widest_vector(layout: Layout, tile: Sequence[int]) -> int:
    """The largest power of two that divides the first slot and the length of every run of every tile."""
    extents = _checked_tile(tile, layout)
    if not layout.size:
        raise LayoutError(f"a layout of shape {layout.shape} has no elements, so there is nothing to move")
    by_axis = chains(layout.canonical, layout.shape)
    if by_axis is None:
        return _widest_by_slots(layout, extents) if layout.shared_slot is None else _widest_by_tiles(layout, extents)
    widest = _low_bit(_runs(layout, _tile((0,) * layout.ndim, extents, layout.shape)))
    starts = [_kinds(chain, size, n, widest) for chain, size, n in zip(by_axis, layout.shape, extents, strict=True)]
    _check_tiles(prod(map(len, starts)), extents, layout.shape)
    for start in product(*starts):
        widest = min(widest, _low_bit(_runs(layout, _tile(start, extents, layout.shape))))
    return widest


def _runs(layout: Layout, box: Region) -> Runs:
    if not box.size:
        return np.empty((0, 2), np.int64)
    by_axis = chains(layout.canonical, layout.shape)
    try:
        return _merged(_looked_up(layout, box) if by_axis is None else _walked(layout, box, by_axis))
    except MemoryError:
        raise ShapeError(f"the runs of a box of shape {box.extents} do not fit in memory; ask for a smaller region") from None


def _walked(layout: Layout, box: Region, by_axis: Sequence[Chain]) -> Runs:
    """The stretches of a box, from its digits."""
    axes = [[*_blocks(chain, low, low + n)] for chain, low, n in zip(by_axis, box.start, box.extents, strict=True)]
    _check_count(prod(map(len, axes)), box)
    found = [_stretches(layout(*(at for at, _ in blocks)), [walk for _, inner in blocks for walk in inner]) for blocks in product(*axes)]
    _check_count(sum(stretches.number for stretches in found), box)
    return np.concatenate([stretches.listed() for stretches in found])


def _looked_up(layout: Layout, box: Region) -> Runs:
    """The stretches of a box, from the slots of its elements."""
    _check_listed(box.size, f"the elements of a box of shape {box.extents}")
    found: Runs = np.empty((0, 2), np.int64)
    waiting: list[Runs] = []
    for slots in regions.slots(layout, box):
        waiting.append(_merged(np.stack([slots, np.ones_like(slots)], axis=-1)))
        if sum(map(len, waiting)) > len(found):
            found, waiting = _merged(np.concatenate([found, *waiting])), []
            _check_count(len(found), box)
    return np.concatenate([found, *waiting])


def _merged(stretches: Runs) -> Runs:
    """The same slots in as few stretches as there can be, in rising order."""
    stretches = stretches[np.argsort(stretches[:, 0], kind="stable")]
    ends = np.maximum.accumulate(stretches.sum(axis=1))
    begins = np.flatnonzero(np.r_[True, stretches[1:, 0] > ends[:-1]])
    firsts = stretches[begins, 0]
    return np.stack([firsts, ends[np.r_[begins[1:] - 1, -1]] - firsts], axis=-1)


def _blocks(chain: Chain, low: int, high: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The interval in blocks in which digits count through all they have: the first coordinate, and (how many, stride) of each digit."""
    for at, end in regions.cuts(chain, low, high):
        for k in reversed(range(len(chain))):
            if count := (end - at) // chain[k].divisor:
                yield at, [(count, chain[k].stride), *((digit.radix, digit.stride) for digit in chain[:k])]
                at += count * chain[k].divisor  # noqa: PLW2901 - what is left of the interval
        if not chain:
            yield at, []


def _stretches(first: int, counted: Sequence[tuple[int, int]]) -> Stretches:
    """The slots of a block, ``first`` being that of its first element."""
    first += sum((n - 1) * stride for n, stride in counted if stride < 0)
    length, walks = 1, []
    for stride, n in sorted((abs(stride), n) for n, stride in counted):
        if stride <= length:
            length += stride * (n - 1)
        else:
            walks.append(Walk(n, stride))
    return Stretches(first, length, tuple(reversed(walks)))


def _check_count(count: int, box: Region) -> None:
    if count > MOST_RUNS:
        raise LayoutError(
            f"a box of shape {box.extents} lies in {count} stretches of slots, more than {MOST_RUNS}; ask for a smaller region"
        )


def _check_listed(count: int, what: str) -> None:
    if count > MOST_LISTED:
        raise LayoutError(f"digits read sums, and {what} are {count}, more than the {MOST_LISTED} that are then looked at one by one")


def _check_tiles(count: int, extents: Sequence[int], shape: Sequence[int]) -> None:
    if count > MOST_TILES:
        raise LayoutError(
            f"tiles of {tuple(extents)} lie in an array of shape {tuple(shape)} in up to {count} ways, more than the {MOST_TILES} that are "
            "looked at; give tiles that divide the layout's own, or are multiples of them"
        )


def _in_bytes(found: Runs, slots: int, bits: Any) -> Runs:
    width = positive(bits, f"bits={shown(bits)} is no width of a slot; it takes an integer of 1 or more")
    common = gcd(width, 8)
    parts, size = 8 // common, width // common
    if slots * size // parts > MOST_SLOTS:
        raise ShapeError(f"{slots} slots of {shown(bits)} bits are more bytes than a signed 64-bit integer holds")
    if (torn := found[(found % parts != 0).any(axis=1)]).size:
        first, length = torn[0].tolist()
        raise LayoutError(f"the run of {length} slots from slot {first} on begins or ends within a byte, where a slot has {width} bits")
    return found // parts * size


def _checked_tile(tile: Any, layout: Layout) -> tuple[int, ...]:
    extents = integers(tile)
    if extents is None or len(extents) != layout.ndim or any(n < 1 for n in extents):
        raise ShapeError(f"tile {shown(tile)} for a layout of shape {layout.shape}; it takes {layout.ndim} extents of 1 or more")
    return tuple(min(n, size) for n, size in zip(extents, layout.shape, strict=True))


def _tile(start: Sequence[int], extents: Sequence[int], shape: Sequence[int]) -> Region:
    return Region(tuple(start), tuple(min(n, size - at) for at, n, size in zip(start, extents, shape, strict=True)), ())


def _low_bit(found: npt.NDArray[np.int64]) -> int:
    """The largest power of two that divides every number."""
    bits = int(np.bitwise_or.reduce(found, axis=None))
    return bits & -bits


def _kinds(chain: Chain, size: int, extent: int, widest: int) -> list[int]:
    """Where tiles begin along an axis, one of each kind: those of a kind lie alike but for whole vectors between them."""
    starts = range(0, size, extent)
    if chain:  # tiles lie alike again where all digits but the topmost are as they were, and that has moved on by whole vectors
        again = lcm(chain[-1].divisor, extent)
        moved = chain[-1].stride * (again // chain[-1].divisor)
        starts = starts[: again // extent * (widest // gcd(widest, moved))]
    _check_tiles(len(starts), (extent,), (size,))
    kinds: dict[Any, int] = {}
    for start in (*starts, (size - 1) // extent * extent):
        base = _slot(chain, start)
        blocks = tuple((_slot(chain, at) - base, *inner) for at, inner in _blocks(chain, start, min(size, start + extent)))
        kinds.setdefault((base % widest, blocks), start)
    return list(kinds.values())


def _slot(chain: Chain, at: int) -> int:
    """What an axis adds to the slot at that coordinate."""
    return sum(digit.stride * (at // digit.divisor % digit.radix) for digit in chain)


def _widest_by_tiles(layout: Layout, extents: Sequence[int]) -> int:
    """The same from every tile, for layouts in which elements share slots."""
    ranges = [range(0, size, n) for size, n in zip(layout.shape, extents, strict=True)]
    _check_tiles(prod(map(len, ranges)), extents, layout.shape)
    return min(_low_bit(_runs(layout, _tile(start, extents, layout.shape))) for start in product(*ranges))


def _widest_by_slots(layout: Layout, extents: Sequence[int]) -> int:
    """The same from what lies in each slot: a vector may not hold elements of two tiles, or of one and padding."""
    _check_listed(layout.slots, "the slots")
    edges, last = np.int64(0), np.full((1, layout.ndim), -1)
    for begin in range(0, layout.slots, queries.PIECE):
        held = layout.coordinates(np.arange(begin, min(begin + queries.PIECE, layout.slots)), padding="mark")
        tiles = np.concatenate([last, held // np.array(extents)])
        changes = np.flatnonzero((tiles[1:] != tiles[:-1]).any(axis=1)) + begin
        edges |= np.bitwise_or.reduce(changes, initial=0)
        last = tiles[-1:]
    if (last >= 0).all():
        edges |= layout.slots
    return _low_bit(np.array([edges]))
