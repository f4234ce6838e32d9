"""The moves: each does to coordinates and extents what it says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import dims, shapes
from tilelayout import ShapeError, moves, reference
from tilelayout.radix import Digit, read


def value(dim, index):
    return read(dim.source, index) // dim.divisor % dim.radix


@given(st.data(), shapes.filter(len))
def test_split_reads_quotient_and_remainder(data, shape):
    before = data.draw(dims(shape))
    k = data.draw(st.integers(0, len(before) - 1))
    size = data.draw(st.integers(1, 9))
    after = moves.split(before, k, size)
    assert (after[k].radix, after[k + 1].radix) == (-(-before[k].radix // size), size)
    for index in reference.indices(shape):
        assert (value(after[k], index), value(after[k + 1], index)) == divmod(value(before[k], index), size)


@given(st.data(), shapes.filter(len))
def test_merge_reads_row_major(data, shape):
    before = data.draw(dims(shape))
    begin = data.draw(st.integers(0, len(before) - 1))
    end = data.draw(st.integers(begin + 1, len(before)))
    after = moves.merge(before, begin, end)
    extents = [dim.radix for dim in before[begin:end]]
    for index in reference.indices(shape):
        assert value(after[begin], index) == reference.linear_index([value(d, index) for d in before[begin:end]], extents)


@given(st.data(), shapes)
def test_permute_and_its_inverse(data, shape):
    before = data.draw(dims(shape))
    order = data.draw(st.permutations(range(len(before))))
    inverse = sorted(range(len(order)), key=order.__getitem__)
    assert moves.permute(moves.permute(before, order), inverse) == before


def changed(dims):
    """Every list of dimensions one move away, with what its first dimensions read said by those of the list at hand."""
    yield (moves.UNIT, *dims), lambda values: [0, *values]
    for k in range(len(dims)):
        for size in (1, 2, 3, 5):
            yield moves.split(dims, k, size), lambda values, k=k, size=size: [*values[:k], *divmod(values[k], size), *values[k + 1 :]]
    for k in range(len(dims) - 1):
        fused = dims[k + 1].radix
        yield (
            moves.merge(dims, k, k + 2),
            lambda values, k=k, fused=fused: [*values[:k], values[k] * fused + values[k + 1], *values[k + 2 :]],
        )


@pytest.mark.parametrize("shape", [(4,), (5,), (2, 3)])
def test_every_three_moves(shape):
    found = [moves.axes(shape)]
    for _ in range(3):
        found, before = [], found
        for now in before:
            for after, expected in changed(now):
                found.append(after)
                for index in reference.indices(shape):
                    assert [value(dim, index) for dim in after] == expected([value(dim, index) for dim in now]), (now, after)


def test_a_tile_wider_than_what_it_cuts():
    """Three of four values of the inner dimension go on beyond it in the axis, and are not read."""
    inner = moves.split(moves.axes((16,)), 0, 4)[1:]
    wide = moves.split(inner, 0, 8)
    assert [[value(dim, (x,)) for dim in wide] for x in range(16)] == [[0, x % 4] for x in range(16)]
    padding = moves.split((moves.UNIT,), 0, 2)[1:]
    assert [value(moves.merge(padding + inner, 0, 2)[0], (x,)) for x in range(16)] == [x % 4 for x in range(16)]
    assert [value(moves.merge(inner + padding, 0, 2)[0], (x,)) for x in range(16)] == [x % 4 * 2 for x in range(16)]


def test_merge_undoes_split():
    assert moves.merge(moves.split(moves.axes((12,)), 0, 4), 0, 2) == moves.axes((12,))


def test_an_axis_merged_with_nothing_stays_an_axis():
    fused = moves.merge((moves.UNIT, *moves.axes((5,))), 0, 2)
    assert fused == moves.axes((5,))


def test_dimensions_of_one_make_no_digits():
    assert moves.compact((1, 4, 1), moves.axes((1, 4, 1))).digits == (Digit(1, 1, 4, 1),)


def test_bad_moves_say_what_is_wrong():
    with pytest.raises(ShapeError, match="a tile of size 0 cannot split a dimension of size 5"):
        moves.split(moves.axes((5,)), 0, 0)
    with pytest.raises(ShapeError, match="does not name each of 2 dimensions once"):
        moves.permute(moves.axes((2, 3)), (0, 0))
    with pytest.raises(ShapeError, match="more than a signed 64-bit"):
        moves.compact((2**40, 2), moves.split(moves.axes((2**40, 2)), 1, 2**40))
