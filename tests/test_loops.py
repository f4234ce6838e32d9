"""Digits as loops, by the kernel: against coordinates that are walked, and against the network that queries run on."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tilelayout as tl
from strategies import layouts, strided_layouts
from tilelayout import reference
from tilelayout._kernels import loops as kernel
from tilelayout._kernels.nests import nest
from tilelayout.loops import in_bytes, in_strides, refined, with_long_ends
from tilelayout.network import Wiring
from tilelayout.radix import Digit

some = st.one_of(layouts(), strided_layouts()).filter(lambda layout: 0 < layout.size <= 500)


def walked(loops, shape):
    """Where each element is read and written, by its coordinates."""
    found = {}
    for steps in product(*(range(loop.n) for loop in loops)):
        at = [0] * (len(shape) + 1)
        for k, loop in zip(steps, loops, strict=True):
            at[loop.axis] += k * loop.divisor
        *coordinates, beyond = at
        if not beyond and all(x < n for x, n in zip(coordinates, shape, strict=True)):
            assert tuple(coordinates) not in found
            found[tuple(coordinates)] = tuple(
                sum(k * getattr(loop, side) for k, loop in zip(steps, loops, strict=True)) for side in ("source", "target")
            )
    return found


@given(st.data(), some, st.sampled_from([1, 2, 16]), st.booleans())
def test_loops_reach_every_element_once(data, layout, width, padded):
    strides = data.draw(st.tuples(*(st.integers(-50, 50) for _ in layout.shape)))
    loops = refined(layout.shape, in_strides(layout.shape, strides), in_bytes(layout.digits, width), padded=padded)
    assume(loops is not None)
    start = reference.slot((0,) * layout.ndim, layout.digits)
    assert walked(loops, layout.shape) == {
        x: (sum(map(int.__mul__, x, strides)), width * (reference.slot(x, layout.digits) - start))
        for x in product(*map(range, layout.shape))
    }


@given(some)
def test_digits_fall_apart_where_the_network_does(layout):
    told = kernel.fall_apart(layout.digits, layout.shape)
    if any(isinstance(digit.axis, tuple) and digit.axis for digit in layout.digits):
        assert not told
    else:
        assert told == Wiring(layout.shape, layout.canonical, layout.slots)._gives_all(by_bits=False)


@pytest.mark.parametrize("digit", [Digit(0, 1, 2, 2**63), Digit(0, 2**62, 4, 1), Digit(0, 1, 2**64, 1)])
def test_what_is_beyond_64_bits_is_left_to_others(digit):
    shape = (2**62 + 1,)
    assert refined(shape, in_strides(shape, (1,)), [digit], padded=True) is None
    assert not kernel.fall_apart([digit], shape)


@pytest.mark.parametrize(
    ("digits", "shape", "fall"),
    [
        ([(0, 1, 8, 1), (1, 1, 2, 5)], (5, 2), True),  # digits end where their axes do
        ([(0, 1, 8, 1), (1, 1, 2, 4)], (5, 2), False),
        ([(0, 1, 4, 1), (0, 4, 2, 4), (1, 1, 2, 5)], (5, 2), True),  # and those that are one digit too
        ([(0, 1, 4, 1), (0, 4, 2, 4), (1, 1, 2, 4)], (5, 2), False),
        ([(0, 1, 2, 50), (0, 2, 2, 1), (0, 4, 3, 2), (1, 1, 2, 5)], (10, 2), True),
        ([(1, 1, 2, 1), (0, 1, 5, 2)], (5, 2), True),
        ([(0, 2, 3, 1)], (6,), False),  # the lowest digit is not there
        ([(0, 1, 3, 1)], (6,), False),  # nor the highest
        ([(0, 1, 2, 1), (0, 4, 2, 2)], (8,), False),  # nor one between
        ([(((0, 1, 6, 1),), 1, 6, 1)], (6,), False),
    ],
)
def test_digits_that_fall_apart(digits, shape, fall):
    assert kernel.fall_apart(digits, shape) == fall


def test_what_adds_nothing_beyond_a_digit_is_read_again():
    loops = kernel.refined((6,), [(0, 1, 3, 1)], in_strides((6,), (1,)), False)
    assert walked(loops, (6,)) == {(x,): (x % 3, x) for x in range(6)}


def test_an_axis_of_one_element_takes_no_loop():
    assert kernel.refined((1,), [], [], True) == []


@pytest.mark.parametrize(
    ("digits", "room", "slots"),
    [
        ([(0, 2, 3, 8), (0, 1, 2, 4)], 6, 6),
        ([(0, 1, 2, 4), (0, 2, 3, 8)], 100, 6),
        ([(0, 2, 3, 8), (0, 1, 2, 4)], 5, 0),  # overrun the buffer
        ([(0, 2, 3, 8), (0, 1, 2, 4)], 0, 0),
        ([(0, 1, 3, 8)], 100, 0),  # a hole before the second slot
        ([(0, 1, 3, 4), (None, 1, 2, 12)], 100, 0),
        ([], 1, 1),
    ],
)
def test_slots_that_digits_count_through(digits, room, slots):
    assert kernel.covered(digits, 4, room) == slots


def test_the_loops_of_a_padded_target_walk_its_padding():
    for text in ("{0:T(2,4)}", "{0:T(4,4)(2,1)}", "{0:T(3,8)}", "{0:T(8)}"):
        layout = tl.layout(text, (5,))
        loops = kernel.refined((5,), in_strides((5,), (1,)), layout.digits, True)
        assert kernel.iterations(loops) == layout.slots
        assert all(loop.source == 0 and loop.clipped for loop in loops if loop.axis == 1)
        assert kernel.iterations(kernel.refined((5,), in_strides((5,), (1,)), layout.digits, False)) < layout.slots


@pytest.mark.parametrize(("there", "room", "tiles"), [(3, 8, 1), (7, 8, 1), (1, 4, 1), (3, 4, 2), (5, 8, 3)])
def test_what_goes_on_with_a_row_ends_as_one(there, room, tiles):
    """Rows of three in a tile, of which some are there, and whole tiles of padding behind them."""
    loops = [
        kernel.Loop(5, 100, 200, 2, 1, False),
        kernel.Loop(tiles, 7, 3 * room, 0, room, True),
        kernel.Loop(room, 3, 3, 0, 1, True),
        kernel.Loop(3, 1, 1, 1, 1, False),
    ]
    joined, sizes = with_long_ends(loops, (there, 3, 5))
    assert [loop.n for loop in joined] == [5, tiles, 3 * room]
    assert kernel.iterations(joined) == kernel.iterations(loops)
    assert sorted(walked(joined, sizes).values()) == sorted(walked(loops, (there, 3, 5)).values())


@pytest.mark.parametrize("inner", [kernel.Loop(3, 1, 1, 1, 1, True), kernel.Loop(3, 1, 2, 1, 1, False), kernel.Loop(2, 1, 1, 1, 1, False)])
def test_what_does_not_go_on_with_a_row_ends_by_itself(inner):
    loops = [kernel.Loop(8, 3, 3, 0, 1, True), inner]
    assert with_long_ends(loops, (3, 3)) == (loops, (3, 3))


INNER = kernel.Loop(4, 1, 1, 1, 1, False)


def test_a_loop_tells_its_fields():
    assert repr(INNER) == "Loop(n=4, source=1, target=1, axis=1, divisor=1, clipped=False)"
    assert repr(INNER.blocks(3)) == "Loop(n=2, source=3, target=3, axis=1, divisor=3, clipped=False)"


@pytest.mark.parametrize("n", range(1, 20))
@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
def test_steps_are_one_wider_element_where_kernels_have_one(n, width):
    loop = kernel.Loop(n, width, width, 0, 1, False)
    assert loop.is_wider(width) == (n * width in (2, 4, 8, 16))
    assert not loop.replaced(source=2 * width).is_wider(width)
    assert not loop.replaced(target=2 * width).is_wider(width)
    assert not loop.is_wider(2 * width)


def test_loops_of_one_iteration_go():
    assert kernel.joined([INNER.replaced(n=1), INNER, INNER.replaced(n=1, target=100)])[0] is INNER
    assert kernel.joined([INNER.replaced(n=1)]) == []


def fields(loops):
    return [(loop.n, loop.source, loop.target, loop.divisor, loop.clipped) for loop in loops]


def test_loops_that_count_one_axis_are_one_even_if_it_ends_early():
    assert fields(kernel.joined([INNER, kernel.Loop(3, 4, 4, 1, 4, True)])) == [(12, 1, 1, 1, True)]


@pytest.mark.parametrize("clipped", [0, 1])
def test_loops_of_several_axes_are_one_only_where_none_ends_early(clipped):
    loops = [kernel.Loop(3, 4, 4, 0, 4, False), INNER]
    assert fields(kernel.joined(loops)) == [(12, 1, 1, 1, False)]
    loops[clipped] = loops[clipped].replaced(clipped=True)
    assert len(kernel.joined(loops)) == 2


@pytest.mark.parametrize(("source", "target"), [(5, 4), (4, 5), (4, 1)])
def test_loops_are_not_one_where_a_stride_does_not_go_on(source, target):
    assert len(kernel.joined([kernel.Loop(3, source, target, 1, 4, False), INNER])) == 2


@pytest.mark.parametrize("text", ["{0:T(2,4)}", "{0:T(4,4)(2,1)}", "{0:T(3,8)}"])
def test_rows_that_only_pad_hold_the_fill_value(text):
    layout = tl.layout(text, (5,))
    packed = tl.pack(np.arange(1, 6, dtype="int16"), layout, fill=-1)
    assert (packed == -1).tolist() == layout.is_padding(range(layout.slots)).tolist()
    assert tl.unpack(packed, layout).tolist() == [1, 2, 3, 4, 5]


@given(st.lists(st.tuples(st.integers(2, 5), st.integers(-40, 40), st.integers(-40, 40), st.booleans()), max_size=3))
def test_loops_that_are_walked_forward_meet_the_same_places(fields):
    loops = [kernel.Loop(n, source, target, k, 1, clipped) for k, (n, source, target, clipped) in enumerate(fields)]
    turned, *starts = kernel.forward(loops)
    assert pairs(turned, *starts) == pairs(loops, 0, 0)
    for loop in turned:
        assert loop.clipped or min((loop.target, loop.source), key=abs) >= 0


def pairs(loops, source, target):
    """The places on both sides that loops from these on meet."""
    found = {(source, target)}
    for loop in loops:
        found = {(a + k * loop.source, b + k * loop.target) for a, b in found for k in range(loop.n)}
    return found


@pytest.mark.parametrize(("columns", "ends"), [(100, True), (127, True), (128, False), (200, False)])
def test_a_side_of_groups_ends_early(columns, ends):
    """Four rows and up to 128 columns, in groups of four, lie side by side in the target: each column is a step of four elements."""
    loops = [kernel.Loop(64, 1, 512, 2, 1, False), kernel.Loop(4, 100_000, 1, 0, 1, False), kernel.Loop(128, 64, 4, 1, 1, True)]
    side = nest(loops, 1, True).leaf.v
    assert (side.loop.n, side.each) == (512, 4)
    assert side.ends_early((4, columns, 64)) is ends
