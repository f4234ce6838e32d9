"""Generated pairs of layouts of one shape, layouts that do not give each element a slot of its own, and regions."""

from __future__ import annotations

from hypothesis import strategies as st

import strategies
from tilelayout import Layout


def shifted(layout, backwards, offset):
    """The layout with its slots counted from the other end, or from an offset on."""
    if not layout.size:
        return layout
    if backwards:
        digits = [(d.axis, d.divisor, d.radix, -d.stride) for d in layout.canonical]
        return Layout(layout.shape, [*digits, (None, 1, 2, layout.slots - 1 + offset)], slots=layout.slots + offset)
    return Layout(layout.shape, [*layout.digits, (None, 1, 2, offset)], slots=layout.slots + offset)


@st.composite
def injective(draw, shape):
    """A layout of the shape that gives each element a slot: padded, merged, strided, backwards or shifted."""
    layout = draw(strategies.layouts(st.just(shape), most_slots=1 << 13) | strategies.strided_layouts(st.just(shape)))
    return shifted(layout, draw(st.booleans()), draw(st.sampled_from([0, 0, 5]))) if draw(st.booleans()) else layout


@st.composite
def any_layout(draw, shape):
    """Any of those, or one in which elements share slots."""
    if draw(st.integers(0, 3)):
        return draw(injective(shape))
    digits = [(axis, draw(st.sampled_from([1, 1, 2])), max(1, n), draw(st.integers(0, 4))) for axis, n in enumerate(shape)]
    return Layout(shape, digits)


shapes = st.one_of(strategies.shapes, st.sampled_from([(0, 3), (4, 0), (), (12, 24), (16, 32), (40,), (3, 8, 8)]))


@st.composite
def indices(draw, shape):
    """A box as numpy indexes it."""
    fields = []
    for n in shape:
        ends = st.none() | st.integers(-n - 2, n + 2)
        one = st.integers(-n, n - 1) if n else st.nothing()
        fields.append(draw(st.builds(slice, ends, ends, st.sampled_from([None, 1])) | one))
    kept = draw(st.integers(0, len(fields)))
    if kept < len(fields) and draw(st.booleans()):
        cut = draw(st.integers(kept, len(fields)))
        return (*fields[:kept], ..., *fields[cut:])
    return fields[0] if kept == 1 and draw(st.booleans()) else tuple(fields[:kept])
