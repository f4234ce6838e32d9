"""What is contiguous in a tile of an array."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...errors import ShapeError, shown
from .kinds import Dims


def check_tile(parent: Sequence[int], tile: Sequence[int]) -> None:
    """A tile has its parent's dimensions, none of them larger."""
    if len(parent) != len(tile) or any(t > p for p, t in zip(parent, tile, strict=True)):
        raise ShapeError(f"{shown(tuple(tile))} is no tile of {shown(tuple(parent))}: it has a size for each dimension, none larger")


def claimed(parent: Sequence[int], tile: Sequence[int], contig: int) -> int:
    """Morello's figure for physical shapes of a parent and a tile: up to the first size that differs, it included.

    >>> claimed((16, 64, 4), (4, 64, 4), 3), claimed((16, 64, 4), (16, 1, 4), 3)
    (3, 2)

    Source: ``lower_contig_to_first_broken_dimension`` in morello/src/layout.rs.
    """
    pairs = zip(reversed(parent), reversed(tile), strict=True)
    return min(contig, next((place + 1 for place, (p, t) in enumerate(pairs) if p != t), len(parent)))


def contiguous(dims: Dims, shape: Sequence[int], parent: Sequence[int], tile: Sequence[int]) -> int:
    """How many of the fastest dimensions form a run in every tile at a multiple of its size; physical shapes of parent and tile.

    A dimension continues the run if its step in the parent is the run's length so far, and if no tile holds the end of one block
    of it and the start of the next, where that is elsewhere.
    """
    step = run = 1
    rest = list(shape)
    for place in reversed(range(len(dims))):
        dim = dims[place][0]
        if tile[place] > 1 and (step != run or _is_torn(dims, place, rest[dim], parent, tile[place])):
            return len(dims) - 1 - place
        step *= parent[place]
        run *= tile[place]
        rest[dim] //= parent[place]
    return len(dims)


def _is_torn(dims: Dims, place: int, units: int, parent: Sequence[int], size: int) -> bool:
    """Whether tiles of ``size`` along a physical dimension run over the ends of its blocks, and the blocks lie apart.

    Only a Dynamic may be outside of a pack that a tile cuts.
    """
    dim, block = dims[place][0], parent[place]
    if block % size == 0 or units == block:
        return False
    outer = next(at for at in reversed(range(place)) if dims[at][0] == dim)
    return prod(parent[outer + 1 : place]) > 1


def cache_lines(sizes: Sequence[int], contig: int, element_bytes: int, line_bytes: int) -> int:
    """The runs of a physical shape times the cache lines of a run. Source: ``estimate_cache_lines`` in morello/src/layout.rs."""
    first = len(sizes) - contig
    return prod(sizes[:first]) * -(-prod(sizes[first:]) * element_bytes // line_bytes)
