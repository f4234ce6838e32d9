"""The physical shape: the sizes that a layout's dimensions take for a shape, from the fastest to the slowest."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...errors import ShapeError, SizesMissing, shown
from ...sizes import checked_shape
from .kinds import Dims, OddEven, Packed, dim_text, dims_text


def sizes_of(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape as plain integers, none of them 0."""
    sizes = checked_shape(shape)
    if 0 in sizes:
        raise ShapeError(f"shape {shown(sizes)} has the size 0 in dimension {sizes.index(0)}; Morello's dimensions have size 1 or more")
    return sizes


def shape_for(dims: Dims, shape: Sequence[int] | None) -> tuple[int, ...]:
    """The shape, checked: it has every dimension that the list names."""
    rank = 1 + max((dim for dim, _ in dims), default=-1)
    if shape is None:
        raise SizesMissing(f"{dims_text(dims)} says nothing of sizes: give a shape of {rank} dimensions or more")
    sizes = sizes_of(shape)
    if rank > len(sizes):
        raise ShapeError(f"{_not_for(dims, sizes)}: it names dimension {rank - 1}, and there are {len(sizes)}, numbered from 0")
    return sizes


def physical_shape(dims: Dims, shape: Sequence[int], *, pad: bool = False) -> tuple[int, ...]:
    """The sizes of the physical dimensions, slowest first, for a shape that ``shape_for`` has checked.

    A pack takes its size from what is left of its dimension, which must divide. Fewer may be left once for each dimension:
    any number for ``Packed``, 1 for ``OddEven``. Nothing may be left in the end. Source: ``expand_physical_shape`` in
    morello/src/layout.rs, its quirk included: 1 left counts as fewer. With ``pad`` what does not divide is rounded up, and 1 left is 1.
    """
    left = list(shape)
    short: set[int] = set()
    sizes = []
    for dim, kind in reversed(dims):
        have = left[dim]
        if not isinstance(kind, Packed | OddEven):
            size = have
        elif have >= kind.size and have % kind.size == 0:
            size = kind.size
        elif dim not in short and (have == 1 or (isinstance(kind, Packed) and have < kind.size)):
            size = have
            short.add(dim)
        elif pad:
            size = 1 if have == 1 else kind.size
        else:
            raise _does_not_divide(dims, shape, dim, kind, have)
        sizes.append(size)
        left[dim] = -(-have // size)
    for dim, have in enumerate(left):
        if have > 1:
            raise ShapeError(f"{_not_for(dims, shape)}: {_uncovered(dims, shape, dim)}")
    return tuple(reversed(sizes))


def _does_not_divide(dims: Dims, shape: Sequence[int], dim: int, kind: Packed | OddEven, have: int) -> ShapeError:
    size = kind.size
    what = f"{dim_text(dim, kind)} finds {have} left of dimension {dim}"
    if have == 1:
        why = f"{what}, and one inside it found fewer than its size before, which Morello allows once"
    elif isinstance(kind, OddEven):
        why = f"{what}; a multiple of {size} would do, or 1"
    else:
        why = f"{what}; a multiple of {size} would do, or fewer than {size}"
    padded = "takes both" if have == 1 else f"rounds up to {-(-have // size) * size}"
    also = f"bind(shape, pad=True) {padded}" if _applies_padded(dims, shape) else _uncovered(dims, shape, dim)
    return ShapeError(f"{_not_for(dims, shape)}: {why}; {also}")


def _applies_padded(dims: Dims, shape: Sequence[int]) -> bool:
    try:
        physical_shape(dims, shape, pad=True)
    except ShapeError:
        return False
    return True


def _uncovered(dims: Dims, shape: Sequence[int], dim: int) -> str:
    """That there is no dimension for what packs leave of one, and which would take it."""
    covered = prod(kind.size for other, kind in dims if other == dim and isinstance(kind, Packed | OddEven))
    return f"it covers {covered} of the {shape[dim]} indices of dimension {dim}; a {dim} at the front, which is Dynamic, takes the rest"


def _not_for(dims: Dims, shape: Sequence[int]) -> str:
    return f"layout {dims_text(dims)} does not apply to shape {shown(tuple(shape))}"
