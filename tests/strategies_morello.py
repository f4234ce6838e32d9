"""Strategies for Morello's layouts, and the shapes that each applies to."""

from hypothesis import strategies as st

import morello_model
from tilelayout import LayoutError
from tilelayout.notations import morello
from tilelayout.notations.morello import PhysDim

kinds = st.one_of(st.just(PhysDim.Dynamic), st.integers(2, 6).map(PhysDim.Packed), st.sampled_from([2, 4, 6, 8]).map(PhysDim.OddEven))


def plain(layout):
    """The dimensions of a layout as the model has them."""
    names = {PhysDim.Packed: "p", PhysDim.OddEven: "oe"}
    return [(dim, names.get(type(kind), "d"), getattr(kind, "size", None)) for dim, kind in layout.dims]


def from_plain(dims):
    """The layout, as written, of dimensions as the model has them."""
    made = {"d": lambda n: PhysDim.Dynamic, "p": PhysDim.Packed, "oe": PhysDim.OddEven}
    return morello.Layout([(dim, made[kind](n)) for dim, kind, n in dims], normalized=False)


@st.composite
def layouts(draw, rank=3, most=5, normalized=None):
    """Any layout of dimensions below ``rank``; with any contiguity, and merged or not, unless that is said."""
    dims = []
    for dim, kind in draw(st.lists(st.tuples(st.integers(0, rank - 1), kinds), max_size=most)):
        try:
            morello.Layout([*dims, (dim, kind)])
        except LayoutError:
            continue
        dims.append((dim, kind))
    merging = draw(st.booleans()) if normalized is None else normalized
    return morello.Layout(dims, draw(st.integers(0, len(dims))), normalized=merging)


@st.composite
def shapes_for(draw, layout, rank=3, largest=24):
    """A shape that the layout applies to: which sizes fit is a matter of each dimension alone."""
    return tuple(draw(st.sampled_from(fitting(layout, dim, largest))) for dim in range(rank))


def fitting(layout, dim, largest):
    """The sizes that a dimension of the layout may have."""
    alone = [(0, kind, n) for d, kind, n in plain(layout) if d == dim]
    return [size for size in range(1, largest + 1) if morello_model.physical(alone, (size,)) is not None] or [0]


@st.composite
def bound(draw, rank=3, largest=24):
    """A layout and a shape that it applies to."""
    layout = draw(layouts(rank=rank))
    shape = draw(shapes_for(layout, rank, largest).filter(lambda shape: 0 not in shape))
    return layout, shape


@st.composite
def tilings(draw, rank=2, largest=16):
    """A layout, a shape, and a smaller one, to both of which it applies."""
    layout = draw(layouts(rank=rank))
    sizes = [fitting(layout, dim, largest) for dim in range(rank)]
    if [0] in sizes:
        layout, sizes = morello.row_major((2,) * rank), [list(range(1, 9))] * rank
    parent = tuple(draw(st.sampled_from(each)) for each in sizes)
    tile = tuple(draw(st.sampled_from([size for size in each if size <= p])) for each, p in zip(sizes, parent, strict=True))
    return layout, parent, tile
