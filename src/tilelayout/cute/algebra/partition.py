"""Partitions: the tile of one block, the elements of one thread, layouts of threads and values, and even shares.

    >>> from tilelayout import cute
    >>> layout = cute.Layout((8, 6), (6, 1))
    >>> print(*cute.local_tile(layout, (4, 3), (1, 0)))
    (4,3):(6,1) 24
    >>> print(*cute.local_partition(layout, cute.Layout((2, 3)), 3))
    (4,2):(12,3) 7

A part of a layout is a layout that starts at an offset, so these return both (include/cute/tensor_impl.hpp).
"""

from __future__ import annotations

from math import gcd
from typing import Any

from ...errors import LayoutError
from ..arithmetic import product_each
from ..basis import ScaledBasis
from ..composed import AnyLayout
from ..coordinates import Coordinate
from ..layout import Layout
from ..making import make_layout
from ..slicing import get_flat_coord, slice_and_offset
from ..spelling import shown
from ..tuples import IntTuple, Path, as_shape, at, integer, leaves, unflatten
from .coalesce import spelled_out
from .composition import composition
from .divide import zipped_divide
from .domain import Tiler, as_layout, as_tiler
from .inverse import right_inverse
from .modes import coalesced
from .product import raked_product


def local_tile(layout: AnyLayout, tiler: Tiler, coordinate: Coordinate) -> tuple[AnyLayout, IntTuple]:
    """The tile at a coordinate among the tiles, and the offset that it starts at; None in the coordinate keeps a mode of the rest.

    >>> print(*local_tile(Layout((8, 6)), (4, 3), (1, None)))
    (4,3,2):(1,8,24) 4
    """
    zipped = zipped_divide(layout, tiler)
    return slice_and_offset((_open(zipped[0]), _filled(coordinate, zipped[1])), zipped)


def local_partition(layout: AnyLayout, threads: Layout, index: int) -> tuple[AnyLayout, IntTuple]:
    """The elements of one thread and the offset of the first: one in each tile that has the threads' shape.

    Parameters
    ----------
    index
        The thread's number, an offset of ``threads``.

    >>> print(*local_partition(Layout((8, 6)), Layout((2, 3), (3, 1)), 4))
    (4,2):(2,24) 9
    """
    place = get_flat_coord(as_layout(threads), index)
    zipped = zipped_divide(layout, product_each(threads.shape))
    return slice_and_offset((_filled(place, zipped[0]), _open(zipped[1])), zipped)


def _open(part: AnyLayout) -> Coordinate:
    return (None,) * part.rank if isinstance(part.shape, tuple) else None


def _filled(coordinate: Coordinate, part: AnyLayout) -> Coordinate:
    """The coordinate with None for the modes that it leaves out."""
    return (*coordinate, *(None,) * (part.rank - len(coordinate))) if isinstance(coordinate, tuple) else coordinate


def make_layout_tv(threads: Layout, values: Layout) -> tuple[tuple[int, ...], Layout]:
    """The tile that threads with some values each cover, and the layout from (thread, value) to the tile's coordinates.

    >>> tiler, layout = make_layout_tv(Layout((4, 3), (3, 1)), Layout((2, 2), (2, 1)))
    >>> print(tiler, layout)
    (8, 6) ((3,4),(2,2)):((16,2),(8,1))
    """
    tile = raked_product(as_layout(threads), as_layout(values))
    inverse = right_inverse(tile)
    if inverse.size != tile.size:
        raise LayoutError(
            f"make_layout_tv: of the {tile.size} places in the tile of {shown(threads)} and {shown(values)}, "
            f"{inverse.size} follow one another; both have to be compact, such as {Layout(threads.shape)} and {Layout(values.shape)}"
        )
    return product_each(tile.shape), composition(inverse, Layout((threads.size, values.size)))


def tiler_to_layout(tiler: Tiler) -> Layout:
    """The one layout that tiles as the tiler does: its strides lead to coordinates, each in the tiler's own mode.

    >>> print(tiler_to_layout((4, 5)), tiler_to_layout((Layout(3, 4), (Layout((2, 2), (1, 4)),))))
    (4,5):(1@0,1@1) (3,((2,2))):(4@0,((1@0@1,4@0@1)))
    """
    return _placed(as_tiler(tiler), ())


def _placed(tiler: Tiler, path: Path) -> Layout:
    if isinstance(tiler, tuple):
        return make_layout(*(_placed(part, (*path, k)) for k, part in enumerate(tiler)))
    if not isinstance(tiler, Layout):
        raise LayoutError(f"None keeps a mode of any size, which no layout does{at(path)}; give the mode's size")
    if not path:
        return tiler
    strides = (
        ScaledBasis(d.value, path + d.path) if isinstance(d, ScaledBasis) else ScaledBasis(d, path) if d else 0 for _, d in tiler.flat
    )
    return Layout(tiler.shape, unflatten(strides, tiler.shape))


def domain_distribute(shape: Any, count: int) -> Layout:
    """An ordered layout of up to ``count`` coordinates of the shape that divides it evenly, taking of each leaf what divides both.

    >>> print(domain_distribute(((64, 3), (8, 8)), 128), domain_distribute((6, 4), 4))
    (64,2):(1,192) (2,2):(1,6)

    Where leaf and count have too little in common, the size is less than ``count``: of ``(9, 5)`` and 4 it is 1.
    """
    rest, stride, found = integer(count), 1, []
    if rest < 1:
        raise LayoutError(f"cannot distribute {rest} coordinates; count has to be 1 or more")
    for extent in leaves(as_shape(shape)):
        share = gcd(extent, rest)
        found.append((share, stride))
        rest, stride = rest // share, stride * extent
    return spelled_out(coalesced(tuple(found)))
