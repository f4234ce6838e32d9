"""IntTuples, CuTe's nested tuples of integers: shapes, strides and coordinates, and the ways to go through them.

    >>> from tilelayout import cute
    >>> cute.rank((4, (2, 3))), cute.depth((4, (2, 3))), cute.size((4, (2, 3)))
    (2, 2, 24)

Anything that is not a tuple is a leaf, as in CuTe's include/cute/int_tuple.hpp.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import prod
from typing import Any, TypeAlias, Union

from ..errors import CoordinateError, LayoutError, ShapeError
from ..sizes import MOST_SLOTS, listed
from .nesting import MOST_NESTED, shallow
from .spelling import shown

IntTuple: TypeAlias = Union[int, "tuple[IntTuple, ...]"]
Path: TypeAlias = tuple[int, ...]


class Shaped:
    """Something with a shape: a layout, plain or composed. A query on shapes takes one in a shape's place."""

    __slots__ = ()

    shape: IntTuple


def integer(value: Any) -> int:
    """The value as a plain int of at most 64 bits."""
    try:
        number = int(operator.index(value))
    except TypeError:
        said = f"{shown(value)} is no integer; the leaves of an IntTuple are integers, such as those of (4, (2, 3))"
        raise LayoutError(f"{said}; text is read by cute.parse" if isinstance(value, str) else said) from None
    if abs(number) > MOST_SLOTS:
        raise ShapeError(f"{shown(number)} does not fit in signed 64-bit integers that can be negated; -2**63 + 1 to 2**63 - 1 do")
    return number


def as_int_tuple(value: Any, leaf: Callable[[Any, Path], Any] = lambda value, path: integer(value), path: Path = ()) -> Any:
    """The value with tuples in place of lists and every leaf checked by ``leaf``, which is told the mode path.

    >>> as_int_tuple([4, [2, 3]])
    (4, (2, 3))
    """
    if not isinstance(value, tuple | list):
        return leaf(value, path)
    if len(path) >= MOST_NESTED:
        raise LayoutError(f"tuples are nested more than {MOST_NESTED} deep; flatten them first")
    return tuple(as_int_tuple(mode, leaf, (*path, i)) for i, mode in enumerate(value))


def as_shape(value: Any) -> IntTuple:
    """A checked shape: a nest of integers that are at least 1, whose product fits in 64 bits."""
    shape: IntTuple = as_int_tuple(value, _extent)
    product(shape)
    return shape


def _extent(value: Any, path: Path) -> int:
    extent = integer(value)
    if extent < 1:
        raise ShapeError(f"a shape holds integers of at least 1, got {extent}{at(path)}")
    return extent


def at(path: Sequence[int]) -> str:
    """The end of a message that names a mode; nothing for the root."""
    return f" at mode path {list(path)}" if path else ""


def part_at(tree: Any, mode: int | Sequence[int] = ()) -> Any:
    """The part of a tuple that a mode path names; ``0`` names the one mode of an integer.

    >>> part_at((4, (2, 3)), [1, 0])
    2
    """
    path = (integer(mode),) if not isinstance(mode, tuple | list) else tuple(map(integer, mode))
    for level, index in enumerate(path):
        if not isinstance(tree, tuple):
            if level or index:
                raise CoordinateError(f"mode path {list(path)} goes past the leaf {shown(tree)}{at(path[:level])}; a path ends at a leaf")
            continue
        if not 0 <= index < len(tree):
            raise CoordinateError(f"expects a mode index in [0, {len(tree)}), got {index}, in mode path {list(path)}")
        tree = tree[index]
    return tree


def _shape(value: Any, mode: int | Sequence[int]) -> Any:
    return part_at(value.shape if isinstance(value, Shaped) else value, mode)


def rank(value: Any, mode: int | Sequence[int] = ()) -> int:
    """The number of modes; an integer is one mode.

    >>> rank((4, (2, 3))), rank(4), rank((4, (2, 3, 5)), mode=[1])
    (2, 1, 3)
    """
    shape = _shape(value, mode)
    return len(shape) if isinstance(shape, tuple) else 1


@shallow
def depth(value: Any, mode: int | Sequence[int] = ()) -> int:
    """The levels of nesting; an integer has none.

    >>> depth(4), depth((4, 2)), depth((4, (2, 3)))
    (0, 1, 2)
    """
    shape = _shape(value, mode)
    return 1 + max(map(depth, shape), default=0) if isinstance(shape, tuple) else 0


def size(value: Any, mode: int | Sequence[int] = ()) -> int:
    """The number of coordinates: the product of all leaves of the shape.

    >>> size((4, (2, 3))), size((4, (2, 3)), mode=[1])
    (24, 6)
    """
    return product(_shape(value, mode))


def leaves(tree: Any) -> Iterator[Any]:
    """The leaves from left to right."""
    if not isinstance(tree, tuple):
        yield tree
        return
    walks = [iter(tree)]
    while walks:
        for mode in walks[-1]:
            if isinstance(mode, tuple):
                walks.append(iter(mode))
                break
            yield mode
        else:
            walks.pop()


def flatten_to_tuple(tree: Any) -> tuple[Any, ...]:
    """The leaves from left to right, as a tuple also where there is one.

    >>> flatten_to_tuple(4), flatten_to_tuple((4, (2, 3)))
    ((4,), (4, 2, 3))
    """
    return tuple(leaves(tree))


def unflatten(flat: Any, profile: Any) -> Any:
    """A tuple's elements put in the places of the profile's leaves.

    >>> unflatten((1, 2, 3), (0, (0, 0)))
    (1, (2, 3))
    """
    elements = listed(flat)
    if elements is None:
        elements = (flat,)
    wanted = sum(1 for _ in leaves(profile))
    if len(elements) != wanted:
        raise LayoutError(f"{len(elements)} elements do not fill the {wanted} leaves of {shown(profile)}; give one for each leaf")
    source = iter(elements)
    return transform_leaf(lambda _: next(source), profile)


@shallow
def congruent(a: Any, b: Any) -> bool:
    """Whether two tuples (or the shapes of layouts) have the same nesting.

    >>> congruent((4, (2, 3)), (1, (1, 1))), congruent((4, 6), (1, (1, 1)))
    (True, False)
    """
    a, b = _shape(a, ()), _shape(b, ())
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(congruent, a, b))
    return not isinstance(a, tuple) and not isinstance(b, tuple)


@shallow
def weakly_congruent(a: Any, b: Any) -> bool:
    """Whether ``b`` has the nesting of ``a`` or a finer one: every leaf of ``a`` meets a leaf or a tuple.

    >>> weakly_congruent((4, 6), (1, (1, 1))), weakly_congruent((1, (1, 1)), (4, 6))
    (True, False)
    """
    a, b = _shape(a, ()), _shape(b, ())
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(weakly_congruent, a, b))
    return True


@shallow
def compatible(a: Any, b: Any) -> bool:
    """Whether every coordinate of shape ``a`` is one of shape ``b``: at each leaf of ``a`` their sizes are equal.

    >>> compatible(24, (4, 6)), compatible((4, 6), (4, (2, 3))), compatible((4, 6), 24)
    (True, True, False)
    """
    a, b = _shape(a, ()), _shape(b, ())
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(compatible, a, b))
    return integer(a) == product(b)


@shallow
def transform_leaf(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The function applied to each leaf, and to the leaves of congruent tuples beside it.

    >>> transform_leaf(lambda x, y: x * y, (2, (3, 4)), (1, (10, 100)))
    (2, (30, 400))
    """
    _check_callable(function)
    for other in others:
        if not congruent(tree, other):
            raise LayoutError(f"{shown(tree)} and {shown(other)} are not congruent; leaves are paired in equal nests")
    return _transform(function, tree, others)


def _transform(function: Callable[..., Any], tree: Any, others: tuple[Any, ...]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_transform(function, mode, rest) for mode, *rest in zip(tree, *others, strict=True))  # type: ignore[arg-type]
    return function(tree, *others)


def _check_callable(function: object) -> None:
    if not callable(function):
        raise LayoutError(f"{shown(function)} is no function; one is applied to leaves or modes")


def zip_transform(function: Callable[..., Any], *trees: Any) -> Any:
    """The function applied to the first modes of all tuples, the second modes, and so on; on leaves it is applied once.

    >>> zip_transform(max, (2, 3), (1, 10))
    (2, 10)
    """
    _check_callable(function)
    if not any(isinstance(tree, tuple) for tree in trees):
        return function(*trees)
    if not all(isinstance(tree, tuple) and len(tree) == len(trees[0]) for tree in trees):
        raise LayoutError(f"{', '.join(map(shown, trees))} differ in rank; modes are paired in tuples of equal rank")
    return tuple(map(function, *trees))


def fold(function: Callable[[Any, Any], Any], tree: Any, initial: Any) -> Any:
    """``function(... function(function(initial, mode 0), mode 1) ..., last mode)``; a leaf is its own one mode.

    >>> fold(lambda total, mode: total + size(mode), (2, (3, 4)), 0)
    14
    """
    _check_callable(function)
    return reduce(function, tree if isinstance(tree, tuple) else (tree,), initial)


def repeat_like(tree: Any, value: Any) -> Any:
    """The value in the place of every leaf.

    >>> repeat_like((4, (2, 3)), 0)
    (0, (0, 0))
    """
    return transform_leaf(lambda _: value, tree)


def product(value: Any) -> int:
    """The product of all leaves, 1 for an empty tuple; beyond 64 bits a ``ShapeError``.

    >>> product((4, (2, 3))), product(())
    (24, 1)
    """
    total = prod(map(integer, leaves(value)))
    if abs(total) > MOST_SLOTS:
        raise ShapeError(f"the product of {shown(value)} does not fit in signed 64-bit integers ({MOST_SLOTS} at most)")
    return total
