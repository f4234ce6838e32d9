"""The functions over arrays answer row by row as those for one, and layouts called with arrays as layouts called with integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from strategies_cute import layouts, swizzled
from tilelayout import cute
from tilelayout.cute import batch

shapes = st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple)
rows = st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[st.integers(1, 12)] * n), min_size=1, max_size=5))


@pytest.mark.parametrize("name", ["shape_div", "shape_mod"])
@given(table=rows, numbers=st.lists(st.integers(1, 200), min_size=5, max_size=5))
def test_division_of_shapes(name, table, numbers):
    numbers = numbers[: len(table)]
    try:
        expected = [getattr(cute, name)(shape, number) for shape, number in zip(table, numbers, strict=True)]
    except tl.LayoutError:
        with pytest.raises(tl.LayoutError, match=name):
            getattr(batch, name)(table, numbers)
    else:
        assert getattr(batch, name)(table, numbers).tolist() == [list(shape) for shape in expected]


@given(shape=shapes, indices=st.lists(st.integers(-50, 500), max_size=6))
def test_idx2crd(shape, indices):
    expected = [list(cute.idx2crd(index, shape)) for index in indices]
    assert batch.idx2crd(np.array(indices, int), shape).tolist() == expected


@given(st.data(), shapes)
def test_crd2idx(data, shape):
    table = data.draw(st.lists(st.tuples(*[st.integers(-3, 20)] * len(shape)), max_size=6))
    stride = data.draw(st.tuples(*[st.integers(-5, 50)] * len(shape)))
    coordinates = np.array(table, int).reshape(len(table), len(shape))
    assert batch.crd2idx(coordinates, shape, stride).tolist() == [cute.crd2idx(c, shape, stride) for c in table]
    assert batch.crd2idx(coordinates, shape).tolist() == [cute.crd2idx(c, shape) for c in table]


@given(shape=shapes)
def test_each_undoes_the_other(shape):
    indices = np.arange(int(np.prod(shape)))
    assert (batch.crd2idx(batch.idx2crd(indices, shape), shape) == indices).all()


def test_the_functions_for_one_take_arrays_too():
    shapes, indices = np.array([[6, 2], [12, 4]]), np.array([5, 7])
    assert cute.shape_div(shapes, 3).tolist() == [[2, 2], [4, 4]]
    assert cute.shape_mod(shapes, np.array([3, 24])).tolist() == [[3, 1], [12, 2]]
    assert cute.idx2crd(indices, (4, 8)).tolist() == [[1, 1], [3, 1]]
    assert cute.crd2idx(cute.idx2crd(indices, (4, 8)), (4, 8)).tolist() == [5, 7]


def test_rows_are_broadcast():
    assert batch.shape_div([[[6, 2]], [[12, 4]]], [1, 2, 6]).shape == (2, 3, 2)
    assert batch.crd2idx(np.zeros((0, 2), int), (4, 8)).shape == (0,)
    assert batch.idx2crd(5, (2, 4)).tolist() == [1, 2]


def test_compact_strides_of_shapes_without_elements():
    assert batch.crd2idx([[0, 3], [1, 0]], [[4, 0], [2, 5]]).tolist() == [12, 1]
    assert batch.crd2idx([[0, 3, 1]], (0, 5, 2)).tolist() == [0]
    assert batch.crd2idx([[1, 0, 0]], (4, 0, 3)).tolist() == [1]


def test_compact_strides_beyond_64_bits_are_told_with_their_shape():
    shapes = np.full((2, 3, 3), 2)
    shapes[1, 1] = shapes[1, 2] = 2**32, 2**32, 2
    shapes[1, 2, 2] = 5
    with pytest.raises(tl.ShapeError, match=r"compact strides of \(4294967296, 4294967296, 2\) pass 64 bits"):
        batch.crd2idx(np.zeros((2, 3, 3), int), shapes)


def test_unsigned_integers_of_63_bits_are_taken():
    assert batch.idx2crd(np.array([2**63 - 1], np.uint64), (4, 8)).tolist() == [[3, 2**61 - 1]]


def test_bad_input():
    with pytest.raises(tl.LayoutError, match=r"shape_div: 4 and the extents of \(6, 2\)"):
        batch.shape_div([[8, 2], [6, 2]], 4)
    with pytest.raises(tl.ShapeError, match="do not go together"):
        batch.shape_div([[8, 2], [6, 2]], [1, 2, 3])
    with pytest.raises(tl.ShapeError, match="do not go together"):
        batch.crd2idx(np.zeros((3, 2), int), (4, 8, 2))
    with pytest.raises(tl.ShapeError, match=r"^shape_mod: 8 is no shape"):
        batch.shape_mod(8, 2)
    with pytest.raises(tl.LayoutError, match="are no integers"):
        batch.shape_mod([[8.0]], 2)
    with pytest.raises(tl.ShapeError, match=r"^crd2idx: 5 is no coordinate"):
        batch.crd2idx(5, (4, 8))
    with pytest.raises(tl.ShapeError, match="passes 64 bits"):
        batch.crd2idx([[2**40, 1]], (4, 8), (2**40, 1))
    with pytest.raises(tl.ShapeError, match="beyond signed 64 bits"):
        batch.idx2crd(np.array([2**63], np.uint64), (4, 8))
    for bad in (0, -3):
        with pytest.raises(tl.LayoutError, match="do not divide one another"):
            batch.shape_div([[4, 2]], bad)
        with pytest.raises(tl.LayoutError, match="idx2crd: 3 has no coordinate in"):
            batch.idx2crd([3], (bad, 2))


@given(st.one_of(layouts(), swizzled()), st.data())
def test_a_layout_called_with_an_array(layout, data):
    indices = data.draw(st.lists(st.integers(0, layout.size - 1), max_size=8))
    try:
        expected = [layout(index) for index in indices]
        got = layout(np.array(indices, int))
    except tl.LayoutError:
        return  # strides that lead below 0 in front of a swizzle
    assert got.tolist() == expected
    if layout.rank > 1:
        places = [cute.idx2crd(index, tuple(map(cute.size, layout.shape))) for index in indices]
        columns = np.array(places, int).reshape(len(indices), layout.rank).T
        assert layout(*columns).tolist() == expected


def test_offsets_below_zero():
    layout = cute.Layout((4, 3), (-2, 5))
    assert layout(np.arange(12)).tolist() == [5 * row - 2 * column for row in range(3) for column in range(4)]
    assert layout(np.arange(4), 1).tolist() == [5, 3, 1, -1]


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 1), (2, 0, 2)])
def test_answers_have_the_shape_of_the_arrays(shape):
    layout, zeros = cute.Layout((4, 8), (8, 1)), np.zeros(shape, int)
    assert layout(zeros).shape == layout(zeros, zeros).shape == layout(2, zeros).shape == shape


@pytest.mark.parametrize("asked", [((2, 3), [0]), ([1], 2), (tl.layout("f32[4]"), [0]), (cute.Layout((), ()),), (cute.Layout(4),)])
def test_what_is_no_layout_or_no_coordinates(asked):
    with pytest.raises(tl.LayoutError, match=r"evaluate: .*(is no layout|no coordinates)"):
        batch.evaluate(*asked)


def test_a_swizzle_of_no_bits_is_none():
    layout = cute.parse("S<0,1,4> o -3 o 8:1")
    assert [layout(i) for i in range(8)] == layout(np.arange(8)).tolist() == list(range(-3, 5))


def test_coordinates_outside():
    layout = cute.Layout((4, 8), (8, 1))
    for bad in ((np.array([32]),), (np.array([-1]),), (np.array([4]), np.array([0])), (np.array([0]), 1, 2)):
        with pytest.raises(tl.LayoutError, match=r"lie outside shape|3 arrays for"):
            layout(*bad)


def test_coordinates_by_mode_in_many_blocks():
    layout = cute.parse("S<3,4,3> o 0 o (256,512):(512,1)")
    rows, columns = np.random.default_rng(1).integers(0, (256, 512), (50_000, 2)).T
    offsets = rows * 512 + columns
    assert (layout(rows, columns) == offsets ^ (offsets >> 3 & 7 << 4)).all()
    columns[-1] = 512
    with pytest.raises(tl.CoordinateError, match=rf"\({rows[-1]}, 512\) lie outside shape \(256, 512\)"):
        layout(rows, columns)


def test_the_number_without_an_opposite():
    with pytest.raises(tl.ShapeError, match="passes 64 bits"):
        batch.crd2idx(np.array([[2]]), np.array([[4]]), np.array([[-(2**63)]]))
    assert batch.crd2idx(np.array([[0]]), np.array([[4]]), np.array([[-(2**62)]])).tolist() == [0]
