"""Generated layouts: chains of the core's moves over small shapes, and arrays to put in them."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from tilelayout import Layout, moves
from tilelayout.radix import Digit, constant, fitting_radix

extents = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 16])
shapes = st.lists(extents, max_size=4).map(tuple)


@st.composite
def dims(draw, shape):
    """The dimensions of an array after a few moves, whatever they are."""
    result = moves.axes(shape)
    for _ in range(draw(st.integers(0, 6))):
        move = draw(st.sampled_from(["split", "merge", "permute", "unit"]))
        if move == "unit":
            result = (moves.UNIT, *result)
        elif result and move == "split":
            result = moves.split(result, draw(st.integers(0, len(result) - 1)), draw(st.sampled_from([1, 2, 3, 4, 5, 8])))
        elif result and move == "merge":
            begin = draw(st.integers(0, len(result) - 1))
            result = moves.merge(result, begin, draw(st.integers(begin + 1, len(result))))
        elif result:
            result = moves.permute(result, draw(st.permutations(range(len(result)))))
    return result


@st.composite
def layouts(draw, shape_strategy=shapes, most_slots=1 << 16):
    """Compact layouts, padded and nested ones among them."""
    shape = draw(shape_strategy)
    layout = moves.compact(shape, draw(dims(shape)), multiple=draw(st.sampled_from([1, 1, 1, 3, 8])))
    if layout.slots > most_slots:
        layout = moves.compact(shape, moves.axes(shape))
    return layout


@st.composite
def strided_layouts(draw, shape_strategy=shapes):
    """Layouts with a permuted order of axes, gaps between them, and an offset-free start; each element has its own slot."""
    shape = draw(shape_strategy)
    stride, digits = 1, []
    for axis in draw(st.permutations(range(len(shape)))):
        stride *= draw(st.sampled_from([1, 1, 2, 3]))
        digits.append((axis, 1, shape[axis], stride))
        stride *= shape[axis]
    return Layout(shape, digits[::-1], slots=stride + draw(st.integers(0, 3)))


@st.composite
def layouts_of_sums(draw):
    """Digits of axes, of sums of digits, and of sums of those, whatever slots these make."""
    shape = draw(st.lists(extents, min_size=1, max_size=3).map(tuple))
    numbers = st.sampled_from([1, 2, 3, 4, 5, 8])
    read = st.integers(0, len(shape) - 1)
    for _ in range(draw(st.integers(0, 2))):
        read |= st.lists(st.builds(Digit, read, numbers, numbers, numbers), min_size=1, max_size=3).map(tuple)
    return Layout(shape, draw(st.lists(st.builds(Digit, read, numbers, numbers, numbers), min_size=1, max_size=4)))


@st.composite
def turned(draw, layout_strategy):
    """Layouts of the same slots, of which some digits run backwards."""
    layout = draw(layout_strategy)
    digits, first = [], 0
    for digit in layout.digits:
        is_turned = digit.axis is not None and draw(st.booleans())
        digits.append(digit._replace(stride=-digit.stride) if is_turned else digit)
        first += digit.stride * max(0, fitting_radix(digit, layout.shape) - 1) if is_turned else 0
    return Layout(layout.shape, [*digits, constant(first)], slots=layout.slots)


@st.composite
def arrays(draw, shape):
    """An array of the shape, of any width, in any strides numpy has."""
    dtype = draw(st.sampled_from(["u1", "<u2", ">u2", "<f4", "<u8", "<c16"]))
    values = np.arange(1, 1 + int(np.prod(shape, dtype=int))).reshape(shape).astype(dtype)
    form = draw(st.sampled_from(["plain", "fortran", "flipped", "sliced", "transposed", "unaligned"]))
    if form == "fortran":
        return values.copy(order="F")
    if form == "flipped":
        return np.flip(np.flip(values).copy())
    if form == "transposed":
        return values.T.copy().T
    if form == "sliced" and shape:
        return np.repeat(values, 2, axis=-1)[..., ::2]
    if form == "unaligned":
        room = np.zeros(values.nbytes + 1, np.uint8)
        unaligned = room[1:].view(values.dtype).reshape(shape)
        unaligned[...] = values
        return unaligned
    return values
