"""New arrays: where they begin, what is written to them before they are used, and what cannot be had."""

import ctypes
import gc
import mmap
import random
import signal
import subprocess
import sys
import tracemalloc
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

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
    pages.touch(fresh, first, step, (begin, end, 3, 2))
    assert (fresh == expected).all()


@pytest.mark.parametrize("threads", [1, 2, None])
@pytest.mark.parametrize("size", [memory.LARGE - 1, memory.LARGE, memory.LARGE + 1, 3 * memory.LARGE - 1, 5 * memory.LARGE_PAGE])
def test_what_is_large_begins_with_a_page_and_is_whole(size, threads):
    memory._kept.clear()  # or the memory of the last one is used again
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


lends = pytest.mark.skipif(not hasattr(mmap, "MADV_FREE"), reason="this system takes no pages that are lent")
MIB = 1 << 20


@pytest.fixture
def traced() -> Iterator[None]:
    """What numpy takes is counted, from nothing that is kept on."""
    memory.empty((memory.LARGEST_KEPT + 1,), np.uint8)  # too large to be kept, so nothing is
    tracemalloc.start()
    yield
    tracemalloc.stop()


def held() -> int:
    """MiB that are taken."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0] // MIB


@lends
@pytest.mark.parametrize(("before", "after"), [(16, 16), (17, 16), (8, 8)])
def test_the_next_array_of_a_size_is_where_the_last_was(before, after):
    last = memory.empty((before * MIB,), np.uint8)
    at = last.ctypes.data
    last[:] = 7
    del last
    fresh = memory.empty((after * MIB // 4 - 3,), np.float32)
    assert fresh.ctypes.data == at
    assert fresh.shape == (after * MIB // 4 - 3,)
    assert fresh.flags.writeable


@lends
@pytest.mark.usefixtures("traced")
def test_one_array_is_kept_and_none_where_the_next_is_of_another_size():
    first, second = (memory.empty((size * MIB,), np.uint8) for size in (16, 32))
    assert held() == 16 + 32 + 4
    del first
    assert held() == 16 + 32 + 4
    del second
    assert held() == 32 + 2
    tracemalloc.reset_peak()
    small = memory.empty((24 * MIB,), np.uint8)
    assert held() == 24 + 2
    assert tracemalloc.get_traced_memory()[1] // MIB == 32 + 2  # what was kept goes first
    large = memory.empty((25 * MIB,), np.uint8)
    del small
    larger = memory.empty((24 * MIB + 1,), np.uint8)
    assert held() == 25 + 24 + 4
    del large, larger


@lends
@pytest.mark.usefixtures("traced")
def test_nothing_is_kept_beside_large_zeros():
    memory.empty((16 * MIB,), np.uint8)
    assert held() == 16 + 2
    small = memory.empty((MIB,), np.uint8, zeroed=True)
    assert held() == 16 + 2 + 1
    zeros = memory.empty((16 * MIB,), np.uint8, zeroed=True)
    assert held() == 16 + 1
    del small, zeros


@lends
@pytest.mark.usefixtures("traced")
def test_the_largest_are_given_back():
    memory.empty((memory.LARGEST_KEPT,), np.uint8)
    assert held() == (memory.LARGEST_KEPT + memory.LARGE_PAGE) // MIB
    memory.empty((memory.LARGEST_KEPT + 1,), np.uint8)
    assert held() == 0


@pytest.mark.usefixtures("traced")
def test_nothing_is_kept_where_the_system_takes_no_loan(monkeypatch):
    loan = pages.Loan
    monkeypatch.setattr(pages, "Loan", lambda room, first, *rest: loan(room, first + 1, *rest))  # which is no page
    memory.empty((16 * MIB,), np.uint8)
    assert held() == 0


#: Ways to look at an array's memory that outlive it.
LOOKS = {
    "a slice": lambda array: array[3:10],
    "other axes": lambda array: array.reshape(2, -1).T,
    "one element of it": lambda array: array[7:8].reshape(()),
    "another dtype": lambda array: array[8:].view(np.complex64),
    "a memoryview": memoryview,
    "a subclass": lambda array: array.view(np.recarray),
    "windows": lambda array: np.lib.stride_tricks.sliding_window_view(array, 5),
    "another array's buffer": lambda array: np.frombuffer(array, np.uint16),
    "dlpack": np.from_dlpack,
    "its iterator": lambda array: array[:9].flat,
    "ctypes": lambda array: np.ctypeslib.as_ctypes(array[:64]),
}


@pytest.mark.parametrize("look", LOOKS)
def test_memory_that_somebody_looks_at_is_not_used_again(look):
    array = memory.empty((memory.LARGE,), np.uint8)
    array[:] = 7
    seen = LOOKS[look](array)
    at = array.ctypes.data
    del array
    fresh = memory.empty((memory.LARGE,), np.uint8)
    assert abs(fresh.ctypes.data - at) >= memory.LARGE
    fresh[:] = 9
    assert 9 not in np.array(seen).reshape(-1).view(np.uint8)
    del seen
    assert memory.empty((memory.LARGE,), np.uint8).ctypes.data == at or not hasattr(mmap, "MADV_FREE")


@lends
def test_pages_that_the_system_took_are_zeros_and_as_good():
    array = np.random.default_rng(5).integers(0, 256, (2048, 4096), np.uint8)
    buffer = tl.pack(array, "{0,1:T(8,128)(4,1)}")
    expected, at = buffer.copy(), buffer.ctypes.data
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    del buffer
    assert madvise(at, array.nbytes, mmap.MADV_DONTNEED) == 0
    again = tl.pack(array, "{0,1:T(8,128)(4,1)}")
    assert again.ctypes.data == at
    assert (again == expected).all()


@lends
def test_a_loan_holds_what_it_did_or_zeros():
    room, kept = np.full(3 * memory.LARGE_PAGE, 7, np.uint8), deque()
    first = -room.ctypes.data % memory.LARGE_PAGE
    whole = room[first:][: memory.LARGE_PAGE]
    lent = np.asarray(pages.Loan(room, first, memory.LARGE_PAGE, memory.LARGE_PAGE, kept))
    assert (lent.ctypes.data, lent.size, lent.flags.writeable) == (whole.ctypes.data, memory.LARGE_PAGE, True)
    assert not kept
    del lent
    assert kept.pop() is room
    assert set(np.unique(whole)) <= {0, 7}
    whole[:] = 9
    assert (whole == 9).all()
    assert set(np.unique(room)) <= {7, 9}
    np.asarray(pages.Loan(room, first + 1, memory.LARGE_PAGE, memory.LARGE_PAGE, kept))  # that is no page
    np.asarray(pages.Loan(room, first, memory.LARGE_PAGE, 0, kept))
    assert not kept


@lends
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such timers here")
def test_an_interrupt_is_heard_when_an_array_goes():
    """It ended in the Python that kept the memory, and was told on standard error alone."""
    array = np.zeros((2048, 1024), np.float32)
    unheard = []

    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", unheard.append)
        before = signal.signal(signal.SIGALRM, interrupted)
        try:
            for _ in range(40):
                with pytest.raises(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, 0.003 + random.random() * 0.01)
                    while not unheard:
                        tl.pack(array, "{1,0:T(8,128)}")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
    assert not unheard


def test_threads_get_memory_of_their_own():
    layout = tl.layout("{0,1:T(8,128)}", shape=(1024, 1100))

    def turns(seed):
        array = np.random.default_rng(seed).random(layout.shape, np.float32)
        return all(np.array_equal(tl.unpack(tl.pack(array, layout), layout), array) for _ in range(25))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(turns, range(4)))


def test_what_is_left_at_the_end_goes_quietly():
    code = """
import atexit, sys
import numpy as np, tilelayout as tl
a = tl.pack(np.zeros((2048, 1024), np.float32), "{0,1:T(8,128)}")
sys.hold = tl.unpack(a, tl.layout("{0,1:T(8,128)}", shape=(2048, 1024)))
cycle = [tl.pack(sys.hold, "{1,0:T(8,128)}")]
cycle.append(cycle)
atexit.register(lambda held: held.clear(), [tl.pack(sys.hold, "{1,0:T(16,128)}")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


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
