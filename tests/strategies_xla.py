"""Strategies for XLA shapes and layouts: any that can be written, and those of small arrays."""

from hypothesis import strategies as st

from tilelayout.notations import xla
from tilelayout.notations.xla.types import INTEGER_TYPES, NUMPY_NAMES

ELEMENT_TYPES = st.sampled_from(sorted(NUMPY_NAMES))


@st.composite
def tiles(draw, most=4, largest=4):
    """A tile that does not end in a star."""
    head = draw(st.lists(st.one_of(st.integers(1, largest), st.just(xla.COMBINE)), max_size=most - 1))
    return (*head, draw(st.integers(1, largest)))


@st.composite
def small_arrays(draw):
    """An array of few elements under repeated tiles, which need not divide it or each other, and may be longer than its rank."""
    dims = tuple(draw(st.lists(st.integers(0, 6), max_size=4)))
    layout = xla.Layout(
        tuple(draw(st.permutations(range(len(dims))))),
        tiles=tuple(draw(st.lists(tiles(), max_size=3))),
        tail_padding_alignment_in_elements=draw(st.sampled_from((1, 1, 7, 16))),
    )
    return xla.Shape("f32", dims, layout)


@st.composite
def splits(draw, dims, order):
    """Split configs that are valid for the dims."""
    candidates = [k for k in range(len(dims)) if (dims[order[-1 - k]] or 0) > 1]
    chosen = draw(st.lists(st.sampled_from(candidates), unique=True, max_size=2)) if candidates else []
    return tuple((k, tuple(sorted(draw(st.sets(st.integers(1, dims[order[-1 - k]] - 1), min_size=1, max_size=3))))) for k in chosen)


@st.composite
def dense_arrays(draw):
    """An array with any properties that a dense array may have, large or dynamic."""
    dims = tuple(draw(st.lists(st.one_of(st.integers(0, 3000), st.none()), max_size=5)))
    order = tuple(draw(st.permutations(range(len(dims)))))
    layout = xla.Layout(
        order,
        tiles=tuple(draw(st.lists(tiles(largest=2**63 - 1), max_size=3))),
        tail_padding_alignment_in_elements=draw(st.integers(1, 4096)),
        element_size_in_bits=draw(st.sampled_from((0, 0, 1, 2, 4, 8, 32))),
        memory_space=draw(st.integers(-128, 127)),
        split_configs=draw(splits(dims, order)),
        dynamic_shape_metadata_prefix_bytes=draw(st.sampled_from((0, 1024))),
    )
    return xla.Shape(draw(ELEMENT_TYPES), dims, layout, tuple(draw(st.booleans()) for _ in dims))


def shapes():
    """Any shape that can be written: arrays, tokens and buffers, in tuples of any depth."""
    leaves = st.one_of(
        dense_arrays(),
        st.sampled_from((xla.Shape("token"), xla.Shape("opaque"))),
        dense_arrays().map(lambda array: xla.Shape("buffer", parts=(array,))),
    )
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=7).map(lambda parts: xla.Shape("tuple", parts=parts)), max_leaves=12)


@st.composite
def layouts(draw):
    """Any layout that can be written without a shape, sparse arrays' properties included."""
    rank = draw(st.integers(0, 5))
    integer_types = st.one_of(st.none(), st.sampled_from(sorted(INTEGER_TYPES)), st.just("invalid"))
    return xla.Layout(
        tuple(draw(st.permutations(range(rank)))),
        tiles=tuple(draw(st.lists(st.lists(st.one_of(st.integers(1, 300), st.just("*")), max_size=4), max_size=3))),
        index_primitive_type=draw(integer_types),
        pointer_primitive_type=draw(integer_types),
        split_configs=draw(st.lists(st.tuples(st.integers(-2, 5), st.lists(st.integers(-3, 9), max_size=3)), max_size=2)),
        physical_shape=draw(st.one_of(st.none(), dense_arrays())),
    )
