"""New arrays: where they begin, what is written to them before they are used, and what cannot be had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout import memory
from tilelayout._kernels import pages


@given(st.integers(1, 300), st.integers(0, 300), st.integers(1, 40), st.data())
def test_touch_writes_a_byte_at_each_step_and_no_other(size, first, step, data):
    steps = max(0, -(-(size - first) // step))
    begin = data.draw(st.integers(0, steps))
    end = data.draw(st.integers(begin, steps))
    fresh = np.ones(size, np.uint8)
    expected = fresh.copy()
    expected[[first + k * step for k in range(begin, end)]] = 0
    pages.touch(fresh, first, step, begin, end)
    assert (fresh == expected).all()


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("size", [memory.LARGE - 1, memory.LARGE, memory.LARGE + 1, 3 * memory.LARGE - 1, 5 * memory.LARGE_PAGE])
def test_what_is_large_begins_with_a_page_and_is_whole(size, threads):
    fresh = memory.empty((size,), np.uint8, threads=threads)
    assert fresh.shape == (size,)
    assert fresh.flags.c_contiguous
    assert fresh.flags.writeable
    assert fresh.ctypes.data % memory.LARGE_PAGE == 0 or size < memory.LARGE
    fresh[:] = 7
    assert fresh.min() == 7


@pytest.mark.parametrize("dtype", ["<f4", ">u2", "V16", "complex128"])
def test_shapes_and_dtypes(dtype):
    fresh = memory.empty((3, 0, 5), dtype)
    assert (fresh.shape, fresh.dtype) == ((3, 0, 5), np.dtype(dtype))
    fresh = memory.empty((3, 1 << 10, 1 << 11), dtype, threads=2)
    assert (fresh.shape, fresh.dtype) == ((3, 1 << 10, 1 << 11), np.dtype(dtype))


def test_zeros_are_zeros():
    assert not memory.empty((memory.LARGE + 5,), np.uint8, zeroed=True).any()


@pytest.mark.parametrize("zeroed", [False, True])
def test_what_cannot_be_had_is_refused(zeroed):
    with pytest.raises(tl.ShapeError, match=r"an array of shape \(1152921504606846976,\) and dtype int64 does not fit in memory"):
        memory.empty((1 << 60,), np.int64, zeroed=zeroed)
