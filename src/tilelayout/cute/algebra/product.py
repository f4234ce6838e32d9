"""Products: a layout repeated as another one says.

    >>> from tilelayout import cute
    >>> tile, matrix = cute.Layout((2, 5), (5, 1)), cute.Layout((3, 4), (1, 3))
    >>> print(cute.logical_product(tile, matrix))
    ((2,5),(3,4)):((5,1),(10,30))
    >>> print(cute.blocked_product(tile, matrix))
    ((2,3),(5,4)):((5,10),(1,30))
    >>> print(cute.raked_product(tile, matrix))
    ((3,2),(4,5)):((10,5),(30,1))

For a layout of shape ``(M,N,L,...)`` and a tiler ``<TileM,TileN>`` the products are arranged as

    logical_product: ((M,TileM),(N,TileN),L,...)
    zipped_product:  ((M,N),(TileM,TileN,L,...))
    tiled_product:   ((M,N),TileM,TileN,L,...)
    flat_product:    (M,N,TileM,TileN,L,...)

while blocked and raked products take two layouts of any rank and pair their modes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ...errors import LayoutError
from ..arithmetic import product_each
from ..basis import ScaledBasis
from ..division import ceil_div
from ..layout import Layout
from ..making import make_layout, make_ordered_layout
from ..modes import zip2_by
from ..spelling import shown
from ..tuples import as_shape, integer
from .complement import complement_modes, open_complement
from .composition import composed_at, steps_by_path
from .domain import Tiler, as_layout, as_tiler, by_mode, has_basis, on_domain
from .modes import Modes, coalesced_open
from .strides import Paths, encoded


@on_domain
def logical_product(layout: Layout, tiler: Tiler) -> Layout:
    """Mode 0 is the layout, and mode 1 goes through its repetitions in the order of the tiler: its complement after the tiler.

    >>> print(logical_product(Layout((2, 2), (4, 1)), 6))
    ((2,2),(2,3)):((4,1),(2,8))

    The complement goes up to ``size(layout) * cosize(tiler)`` and, as in every composition, on past its end. Where the strides of the
    layout divide one another, no repetition meets another; where not, some may, as those of ``(3,2):(3,13)`` after ``2:3`` do.
    """
    return by_mode(_multiplied, layout, as_tiler(tiler), beyond=True)


@on_domain
def zipped_product(layout: Layout, tiler: Tiler) -> Layout:
    """The product with the modes of the layout in mode 0 and all the rest in mode 1.

    >>> print(zipped_product(Layout((2, 5)), (3, Layout(2, 5))))
    ((2,5),(3,2)):((1,2),(2,21))
    """
    checked = as_tiler(tiler)
    return cast(Layout, zip2_by(by_mode(_multiplied, layout, checked, beyond=True), checked))


@on_domain
def tiled_product(layout: Layout, tiler: Tiler) -> Layout:
    """The product with the modes of the layout in mode 0, and the modes of the rest behind it.

    >>> print(tiled_product(Layout((3, 4), (4, 1)), Layout((2, 5))))
    ((3,4),2,5):((4,1),12,24)
    """
    block, rest = zipped_product(layout, tiler)
    return make_layout(block, *rest)


@on_domain
def flat_product(layout: Layout, tiler: Tiler) -> Layout:
    """The product with the modes of the layout and then those of the rest.

    >>> print(flat_product(Layout((3, 4), (4, 1)), Layout((2, 5))))
    (3,4,2,5):(4,1,12,24)
    """
    block, rest = zipped_product(layout, tiler)
    return make_layout(*block, *rest)


@on_domain
def blocked_product(block: Layout, tiler: Layout) -> Layout:
    """Block beside block, as the tiler orders them: mode ``i`` has mode ``i`` of the block and then that of the tiler.

    >>> print(blocked_product(Layout((3, 4), (4, 1)), Layout((2, 5))))
    ((3,2),(4,5)):((4,12),(1,24))

    The layout of fewer modes gets modes ``1:0``.
    """
    return make_layout(*(make_layout(*pair) for pair in _paired(block, as_layout(tiler))))


@on_domain
def raked_product(block: Layout, tiler: Layout) -> Layout:
    """Blocks interleaved, as the tiler orders them: mode ``i`` has mode ``i`` of the tiler and then that of the block.

    >>> print(raked_product(Layout((3, 4), (4, 1)), Layout((2, 5))))
    ((2,3),(5,4)):((12,4),(24,1))
    """
    return make_layout(*(make_layout(*reversed(pair)) for pair in _paired(block, as_layout(tiler))))


@on_domain
def tile_to_shape(block: Layout, shape: Any, order: Sequence[int] | int | None = None) -> Layout:
    """The block repeated until it covers a shape, each mode with whole blocks; modes of the order's least numbers are repeated first.

    Parameters
    ----------
    order
        A permutation of ``0 .. rank - 1``, counted from 0 as in the CuTe DSL (where C++ has ``Step<_2,_1>``, this takes ``(1, 0)``);
        the first mode first if left out.

    >>> print(tile_to_shape(Layout((3, 2)), (6, 8)), tile_to_shape(Layout((3, 2)), (6, 8), (1, 0)))
    ((3,2),(2,4)):((1,6),(3,12)) ((3,2),(2,4)):((1,24),(3,6))
    """
    target = product_each(as_shape(shape))
    if block.rank > len(target):
        raise LayoutError(
            f"expects block layout rank <= target shape rank, but got rank {block.rank} block and rank {len(target)} target shape"
        )
    steps = _order(order, len(target))
    padded = _padded(block, len(target))
    return blocked_product(padded, make_ordered_layout(ceil_div(target, product_each(padded.shape)), steps))


def _order(order: Sequence[int] | int | None, rank: int) -> tuple[int, ...]:
    steps = tuple(range(rank)) if order is None else tuple(map(integer, order if isinstance(order, tuple | list) else (order,)))
    if len(steps) != rank:
        raise LayoutError(f"expects order rank ({len(steps)}) to equal target-shape rank ({rank})")
    if sorted(steps) != list(range(rank)):
        raise LayoutError(f"expects order to be a permutation of [0, {rank}), but got {shown(steps)}")
    return steps


def _padded(layout: Layout, rank: int) -> Layout:
    return make_layout(*layout, *(Layout(1, 0) for _ in range(rank - layout.rank)))


def _paired(block: Layout, tiler: Layout) -> zip[tuple[Layout, Layout]]:
    rank = max(block.rank, tiler.rank)
    repeated = _multiplied(_padded(block, rank), _padded(tiler, rank))
    return zip(repeated[0], repeated[1], strict=True)


def _multiplied(layout: Layout, tiler: Layout) -> Layout:
    """A layout multiplied by a layout."""
    if has_basis(tiler):
        raise LayoutError(
            f"expects rhs stride to be integer-only (scaled-basis strides like `N@M` are not supported), but got {shown(tiler)}"
        )
    repeated = composed_at(lambda _: _repetitions(layout, tiler), tiler, f"the complement of {shown(layout)}")
    return make_layout(layout, repeated)


def _repetitions(layout: Layout, tiler: Layout) -> tuple[Modes, Paths]:
    """The complement up to as many copies as the tiler reaches; that of a layout that leads to coordinates has no end."""
    found: list[tuple[int, int | ScaledBasis]] = []
    for path, leaves in sorted(steps_by_path(layout)):
        modes = tuple(pair for _, pair in leaves)
        if path:
            found += [(s, ScaledBasis(d, path)) for s, d in open_complement(modes)]
        else:
            found += complement_modes(modes, layout.size * tiler.cosize)
    modes, paths = encoded(found)
    return coalesced_open(modes), paths
