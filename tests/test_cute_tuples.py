"""IntTuples: their nests, their orders, and division of shapes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies_cute import leaves, like, nests, shapes
from tilelayout import CoordinateError, LayoutError, ShapeError, cute
from tilelayout.cute import ceil_div, shape_div, shape_mod


@given(shapes, st.integers(1, 64))
def test_the_quotient_is_the_shape_of_every_nth_element(shape, n):
    """As a composition: the quotient's coordinates, n apart, are coordinates of the shape."""
    try:
        quotient = shape_div(shape, n)
    except LayoutError:
        assert not isinstance(shape, int) or (shape % n and n % shape)
        return
    assert cute.congruent(quotient, shape)
    assert cute.size(quotient) == -(-cute.size(shape) // n)
    starts = cute.transform_leaf(lambda part, whole: -(-whole // part), quotient, shape)
    for i, coordinate in enumerate(cute.coordinates(quotient)):
        if cute.size(shape) % n == 0:
            assert cute.crd2idx(cute.elem_scale(coordinate, starts), shape) == i * n


@given(shapes, st.integers(1, 64))
def test_the_remainder_is_the_shape_of_the_first_elements(shape, n):
    first = sorted(cute.coordinates(shape), key=lambda c: cute.crd2idx(c, shape))[:n]
    extents = cute.unflatten((1 + max(column) for column in zip(*map(cute.flatten_to_tuple, first), strict=True)), shape)
    box = cute.size(extents) == len(first)
    try:
        assert shape_mod(shape, n) == extents
    except LayoutError:
        assert not box


@pytest.mark.parametrize(
    ("function", "a", "b", "said"),
    [
        (shape_div, 7, 3, "7 is not divisible by 3"),
        (shape_div, (6, 2), 4, "6 is not divisible by 4"),
        (shape_div, 4, 0, "4 cannot be divided by 0"),
        (shape_div, (8, 4), (2,), "the ranks 2 and 1 must be equal"),
        (shape_div, (0, 4), 2, r"got 0 at mode path \[0\]"),
        (shape_mod, (6, 2), 8, "8 is no multiple of 6"),
        (shape_mod, 4, 0, "4 cannot be divided by 0"),
        (shape_mod, (4, 4), (2, 2, 2), r"shape_mod of \(4,4\) by \(2,2,2\): the ranks must be equal"),
        (shape_mod, 4, (2, 2), r"shape_mod of 4 by \(2,2\): the ranks must be equal"),
        (shape_mod, (0, 2), 1, r"got 0 at mode path \[0\]"),
        (ceil_div, (4, 8), (2, 4, 2), "the divisor has rank 3, more than 2"),
        (ceil_div, 7, 0, "7 cannot be divided by 0"),
        (ceil_div, ((8, 10), (6, 4)), ((2, 5), (3, 0)), "4 cannot be divided by 0"),
        (cute.round_up, (4, 8), 3, "which mode should grow is open"),
    ],
)
def test_what_has_no_answer_raises(function, a, b, said):
    with pytest.raises(LayoutError, match=said):
        function(a, b)


@given(shapes, st.integers(1, 64))
def test_ceil_div_covers(shape, n):
    total = cute.size(shape)
    assert ceil_div(total, shape) == 1
    assert (ceil_div(total, n) - 1) * n < total <= ceil_div(total, n) * n
    assert cute.evenly_divides(total, n) == (total % n == 0)
    try:
        assert ceil_div(shape, n) == shape_div(shape, n)
    except LayoutError:
        assert cute.congruent(ceil_div(shape, n), shape)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 12)), min_size=1, max_size=3))
def test_ceil_div_by_layouts_is_the_shape_of_what_they_leave(pairs):
    """Of each mode, as in mlir-0163 and mlir-0164 of the dialect's own tests."""
    a, tiler = tuple(n * m for n, m in pairs), tuple(cute.Layout(n) for n, _ in pairs)
    assert (
        ceil_div(a, tiler) == tuple(cute.complement(tile, n).shape for tile, n in zip(tiler, a, strict=True)) == tuple(m for _, m in pairs)
    )
    assert ceil_div((*a, 7), tiler) == (*ceil_div(a, tiler), 7)
    with pytest.raises(LayoutError, match="one by one"):
        ceil_div(a[0], tiler)


def test_ceil_div_by_an_integer_rounds_what_goes_on_as_cute_does():
    assert ceil_div((2, 2), 3) == (1, 1)
    assert not cute.evenly_divides((2, 2), 3)


@given(shapes, shapes)
@example(128, (2, 64))
@example(((4, 2), 3), ((2, 2),))
def test_what_divides_evenly_divides_a_layout(shape, tiler):
    """The postcondition in include/cute/int_tuple.hpp."""
    if cute.evenly_divides(shape, tiler):
        assert cute.logical_divide(cute.Layout(shape), tiler).size == cute.size(shape)


@given(st.data())
def test_round_up_by_mode(data):
    shape = data.draw(nests(leaves))
    tile = data.draw(like(shape, leaves))
    for whole, part, rounded in zip(*map(cute.flatten_to_tuple, (shape, tile, cute.round_up(shape, tile))), strict=True):
        assert rounded % part == 0
        assert whole <= rounded < whole + part


@given(shapes)
def test_queries_by_mode_are_queries_of_the_mode(shape):
    assert cute.flatten(shape) == (shape if isinstance(shape, int) else cute.flatten_to_tuple(shape))
    assert cute.unflatten(cute.flatten_to_tuple(shape), shape) == shape
    if isinstance(shape, tuple):
        assert cute.size(shape) == cute.product(tuple(cute.size(shape, mode) for mode in range(cute.rank(shape))))
        assert cute.depth(shape) == 1 + max((cute.depth(shape, [mode]) for mode in range(cute.rank(shape))), default=0)
        assert cute.product_each(shape) == cute.product_like(shape, (0,) * len(shape))
    else:
        assert (cute.rank(shape), cute.depth(shape), cute.product_each(shape)) == (1, 0, (shape,))


@given(shapes)
def test_scans_are_strides_of_compact_layouts(shape):
    """Up to the strides of extents of 1, which compact layouts have as 0."""
    counted = cute.transform_leaf(lambda s, d: d if s > 1 else 0, shape, cute.prefix_product(shape))
    assert cute.column_major(shape).stride == counted
    counted = cute.transform_leaf(lambda s, d: d if s > 1 else 0, shape, cute.suffix_product(shape))
    assert cute.row_major(shape).stride == counted


@given(st.data())
def test_compatible_is_a_partial_order(data):
    """Finer shapes come of splitting leaves; equality, transitivity, and both ways only where equal."""
    coarse = data.draw(shapes)
    middle = data.draw(refined(coarse))
    fine = data.draw(refined(middle))
    assert cute.compatible(coarse, coarse)
    assert cute.compatible(coarse, middle)
    assert cute.compatible(middle, fine)
    assert cute.compatible(coarse, fine)
    assert cute.compatible(middle, coarse) == (middle == coarse)
    assert cute.weakly_congruent(coarse, fine)
    assert cute.congruent(coarse, middle) == cute.weakly_congruent(middle, coarse)
    assert {cute.crd2idx(c, fine) for c in cute.coordinates(coarse)} == set(range(cute.size(fine)))


@st.composite
def refined(draw, shape):
    """The shape with some leaves split in two."""

    def split(leaf):
        factor = draw(st.sampled_from([n for n in range(1, leaf + 1) if leaf % n == 0]))
        return draw(st.sampled_from([leaf, (factor, leaf // factor)]))

    return cute.transform_leaf(split, shape)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [((4, 3), (2, 2, 3), False), ((2, 2, 3), (4, 3), False), (12, (4, 3), True), ((4, 3), 12, False), (((2, 2), 3), (4, 3), False)],
)
def test_compatible_is_not_backwards(a, b, expected):
    assert cute.compatible(a, b) is expected


@given(st.data())
def test_orders(data):
    shape = data.draw(shapes)
    a, b = (data.draw(like(shape, st.integers(0, 3))) for _ in range(2))
    box = cute.repeat_like(shape, 4)
    assert cute.elem_less(a, box)
    assert cute.colex_less(a, b) == (cute.crd2idx(a, box) < cute.crd2idx(b, box))
    assert cute.lex_less(a, b) == (cute.flatten_to_tuple(a) < cute.flatten_to_tuple(b))


def test_combinators():
    assert cute.transform_leaf(lambda x, y: (x, y), (1, (2,)), (3, (4,))) == ((1, 3), ((2, 4),))
    assert cute.zip_transform(lambda x, y: (x, y), (1, (2,)), (3, 4)) == ((1, 3), ((2,), 4))
    assert cute.zip_transform(max, 2, 3) == 3
    assert cute.fold(lambda total, mode: (total, mode), (1, (2, 3)), 0) == ((0, 1), (2, 3))
    assert cute.inner_product((1, (2, 3)), (4, (5, 6))) == 4 + 10 + 18
    assert cute.elem_scale((1, 3), (10, (2, 5))) == (10, 30)
    assert cute.prefix_product(((2, 3), 5), (1, 100)) == ((1, 2), 100)
    assert cute.tuple_max((1, (9, 3))) == 9
    assert cute.elem_less((3, 2), (4, 3))
    assert not cute.elem_less((3, 3), (4, 3))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cute.unflatten((1, 2), (0, 0, 0)), "2 elements do not fill the 3 leaves"),
        (lambda: cute.transform_leaf(max, (1, 2), (1, (2, 3))), "are not congruent; leaves are paired"),
        (lambda: cute.zip_transform(max, (1, 2), (1, 2, 3)), "differ in rank"),
        (lambda: cute.product_like((2, 3), (1, (1, 1))), "is nested deeper than"),
        (lambda: cute.elem_less((3, 4), (3, 4, 5)), "are not congruent; leaves are paired"),
        (lambda: cute.colex_less(3, (3, 4)), "are not congruent; an order is that of equal nests"),
        (lambda: cute.tuple_max(((), ())), "has no leaves and so no largest one"),
        (lambda: cute.product((1.5, 2)), "1.5 is no integer"),
        (lambda: cute.size("48"), "'48' is no integer"),
        (lambda: cute.lex_less((1, "a"), (1, "b")), "'a' is no integer"),
        (lambda: cute.transform_leaf(3, (1, 2)), "3 is no function"),
        (lambda: cute.zip_transform(3, (1, 2)), "3 is no function"),
        (lambda: cute.fold(3, (1, 2), 0), "3 is no function"),
    ],
)
def test_tuples_that_do_not_fit_raise(call, said):
    with pytest.raises(LayoutError, match=said):
        call()


def test_sizes_beyond_64_bits_raise():
    assert cute.product((2**31, 2**31)) == 2**62
    for too_large in ((2**32, 2**31), 2**63, (-(2**40), 2**40), 10**5000):
        with pytest.raises(ShapeError, match="64-bit"):
            cute.product(too_large)
    with pytest.raises(ShapeError, match="64-bit"):
        cute.idx2crd(0, (2**32, 2**31))


@pytest.mark.parametrize("mode", [2, -1, [1, 5], [1, -1], [0, 0], [0, 0, 0]])
def test_modes_that_are_not_there_raise(mode):
    with pytest.raises(CoordinateError, match="mode"):
        cute.size((4, (2, 3)), mode)


def test_a_leaf_is_its_own_first_mode():
    assert cute.size(4, [0]) == 4
    with pytest.raises(CoordinateError, match=r"mode path \[0, 0\] goes past the leaf 4"):
        cute.size(4, [0, 0])


@pytest.mark.parametrize("levels", [64, 65])
def test_64_levels_of_nesting_make_a_shape(levels):
    shape = 2
    for _ in range(levels):
        shape = (shape,)
    if levels == 64:
        assert cute.Layout(shape).depth == 64
    else:
        with pytest.raises(LayoutError, match="nested more than 64 deep"):
            cute.Layout(shape)


def test_division_mode_by_mode():
    assert shape_mod((6, 2), (3, 2)) == (3, 2)
    assert shape_mod(((3, 4), 2), (6, 1)) == ((3, 2), 1)
    assert ceil_div((8, 10, 7), (3, 4)) == (3, 3, 7)


@pytest.mark.parametrize(("letters", "is_whole"), [(118, True), (119, False)])
def test_errors_repeat_120_characters_of_a_value(letters, is_whole):
    text = "x" * letters
    shown = repr(text) if is_whole else f"'{text}..."
    with pytest.raises(LayoutError, match=f"^{shown} is no integer"):
        cute.size(text)


def test_a_leaf_has_no_modes_to_pair():
    with pytest.raises(LayoutError, match=r"\(2,3\), 1 differ in rank"):
        cute.zip_transform(max, (2, 3), 1)


def test_numbers_too_large_to_print_are_named_by_their_type():
    with pytest.raises(LayoutError, match=r"a tuple too large to print, \(1,2\) differ in rank"):
        cute.zip_transform(max, (10**5000,), (1, 2))
