"""From digits to Morello's notation: found whenever some list of dimensions gives the slots, refused whenever none does."""

from functools import cache
from itertools import permutations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

import morello_model
from strategies import layouts as core_layouts
from strategies_morello import bound, from_plain
from tilelayout import Layout, NotExpressible
from tilelayout import layout as as_layout
from tilelayout.notations import morello

SMALL = [(), (1,), (6,), (8,), (12,), (16,), (1, 1), (2, 3), (4, 4), (2, 8), (8, 2), (1, 16), (16, 1), (3, 4), (2, 2, 4), (1, 8, 2)]


@cache
def reachable(shape):
    """The offsets that some list of dimensions gives; of up to 16 elements more than four say no more, of up to 32 more than five."""
    meant = {}
    for dims in morello_model.every_list(shape, 5 if prod(shape) > 16 else 4):
        sizes = zip(dims, morello_model.physical(dims, shape), strict=True)
        meant.setdefault(tuple((dim, kind == "oe", size) for (dim, kind, _), size in sizes if size > 1), dims)
    return {morello_model.offsets(dims, shape) for dims in meant.values()}


def factorings(n):
    """The ways to write n as an ordered product of factors above 1."""
    if n == 1:
        yield ()
    for first in range(2, n + 1):
        if n % first == 0:
            yield from ((first, *rest) for rest in factorings(n // first))


def every_full_layout(shape):
    """The layouts without padding whose digits are all of axes: every cut of every axis, in every order."""
    chosen = [()]
    for axis, size in enumerate(shape):
        grown = []
        for factors in factorings(size):
            divisor, digits = 1, []
            for radix in factors:
                digits.append((axis, divisor, radix))
                divisor *= radix
            grown += [(*before, *digits) for before in chosen]
        chosen = grown
    for digits in chosen:
        for order in permutations(digits):
            stride, found = 1, []
            for axis, divisor, radix in order:
                found.append((axis, divisor, radix, stride))
                stride *= radix
            yield Layout(shape, found)


def expressed(layout):
    """Morello's layout for it, read back from its text; None where there is none."""
    try:
        found = morello.express(layout)
    except NotExpressible:
        return None
    assert morello.parse(str(found)).bind(layout.shape) == layout
    return found


@pytest.mark.parametrize("shape", SMALL, ids=str)
def test_everything_that_a_list_of_dimensions_says_is_expressed(shape):
    for dims in morello_model.every_list(shape, 3, sizes=(2, 3, 4, 6, 8)):
        bound_layout = from_plain(dims).bind(shape)
        assert tuple(bound_layout.offsets().ravel().tolist()) == morello_model.offsets(dims, shape)
        assert expressed(bound_layout) is not None, dims


@pytest.mark.parametrize("shape", SMALL, ids=str)
def test_what_is_refused_is_what_no_list_says(shape):
    layouts = {tuple(layout.offsets().ravel().tolist()): layout for layout in every_full_layout(shape)}
    assert reachable(shape) <= layouts.keys()
    for slots, layout in layouts.items():
        assert (expressed(layout) is not None) == (slots in reachable(shape)), layout


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(32,), (24,), (4, 6), (8, 4), (32, 1), (2, 2, 2, 2), (2, 4, 4)], ids=str)
def test_what_is_refused_is_what_no_list_says_of_larger_arrays(shape):
    test_what_is_refused_is_what_no_list_says(shape)


@given(core_layouts(st.sampled_from(SMALL)))
def test_layouts_that_merge_and_pad(layout):
    """Digits that read sums included: what counts is where the elements lie."""
    slots = tuple(layout.offsets().ravel().tolist())
    assert (expressed(layout) is not None) == (layout.slots == layout.size and slots in reachable(layout.shape))


def test_layouts_that_look_like_others_along_each_axis():
    """Row-major in the first row and column, and two elements to a slot elsewhere."""
    carry = (((0, 1, 4, 1), (1, 1, 4, 1)), 4, 2, 1)
    assert expressed(Layout((4, 4), [(0, 1, 4, 4), (((1, 1, 4, 1), carry), 1, 4, 1)])) is None


@given(bound())
def test_whatever_is_bound_is_expressed(pair):
    layout, shape = pair
    there = layout.bind(shape)
    found = expressed(there)
    assert found is not None
    assert morello.express(found.bind(shape)) == found


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((16, 1), "[0 oe(4), 1, 0 oe(4)]"),
        ((64, 1), "[0 oe(4), 1, 0 oe(4), 1 p(2), 0 oe(4)]"),
        ((16, 3), "[0 oe(4), 1, 0 oe(4), 1 p(3)]"),
        ((256, 3, 1), "[0 oe(4), 2, 0 oe(4), 1, 0 oe(4), 1 p(2), 0 oe(4), 1 p(3)]"),
    ],
)
def test_two_oddevens_kept_apart(shape, text):
    """Side by side they are undefined in Morello; a dimension of which nothing is left may stand between them."""
    there = morello.parse(text).bind(shape)
    assert str(morello.express(there)) == text
    assert expressed(there) is not None


@pytest.mark.parametrize("shape", [(16,), (256, 1)])
def test_oddevens_that_nothing_can_keep_apart(shape):
    bits = shape[0].bit_length() - 1
    order = [(bit + 1, bit)[k] for bit in range(0, bits, 2) for k in range(2)]
    layout = Layout(shape, [(0, 2**bit, 2, 2**place) for place, bit in enumerate(order)])
    with pytest.raises(NotExpressible, match="side by side"):
        morello.express(layout)


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (Layout((0, 3), []), "size 1 or more"),
        (Layout((3,), [(0, 1, 3, 1)], slots=4), "1 of the slots hold no element; it counts 3 in room for 4"),
        (Layout((3,), [(0, 1, 3, 2)]), r"digit \(0, 1, 3, 2\) .* it is the fastest and steps over slots"),
        (Layout((3, 2), [(0, 2, 2, 4), (1, 1, 2, 2), (0, 1, 2, 1)]), r"digit \(0, 2, 2, 4\) .* beyond the 3 of its axis"),
        (Layout((), [], slots=2), "Morello has no padding"),
        (Layout((4, 2), [(0, 1, 4, 2), (1, 1, 2, 1)], slots=9), "notation: Morello has no padding, and 1 of the slots hold no element$"),
        (Layout((4, 2), [(0, 1, 4, 4), (1, 1, 2, 2)]), r"digit \(1, 1, 2, 2\) .* it is the fastest and steps over slots"),
        (Layout((8,), [(0, 1, 2, 4), (0, 2, 2, 2), (0, 4, 2, 1)]), r"digit \(0, 4, 2, 1\) .* falling order"),
        (Layout((6,), [(0, 1, 3, 2), (0, 3, 2, 1)]), "none but a parity"),
        (Layout((4, 4), [(((0, 1, 4, 1), (1, 1, 4, 1)), 1, 4, 4), (1, 1, 4, 1)]), "it reads a sum"),
        (Layout((2,), [(None, 1, 2, 1), (0, 1, 2, 1)]), "before the first element"),
        (Layout((2, 2), [(0, 1, 2, 1)]), "do not read each part"),
        (Layout((4,), [(0, 1, 2, 1), (0, 2, 2, 2), (0, 1, 4, 4)]), "axis 0 do not read each part of its 4 coordinates once"),
    ],
)
def test_refusals_say_which_digit_and_why(layout, message):
    with pytest.raises(NotExpressible, match=message):
        morello.express(layout)


@pytest.mark.parametrize("count", [3, 1 << 21, (1 << 21) + 1])
def test_parts_that_are_read_twice_are_found_in_16_million_elements(count):
    layout = Layout((4, 2, count), [(0, 1, 4, 1), (0, 2, 2, 2), (1, 1, 2, 2), (2, 1, count, 8)])
    if layout.size <= 1 << 24:
        assert str(morello.express(layout)) == "[2, 0, 1, 0 p(2)]"
    else:
        with pytest.raises(NotExpressible, match="do not read each part"):
            morello.express(layout)


def test_dimensions_that_morello_cannot_number():
    layout = Layout((1,) * 256 + (2, 2), [(257, 1, 2, 2), (256, 1, 2, 1)])
    with pytest.raises(NotExpressible, match="from 0 to 255"):
        morello.express(layout)


def test_nvidia_block_scales_are_not_expressible():
    """128x4 blocks store the row digit m % 32 outside of m // 32 % 4 (NVIDIA cuBLAS documentation, "1D Block Scaling Factors Layout")."""
    layout = as_layout("((32,4),4):((16,4),1)")
    with pytest.raises(NotExpressible, match="falling order"):
        morello.express(layout)
