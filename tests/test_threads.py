"""Several threads at once: in one call, and calls beside each other; and after a fork."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelayout as tl
from tilelayout import threads


@pytest.mark.parametrize("text", ["{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)}", "{0,1}", "{1,0:T(8,128)(4,1)}"])
@pytest.mark.parametrize("shape", [(4096, 1024), (4095, 1021), (3, 1_400_001), (1_500_001, 1)])
def test_two_threads_write_what_one_does(text, shape):
    array = np.random.default_rng(0).integers(0, 60_000, shape).astype(np.uint16)
    alone = tl.pack(array, text, fill=7, threads=1)
    assert (tl.pack(array, text, fill=7, threads=2) == alone).all()
    assert (tl.pack(array, text, fill=7, threads=5) == alone).all()
    assert (tl.unpack(alone, text, shape=shape, threads=3) == array).all()


def test_many_callers_of_one_layout():
    layout = tl.layout("bf16[700,900]{1,0:T(8,128)(2,1)}")
    array = np.arange(630_000, dtype=np.uint16).reshape(700, 900)
    expected = np.zeros(layout.slots, np.uint16)
    expected[layout.offsets()] = array
    fresh = tl.Layout(layout.shape, layout.digits, slots=layout.slots)
    start = threading.Barrier(8)

    def work(k):
        start.wait()
        packed = tl.pack(array, fresh)
        indices = np.stack([np.arange(700), np.full(700, k)], axis=1)
        return (packed == expected).all() and (fresh.coordinates(fresh.index(indices)) == indices).all()

    with ThreadPoolExecutor(8) as callers:
        assert all(callers.map(work, range(8)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    array = np.ones((2048, 1024), np.float32)
    tl.pack(array, "{1,0:T(8,128)}", threads=2)
    child = os.fork()
    if not child:
        status = 1
        try:
            status = 0 if tl.pack(array, "{1,0:T(8,128)}", threads=2).all() else 1
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_the_environment_says_how_many(monkeypatch):
    monkeypatch.setenv(threads.VARIABLE, "3")
    assert threads.count(None) == 3
    assert threads.count(2) == 2
    for wish in ("many", "0", "-1", "2.5", "1_0", "\u0663", "9" * 5000):  # the last of which Python does not read
        monkeypatch.setenv(threads.VARIABLE, wish)
        with pytest.raises(tl.LayoutError, match=f"TILELAYOUT_NUM_THREADS='{wish[:9]}.* is no number of threads"):
            threads.count(None)
    monkeypatch.delenv(threads.VARIABLE)
    assert 1 <= threads.count(None) <= (os.cpu_count() or 1)


@given(st.integers(0, 5000), st.integers(0, 1 << 34), st.integers(1, 400))
def test_stints_are_all_there_is(iterations, size, wanted):
    stints = threads.stints(iterations, size, wanted)
    assert [stint.begin for stint in stints] == [0, *(stint.end for stint in stints[:-1])]
    assert stints[-1].end == iterations
    for begin, end, pieces, taken_by in stints:
        assert 1 <= pieces <= max(1, end - begin)
        assert taken_by == 1 or taken_by * threads.LEAST_SHARE <= size, "a thread has too little to do"
        assert taken_by <= min(wanted, threads.MOST_THREADS)
        assert len(stints) >= iterations or size * (end - begin) <= 2 * threads.LARGEST_STINT * iterations, "Ctrl-C waits too long"


@pytest.mark.parametrize(("size", "most"), [(2 * threads.LEAST_SHARE - 1, 1), (3 * threads.LEAST_SHARE, 3), (1 << 30, 5)])
def test_each_thread_has_work_that_is_worth_it(size, most):
    assert {stint.threads for stint in threads.stints(1000, size, 5)} == {most}


def test_a_thread_alone_does_a_stint_in_one_go():
    assert threads.stints(1000, 1 << 20, 5) == [(0, 1000, 1, 1)]
    assert threads.stints(1000, 5 << 20, 5) == [(0, 1000, 5 * threads.PIECES, 5)]


@pytest.mark.parametrize("taken_by", [1, 2, 3])
@pytest.mark.parametrize("call", ["pack", "relayout in place", "index", "coordinates"])
def test_many_stints_do_what_one_does(call, taken_by, monkeypatch):
    array = np.arange(1024 * 1100, dtype=np.uint32).reshape(1024, 1100)
    before, paired, after = (tl.layout(text, array.shape) for text in ("{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)}"))
    packed = tl.pack(array, before)
    indices = np.stack(np.unravel_index(np.arange(200_000), array.shape), axis=-1)
    ways = {
        "pack": lambda: tl.pack(array, before, threads=taken_by),
        "relayout in place": lambda: tl.relayout(room := packed.copy(), before, paired, out=room, threads=taken_by),
        "index": lambda: before.index(indices, threads=taken_by),
        "coordinates": lambda: after.coordinates(after.index(indices), threads=taken_by),
    }
    expected = ways[call]()
    monkeypatch.setattr(threads, "LARGEST_STINT", 1 << 16)
    assert len(threads.stints(128, array.nbytes, taken_by)) > 10
    assert (ways[call]() == expected).all()
