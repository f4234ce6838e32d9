"""The two formulas of XLA's tiled-layout page, over arrays of indices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ... import digits
from ...errors import LayoutError, ShapeError, shown
from ...sizes import checked_shape
from .layout import Layout
from .tiling import Tile


def linear_index(index: npt.ArrayLike, shape: Sequence[int]) -> npt.NDArray[np.int64]:
    """The place of elements in row-major order: an index of shape ``(..., n)`` gives places of shape ``(...)``.

    >>> linear_index([[1, 1, 0, 1], [0, 0, 0, 0]], (2, 3, 2, 2))
    array([17,  0])

    Source: "linear index formula" on the page. Raises ``CoordinateError`` for an index outside the shape.
    """
    return _bound(checked_shape(shape), ()).index(index)


def linear_index_with_tile(index: npt.ArrayLike, shape: Sequence[int], tile: Sequence[int]) -> npt.NDArray[np.int64]:
    """The place of elements in an array whose last dimensions are tiled: ``(..., n)`` gives ``(...)``.

    >>> linear_index_with_tile([2, 3], (3, 5), (2, 2))
    array(17)

    A tile with fewer entries than dimensions leaves the first ones alone; ``-1`` fuses a dimension with the next.
    Source: "linear index formula for tiling" on the page. Raises ``CoordinateError`` for an index outside the shape.
    """
    shape = checked_shape(shape)
    try:
        tiled = _bound(shape, Layout((), tiles=[tile]).tiles)  # type: ignore[arg-type]  # any sequence is taken
    except ShapeError:
        raise
    except LayoutError as error:
        raise LayoutError(f"tile={shown(tile)}, in which -1 is XLA's '*': {error}") from None
    return tiled.index(index)


@lru_cache(maxsize=256)
def _bound(shape: tuple[int, ...], tiles: tuple[Tile, ...]) -> digits.Layout:
    return replace(Layout.descending(len(shape)), tiles=tiles).bind(shape)
