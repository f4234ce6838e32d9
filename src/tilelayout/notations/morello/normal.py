"""Layouts written in fewer dimensions: neighbours merged, dimensions of size 1 and packs that cover everything left out.

Every step takes a list of physical dimensions, slowest first, and how many of the fastest are contiguous, and gives both again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, pairwise

from .kinds import Dims, OddEven, Packed, PhysDim


def kept(dims: Dims, contig: int, keep: Sequence[bool]) -> tuple[Dims, int]:
    """The dimensions that are kept."""
    return tuple(compress(dims, keep)), sum(keep[len(dims) - contig :])


def merged(dims: Dims, contig: int, *, across: bool = False) -> tuple[Dims, int]:
    """Neighbours of the same logical dimension as one: Packed and Packed, Dynamic and Packed.

    >>> merged(((0, PhysDim.Packed(2)), (0, PhysDim.Packed(3))), 2)
    (((0, morello.PhysDim.Packed(6)),), 1)

    They are not merged where that would lose what ``contig`` says, unless ``across``: two packs with the boundary between them,
    a Dynamic that is not contiguous itself. Source: ``merge_consecutive_dimensions`` and, across, ``dim_drop`` of morello/src/layout.rs.
    """
    first = len(dims) - contig
    result: list[tuple[int, PhysDim]] = []
    for place, (dim, kind) in enumerate(dims):
        outer = result[-1] if result else None
        if outer is None or outer[0] != dim or not isinstance(kind, Packed) or isinstance(outer[1], OddEven):
            result.append((dim, kind))
            continue
        boundary = place == first if isinstance(outer[1], Packed) else place <= first
        if boundary and not across:
            result.append((dim, kind))
            continue
        if isinstance(outer[1], Packed):
            result[-1] = (dim, Packed(outer[1].size * kind.size))
        contig -= place >= first
    return tuple(result), contig


def without_ones(dims: Dims, contig: int, shape: Sequence[int]) -> tuple[Dims, int]:
    """The dimensions whose logical dimension is larger than 1, and one of the others where two OddEvens would meet."""
    keep = [shape[dim] != 1 for dim, _ in dims]
    for place in separating(dims, keep):
        keep[place] = True
    return kept(dims, contig, keep)


def separating(dims: Dims, keep: Sequence[bool]) -> list[int]:
    """A dropped dimension between each two OddEvens of a dimension that would lie side by side, which Morello leaves undefined.

    >>> separating(((0, PhysDim.OddEven(2)), (1, PhysDim.Dynamic), (0, PhysDim.OddEven(4))), [True, False, True])
    [1]
    """
    return [
        outer + 1
        for outer, inner in pairwise(compress(range(len(dims)), keep))
        if inner > outer + 1 and dims[outer][0] == dims[inner][0] and all(isinstance(dims[place][1], OddEven) for place in (outer, inner))
    ]


def without_needless_packs(dims: Dims, contig: int, shape: Sequence[int]) -> tuple[Dims, int]:
    """A Packed that holds all that is left of its dimension made Dynamic, and what is outside of it dropped; then merged.

    A pack inside an OddEven of its dimension stays, and one outside of which is what keeps two OddEvens apart. Source:
    ``drop_unneeded_packings`` in morello/src/layout.rs.
    """
    split = {dim: place for place, (dim, kind) in reversed(tuple(enumerate(dims))) if isinstance(kind, OddEven)}
    left = list(shape)
    covering: dict[int, int] = {}
    for place, (dim, kind) in reversed(tuple(enumerate(dims))):
        if isinstance(kind, Packed | OddEven) and dim not in covering:
            if isinstance(kind, Packed) and kind.size >= left[dim] and split.get(dim, place) >= place:
                covering[dim] = place
            left[dim] = max(1, left[dim] // kind.size)
    while between := separating(dims, keep := [place >= covering.get(dim, 0) for place, (dim, _) in enumerate(dims)]):
        for place in between:
            covering.pop(dims[place][0], None)
    plain = tuple((dim, PhysDim.Dynamic if covering.get(dim) == place else kind) for place, (dim, kind) in enumerate(dims))
    return merged(*kept(plain, contig, keep))


def canonical(dims: Dims, contig: int, shape: Sequence[int]) -> tuple[Dims, int]:
    """The form for a shape that the layout applies to: all of the steps."""
    return without_needless_packs(*merged(*without_ones(dims, contig, shape)), shape)
