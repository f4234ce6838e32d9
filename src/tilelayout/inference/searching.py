"""Layouts for values that repeat: the places of the buffer, found one by one, fastest first.

If neighbours in a buffer are ``r`` elements ``d`` apart along an axis, then the buffer cut into runs of ``r`` holds the same runs, each as
often, as the array cut that way. That is tested with a hash of each run; then the runs are the elements of a smaller problem. Runs soon
differ all, even where there are few values, and what remains is explained from their slots. Padded buffers are taken as arrays
of larger extents, whose missing elements match anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, permutations
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import moves
from ..digits import Layout
from ..errors import LayoutError
from ..moves import Dim, Dims
from ..radix import Digit, constant, divisors, evaluate, unravelled
from .explaining import explain, simplest
from .placing import UNKNOWN, Tokens, place

Hashes = npt.NDArray[np.uint64]

#: Elements that are looked at before a search is given up, for each element there is, and in any case.
MOST_WORK, LEAST_WORK = 400, 1 << 22
#: What a test costs besides, in elements.
TEST = 1 << 13
#: Ways to pad an array's extents that are tried.
MOST_PADDED = 32
#: Slots of the first element that are tried.
MOST_STARTS = 16
#: Axes of which all orders are tried.
MOST_REORDERED = 5


class Grid(NamedTuple):
    """An array of runs, one axis for each dimension left; ``whole`` marks the runs that padding has no part in, None if all are whole."""

    dims: Dims
    runs: Hashes
    whole: npt.NDArray[np.bool_] | None


class Search:
    """A search for the layouts of ``shape`` that turn ``before`` into ``after``; ``exhausted`` tells whether it was carried to its end."""

    def __init__(self, before: Tokens, after: Tokens, shape: tuple[int, ...]) -> None:
        self.before, self.after, self.shape = before, after, shape
        self.work = MOST_WORK * max(len(before), len(after)) + LEAST_WORK
        self.exhausted = True

    def layouts(self) -> Iterator[Layout]:
        """Every layout that is found, some more than once; those with places that are walked backwards only where there are no others."""
        extents = _padded(self.shape, len(self.after))
        self.exhausted = len(extents) < MOST_PADDED
        found = False
        plain = extents if self.shape in extents else [*extents, self.shape]
        for layout in chain(*map(self._permuted, plain), *map(self._tiled, extents)):
            found = True
            yield layout
        if not found and prod(extents[0]) == len(self.before):
            yield from self._tiled(self.shape, reverse=True)

    def explains(self, layout: Layout) -> bool:
        """Whether the layout puts every value where the buffer has it."""
        return bool(np.array_equal(self.after[layout.offsets().reshape(-1)], self.before))

    def _permuted(self, extents: Sequence[int]) -> Iterator[Layout]:
        """Plain orders of the axes, row-major first, from any slot on."""
        for order in permutations(range(len(extents))) if len(extents) <= MOST_REORDERED else ():
            strides = np.cumprod([1, *(extents[axis] for axis in order[:0:-1])])[::-1].tolist()
            digits = [Digit(axis, 1, extents[axis], stride) for axis, stride in zip(order, strides, strict=False)]
            for start in self._starts(digits, len(self.after) - prod(extents)):
                yield from self.checked(digits, start)

    def _starts(self, digits: Sequence[Digit], last: int) -> list[int]:
        """Slots of the first element, up to the last, that suit a few others, too."""
        starts = np.arange(last + 1)
        for k in range(16):
            if not len(starts):
                break
            element = (len(self.before) - 1) * k // 15
            starts = starts[self.after[starts + evaluate(digits, unravelled(element, self.shape))] == self.before[element]]
        self.exhausted &= len(starts) <= MOST_STARTS
        return [int(start) for start in starts[:MOST_STARTS]]

    def _tiled(self, extents: Sequence[int], reverse: bool = False) -> Iterator[Layout]:
        used = prod(extents)
        self.work -= used + TEST
        dims = tuple(Dim(axis, size, 1, padded) for axis, (size, padded) in enumerate(zip(self.shape, extents, strict=True)))
        here = tuple(slice(size) for size in self.shape)
        runs = np.zeros(extents, np.uint64)
        runs[here] = _mixed(self.before.astype(np.uint64)).reshape(self.shape)
        whole = None
        if used > len(self.before):
            whole = np.zeros(extents, np.bool_)
            whole[here] = True
        origin = np.full(extents, UNKNOWN)
        origin[here] = np.arange(len(self.before)).reshape(self.shape)
        walk = _Walk(self, self.after[:used], origin, reverse)
        yield from walk.deeper(
            _without_units(Grid(dims, runs, whole)), _mixed(self.after[:used].astype(np.uint64)), (), np.zeros(1, np.int64)
        )

    def checked(self, digits: Sequence[Digit], start: int = 0) -> Iterator[Layout]:
        """The layout of these digits, with the first element in slot ``start``, if it explains the buffer."""
        self.work -= len(self.before) + TEST
        try:
            layout = simplest((*digits, constant(start)), self.shape, len(self.after))
        except LayoutError:
            return  # a part of an axis that walks backwards and is not full
        if self.explains(layout):
            yield layout


class _Walk:
    """One descent from the fastest place to the slowest, with every turn that passes the tests."""

    def __init__(self, search: Search, after: Tokens, element: npt.NDArray[np.int64], reverse: bool) -> None:
        self.search, self.after, self.element, self.reverse = search, after, element.reshape(-1), reverse
        self.steps = [stride // element.itemsize for stride in element.strides]

    def deeper(self, grid: Grid, runs: Hashes, found: tuple[Digit, ...], block: npt.NDArray[np.int64]) -> Iterator[Layout]:
        """Layouts that begin with the digits found; ``block`` has the elements of the first run."""
        stride = len(block)
        if grid.whole is None and len(runs) > 1:
            slots = place(grid.runs.reshape(-1), runs)
            if UNKNOWN not in slots:
                yield from self._explained(slots.reshape(grid.runs.shape), grid.dims, found, stride)
                return
        if not grid.dims:
            yield from self.search.checked(found, _far_end(found))
            return
        for axis in reversed(range(len(grid.dims))):
            dim = grid.dims[axis]
            assert isinstance(dim.source, int)
            for gap in divisors(dim.radix):
                for radix in _primes(dim.radix // gap):
                    for backwards in (False, True) if self.reverse else (False,):
                        if self.search.work < 0:
                            self.search.exhausted = False
                            return
                        next_block = (block + np.arange(radix)[:, None] * (gap * dim.divisor * self.steps[dim.source])).reshape(-1)
                        if not self.reverse and not self._fits(next_block):
                            continue
                        cut, joined = _cut(grid, axis, gap, radix), _hash(runs.reshape(-1, radix)[:, :: -1 if backwards else 1])
                        if self._matches(cut, joined):
                            digit = Digit(dim.source, dim.divisor * gap, radix, -stride if backwards else stride)
                            yield from self.deeper(_without_units(cut), joined, (digit, *found), next_block)

    def _explained(self, slots: npt.NDArray[np.int64], dims: Dims, found: Sequence[Digit], stride: int) -> Iterator[Layout]:
        start = int(slots.reshape(-1)[0])
        above = explain(slots - start, dims)
        if above is not None:
            scaled = [digit._replace(stride=digit.stride * stride) for digit in above]
            yield from self.search.checked([*scaled, *found], start * stride + _far_end(found))

    def _fits(self, block: npt.NDArray[np.int64]) -> bool:
        """Whether the first run of the buffer holds the first run of the array."""
        self.search.work -= len(block) + TEST // 16
        element = self.element[block]
        here = element != UNKNOWN
        return bool((self.after[: len(block)][here] == self.search.before[element[here]]).all())

    def _matches(self, grid: Grid, runs: Hashes) -> bool:
        """Whether the buffer has all whole runs of the array, and no others if nothing is padded."""
        self.search.work -= 8 * grid.runs.size + TEST
        if grid.whole is None:
            return bool(_mixed(grid.runs).sum() == _mixed(runs).sum())
        wanted, counts = np.unique(grid.runs[grid.whole], return_counts=True)
        held = np.sort(runs)
        return bool((np.searchsorted(held, wanted, "right") - np.searchsorted(held, wanted) >= counts).all())


def _far_end(digits: Sequence[Digit]) -> int:
    """The slot from which digits of full places begin, some of them backwards."""
    return -sum(digit.stride * (digit.radix - 1) for digit in digits if digit.stride < 0)


def _padded(shape: tuple[int, ...], slots: int) -> list[tuple[int, ...]]:
    """Extents, each no less than the array's, that multiply to the slots; the array's own, if there are none but room at the end."""
    found: list[tuple[int, ...]] = []

    def extend(head: tuple[int, ...], left: int) -> None:
        if len(found) == MOST_PADDED:
            return
        if len(head) == len(shape):
            if left == 1:
                found.append(head)
            return
        least = prod(shape[len(head) + 1 :])
        for extent in divisors(left):
            if extent >= shape[len(head)] and left // extent >= least:
                extend((*head, extent), left // extent)

    extend((), slots)
    return sorted(found, key=lambda extents: sum(a != b for a, b in zip(extents, shape, strict=True))) or [shape]


def _cut(grid: Grid, axis: int, gap: int, radix: int) -> Grid:
    """The runs joined by ``radix``, ``gap`` apart along the axis."""
    shape = grid.runs.shape
    form = (*shape[:axis], shape[axis] // (gap * radix), radix, gap, *shape[axis + 1 :])
    outer, rest = moves.split((grid.dims[axis],), 0, gap * radix)
    inner = moves.split((rest,), 0, gap)[1]
    runs = _hash(np.moveaxis(grid.runs.reshape(form), axis + 1, -1))
    whole = None if grid.whole is None else np.logical_and.reduce(grid.whole.reshape(form), axis=axis + 1)
    return Grid((*grid.dims[:axis], outer, inner, *grid.dims[axis + 1 :]), runs, whole)


def _without_units(grid: Grid) -> Grid:
    kept = [axis for axis, size in enumerate(grid.runs.shape) if size > 1]
    shape = [grid.runs.shape[axis] for axis in kept]
    whole = None if grid.whole is None else grid.whole.reshape(shape)
    return Grid(tuple(grid.dims[axis] for axis in kept), grid.runs.reshape(shape), whole)


def _hash(runs: Hashes) -> Hashes:
    """One hash for each run along the last axis."""
    result = runs[..., 0]
    for k in range(1, runs.shape[-1]):
        result = _mixed(result * np.uint64(0x9E3779B97F4A7C15) + runs[..., k])
    return result


def _mixed(hashes: Hashes) -> Hashes:
    """A hash that every bit of the value has a part in."""
    mixed = (hashes ^ (hashes >> np.uint64(31))) * np.uint64(0xD6E8FEB86659FD93)
    return mixed ^ (mixed >> np.uint64(29))


def _primes(n: int) -> list[int]:
    return [k for k in divisors(n) if k > 1 and len(divisors(k)) == 2]
