"""Digits in one agreed form send every element where they sent it before."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import strategies_written
from tilelayout import Layout
from tilelayout.joining import joined


@settings(max_examples=500)
@given(st.one_of(strategies.layouts(), strategies.strided_layouts(), strategies_written.some()))
def test_joined_digits_say_the_same(layout):
    agreed = Layout(layout.shape, joined(layout.digits, layout.shape), slots=layout.slots)
    slots = np.array([layout(*x) for x in np.ndindex(layout.shape)], np.int64)
    assert agreed.digits == joined(agreed.digits, layout.shape)
    assert [sum(d.stride * d.value(x) for d in layout.digits) for x in np.ndindex(layout.shape)] == slots.tolist()
    assert agreed.offsets().ravel().tolist() == slots.tolist()


def test_merged_axes_come_apart():
    merged = ((0, 1, 3, 8), (1, 1, 8, 1))
    layout = Layout((3, 8), [(merged, 4, 6, 10), (merged, 1, 4, 1)])
    assert all(isinstance(digit.axis, int) for digit in layout.canonical)
    across = Layout((3, 8), [(merged, 5, 5, 10), (merged, 1, 5, 1)])
    assert any(isinstance(digit.axis, tuple) for digit in across.canonical)


def test_a_sum_whose_low_part_may_carry_stays_a_sum():
    """``(x + y) // 4`` is 1 where x is 3 and y is 1, so it is no digit of either."""
    carried = Layout((4, 2), [(((0, 1, 4, 1), (1, 1, 2, 1)), 4, 2, 1)])
    assert carried.offsets().tolist() == [[0, 0], [0, 0], [0, 0], [0, 1]]
