"""How often a tile fits into a shape, also where the tile is a layout."""

from __future__ import annotations

from typing import Any

from ...errors import LayoutError
from .. import division
from ..layout import Layout
from ..spelling import shown
from ..tuples import IntTuple, leaves
from .complement import complement


def ceil_div(a: IntTuple, b: IntTuple | Layout | tuple[Any, ...]) -> IntTuple:
    """``a / b`` rounded up: the number of tiles of shape ``b`` that cover ``a``; modes of ``a`` beyond ``b`` stay as they are.

    >>> ceil_div((8, 10, 6), (3, 4)), ceil_div((4, 8), 8), ceil_div(60, (3, 4))
    ((3, 3, 6), (1, 4), 5)

    By mode the tiles cover the shape. A tuple divided by an integer is CuTe's: where the integer and a mode do not divide one another
    what goes on is rounded up too, so that fewer tiles may come out than cover it: of ``(2, 2)`` by 3 one, ``(1, 1)``.

    A layout in place of ``b``, or of a mode of it, divides by what it covers: what is left is the shape of its complement.

    >>> ceil_div((16, 32), Layout((4, 8), (1, 4))), ceil_div(24, Layout(4, 2)), ceil_div((8, 24), (2, Layout(4, 2)))
    (16, (2, 3), (4, (2, 3)))
    """
    if isinstance(b, Layout):
        return complement(b, a).shape
    if not isinstance(b, tuple) or not any(isinstance(part, Layout) for part in leaves(b)):
        return division.ceil_div(a, b)
    if not isinstance(a, tuple) or len(b) > len(a):
        raise LayoutError(f"{shown(a)} by the tiler {shown(b)}: its modes divide those of a tuple of at least rank {len(b)}, one by one")
    return (*map(ceil_div, a, b), *a[len(b) :])
