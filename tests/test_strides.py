"""One stride for each axis: text, numpy's arrays, and which layouts have them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import strides

small = st.integers(-5, 9)
values = st.builds(strides.Layout, st.lists(small, max_size=4).map(tuple), st.integers(0, 99), st.none() | st.integers(0, 999))


@given(values)
def test_text_comes_back(layout):
    assert strides.parse(str(layout)) == layout
    assert eval(repr(layout), {"strides": strides}) == layout
    assert strides.recognizes(str(layout))


@given(values, st.data())
def test_slots_are_sums_of_coordinates_times_strides(layout, data):
    shape = tuple(data.draw(st.integers(1, 4)) for _ in layout.strides)
    try:
        bound = layout.bind(shape)
    except ShapeError:
        ends = ((0, stride * (n - 1)) for stride, n in zip(layout.strides, shape, strict=True))
        reached = [layout.offset + sum(corner) for corner in product(*ends)]
        assert min(reached) < 0 or (layout.slots is not None and max(reached) >= layout.slots)
        return
    expected = layout.offset + sum(
        (grid * stride for grid, stride in zip(np.indices(shape), layout.strides, strict=True)), np.zeros(shape, int)
    )
    assert np.array_equal(bound.offsets(), expected)
    assert bound.slots == (expected.max() + 1 if layout.slots is None else layout.slots)
    assert strides.parse(str(strides.express(bound))).bind(shape) == bound


@given(strategies.layouts() | strategies.strided_layouts())
def test_what_is_said_is_equal_and_the_rest_has_none(layout):
    """Where it is refused, no strides at all give the slots: those of the first steps do not."""
    try:
        said = strides.express(layout)
    except NotExpressible as error:
        assert "digit " in str(error)
        offsets = layout.offsets()
        first = offsets.ravel()[0]
        step = [offsets[tuple(int(k == axis) for k in range(layout.ndim))] - first if n > 1 else 0 for axis, n in enumerate(layout.shape)]
        linear = first + sum(grid * s for grid, s in zip(np.indices(layout.shape), step, strict=True))
        assert not np.array_equal(offsets, linear)
    else:
        assert strides.parse(str(said)).bind(layout.shape) == layout


@given(strategies.shapes.flatmap(strategies.arrays))
def test_of_an_array_is_where_its_elements_lie(array):
    assume(array.size)
    array = np.asarray(array)
    layout = strides.of(array).bind(array.shape)
    low, _ = np.lib.array_utils.byte_bounds(array)
    flat = np.ndarray((layout.slots,), array.dtype, buffer=_memory(low, layout.slots * array.itemsize))
    assert np.array_equal(tl.unpack(flat, layout), array)


def _memory(address, nbytes):
    import ctypes

    return (ctypes.c_char * nbytes).from_address(address)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.zeros((3, 4)), "strides=(4,1)"),
        (np.zeros((3, 4)).T, "strides=(1,4)"),
        (np.zeros((3, 4))[::-1, ::-2], "strides=(-4,-2), offset=10"),
        (np.broadcast_to(np.zeros(3), (5, 3)), "strides=(0,1)"),
        (np.zeros((1, 4)), "strides=(0,1)"),
        (np.zeros(()), "strides=()"),
        (np.zeros((0, 4)), "strides=(0,0)"),
        (np.zeros(4, "V0"), "strides=(0)"),
        (np.zeros(1, [("a", "u1"), ("b", "<u4")])["b"], "strides=(0)"),
    ],
)
def test_of(array, expected):
    assert str(strides.of(array)) == expected


class Exported:
    """A tensor of another library, which shares its memory by DLPack alone."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def test_of_a_tensor():
    assert str(strides.of(Exported(np.zeros((3, 4), np.float32)[:, ::2].T))) == "strides=(2,4)"


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (tl.layout("{1,0}", (3, 5)), "strides=(5,1)"),
        (tl.layout("{0,1}", (3, 5)), "strides=(1,3)"),
        (tl.layout("cute:(4,(2,4)):(16,(1,2))"), "strides=(16,1)"),
        (tl.layout("cute:(4,2):(-1,0)"), "strides=(-1,0), offset=3"),
        (tl.Layout((3, 4), [(0, 1, 3, 8), (1, 1, 4, 1)], slots=24), "strides=(8,1), slots=24"),
        (tl.Layout((3, 0), [], slots=5), "strides=(0,0), slots=5"),
        (tl.Layout((2, 3), [(((0, 1, 2, 3), (1, 1, 3, 1)), 1, 6, 2)]), "strides=(6,2)"),
        (tl.Layout((6,), [(0, 1, 6, 1), (0, 1, 6, 2)]), "strides=(3)"),
    ],
)
def test_express(layout, expected):
    assert str(strides.express(layout)) == expected


def test_a_tile_is_refused_by_its_digit():
    with pytest.raises(NotExpressible, match=r"in strides: digit \(0, 1, 2, 2\) .*a stride is the same all along its axis"):
        strides.express(tl.layout("{1,0:T(2,2)}", (4, 4)))
    with pytest.raises(NotExpressible, match="it reads a sum of digits"):
        strides.express(tl.layout("S<1,0,2> o 0 o (4,4):(4,1)"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"expected '\('"),
        ("strides=", r"expected '\('"),
        ("strides=(1", r"expected '\)'"),
        ("strides=(1,2) offset=3", "expected ', offset=', ', slots=' or the end"),
        ("strides=(1), slots=3, offset=1", "expected ', offset=', ', slots=' or the end"),
        ("strides=(1), offset=-1", "offset=-1 is out of range"),
        ("strides=(x)", "expected a stride"),
        ("(10000000000000000000)", "does not fit in 64 bits"),
        ("((1))", "expected a stride"),
        ("(1.5)", r"expected '\)', found '.'"),
    ],
)
def test_bad_text_has_a_caret(text, message):
    with pytest.raises(LayoutSyntaxError, match=message) as caught:
        strides.parse(text)
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: strides.parse(3), "3 is an int; it takes the text of strides"),
        (lambda: strides.Layout("12"), "a sequence of integers"),
        (lambda: strides.Layout(5), "a sequence of integers"),
        (lambda: strides.Layout((1.5,)), "strides=1.5 is a float"),
        (lambda: strides.Layout((10**30,)), "is out of range"),
        (lambda: strides.Layout((1,), offset=None), "offset=None is a NoneType"),
        (lambda: strides.Layout((1,), slots=-1), "slots=-1 is out of range; it is 0 to"),
        (lambda: strides.Layout((1, 2)).bind(), r"strides=\(1,2\) says nothing of sizes: give a shape of 2 dimensions"),
        (lambda: strides.Layout((1, 2)).bind((3,)), r"is for arrays of 2 dimensions, not for shape \(3,\)"),
        (lambda: strides.Layout((-1,)).bind((4,)), "goes 3 slots below the buffer's first; its offset is 3 at least"),
        (lambda: strides.Layout((5,), slots=3).bind((4,)), "do not fit in a buffer of 3 slots"),
        (lambda: strides.Layout((2**62,)).bind((4,)), "64-bit|fit"),
        (lambda: strides.of([1, 2]), "is a list; a numpy array, or a tensor, has the strides"),
        (lambda: strides.of(np.zeros(3, [("a", "u1"), ("b", "<u4")])["b"]), r"strides \(5,\) .* not all multiples of the 4 bytes"),
    ],
)
def test_bad_input_is_told_what_would_be_right(make, message):
    with pytest.raises(LayoutError, match=message):
        make()
