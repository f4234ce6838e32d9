"""Coordinates of a shape, and what they convert to: 1-D, natural and hierarchical ones, and offsets.

    >>> from tilelayout import cute
    >>> cute.crd2idx((1, (2, 3)), (4, (3, 8))), cute.idx2crd(45, (4, (3, 8)))
    (45, (1, (2, 3)))

An integer is a coordinate of any shape: it counts colexicographically, the leftmost mode fastest. A tuple has a
coordinate for every mode of the shape, so a natural coordinate has one integer a mode and a hierarchical one goes
down to the leaves. ``crd2idx``, ``idx2crd`` and ``crd2crd`` are CuTe's (include/cute/stride.hpp): they check nests, not
ranges, and past the end of a shape its last leaf goes on counting. A layout checks ranges too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, Union, cast

from ..errors import CoordinateError, LayoutError
from . import batch
from .arithmetic import prefix_product
from .basis import ScaledBasis, Stride, as_stride, span_of
from .nesting import shallow
from .spelling import shown
from .tuples import IntTuple, Path, Shaped, as_shape, at, congruent, flatten_to_tuple, integer, leaves, product, unflatten

Coordinate: TypeAlias = Union[int, "tuple[Coordinate, ...]", None]
Flat: TypeAlias = "tuple[tuple[int, int | ScaledBasis], ...]"


def crd2idx(coordinate: Coordinate, shape: IntTuple, stride: Stride | None = None) -> IntTuple:
    """The offset of a coordinate under the strides; without strides its 1-D coordinate.

    >>> crd2idx((1, 2), (4, 8)), crd2idx((1, 2), (4, 8), (8, 1)), crd2idx(9, (4, 8), (8, 1))
    (9, 10, 10)

    An integer beyond the shape counts on in the last leaf; one below zero is ``-i`` with every sign turned.
    """
    if batch.has_array(coordinate, shape, stride):
        return batch.crd2idx(coordinate, shape, stride)  # type: ignore[return-value, arg-type]
    shape = as_shape(shape)
    strides = prefix_product(shape) if stride is None else as_stride(stride)
    if not congruent(shape, strides):
        raise LayoutError(f"shape {shown(shape)} and stride {shown(strides)} are not congruent; give one stride for each leaf of the shape")
    return offset_at(coordinate, shape, strides)


def offset_at(coordinate: Any, shape: IntTuple, stride: Stride) -> IntTuple:
    """The offset of a coordinate in a checked shape with congruent strides."""
    return span_of(_counted(coordinate, shape, stride, ()))


def _counted(coordinate: Any, shape: Any, stride: Any, path: Path) -> Iterator[tuple[int, int | ScaledBasis]]:
    """For each leaf of the shape the coordinate in it and the leaf's stride."""
    if isinstance(coordinate, tuple):
        check_fit(coordinate, shape, path)
        for mode, parts in enumerate(zip(coordinate, shape, stride, strict=True)):
            yield from _counted(*parts, (*path, mode))
    elif isinstance(shape, tuple):
        yield from zip(flatten_to_tuple(_spread(integer(coordinate), shape)), leaves(stride), strict=True)
    else:
        yield integer(coordinate), stride


def check_fit(coordinate: tuple[Any, ...], shape: Any, path: Path) -> None:
    """Refuse a coordinate that does not have one part for each mode of its shape."""
    if not isinstance(shape, tuple) or len(coordinate) != len(shape):
        raise CoordinateError(
            f"coordinate {shown(coordinate)} does not fit shape {shown(shape)}{at(path)}; it takes an integer, or one coordinate a mode"
        )


def _spread(index: int, shape: tuple[IntTuple, ...]) -> Any:
    """The hierarchical coordinate of a 1-D one; the last leaf is not bounded."""
    extents = flatten_to_tuple(shape)
    sign, rest = (-1, -index) if index < 0 else (1, index)
    result = []
    for extent in extents[:-1]:
        rest, digit = divmod(rest, extent)
        result.append(sign * digit)
    if extents:
        result.append(sign * rest)
    elif rest:
        raise CoordinateError(f"coordinate {index} is outside the shape (), which has the one coordinate 0")
    return unflatten(result, shape)


def checked_coordinate(coordinate: Any, shape: IntTuple, path: Path = ()) -> None:
    """Raise ``CoordinateError`` unless the coordinate lies in the checked shape; None does, wherever it stands."""
    if coordinate is None:
        return
    if isinstance(coordinate, tuple):
        check_fit(coordinate, shape, path)
        for mode, parts in enumerate(zip(coordinate, cast(Any, shape), strict=True)):
            checked_coordinate(*parts, (*path, mode))
        return
    count = product(shape)
    if not 0 <= integer(coordinate) < count:
        raise CoordinateError(f"coordinate {coordinate} is outside shape {shown(shape)}{at(path)}; it takes 0 to {count - 1}")


def idx2crd(index: Coordinate, shape: IntTuple, stride: Stride | None = None) -> Coordinate:
    """The hierarchical coordinate of an index; with strides, of an offset under them.

    >>> idx2crd(9, (4, 8)), idx2crd(42, (3, 7, 2)), idx2crd((1, 5), (4, (2, 3)))
    ((1, 2), (0, 0, 2), (1, (1, 2)))
    >>> idx2crd(10, (4, 8), (8, 1))
    (1, 2)

    Past the end of the shape the last leaf keeps the quotient. With strides the answer is checked, so an offset that
    the leaves ``(index // stride) % extent`` do not lead back to raises ``CoordinateError``; compact layouts have no such offset.
    """
    if stride is None and batch.has_array(index, shape):
        return batch.idx2crd(index, shape)  # type: ignore[return-value, arg-type]
    shape = as_shape(shape)
    if stride is None:
        return _split(index, shape, ())
    strides = as_stride(stride)
    offset = integer(index)
    if not congruent(shape, strides) or any(isinstance(leaf, ScaledBasis) for leaf in leaves(strides)):
        raise LayoutError(f"stride {shown(strides)} does not take integers apart in shape {shown(shape)}; give one integer for each leaf")
    flat = zip(leaves(shape), leaves(strides), strict=True)
    coordinate = unflatten((offset // step % extent if step else 0 for extent, step in flat), shape)
    if offset_at(coordinate, shape, strides) != offset:
        raise CoordinateError(f"{shown(shape)}:{shown(strides)} cannot take offset {offset} apart; its digits lead to {shown(coordinate)}")
    return coordinate  # type: ignore[no-any-return]


def _split(index: Any, shape: IntTuple, path: Path) -> Coordinate:
    if isinstance(index, tuple):
        check_fit(index, shape, path)
        return tuple(_split(*parts, (*path, mode)) for mode, parts in enumerate(zip(index, cast(Any, shape), strict=True)))
    return _spread(integer(index), shape) if isinstance(shape, tuple) else integer(index)


@shallow
def crd2crd(coordinate: Coordinate, source: IntTuple, target: IntTuple) -> Coordinate:
    """The coordinate in another shape, mode by mode where all three are tuples of equal rank, else by its 1-D coordinate.

    >>> crd2crd((1, 2), (4, 8), 32), crd2crd(9, 32, (4, 8)), crd2crd((1, 2), (4, 8), ((2, 2), 8))
    (9, (1, 2), ((1, 0), 2))
    """
    if isinstance(coordinate, tuple) and isinstance(source, tuple) and isinstance(target, tuple):
        if not len(coordinate) == len(source) == len(target):
            raise CoordinateError(f"{shown(coordinate)} in {shown(source)} has no counterpart in {shown(target)}; the ranks must be equal")
        return tuple(map(crd2crd, coordinate, source, target))
    return idx2crd(crd2idx(coordinate, source), target)


def increment_coord(coordinate: Coordinate, shape: IntTuple) -> Coordinate:
    """The next coordinate: one more in the leftmost leaf, with carries to the right; the last leaf runs on.

    >>> increment_coord((1, 2), (4, 8)), increment_coord((3, 2), (4, 8)), increment_coord((3, 7), (4, 8))
    ((2, 2), (0, 3), (0, 8))
    """
    shape = as_shape(shape)
    if not congruent(coordinate, shape):
        raise CoordinateError(f"coordinate {shown(coordinate)} is not congruent with shape {shown(shape)}; give one integer for each leaf")
    return idx2crd(crd2idx(coordinate, shape) + 1, shape)  # type: ignore[operator]


def coordinates(shape: Any) -> Iterator[Coordinate]:
    """All hierarchical coordinates of a shape, or of a layout, in colexicographic order.

    >>> list(coordinates((2, (1, 2))))
    [(0, (0, 0)), (1, (0, 0)), (0, (0, 1)), (1, (0, 1))]
    """
    shape = as_shape(shape.shape if isinstance(shape, Shaped) else shape)
    return (_split(index, shape, ()) for index in range(product(shape)))
