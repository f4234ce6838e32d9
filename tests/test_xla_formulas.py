"""The two formulas of the tiled-layout page, batched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout import reference

dims = st.lists(st.integers(1, 9), min_size=1, max_size=4).map(tuple)


@given(st.data(), dims)
def test_linear_index_is_row_major(data, shape):
    index = [data.draw(st.integers(0, n - 1)) for n in shape]
    assert tl.linear_index(index, shape) == reference.linear_index(index, shape) == np.ravel_multi_index(index, shape)


@given(st.data(), dims, st.lists(st.integers(1, 5), min_size=1, max_size=5))
def test_linear_index_with_tile_agrees_with_the_reference(data, shape, tile):
    indices = [[data.draw(st.integers(0, n - 1)) for n in shape] for _ in range(5)]
    assert tl.linear_index_with_tile(indices, shape, tile).tolist() == [reference.linear_index_with_tile(i, shape, tile) for i in indices]


def test_the_pages_example():
    """F32[3,5] in tiles of 2x2: element (2,3) is in tile (1,1) at (0,1), and so at 1*12 + 1*4 + 0*2 + 1 = 17."""
    assert tl.linear_index_with_tile((2, 3), (3, 5), (2, 2)) == 17
    assert tl.linear_index((1, 1, 0, 1), (2, 3, 2, 2)) == 17
    assert tl.linear_index((1, 1), (2, 3)) * 2 * 2 + tl.linear_index((0, 1), (2, 2)) == 17


def test_batches():
    grid = np.stack(np.indices((3, 5)), axis=-1)
    assert (tl.linear_index_with_tile(grid, (3, 5), (2, 2)) == tl.layout("f32[3,5]{1,0:T(2,2)}").offsets()).all()


def test_bad_input():
    with pytest.raises(tl.CoordinateError, match="3 on axis 0, where the allowed are 0 to 2"):
        tl.linear_index((3, 0), (3, 5))
    with pytest.raises(tl.ShapeError, match="the last axis holds the 2 coordinates of an element"):
        tl.linear_index((1, 2, 3), (3, 5))
    with pytest.raises(tl.LayoutError, match="has the tile dimension 0"):
        tl.linear_index_with_tile((0, 0), (3, 5), (2, 0))
    with pytest.raises(tl.LayoutError, match="is no sequence of sizes"):
        tl.linear_index_with_tile((0, 0), (3, 5), "T(2,2)")
    with pytest.raises(tl.LayoutError, match="tile 2 is no sequence of sizes"):
        tl.linear_index_with_tile((0, 0), (3, 5), 2)
    with pytest.raises(tl.LayoutError, match="None is no shape"):
        tl.linear_index((0, 0), None)
