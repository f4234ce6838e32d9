"""A workload as a loop nest over its buffer: what each dimension of the buffer counts, slowest first.

Written from the order and the tiles alone, without the library: numba's loops, oneDNN's tags and the index formulas come from here.
Dimensions of one are left out within tiles. A later tile has to divide the one before it, as all the workloads' tiles do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workloads import Workload


class Dim(NamedTuple):
    """A dimension of the buffer: it counts ``x[axis] // divisor``, up to ``extent``, and starts over."""

    axis: int
    divisor: int
    extent: int


def nest(workload: Workload) -> list[Dim]:
    """The dimensions of the workload's buffer, slowest first."""
    dims = [Dim(axis, 1, workload.shape[axis]) for axis in reversed(workload.minor_to_major)]
    for tile in workload.tiles:
        kept = len(dims) - len(tile)
        pairs = list(zip(dims[kept:], tile, strict=True))
        which = [Dim(dim.axis, dim.divisor * t, -(-dim.extent // t)) for dim, t in pairs]
        dims = dims[:kept] + which + [Dim(dim.axis, dim.divisor, t) for dim, t in pairs]
    return [dim for dim in dims if dim.extent != 1 or dim in outer(dims)]


def outer(dims: Sequence[Dim]) -> list[Dim]:
    """The slowest dimension of each axis: it counts the axis's tiles, or the axis itself where it has none."""
    return list({dim.axis: dim for dim in reversed(dims)}.values())


def slot_terms(dims: Sequence[Dim]) -> list[tuple[Dim, int]]:
    """The dimensions with their strides in slots."""
    terms, stride = [], 1
    for dim in reversed(dims):
        terms.append((dim, stride))
        stride *= dim.extent
    return terms[::-1]


def tag(workload: Workload) -> str | None:
    """The layout as oneDNN writes it: capitals have blocks, which follow, innermost last. None if an axis's blocks are out of order.

    >>> from workloads import COPIES
    >>> [tag(workload) for workload in COPIES if workload.key in ("C-bf16", "D-f32", "E-s8", "G-s8")]
    ['AB4a128b2a', 'BA8b128a', 'aBcd16b', 'ba']
    """
    dims, text = nest(workload), ""
    reached: dict[int, int] = {}
    for dim in dims:
        letter = chr(ord("a") + dim.axis)
        if dim.axis not in reached:
            text += letter if dim.divisor == 1 else letter.upper()
        elif dim.extent == 1:
            continue
        elif dim.divisor < reached[dim.axis]:
            text += f"{dim.extent}{letter}"
        else:
            return None
        reached[dim.axis] = dim.divisor
    return text
