"""Layouts told by the XOR of bits: that the rows are those of the slots, and that they tell equality as the elements do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
import strategies_cute
import tilelayout as tl
from tilelayout import Layout, LayoutError
from tilelayout.bitwise import rows, same


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
def test_same_is_equality(one, other):
    assert same(one, other) == (one == other)
    again = Layout(one.shape, one.digits[::-1], slots=one.slots)
    assert same(one, again) and one == again


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(4,8):(1,4)", (1, 2, 4, 8, 16)),
        ("S<1,0,2> o 0 o (2,4):(4,1)", (0b11, 0b100, 0b1)),
        ("(2,2):(1,1)", None),  # a carry
        ("6:1", None),
        ("4:3", None),
    ],
)
def test_rows(text, expected):
    assert rows(tl.layout(text)) == expected


def test_large_layouts_are_told_apart_at_once():
    one = tl.layout("S<3,4,3> o 0 o (1048576,1048576):(1048576,1)")
    digits = [(((1, 1 << 4, 2, 1), (1, 1 << 7, 2, 1)), 1, 2, 16), *((1, 1 << k, 2, 1 << k) for k in range(20) if k not in (4, 5, 6))]
    digits += [(((1, 1 << k, 2, 1), (1, 1 << k + 3, 2, 1)), 1, 2, 1 << k) for k in (5, 6)]
    assert same(one, Layout(one.shape, [*digits, (0, 1, 1 << 20, 1 << 20)]))
    assert not same(one, Layout(one.shape, [*digits[:-1], (1, 64, 2, 64), (0, 1, 1 << 20, 1 << 20)]))
