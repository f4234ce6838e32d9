"""Generated layouts of the families that inference is sure to find, and packing functions made of numpy's own moves."""

from __future__ import annotations

from math import prod

import numpy as np
from hypothesis import strategies as st

from strategies import shapes
from tilelayout import Layout, moves


@st.composite
def tiled(draw, dims):
    """The dimensions after splits, each dividing what it cuts but for the last part of an axis, in any order."""
    for _ in range(draw(st.integers(0, 5))):
        if not dims:
            break
        at = draw(st.integers(0, len(dims) - 1))
        dim = dims[at]
        sizes = [t for t in range(1, dim.radix + 1) if dim.radix % t == 0 or dim.reaches_the_end]
        dims = moves.split(dims, at, draw(st.sampled_from(sizes)))
    return moves.permute(dims, draw(st.permutations(range(len(dims)))))


@st.composite
def tilings(draw):
    """Tiles in any order, with gaps between them, walked forwards or (where they are full) backwards, from any slot on."""
    shape = draw(shapes)
    stride, digits, start = 1, [], 0
    for dim in draw(tiled(moves.axes(shape))):
        stride *= draw(st.sampled_from([1, 1, 1, 2, 3]))
        full = shape[dim.source] % (dim.divisor * dim.radix) == 0
        way = draw(st.sampled_from([1, 1, -1])) if full else 1
        start += (dim.radix - 1) * stride * (way < 0)
        digits.append((dim.source, dim.divisor, dim.radix, way * stride))
        stride *= dim.radix
    start += draw(st.integers(0, 2))
    return Layout(shape, [*digits, (None, 1, 2, start)], slots=stride + start + draw(st.integers(0, 3)))


@st.composite
def merged_tilings(draw):
    """Neighbours, in some order of the axes, merged into one and then tiled; the other axes lie outside."""
    shape = draw(shapes)
    dims = moves.permute(moves.axes(shape), draw(st.permutations(range(len(shape)))))
    if not dims:
        return moves.compact(shape, dims)
    begin = draw(st.integers(0, len(dims) - 1))
    fused = moves.merge(dims, begin, len(dims))[begin]
    return moves.compact(shape, (*dims[:begin], *draw(tiled((fused,)))))


@st.composite
def pipelines(draw):
    """A shape, and a function that reshapes an array of it to random factors and transposes them."""
    size = draw(st.sampled_from([1, 12, 60, 64, 96, 210, 256, 360]))

    def factors():
        left, found = size, []
        while left > 1:
            found.append(draw(st.sampled_from([f for f in range(2, left + 1) if left % f == 0])))
            left //= found[-1]
        return tuple(found)

    shape, form = factors(), factors()
    order = draw(st.permutations(range(len(form))))
    return shape, lambda x: np.asarray(x).reshape(form).transpose(order).ravel()


def numbered(shape):
    """An array with a number of its own in each element, and no 0."""
    return np.arange(1, 1 + prod(shape), dtype=np.uint32).reshape(shape)
