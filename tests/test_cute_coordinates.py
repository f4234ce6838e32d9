"""Coordinates: to indices and back, from shape to shape, and the parts of tuples and layouts that they name."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies_cute import coordinates, layouts, nests, shapes, swizzled
from tilelayout import CoordinateError, LayoutError, cute
from tilelayout.cute import Layout, crd2crd, crd2idx, idx2crd


@given(shapes)
def test_there_and_back(shape):
    every = list(cute.coordinates(shape))
    assert [crd2idx(c, shape) for c in every] == list(range(cute.size(shape)))
    assert [idx2crd(i, shape) for i in range(cute.size(shape))] == every
    assert all(cute.colex_less(a, b) for a, b in pairwise(every))


@given(shapes, st.integers(0, 10_000))
def test_past_the_end_the_last_leaf_keeps_the_quotient(shape, index):
    if cute.flatten_to_tuple(shape):
        assert crd2idx(idx2crd(index, shape), shape) == index
        assert crd2idx(idx2crd(-index, shape), shape) == -index
        assert cute.crd2idx(cute.increment_coord(idx2crd(index, shape), shape), shape) == index + 1


def test_as_the_headers_do():
    """include/cute/stride.hpp: the last mode is not taken modulo its extent, and nothing is checked against it."""
    assert idx2crd(42, (3, 7, 2)) == (0, 0, 2)
    assert crd2idx(33, (4, 8)) == 33
    assert crd2idx((5, 9), (4, 8)) == 41
    assert crd2idx((-1, 2), (4, 8), (1, 10)) == 19
    assert idx2crd((1, 5), (4, (2, 3))) == (1, (1, 2))
    assert idx2crd(0, ()) == ()


@given(st.data())
def test_compact_layouts_are_taken_apart(data):
    shape = data.draw(shapes)
    order = data.draw(st.permutations(range(len(cute.flatten_to_tuple(shape)))))
    layout = cute.make_ordered_layout(shape, cute.unflatten(order, shape))
    for c in cute.coordinates(layout):
        offset = layout(c)
        assert idx2crd(offset, layout.shape, layout.stride) == cute.get_hier_coord(layout, offset) == c
        assert cute.get_1d_coord(layout, offset) == crd2idx(c, shape)
        assert layout(cute.get_flat_coord(layout, offset)) == offset
        assert cute.depth(cute.get_flat_coord(layout, offset)) == min(1, cute.depth(shape))


@given(layouts(), st.integers(-20, 200))
def test_what_is_taken_apart_leads_back(layout, offset):
    try:
        coordinate = idx2crd(offset, layout.shape, layout.stride)
    except CoordinateError as error:
        assert str(offset) in str(error)
    else:
        assert layout(coordinate) == offset


def test_offsets_that_no_coordinate_has():
    with pytest.raises(CoordinateError, match="offset 1"):
        idx2crd(1, (4, 8), (2, 8))
    with pytest.raises(LayoutError, match="one integer for each leaf"):
        idx2crd(1, (4, 8), (cute.E(0), cute.E(1)))
    with pytest.raises(LayoutError, match="give a Layout"):
        cute.get_1d_coord((4, 8), 3)


@given(st.data())
def test_from_shape_to_shape(data):
    shape = data.draw(shapes)
    flat = cute.flatten_to_tuple(shape)
    for c in cute.coordinates(shape):
        index = crd2idx(c, shape)
        assert crd2crd(index, cute.size(shape), shape) == c
        assert crd2crd(c, shape, cute.size(shape)) == index
        assert crd2crd(index, cute.size(shape), (1, *flat)) == (0, *cute.flatten_to_tuple(c))
        if isinstance(shape, tuple):
            assert crd2crd(c, shape, cute.product_each(shape)) == tuple(map(crd2idx, c, shape))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: crd2idx((1, 2, 3), (4, 8)), r"coordinate \(1,2,3\) does not fit shape \(4,8\)"),
        (lambda: crd2idx((1, (2, 0)), (4, 8)), r"\(2,0\) does not fit shape 8 at mode path \[1\]"),
        (lambda: crd2idx((None, 2), (4, 8)), "None is no integer"),
        (lambda: crd2idx(1, ()), r"coordinate 1 is outside the shape \(\)"),
        (lambda: crd2idx(1, (4, 0)), r"at least 1, got 0 at mode path \[1\]"),
        (lambda: crd2idx((1, 2), (4, 8), (1, (2, 3))), "are not congruent; give one stride"),
        (lambda: idx2crd((1, 2, 3), (4, 8)), r"coordinate \(1,2,3\) does not fit shape \(4,8\)"),
        (lambda: idx2crd(3, (4, 8), 1), "stride 1 does not take integers apart"),
        (lambda: idx2crd(1.5, (4, 8)), "1.5 is no integer"),
        (lambda: crd2crd((1, 2), (4, 8), (4, 4, 2)), "has no counterpart in"),
        (lambda: cute.increment_coord((None, 0, 0), (3, 3, 3)), "None is no integer"),
        (lambda: cute.increment_coord(4, (3, 3)), "coordinate 4 is not congruent with shape"),
        (lambda: list(cute.coordinates((2, -1))), r"at least 1, got -1 at mode path \[1\]"),
        (lambda: cute.slice_((2, 3), (None,)), r"coordinate \(_\) does not fit shape"),
        (lambda: cute.slice_(5, (None, None)), r"coordinate \(_,_\) does not fit shape 5"),
        (lambda: cute.slice_((1, None), Layout((4, 8))), r"\(4,8\):\(1,4\) is a layout; slice_ and dice take the coordinate behind it"),
        (lambda: cute.slice_((4, 8), [1, None]), r"\[1, None\] is no integer"),
        (lambda: cute.dice((4, 8), (1.5, None)), "1.5 is no integer"),
        (lambda: cute.dice(Layout((4, 8)), (9, None)), r"coordinate 9 is outside shape 4 at mode path \[0\]"),
        (lambda: cute.slice_(Layout((4, 8)), (9, None)), r"coordinate 9 is outside shape 4 at mode path \[0\]"),
    ],
)
def test_what_does_not_fit_raises(call, said):
    with pytest.raises(LayoutError, match=said):
        call()


@given(st.data())
def test_slices_and_dices_share_out_the_leaves(data):
    tree = data.draw(nests(st.integers(0, 99)))
    coordinate = cute.transform_leaf(lambda leaf: None if leaf % 2 else 0, tree)
    if not isinstance(tree, tuple):
        return
    assert cute.flatten_to_tuple(cute.slice_(tree, coordinate)) == tuple(leaf for leaf in cute.flatten_to_tuple(tree) if leaf % 2)
    assert cute.flatten_to_tuple(cute.dice(tree, coordinate)) == tuple(leaf for leaf in cute.flatten_to_tuple(tree) if not leaf % 2)


@given(layouts(), coordinates)
def test_slicing_raises_nothing_but_layout_errors(layout, coordinate):
    try:
        part, offset = cute.slice_and_offset(coordinate, layout)
    except CoordinateError:
        return
    assert part.size <= layout.size
    assert isinstance(offset, int)


def test_one_coordinate_for_all_modes_slices_or_dices_all():
    assert cute.slice_((2, (3, 4)), None) == cute.dice((2, (3, 4)), 5) == (2, (3, 4))
    assert cute.slice_((2, (3, 4)), 5) == cute.dice((2, (3, 4)), None) == ()


def test_a_slice_of_a_swizzled_layout_takes_the_offset_in():
    layout = cute.parse_layout("S<3,0,3> o 5 o (8,8):(8,1)")
    part, offset = cute.slice_and_offset((3, None), layout)
    assert str(part) == "S<3,0,3> o 29 o (8):(1)"
    assert [part(c) + offset for c in range(8)] == [layout(3, c) for c in range(8)]
    whole, offset = cute.domain_offset((2, 1), layout)
    assert offset == 0
    assert [whole(r, c) for c in range(7) for r in range(6)] == [layout(r + 2, c + 1) for c in range(7) for r in range(6)]


@given(swizzled(), st.data())
def test_parts_of_composed_layouts_are_where_they_were(layout, data):
    """Of those with a composed layout inside too."""
    at = cute.transform_leaf(lambda extent: data.draw(st.none() | st.integers(0, extent - 1)), layout.shape)
    part, offset = cute.slice_and_offset(at, layout)
    assert cute.slice_(layout, at) == part
    taken = cute.flatten_to_tuple(at)
    assert None not in taken or layout(at) == part
    fits = [c for c in cute.coordinates(layout) if all(x in (None, y) for x, y in zip(taken, cute.flatten_to_tuple(c), strict=True))]
    assert [part(i) + offset for i in range(part.size)] == [layout(c) for c in fits]
    begin = cute.transform_leaf(lambda x: x or 0, at)
    moved, offset = cute.domain_offset(begin, layout)
    for c in cute.coordinates(layout):
        assert moved(c) + offset == layout.extended(cute.transform_leaf(lambda x, y: x + y, c, begin))


@pytest.mark.parametrize(
    ("text", "coordinate", "part"),
    [
        ("(4,5):(1,4) o 2 o (4,3):(1,4)", (1, None), "(4,5):(1,4) o 3 o (3):(4)"),
        ("(6,2):(1,6) o (2,1) o (2,3):(1@1,1@0)", (1, None), "(6,2):(1,6) o (2,2) o (3):(1@0)"),
        ("S<3,0,3> o 0 o (8,8):(8,1)", (3, None), "S<3,0,3> o 24 o (8):(1)"),
        ("S<3,4,3> o 0 o (64,128):(1,64)", (33, None), "S<3,4,3> o 33 o (128):(64)"),
        ("S<3,0,3> o 0 o (4,5):(1,4) o 2 o (4,3):(1,4)", (1, None), "S<3,0,3> o 0 o (4,5):(1,4) o 3 o (3):(4)"),
    ],
)
def test_what_is_composed_is_sliced_where_it_lies(text, coordinate, part):
    """As C++ defines it, ``get<0>(slice_and_offset(coord, layout))``; a constant beside it would pass neither a swizzle nor a layout."""
    layout = cute.parse_layout(text)
    sliced = layout(coordinate)
    assert str(sliced) == part
    assert cute.slice_(layout, coordinate) == sliced
    assert list(map(sliced, range(sliced.size))) == [layout(coordinate[0], k) for k in range(sliced.size)]


@given(layouts(), st.data())
def test_domain_offsets_move_the_origin(layout, data):
    at = cute.transform_leaf(lambda extent: data.draw(st.integers(-2, 9)), layout.shape)
    moved, offset = cute.domain_offset(at, layout)
    for c in cute.coordinates(layout):
        assert moved(c) + offset == layout.extended(cute.transform_leaf(lambda x, y: x + y, c, at))


def test_an_origin_has_no_holes():
    with pytest.raises(LayoutError, match="such as 0"):
        cute.domain_offset((None, 1), Layout((4, 8)))
    for call in (cute.slice_and_offset, cute.domain_offset):
        with pytest.raises(LayoutError, match="no layout"):
            call((1, 1), (4, 8))
