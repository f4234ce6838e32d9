"""CuTe's functions over arrays of shapes and coordinates, millions at a call.

    >>> import numpy as np
    >>> from tilelayout.cute import batch
    >>> batch.shape_div([[3, 6, 2, 8], [8, 4, 2, 1]], [9, 16]).tolist()
    [[1, 2, 2, 8], [1, 2, 2, 1]]
    >>> batch.idx2crd(np.arange(3), (2, 4)).tolist()
    [[0, 0], [1, 0], [0, 1]]

The last axis of an array of shapes, strides or coordinates holds the integers of one of them, so shapes are flat here; the
axes before it are broadcast against each other. Each row has the answer that the function of the same name gives for one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import digits, memory, queries
from .._kernels import shapes as kernel
from ..errors import CoordinateError, LayoutError, ShapeError, shown
from . import binding

if TYPE_CHECKING:
    from .composed import AnyLayout

Integers: TypeAlias = npt.NDArray[np.int64]


def shape_div(shapes: npt.ArrayLike, divisors: npt.ArrayLike) -> Integers:
    """The shapes of every ``divisors``-th element: ``(..., n)`` and ``(...)`` give ``(..., n)``."""
    return _by_shape(kernel.shape_div, shapes, divisors, "shape_div: {1} and the extents of {0} do not divide one another")


def shape_mod(shapes: npt.ArrayLike, counts: npt.ArrayLike) -> Integers:
    """The shapes of the first ``counts`` elements: ``(..., n)`` and ``(...)`` give ``(..., n)``."""
    return _by_shape(kernel.shape_mod, shapes, counts, "shape_mod: the first {1} elements of {0} have no shape")


def idx2crd(indices: npt.ArrayLike, shapes: npt.ArrayLike) -> Integers:
    """The natural coordinates of indices: ``(...)`` and ``(..., n)`` give ``(..., n)``; the last keeps the quotient."""
    refusal = "idx2crd: {1} has no coordinate in {0}; extents are 1 or more"
    return _by_shape(lambda extents, index, out: kernel.idx2crd(index, extents, out), shapes, indices, refusal)


def crd2idx(coordinates: npt.ArrayLike, shapes: npt.ArrayLike, strides: npt.ArrayLike | None = None) -> Integers:
    """The offsets of coordinates: ``(..., n)`` each give ``(...)``; compact column-major strides if left out.

    >>> crd2idx([[1, 2], [3, 7]], (4, 8), (8, 1)).tolist(), crd2idx([1, 2], (4, 8)).tolist()
    ([10, 31], 9)
    """
    places, extents = _integers(coordinates, "coordinates"), _shapes(shapes, "crd2idx")
    if places.ndim == 0:
        raise ShapeError(f"crd2idx: {shown(coordinates)} is no coordinate; the last axis of an array holds its parts, as in (1, 2)")
    steps = _compact_strides(extents) if strides is None else _integers(strides, "strides")
    places, steps, _ = _broadcast(places, steps, extents)
    out = memory.empty(places.shape[:-1], np.int64)
    rows = (out.size, places.shape[-1])
    places, steps = places.reshape(rows), steps.reshape(rows)
    done = kernel.crd2idx(places, steps, out.ravel())
    if done < out.size:
        raise ShapeError(f"crd2idx: the offset of {places[done].tolist()} with strides {steps[done].tolist()} passes 64 bits")
    return out


def has_array(*values: object) -> bool:
    """Whether there is a numpy array among the values, so that a function for one is meant for many."""
    return any(isinstance(value, np.ndarray) for value in values)


def evaluate(layout: AnyLayout, *coordinates: Any) -> Integers:
    """The offsets of a layout, plain or composed, at many coordinates: of 1-D ones in one array, or of each mode's in its own.

    >>> from tilelayout.cute import Layout
    >>> evaluate(Layout((4, (2, 4)), (2, (1, 8))), [0, 1, 31]), evaluate(Layout((4, 8), (8, 1)), [1, 2], 3)
    (array([ 0,  2, 31]), array([11, 19]))

    This is what calling a layout with arrays does. A coordinate outside the shape raises ``CoordinateError``, and a composed layout whose
    inner offsets go below 0, unless the outer layout goes on evenly there, a ``LayoutError``: those are for single calls.
    """
    if not hasattr(layout, "sums"):
        raise LayoutError(f"evaluate: {shown(layout)} is no layout; give a Layout, plain or composed")
    if not coordinates:
        raise CoordinateError(f"evaluate: no coordinates for {layout}; it takes an array of 1-D coordinates, or one for each mode")
    ready, added = _ready(layout, len(coordinates) == 1)
    if len(coordinates) != ready.ndim:
        raise CoordinateError(
            f"{len(coordinates)} arrays for {layout}; it takes one of 1-D coordinates, or one for each of its {ready.ndim} modes"
        )
    places = [queries.integers(place, "coordinates") for place in coordinates]
    offsets = ready.index(places[0][..., None]) if len(places) == 1 else queries.index_by_axis(ready, _broadcast(*places))
    return offsets - added if added else offsets


@lru_cache(maxsize=256)
def _ready(layout: AnyLayout, is_flat: bool) -> tuple[digits.Layout, int]:
    """The core's layout, of one axis where coordinates are flat, and how much it adds to offsets."""
    domain = (layout.shape,) if is_flat else layout.shape
    sums = layout.sums(domain)
    axes = binding.axes_of(domain)
    raised, added = binding.raised(binding.offset_digits(layout, sums), axes)
    return digits.Layout(axes, raised), added


def _by_shape(operation: Callable[..., int], shapes: npt.ArrayLike, values: npt.ArrayLike, refusal: str) -> Integers:
    extents, numbers = _shapes(shapes, refusal.partition(":")[0]), _integers(values, "values")
    try:
        leading = np.broadcast_shapes(extents.shape[:-1], numbers.shape)
    except ValueError:
        raise ShapeError(f"shapes in an array of shape {extents.shape} and values in one of {numbers.shape} do not go together") from None
    rows = (prod(leading), extents.shape[-1])
    out = memory.empty(rows, np.int64)
    extents = _lying_together(np.broadcast_to(extents, (*leading, rows[1]))).reshape(rows)
    each = _lying_together(np.broadcast_to(numbers, leading)).ravel()
    done = operation(extents, each, out)
    if done < rows[0]:
        raise LayoutError(refusal.format(tuple(extents[done].tolist()), int(each[done])))
    return out.reshape(*leading, rows[1])


def _shapes(shapes: npt.ArrayLike, asked: str) -> Integers:
    extents = _integers(shapes, "shapes")
    if extents.ndim == 0:
        raise ShapeError(f"{asked}: {shown(shapes)} is no shape; the last axis of an array holds the extents, as in (2, 4)")
    return extents


def _compact_strides(extents: Integers) -> Integers:
    """The products of the extents before each, refused where numpy's went around 64 bits: there they do not divide back."""
    strides = np.ones_like(extents)
    np.cumprod(extents[..., :-1], axis=-1, out=strides[..., 1:])
    counted = np.maximum(extents[..., :-1], 1)
    wrong = (strides[..., 1:] // counted != strides[..., :-1]) & (extents[..., :-1] > 0)
    if wrong.any():
        shape = extents[wrong.any(axis=-1)][0]
        raise ShapeError(f"crd2idx: the compact strides of {tuple(shape.tolist())} pass 64 bits; give smaller extents, or strides")
    return strides


def _integers(values: npt.ArrayLike, what: str) -> Integers:
    array = queries.integers(values, what)
    if array.dtype == np.uint64 and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise ShapeError(f"the {what} reach to {int(array.max())}, beyond signed 64 bits")
    try:
        return array.astype(np.int64, copy=False)
    except MemoryError:
        raise ShapeError(f"the {what}, an array of shape {array.shape}, do not fit in memory as 64-bit integers") from None


def _broadcast(*arrays: Integers) -> Sequence[Any]:
    try:
        spread = np.broadcast_arrays(*arrays)
    except ValueError:
        asked = ", ".join(str(array.shape) for array in arrays)
        raise ShapeError(f"arrays of shapes {asked} do not go together; the axes before the last are broadcast") from None
    return [_lying_together(array) for array in spread]


def _lying_together(array: Integers) -> Integers:
    """The array in one piece of memory."""
    try:
        return np.asarray(array, order="C")
    except MemoryError:
        raise ShapeError(f"an array of shape {array.shape} does not fit in memory as 64-bit integers") from None
