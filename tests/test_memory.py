"""New arrays: where they begin, what is written to them before they are used, and what cannot be had."""

import ctypes
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout import cute, memory, planning, queries
from tilelayout._kernels import loops, pages
from tilelayout.loops import in_strides
from tilelayout.network import Wiring


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


LAYOUT = tl.layout("u8[70,6,9,5]{3,1,2,0:T(2,4)(2,1)}")
AXES = tl.Layout((2,) * 12, [(axis, 1, 2, 1 << axis) for axis in range(12)])
BYTES = np.zeros((1 << 9, 1 << 13), np.uint8)
INDICES = np.indices(LAYOUT.shape).reshape(4, -1).T.copy()
#: What asks for memory and gives it back when it is done, or when what it makes goes.
TAKERS = {
    "sides": lambda: loops.refined(LAYOUT.shape, in_strides(LAYOUT.shape, (270, 45, 5, 1)), LAYOUT.digits, True),
    "plans": lambda: planning.plan(LAYOUT.shape, in_strides(LAYOUT.shape, (270, 45, 5, 1)), LAYOUT.digits, 1, LAYOUT.slots),
    "networks": lambda: Wiring(LAYOUT.shape, LAYOUT.canonical, LAYOUT.slots).network(),
    "slots": lambda: LAYOUT.index(INDICES),
    "slots by axis": lambda: queries.index_by_axis(LAYOUT, [*INDICES.T]),
    "coordinates": lambda: LAYOUT.coordinates(np.arange(LAYOUT.slots), padding="mark"),
    "offsets": LAYOUT.offsets,
    "slots of many axes": lambda: AXES.index(np.zeros((20, 12), np.int8)),
    "coordinates of many axes": lambda: AXES.coordinates(np.arange(20)),
    "offsets of many axes": AXES.offsets,
    "packs": lambda: tl.pack(np.zeros(LAYOUT.shape, np.uint8), LAYOUT),
    "copies that are streamed": lambda: tl.pack(BYTES, "{0,1:T(8,128)}", threads=1),
    "CuTe": lambda: cute.Layout(tuple(range(2, 12)), tuple(range(10))),
    "CuTe's queries": lambda: cute.Layout((4, 8), (8, 1))(INDICES[:, 0] % 32),
}


@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_taken_is_given_back(taker):
    """By the count of glibc, which knows every block."""
    count = getattr(ctypes.CDLL(None), "mallinfo2", None) if sys.platform == "linux" else None
    if count is None:
        pytest.skip("glibc counts blocks since 2.33")
    count.restype = Blocks

    def in_use():
        return count().in_use + count().mapped

    for _ in range(20):
        TAKERS[taker]()
    before = in_use()
    for _ in range(200):
        TAKERS[taker]()
    assert in_use() - before < 200 * 16


class Blocks(ctypes.Structure):
    """What mallinfo2 tells."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in ("arena", "free_chunks", "fast_chunks", "maps", "mapped", "top", "fast", "in_use", "free", "releasable")
    )
