"""Writing tiles down: what ``undoing`` leaves out are the dimensions of size 1, for which a tile has an entry each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from .dims import Step
from .tiling import COMBINE, Tile


def with_units(order: Iterable[int], units: Iterable[int]) -> tuple[int, ...]:
    """The order of axes, major first, with further axes of size 1, each before the first axis of a higher number.

    >>> with_units([3, 0], [1, 2])
    (1, 2, 3, 0)
    """
    full = list(order)
    for axis in units:
        full.insert(next((k for k, other in enumerate(full) if other > axis), len(full)), axis)
    return tuple(full)


def tiles_of(longer: Sequence[bool], steps: Iterable[Step]) -> tuple[Tile, ...] | None:
    """The tiles that do the steps, from which of the dimensions are longer than 1; None where no tile does one of them.

    >>> from tilelayout.notations.xla.dims import Cut
    >>> tiles_of([True, False, True], [(Cut(1, 8, True, True), Cut(1, 128, False, True))])
    ((8, 1, 128),)
    """
    now = list(longer)
    tiles: list[Tile] = []
    for step in steps:
        tile = _tile(now, step)
        if tile is None:
            # A tile of size 1 puts a dimension of size 1 at the end, where padding can grow.
            tiles.append((1,))
            now = [*now, False]
            tile = _tile(now, step)
        if tile is None:
            return None
        tiles.append(tile)
    return tuple(tiles)


def _tile(now: list[bool], step: Step) -> Tile | None:
    """The tile for a step; ``now`` becomes what it leaves."""
    fused = sum(cut.fused for cut in step)
    begin = [*(k for k, longer in enumerate(now) if longer), len(now)][-1 - fused]
    dims = list(now)
    for _ in takewhile(lambda cut: not cut.fused, step):
        if begin and dims[begin - 1]:
            return None
        if begin:
            begin -= 1
        else:
            dims.insert(0, False)
    tile, outer, inner = [], [], []
    at = begin
    for cut in step:
        if cut.fused:
            while not dims[at]:
                tile.append(1)
                outer.append(False)
                inner.append(False)
                at += 1
        elif at == len(dims) or dims[at]:
            return None
        left = cut.fused
        while left := left - dims[at]:
            tile.append(COMBINE)
            at += 1
        tile.append(cut.size)
        outer.append(cut.outer)
        inner.append(cut.inner)
        at += 1
    units = [False] * (len(dims) - at)
    now[:] = [*dims[:begin], *outer, *units, *inner, *units]
    return (*tile, *[1] * len(units))
