"""Arithmetic on IntTuples, leaf by leaf and mode by mode: products, scans, maxima and orders.

    >>> from tilelayout import cute
    >>> cute.prefix_product((4, (2, 3))), cute.inner_product((1, (2, 3)), (1, (10, 100)))
    ((1, (4, 8)), 321)

The names are those of CuTe's include/cute/int_tuple.hpp; where no exact answer exists, ``LayoutError`` is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, cast

from ..errors import LayoutError
from .nesting import shallow
from .spelling import shown
from .tuples import (
    IntTuple,
    congruent,
    flatten_to_tuple,
    integer,
    leaves,
    product,
    transform_leaf,
    unflatten,
    weakly_congruent,
    zip_transform,
)


def product_each(value: IntTuple) -> tuple[int, ...]:
    """The product of each mode.

    >>> product_each((2, (3, 4))), product_each(3)
    ((2, 12), (3,))
    """
    return tuple(map(product, value if isinstance(value, tuple) else (value,)))


@shallow
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


@shallow
def _scan(value: IntTuple, initial: IntTuple, turned: Callable[[tuple[int, ...]], tuple[int, ...]]) -> IntTuple:
    if isinstance(initial, tuple):
        return cast(IntTuple, zip_transform(lambda v, i: _scan(v, i, turned), value, initial))
    running, result = integer(initial), []
    for leaf in turned(flatten_to_tuple(value)):
        result.append(running)
        running *= integer(leaf)
    return cast(IntTuple, unflatten(turned(tuple(result)), value))


@shallow
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
