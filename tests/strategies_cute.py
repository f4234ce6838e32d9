"""Generated tuples, layouts, swizzled layouts and tilers of CuTe, small enough to look at every coordinate."""

from __future__ import annotations

from hypothesis import strategies as st

from tilelayout import cute
from tilelayout.cute import ComposedLayout, Layout, ScaledBasis, Swizzle, transform_leaf

leaves = st.sampled_from([1, 1, 2, 2, 3, 4, 5, 8])


def nests(leaf, least=0):
    """Nested tuples of leaves, or one leaf; with ``least=0`` now and then with empty tuples in them."""
    return st.recursive(leaf, lambda inner: st.lists(inner, min_size=least, max_size=3).map(tuple), max_leaves=6)


shapes = nests(leaves).filter(lambda shape: cute.size(shape) <= 256)
full_shapes = nests(leaves, least=1).filter(lambda shape: cute.size(shape) <= 256)
strides = st.sampled_from([0, 1, 2, 3, 4, 8, 16, 64, -1, -4])


@st.composite
def like(draw, tree, leaf):
    """A tuple of the same nest."""
    return transform_leaf(lambda _: draw(leaf), tree)


@st.composite
def layouts(draw, stride=strides):
    """Layouts with integer strides: compact ones, broadcasts, holes, overlaps and steps backwards."""
    shape = draw(shapes)
    return draw(st.sampled_from([Layout(shape), cute.row_major(shape), Layout(shape, draw(like(shape, stride)))]))


@st.composite
def identities(draw):
    """Layouts that lead to coordinates."""
    shape = draw(full_shapes)
    scales = draw(like(shape, st.integers(-3, 9)))
    return Layout(shape, transform_leaf(lambda basis, scale: basis * scale, cute.basis_like(shape), scales))


@st.composite
def swizzles(draw):
    """Swizzles of the lowest bits."""
    bits = draw(st.integers(0, 3))
    shift = draw(st.integers(bits, 4)) * draw(st.sampled_from([1, -1]))
    return Swizzle(bits, draw(st.integers(0, 4)), shift)


@st.composite
def swizzled(draw):
    """Swizzled layouts, some of them twice."""
    layout = draw(layouts(strides.map(abs)))
    composed = ComposedLayout(draw(swizzles()), draw(st.integers(0, 40)), layout)
    return draw(st.sampled_from([composed, ComposedLayout(draw(swizzles()), draw(st.integers(0, 9)), composed)]))


bases = st.builds(ScaledBasis, st.integers(-9, 9), st.lists(st.integers(0, 3), min_size=1, max_size=3))
coordinates = nests(st.integers(-9, 9) | st.none())
tilers = nests(layouts() | st.none() | leaves)
