"""Several threads at once: in one call, and calls beside each other; and after a fork."""

import os
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import threads


@pytest.mark.parametrize("text", ["{1,0:T(8,128)}", "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)}", "{0,1}", "{1,0:T(8,128)(4,1)}"])
@pytest.mark.parametrize("shape", [(4096, 1024), (4095, 1021), (3, 1_400_001), (150_001, 1)])
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
    monkeypatch.setenv(threads.VARIABLE, "many")
    with pytest.raises(tl.LayoutError, match="TILELAYOUT_NUM_THREADS='many'"):
        threads.count(None)
    monkeypatch.delenv(threads.VARIABLE)
    assert 1 <= threads.count(None) <= (os.cpu_count() or 1)


def test_the_first_error_reaches_the_caller_and_nothing_is_begun_after_it():
    begun, ready = [], threading.Barrier(3)

    def work(begin, end):
        begun.append(begin)
        if len(begun) <= 3:
            ready.wait()
        raise LookupError(begin)

    with pytest.raises(LookupError) as error:
        threads.share(work, 100, 3 * threads.LEAST_SHARE, 3)
    assert error.value.args == (0,)
    assert len(begun) == 3


@pytest.mark.parametrize(("size", "most"), [(2 * threads.LEAST_SHARE - 1, 1), (3 * threads.LEAST_SHARE, 3), (1 << 40, 5)])
def test_each_thread_has_work_that_is_worth_it(size, most):
    workers, met = set(), threading.Barrier(most)

    def work(begin, end):
        if threading.get_ident() not in workers:
            workers.add(threading.get_ident())
            met.wait(timeout=60)

    threads.share(work, 1000, size, 5)
    assert len(workers) == most


def test_what_was_shared_is_nobody_s_afterwards():
    for _ in range(50):
        held = np.zeros(1)
        threads.share(lambda *_, held=held: held.sum(), 100, 2 * threads.LEAST_SHARE, 2)
        alive = weakref.ref(held)
        del held
        assert alive() is None


def test_the_calling_thread_works_too():
    both, workers = threading.Barrier(2), set()

    def work(begin, end):
        if begin in (0, 1):
            both.wait(timeout=60)
        workers.add(threading.get_ident())

    threads.share(work, threads.PIECES * 2, threads.WORTH_SHARING, 2)
    assert threading.get_ident() in workers
    assert len(workers) == 2
