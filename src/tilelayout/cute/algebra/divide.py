"""Division: a layout cut into tiles, and the layout of the tiles.

    >>> from tilelayout import cute
    >>> a = cute.Layout((9, (4, 8)), (59, (13, 1)))
    >>> tiler = (cute.Layout(3, 3), cute.Layout((2, 4), (1, 8)))
    >>> print(cute.logical_divide(a, tiler))
    ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))
    >>> print(cute.zipped_divide(a, tiler))
    ((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))

For a layout of shape ``(M,N,L,...)`` and a tiler ``<TileM,TileN>`` the four divisions have the same tiles, arranged as

    logical_divide: ((TileM,RestM),(TileN,RestN),L,...)
    zipped_divide:  ((TileM,TileN),(RestM,RestN,L,...))
    tiled_divide:   ((TileM,TileN),RestM,RestN,L,...)
    flat_divide:    (TileM,TileN,RestM,RestN,L,...)

A tile that does not divide its mode makes the mode longer: the last tiles reach past the end, and whoever uses them has
to leave out what lies there, as with CUTLASS.
"""

from __future__ import annotations

from math import prod
from typing import cast

from ..._kernels import modes as kernel
from ...errors import LayoutError
from ..division import ceil_div
from ..layout import Layout
from ..making import make_layout
from ..modes import zip2_by
from ..spelling import shown
from ..tuples import Path, product
from .coalesce import spelled_out
from .complement import complement_in, gaps
from .composition import check_empty, composed_at, steps_by_path
from .domain import Tiler, as_tiler, by_mode, on_domain
from .modes import Modes, coalesced_open
from .strides import Paths, encoded


@on_domain
def logical_divide(layout: Layout, tiler: Tiler) -> Layout:
    """The layout after ``(tiler, complement of tiler)``: mode 0 is the tile, and mode 1 goes from tile to tile.

    >>> print(logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)))
    ((2,2),(2,3)):((4,1),(2,8))
    >>> print(logical_divide(Layout(10), 3), logical_divide(Layout((4, 8)), (2, None)))
    (3,4):(1,3) ((2,2),8):((1,2),4)

    Mode 0 is ``composition(layout, tiler)``. A tuple divides by mode, and modes beyond it stay. Where the tile ends inside a
    mode that it does not divide, that mode is taken to have whole tiles: ``(7,3):(9,1)`` by 4 is ``(8,3):(9,1)`` by 4, and ``(7,4):(3,24)``
    by 2 is ``(8,4):(3,24)``, which is ``32:3``, by 2.
    """
    return by_mode(_divided, layout, as_tiler(tiler), beyond=True)


@on_domain
def zipped_divide(layout: Layout, tiler: Tiler) -> Layout:
    """The division with all tiles in mode 0 and all the rest in mode 1.

    >>> print(zipped_divide(Layout((8, 32)), (4, 2)))
    ((4,2),(2,16)):((1,8),(4,16))
    """
    checked = as_tiler(tiler)
    return cast(Layout, zip2_by(by_mode(_divided, layout, checked, beyond=True), checked))


@on_domain
def tiled_divide(layout: Layout, tiler: Tiler) -> Layout:
    """The division with all tiles in mode 0, and the modes of the rest behind it.

    >>> print(tiled_divide(Layout((8, 32)), (4, 2)))
    ((4,2),2,16):((1,8),4,16)
    """
    tile, rest = zipped_divide(layout, tiler)
    return make_layout(tile, *rest)


@on_domain
def flat_divide(layout: Layout, tiler: Tiler) -> Layout:
    """The division with the modes of the tile and then those of the rest.

    >>> print(flat_divide(Layout((8, 32)), (4, 2)))
    (4,2,2,16):(1,8,4,16)
    """
    tile, rest = zipped_divide(layout, tiler)
    return make_layout(*tile, *rest)


def _divided(layout: Layout, tiler: Layout) -> Layout:
    """A layout divided by a layout: by the kernel where strides divide, else by the search that decides."""
    quick = kernel.divide(layout, tiler)
    if quick is not None:
        return quick
    modes, cotargets = {}, {}
    for path, leaves in steps_by_path(tiler):
        flat, paths = encoded(layout[path].flat)
        tiled, cotargets[path] = _tiled(coalesced_open(flat), tuple(pair for _, pair in leaves), layout)
        modes[path] = tiled, paths
    both = make_layout(tiler, complement_in(tiler, layout.shape, cotargets))
    check_empty(layout, both)

    def modes_at(path: Path) -> tuple[Modes, Paths]:
        flat, paths = encoded(layout[path].flat)
        return modes.get(path) or (coalesced_open(flat), paths)

    return composed_at(modes_at, both, shown(layout))


def _tiled(modes: Modes, tile: Modes, layout: Layout) -> tuple[Modes, tuple[int, ...]]:
    """The modes in whole tiles, joined where one then goes on as the one before, and the shape that the tiles' complement goes up to.

    ``LayoutError`` where tiles would leave out any element.
    """
    found = gaps(tile)
    longer, extents = whole_tiles(modes, found.end)
    if found.hole is not None and found.hole < prod(extent for extent, _ in longer):
        raise LayoutError(
            f"tiles {shown(spelled_out(tile))} leave out element {found.hole} of {shown(layout)}; "
            f"sorted by stride, each of their modes has to begin at a multiple of the run before"
        )
    return coalesced_open(longer), extents


def whole_tiles(modes: Modes, tile: int) -> tuple[Modes, tuple[int, ...]]:
    """The modes in whole tiles, and the extents that a tile's complement goes up to: one for all where the tiles fit the modes badly."""
    extents = tuple(extent for extent, _ in modes)
    longer = _in_whole_tiles(modes, tile)
    if tile * product(ceil_div(extents, tile)) < prod(extent for extent, _ in longer):
        return modes, (prod(extents),)
    return longer, extents


def _in_whole_tiles(modes: Modes, tile: int) -> Modes:
    """The modes with that one made longer in which a run of ``tile`` coordinates ends without dividing it.

    >>> _in_whole_tiles(((7, 9), (3, 1)), 4), _in_whole_tiles(((7, 9), (3, 1)), 14)
    (((8, 9), (3, 1)), ((7, 9), (4, 1)))
    """
    result = list(modes)
    for k, (extent, stride) in enumerate(modes):
        if extent % tile and tile < extent:
            result[k] = (-(-extent // tile) * tile, stride)
        tile = -(-tile // extent)
    return tuple(result)
