"""IntTuples, CuTe's nested tuples of integers: shapes, strides and coordinates, and the arithmetic on them.

    >>> from tilelayout import cute
    >>> cute.rank((4, (2, 3))), cute.depth((4, (2, 3))), cute.size((4, (2, 3)))
    (2, 2, 24)
    >>> cute.shape_div((4, 5, 6), 40)
    (1, 1, 3)

Anything that is not a tuple is a leaf. An operation of a tuple and an integer goes through the tuple from the left, the
fastest mode first, as in CuTe's include/cute/int_tuple.hpp; where no exact answer exists it raises ``LayoutError``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from math import prod
from typing import Any, TypeAlias, cast

from ..errors import CoordinateError, LayoutError, ShapeError
from ..sizes import MOST_SLOTS
from .spelling import shown

IntTuple: TypeAlias = "int | tuple[IntTuple, ...]"
Path: TypeAlias = tuple[int, ...]

#: The deepest nesting of tuples that makes a layout or is read from text.
MOST_NESTED = 64


class Shaped:
    """Something with a shape: a layout, plain or composed. A query on shapes takes one in a shape's place."""

    __slots__ = ()

    shape: IntTuple


def integer(value: Any) -> int:
    """The value as a plain int of at most 64 bits."""
    try:
        number = int(operator.index(value))
    except TypeError:
        raise LayoutError(f"{shown(value)} is no integer; the leaves of an IntTuple are integers, such as those of (4, (2, 3))") from None
    if abs(number) > MOST_SLOTS:
        raise ShapeError(f"an integer of {number.bit_length()} bits does not fit in signed 64-bit integers; IntTuples hold those that do")
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


def by_mode(tree: Any, mode: int | Sequence[int] = ()) -> Any:
    """The part of a tuple that a mode path names; ``0`` names the one mode of an integer.

    >>> by_mode((4, (2, 3)), [1, 0])
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
    return by_mode(value.shape if isinstance(value, Shaped) else value, mode)


def rank(value: Any, mode: int | Sequence[int] = ()) -> int:
    """The number of modes; an integer is one mode.

    >>> rank((4, (2, 3))), rank(4), rank((4, (2, 3, 5)), mode=[1])
    (2, 1, 3)
    """
    shape = _shape(value, mode)
    return len(shape) if isinstance(shape, tuple) else 1


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
    if isinstance(tree, tuple):
        for mode in tree:
            yield from leaves(mode)
    else:
        yield tree


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
    elements = tuple(flat) if isinstance(flat, Iterable) else (flat,)
    wanted = sum(1 for _ in leaves(profile))
    if len(elements) != wanted:
        raise LayoutError(f"{len(elements)} elements do not fill the {wanted} leaves of {shown(profile)}; give one for each leaf")
    source = iter(elements)
    return transform_leaf(lambda _: next(source), profile)


def congruent(a: Any, b: Any) -> bool:
    """Whether two tuples (or the shapes of layouts) have the same nesting.

    >>> congruent((4, (2, 3)), (1, (1, 1))), congruent((4, 6), (1, (1, 1)))
    (True, False)
    """
    a, b = _shape(a, ()), _shape(b, ())
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(congruent, a, b))
    return not isinstance(a, tuple) and not isinstance(b, tuple)


def weakly_congruent(a: Any, b: Any) -> bool:
    """Whether ``b`` has the nesting of ``a`` or a finer one: every leaf of ``a`` meets a leaf or a tuple.

    >>> weakly_congruent((4, 6), (1, (1, 1))), weakly_congruent((1, (1, 1)), (4, 6))
    (True, False)
    """
    a, b = _shape(a, ()), _shape(b, ())
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(weakly_congruent, a, b))
    return True


def compatible(a: Any, b: Any) -> bool:
    """Whether every coordinate of shape ``a`` is one of shape ``b``: at each leaf of ``a`` their sizes are equal.

    >>> compatible(24, (4, 6)), compatible((4, 6), (4, (2, 3))), compatible((4, 6), 24)
    (True, True, False)
    """
    a, b = _shape(a, ()), _shape(b, ())
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(compatible, a, b))
    return integer(a) == product(b)


def transform_leaf(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """The function applied to each leaf, and to the leaves of congruent tuples beside it.

    >>> transform_leaf(lambda x, y: x * y, (2, (3, 4)), (1, (10, 100)))
    (2, (30, 400))
    """
    for other in others:
        if not congruent(tree, other):
            raise LayoutError(f"{shown(tree)} and {shown(other)} are not congruent; leaves are paired in equal nests")
    return _transform(function, tree, others)


def _transform(function: Callable[..., Any], tree: Any, others: tuple[Any, ...]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_transform(function, mode, rest) for mode, *rest in zip(tree, *others, strict=True))  # type: ignore[arg-type]
    return function(tree, *others)


def zip_transform(function: Callable[..., Any], *trees: Any) -> Any:
    """The function applied to the first modes of all tuples, the second modes, and so on; on leaves it is applied once.

    >>> zip_transform(max, (2, 3), (1, 10))
    (2, 10)
    """
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


def product_each(value: IntTuple) -> tuple[int, ...]:
    """The product of each mode.

    >>> product_each((2, (3, 4))), product_each(3)
    ((2, 12), (3,))
    """
    return tuple(map(product, value if isinstance(value, tuple) else (value,)))


def product_like(value: IntTuple, guide: Any) -> IntTuple:
    """The products of those parts of the tuple that meet the leaves of the guide.

    >>> product_like(((2, 3), (4, 5)), (0, (0, 0)))
    (6, (4, 5))
    """
    if not weakly_congruent(guide, value):
        raise LayoutError(f"the guide {shown(guide)} is nested deeper than {shown(value)}; a leaf of the guide covers a part of the tuple")
    return _product_like(value, guide)


def _product_like(value: Any, guide: Any) -> IntTuple:
    return tuple(map(_product_like, value, guide)) if isinstance(guide, tuple) else product(value)


def inner_product(a: IntTuple, b: IntTuple) -> int:
    """The sum of the products of leaves at the same places.

    >>> inner_product((1, (2, 3)), (1, (10, 100)))
    321
    """
    return sum(leaves(transform_leaf(lambda x, y: integer(x) * integer(y), a, b)))


def prefix_product(value: IntTuple, initial: IntTuple = 1) -> IntTuple:
    """In each leaf's place the product of the leaves before it: the strides of a compact column-major array.

    >>> prefix_product((4, (2, 3))), prefix_product(((2, 3), 5), (1, 100))
    ((1, (4, 8)), ((1, 2), 100))
    """
    return _scan(value, initial, lambda flat: flat)


def suffix_product(value: IntTuple, initial: IntTuple = 1) -> IntTuple:
    """In each leaf's place the product of the leaves behind it: the strides of a compact row-major array.

    >>> suffix_product((4, (2, 3)))
    (6, (3, 1))
    """
    return _scan(value, initial, lambda flat: flat[::-1])


def _scan(value: IntTuple, initial: IntTuple, turned: Callable[[tuple[int, ...]], tuple[int, ...]]) -> IntTuple:
    if isinstance(initial, tuple):
        return cast(IntTuple, zip_transform(lambda v, i: _scan(v, i, turned), value, initial))
    running, result = integer(initial), []
    for leaf in turned(flatten_to_tuple(value)):
        result.append(running)
        running *= integer(leaf)
    return cast(IntTuple, unflatten(turned(tuple(result)), value))


def elem_scale(a: IntTuple, b: IntTuple) -> IntTuple:
    """Each leaf of ``a`` times the size of the part of ``b`` in its place.

    >>> elem_scale((2, 3), (4, (5, 6)))
    (8, 90)
    """
    return cast(IntTuple, zip_transform(elem_scale, a, b)) if isinstance(a, tuple) else integer(a) * product(b)


def tuple_max(value: IntTuple) -> int:
    """The largest leaf.

    >>> tuple_max((4, (2, 9)))
    9
    """
    flat = flatten_to_tuple(value)
    if not flat:
        raise LayoutError(f"{shown(value)} has no leaves and so no largest one; give a tuple with leaves")
    return max(map(integer, flat))


def elem_less(a: IntTuple, b: IntTuple) -> bool:
    """Whether every leaf of ``a`` is less than that of the congruent ``b``: whether coordinate ``a`` lies in shape ``b``.

    >>> elem_less((1, (2, 0)), (4, (3, 1))), elem_less((1, 5), (4, 3))
    (True, False)
    """
    return all(leaves(transform_leaf(lambda x, y: integer(x) < integer(y), a, b)))


def lex_less(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``a`` comes before ``b`` in the order in which the leftmost leaf counts most.

    >>> lex_less((1, 5), (2, 0)), colex_less((1, 5), (2, 0))
    (True, False)
    """
    return _paired_leaves(a, b) and flatten_to_tuple(a) < flatten_to_tuple(b)


def colex_less(a: IntTuple, b: IntTuple) -> bool:
    """Whether ``a`` comes before ``b`` in the order in which the rightmost leaf counts most, that of 1-D coordinates.

    >>> colex_less((3, 0), (0, 1))
    True
    """
    return _paired_leaves(a, b) and flatten_to_tuple(a)[::-1] < flatten_to_tuple(b)[::-1]


def _paired_leaves(a: IntTuple, b: IntTuple) -> bool:
    """True where the nests are equal and of integers, an error elsewhere."""
    if not congruent(a, b):
        raise LayoutError(f"{shown(a)} and {shown(b)} are not congruent; an order is that of equal nests")
    return all(type(integer(leaf)) is int for leaf in chain(leaves(a), leaves(b)))
