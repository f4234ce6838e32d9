"""Digits in one agreed form send every element where they sent it before."""

from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import strategies_written
from tilelayout import Layout
from tilelayout.errors import ShapeError
from tilelayout.joining import canonical, gains_of
from tilelayout.radix import as_digits, evaluate


@settings(max_examples=500)
@given(st.one_of(strategies.layouts(), strategies.strided_layouts(), strategies_written.some()))
def test_joined_digits_say_the_same(layout):
    agreed = Layout(layout.shape, canonical(layout.digits, layout.shape), slots=layout.slots)
    slots = np.array([layout(*x) for x in np.ndindex(layout.shape)], np.int64)
    assert agreed.digits == canonical(agreed.digits, layout.shape)
    assert [sum(d.stride * d.value(x) for d in layout.digits) for x in np.ndindex(layout.shape)] == slots.tolist()
    assert agreed.offsets().ravel().tolist() == slots.tolist()


@pytest.mark.parametrize(
    ("digits", "expected"),
    [
        ([(0, 1, 8, 4), (0, 1, 4, 1)], [(0, 1, 4, 5)]),  # of radix 4, both, as far as the axis goes
        ([(0, 1, 4, 4), (1, 1, 4, 1), (0, 1, 4, -4)], [(1, 1, 4, 1)]),
        ([(0, 1, 2, 1), (0, 2, 2, 3), (0, 2, 2, -1)], [(0, 1, 4, 1)]),
        ([(((0, 1, 4, 2), (1, 1, 4, 1)), 2, 2, 1), (((1, 1, 4, 1), (0, 1, 4, 2)), 2, 2, 4)], [(((0, 1, 4, 2), (1, 1, 4, 1)), 2, 2, 5)]),
        ([(((0, 1, 4, 1), (1, 1, 4, 1), (0, 1, 4, 1)), 2, 2, 1)], [(((0, 1, 4, 2), (1, 1, 4, 1)), 2, 2, 1)]),
    ],
)
def test_digits_that_read_the_same_are_added_up(digits, expected):
    assert canonical(as_digits(digits, (4, 4)), (4, 4)) == as_digits(expected, (4, 4))


def test_added_up_digits_are_as_long_as_those_given():
    """No layout has digits whose sum would pass 64 bits, for it would reach beyond."""
    layout = Layout((2,), [(0, 1, 2, 2**60), (0, 1, 2, 2**60), (0, 1, 2, 2**60), (None, 1, 2, 2**60), (0, 1, 2, -(2**60))])
    assert (layout.canonical, layout(1)) == (((None, 1, 2, 2**60), (0, 1, 2, 2**61)), 2**60 + 2**61)
    with pytest.raises(ShapeError):
        Layout((2,), [(0, 1, 2, 2**62), (0, 1, 2, 2**62)])


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


@pytest.mark.parametrize(("rows", "columns"), list(product(range(2, 7), repeat=2)))
def test_a_digit_of_merged_axes_comes_apart_where_both_its_ends_lie_on_a_cut(rows, columns):
    """Of ``columns * x + y``: below the cut it is parts of ``y``, from there on parts of ``x``, and what begins beyond the end is 0."""
    merged = ((0, 1, rows, columns), (1, 1, columns, 1))

    def is_cut(number):
        return number % columns == 0 or columns % number == 0 or number >= rows * columns

    for divisor, radix in product(range(1, rows * columns + 2), repeat=2):
        layout = Layout((rows, columns), [(merged, divisor, radix, 3)])
        apart = not any(isinstance(digit.axis, tuple) for digit in layout.canonical)
        assert apart is (radix == 1 or (is_cut(divisor) and is_cut(divisor * radix))), (divisor, radix)


#: Sums of an axis of 8 and one of 3: merged either way, with gaps, with carries, of parts, twice as far, backwards, and with a constant.
SUMS = [
    *(((0, 1, 8, a), (1, 1, 3, b)) for a, b in [(3, 1), (1, 8), (1, 1), (2, 1), (2, 3), (4, 16), (6, 2)]),
    *(((0, 1, 4, a), (1, 1, 3, b)) for a, b in [(3, 1), (1, 4), (2, 8)]),
    *(((axis, 1, radix, stride),) for axis, radix, stride in [(0, 8, 1), (0, 8, 2), (0, 2, 1), (0, 4, 1), (1, 3, 3)]),
    ((0, 4, 2, 6), (1, 1, 3, 2), (0, 1, 2, 1)),
    ((0, 1, 8, 1), (None, 1, 2, 3)),
    ((0, 1, 8, -1), (None, 1, 2, 7)),
    ((0, 1, 4, -1), (1, 1, 3, 4), (None, 1, 2, 3)),
    ((((0, 1, 8, 3), (1, 1, 3, 1)), 2, 3, 2), (1, 1, 2, 1)),
]


@pytest.mark.parametrize("source", SUMS, ids=str)
def test_every_digit_of_a_small_sum_says_the_same_when_joined(source):
    places = list(np.ndindex(8, 3))
    for divisor, radix in product(range(1, 9), repeat=2):
        digits = as_digits([(source, divisor, radix, 2), (0, 1, 2, 1)], (8, 3))
        agreed = canonical(digits, (8, 3))
        assert [evaluate(agreed, place) for place in places] == [evaluate(digits, place) for place in places], (divisor, radix)
        assert agreed == canonical(agreed, (8, 3))


def test_a_sum_of_all_of_an_axis_is_the_axis():
    def carried(inner):
        return canonical(as_digits([(((inner, 2, 2, 3), (1, 1, 3, 1)), 2, 2, 1)], (4, 3)), (4, 3))

    assert carried(((0, 1, 4, 1),)) == carried(((0, 2, 2, 2), (0, 1, 2, 1))) == carried(0)
    assert carried(((0, 1, 4, 2),)) != carried(0)


def test_layouts_of_small_digits_are_equal_when_their_slots_are():
    """All pairs of digits of an axis of 5: apart, next to each other, overlapping, reading nothing; and a digit of another axis."""
    kinds = list(product([1, 2, 3, 4], [1, 2, 3, 5], [0, 1, 2]))
    found = {}
    for pair in combinations_with_replacement(kinds, 2):
        layout = Layout((5, 2), [*((0, *digit) for digit in pair), (1, 1, 2, 20)], slots=40)
        found.setdefault(layout.offsets().tobytes(), []).append(layout)
    assert len(found) > 50
    for first, *others in found.values():
        assert all(first == other == first and hash(first) == hash(other) for other in others)
    assert all(one != other for one, other in combinations((first for first, *_ in found.values()), 2))


def test_sums_in_any_order_are_one_form():
    across = ((0, 1, 4, 3), (1, 1, 3, 1))
    digits = as_digits([(across, 2, 2, 1), (across, 4, 3, 2), (across[::-1], 1, 2, 16), (((0, 1, 4, 1), (1, 1, 3, 1)), 2, 2, 8)], (4, 3))
    assert {canonical(order, (4, 3)) for order in permutations(digits)} == {canonical(digits, (4, 3))}
    assert len(canonical(digits, (4, 3))) == 3


def test_gains_tell_sums_apart():
    """All pairs of digits that read an axis of 7: the gains up to a coordinate are its value, and no two lists of them say the same."""
    kinds = list(product([1, 2, 3, 4], [1, 2, 3, 7], [-1, 0, 2]))
    found = {}
    for pair in combinations_with_replacement(kinds, 2):
        digits = as_digits([(0, *digit) for digit in pair], (7,))
        gains = gains_of(digits, 7)
        assert all(gain and cut < 7 for cut, gain in gains.items())
        assert list(gains) == sorted(gains)
        values = tuple(evaluate(digits, (x,)) for x in range(7))
        assert values == tuple(sum(gain * (x // cut) for cut, gain in gains.items()) for x in range(7)), pair
        assert found.setdefault(values, gains) == gains
