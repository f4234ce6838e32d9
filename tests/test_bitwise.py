"""Layouts told by the XOR of bits: that the rows are those of the slots, and that they tell equality as the elements do."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
import strategies_cute
import tilelayout as tl
from tilelayout import Layout, LayoutError
from tilelayout.bitwise import bits, inverse, rows


@st.composite
def power_of_two_layouts(draw):
    shape = draw(st.lists(st.sampled_from([1, 2, 4, 8]), max_size=3).map(tuple))
    return draw(strategies.layouts(st.just(shape)))


def bound(layout):
    try:
        return layout if isinstance(layout, Layout) else layout.bind()
    except LayoutError:
        assume(False)


any_layouts = (power_of_two_layouts() | strategies_cute.swizzled() | strategies_cute.layouts()).map(bound)


@given(any_layouts)
def test_each_bit_of_a_slot_is_the_xor_of_its_row(layout):
    told = rows(layout)
    assume(told is not None)
    widths = [size.bit_length() - 1 for size in layout.shape]
    for at in np.ndindex(layout.shape):
        number = sum(x << sum(widths[:axis]) for axis, x in enumerate(at))
        assert layout.offsets()[at] == sum(((row & number).bit_count() & 1) << bit for bit, row in enumerate(told))


@given(any_layouts, any_layouts)
def test_equal_rows_are_equal_layouts(one, other):
    if (one.shape, one.slots) == (other.shape, other.slots) and None not in (told := (rows(one), rows(other))):
        assert (told[0] == told[1]) == (one.offsets() == other.offsets()).all()
    again = Layout(one.shape, one.digits[::-1], slots=one.slots)
    assert one == again


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(4,8):(1,4)", (1, 2, 4, 8, 16)),
        ("S<1,0,2> o 0 o (2,4):(4,1)", (0b11, 0b100, 0b1)),
        ("(2,2):(1,1)", None),  # a carry
        ("6:1", None),
        ("(6,4):(1,8)", None),
        ("4:3", None),
    ],
)
def test_rows(text, expected):
    assert rows(tl.layout(text)) == expected


def test_what_is_added_twice_modulo_2_is_nothing():
    layout = Layout((4,), [(((0, 1, 2, 1), (0, 1, 4, 1)), 1, 2, 1), (0, 1, 4, 2)])
    assert layout.offsets().tolist() == [0, 2, 4, 6]
    assert rows(layout) == (0, 1, 2)


@given(st.integers(1, 6), st.data())
def test_the_way_back_from_any_bits(width, data):
    """For every number the bits of the sources that make it, unless two make the same; and what no source makes is told."""
    matrix = data.draw(st.lists(st.integers(0, (1 << width) - 1), min_size=width, max_size=width))
    forward = {}
    for bit, row in enumerate(matrix):
        for column in bits(row):
            forward[0, bit - column] = forward.get((0, bit - column), 0) | 1 << bit
    used = [column for column in range(width) if any(row >> column & 1 for row in matrix)]
    made = {}
    for chosen in product((0, 1), repeat=len(used)):
        source = sum(value << column for value, column in zip(chosen, used, strict=True))
        made.setdefault(sum(((row & source).bit_count() & 1) << bit for bit, row in enumerate(matrix)), []).append(source)
    back = inverse(forward, width)
    assert (back is None) == any(len(sources) > 1 for sources in made.values())
    if back is not None:
        for number in range(1 << width):
            assert all((check & number).bit_count() % 2 == 0 for check in back.checks) == (number in made)
            if number in made:
                assert sum(((mask & number).bit_count() & 1) << bit for _, bit, mask in back.found) == made[number][0]


def test_large_layouts_are_told_apart_at_once():
    one = tl.layout("S<3,4,3> o 0 o (1048576,1048576):(1048576,1)")
    digits = [(((1, 1 << 4, 2, 1), (1, 1 << 7, 2, 1)), 1, 2, 16), *((1, 1 << k, 2, 1 << k) for k in range(20) if k not in (4, 5, 6))]
    digits += [(((1, 1 << k, 2, 1), (1, 1 << k + 3, 2, 1)), 1, 2, 1 << k) for k in (5, 6)]
    assert one == Layout(one.shape, [*digits, (0, 1, 1 << 20, 1 << 20)])
    assert one != Layout(one.shape, [*digits[:-1], (1, 64, 2, 64), (0, 1, 1 << 20, 1 << 20)])
    assert tl.layout(one.to("mlir"), one.shape) == one
