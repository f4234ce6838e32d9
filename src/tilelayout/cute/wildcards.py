"""Coordinates with None among their leaves, which name slices, and the modes that they keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .coordinates import check_fit
from .nesting import shallow
from .tuples import Path, leaves, transform_leaf


def has_wildcard(coordinate: Any) -> bool:
    """Whether there is a None among the leaves, so that the coordinate names a slice."""
    return any(leaf is None for leaf in leaves(coordinate))


def start_of(coordinate: Any) -> Any:
    """The coordinate at which the slice that it names begins: 0 wherever None stands.

    >>> start_of((None, (3, None)))
    (0, (3, 0))
    """
    return transform_leaf(lambda leaf: 0 if leaf is None else leaf, coordinate)


def sliced(coordinate: Any, tree: Any) -> Any:
    """The modes of a tuple that meet None, in one flat list; a lone None keeps the tuple as it is.

    >>> sliced((None, 1, (None, 0)), (2, 3, ((4, 5), 6)))
    (2, (4, 5))
    """
    return tree if coordinate is None else _kept(coordinate, tree, lambda leaf: leaf is None, ())


def diced(coordinate: Any, tree: Any) -> Any:
    """The modes of a tuple that meet an integer, in one flat list; a lone integer keeps the tuple as it is.

    >>> diced((None, 1, (None, 0)), (2, 3, ((4, 5), 6)))
    (3, 6)
    """
    if coordinate is not None and not isinstance(coordinate, tuple):
        return tree
    return _kept(coordinate, tree, lambda leaf: leaf is not None, ())


@shallow
def _kept(coordinate: Any, tree: Any, keeps: Callable[[Any], bool], path: Path) -> tuple[Any, ...]:
    if not isinstance(coordinate, tuple):
        return (tree,) if keeps(coordinate) else ()
    check_fit(coordinate, tree, path)
    parts = enumerate(zip(coordinate, tree, strict=True))
    return tuple(kept for mode, (c, t) in parts for kept in _kept(c, t, keeps, (*path, mode)))
