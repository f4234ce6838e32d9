"""Undoing tiles: which dimensions there were before the last tile, and before the one before that.

A tile leaves its outer parts in the middle of the list of dimensions and its inner parts at the end. So the last ones of
a buffer are inner parts, those before them outer parts, and two of one source that fit are a dimension that was cut. A size
of 1 keeps a dimension outside, and a size that is no less than the dimension takes it inside whole, padded to that size.
Dimensions of size 1 say nothing here; ``writing`` finds where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...radix import extent
from .dims import Cut, Dim, Dims, Step, fused


class Undoing:
    """A search for the tiles behind the dimensions of a buffer, of an array of this shape, in at most ``budget`` steps."""

    def __init__(self, shape: Sequence[int], budget: int) -> None:
        self.shape = shape
        self.budget = budget

    def undo(self, dims: Dims, tiles: int) -> Iterator[tuple[tuple[int, ...], tuple[Step, ...]]]:
        """Every order of axes, major first, and so many tiles that make these dimensions of them, until the budget is spent."""
        if not tiles:
            if self.are_axes(dims):
                yield tuple(dim.source for dim in dims if isinstance(dim.source, int)), ()
            return
        for step, before in self._before(dims, last=tiles == 1):
            if tiles == 1 or self._can_be_cut(before, tiles - 1):
                yield from ((order, (*steps, step)) for order, steps in self.undo(before, tiles - 1))

    def are_axes(self, dims: Dims) -> bool:
        """Whether each of the dimensions is an axis as it is."""
        return all(isinstance(dim.source, int) and dim.divisor == 1 and dim.low <= dim.radix == self.shape[dim.source] for dim in dims)

    def _can_be_cut(self, dims: Dims, tiles: int) -> bool:
        """Whether so many tiles, each of which doubles the parts of an axis at most, cut an axis in so many."""
        read = [dim.source for dim in dims if isinstance(dim.source, int)]
        return all(read.count(axis) <= 2**tiles for axis in set(read))

    def _before(self, dims: Dims, *, last: bool) -> Iterator[tuple[Step, Dims]]:
        """Every tile that may have been the last, and the dimensions before it; with ``last`` only those that are axes."""
        for inside in range(1, len(dims) + 1):
            for window in range(len(dims) - inside + 1):
                begin = len(dims) - inside - window
                if last and not self.are_axes(dims[:begin]):
                    continue
                for step, before in self._paired(dims[begin : begin + window], dims[begin + window :], last, True):
                    yield step, (*dims[:begin], *before)

    def _paired(self, outer: Dims, inner: Dims, last: bool, first: bool) -> Iterator[tuple[Step, Dims]]:
        """Every way to pair outer with inner parts, each list in its order, or to leave one alone."""
        self.budget -= 1
        if self.budget < 0:
            return
        if not outer and not inner:
            yield (), ()
            return
        choices: list[tuple[Dim, int, bool, bool]] = []
        if outer and inner and (whole := self._joined(outer[0], inner[0])):
            choices.append((whole, outer[0].divisor // inner[0].divisor, True, True))
        if inner:
            choices.append((inner[0]._replace(low=inner[0].radix), inner[0].high, False, True))
        if outer:
            choices.append((outer[0], 1, True, False))
        for whole, size, has_outer, has_inner in choices:
            parts = fused(whole, self.shape)
            if (first and not has_inner and len(parts) == 1) or (last and not self.are_axes(parts)):
                continue
            cut = Cut(len(parts), size, has_outer, has_inner)
            for step, before in self._paired(outer[has_outer:], inner[has_inner:], last, False):
                yield (cut, *step), (*parts, *before)

    def _joined(self, outer: Dim, inner: Dim) -> Dim | None:
        """The dimension that a tile cuts into these two, if one does."""
        if outer.source != inner.source or outer.source == ():
            return None
        size, rest = divmod(outer.divisor, inner.divisor)
        if rest or not max(inner.low, inner.radix) <= size <= inner.high:
            return None
        reached = -(-extent(inner.source, self.shape) // inner.divisor)
        radix = min(reached, outer.radix * size)
        return Dim(inner.source, inner.divisor, radix, max(radix, (outer.low - 1) * size + 1), outer.high * size)
