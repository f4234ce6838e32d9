"""Composed layouts, whose digits read sums with what is added in them: whole arrays move to the slots that queries tell."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import tilelayout as tl
from strategies_cute import swizzled
from tilelayout import cute


@st.composite
def windows(draw):
    """A window into another layout, perhaps strided, perhaps swizzled behind it."""
    rank = draw(st.integers(1, 3))
    sizes = st.tuples(*[st.sampled_from([1, 2, 3, 4, 8])] * rank)
    shape, inner = draw(sizes), draw(sizes)
    stride = draw(st.tuples(*[st.sampled_from([0, 1, 2, 3, 4, 8, 16, 24])] * rank))
    offset = draw(st.tuples(*[st.sampled_from([0, 0, 1, 2, 4])] * rank))
    steps = tuple(draw(st.sampled_from([1, 1, 2])) * cute.E(axis) for axis in range(rank))
    window = cute.ComposedLayout(cute.Layout(shape, stride), offset, cute.Layout(inner, steps))
    behind = draw(st.none() | st.tuples(st.integers(1, 2), st.integers(0, 2), st.sampled_from([2, 3, -2]), st.sampled_from([0, 3, 8])))
    return window if behind is None else cute.ComposedLayout(cute.Swizzle(*behind[:3]), behind[3], window)


@given(st.data(), windows() | swizzled())
def test_arrays_move_to_the_slots_that_queries_tell(data, composed):
    layout = composed.bind()
    assume(layout.size and layout.slots <= 1 << 16)
    slots = np.array([layout(*index) for index in np.ndindex(*layout.shape)]).reshape(layout.shape)
    dtype = data.draw(st.sampled_from([np.uint8, np.int16, np.float32, np.int64]))
    buffer = np.arange(layout.slots).astype(dtype)
    assert (tl.unpack(buffer, layout) == buffer[slots]).all()
    if len(np.unique(slots)) < layout.size:
        return
    values = (np.arange(layout.size).reshape(layout.shape) % 100).astype(dtype)
    expected = np.full(layout.slots, 101, dtype)
    expected[slots] = values
    assert (tl.pack(values, layout, fill=101) == expected).all()
    other = tl.layout(f"xla:{{{','.join(map(str, range(layout.ndim)))}:T(3)}}", layout.shape)
    assert (tl.relayout(expected, layout, other) == tl.pack(values, other)).all()
    assert (tl.relayout(tl.pack(values, other), other, layout, fill=101) == expected).all()
