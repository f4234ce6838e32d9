"""Helpers that a kernel calls: each iteration is done once, and nobody works any longer when a call returns."""

import threading
import time

import numpy as np
import pytest
from hypothesis import given, strategies

import tilelayout as tl
from faults import jobs
from tilelayout._kernels import crew, pages
from tilelayout.threads import Stint


def written(room, begin, end, pieces, helped_by):
    """Where a byte was written to by so many threads."""
    array = np.ones(room, np.uint8)
    pages.touch(array, 0, 1, Stint(begin, end, pieces, helped_by))
    return np.flatnonzero(array == 0)


@given(strategies.integers(0, 50), strategies.integers(0, 60), strategies.integers(1, 70), strategies.integers(1, 5))
def test_pieces_are_all_there_is(begin, number, pieces, helped_by):
    assert written(120, begin, begin + number, pieces, helped_by).tolist() == list(range(begin, begin + number))


def test_helpers_are_there_once_they_were_asked_for():
    written(10, 0, 9, 4, 3)
    assert crew.number() >= 2


@pytest.mark.parametrize("helped_by", [2, 5])
def test_nobody_writes_after_a_call(helped_by):
    """A helper that comes late finds that it was dismissed, also when it is called again at once."""
    array = np.ones(1 << 16, np.uint8)
    for turn in range(2000):
        size = (turn % 50 + 1) * 37
        pages.touch(array, 0, 1, Stint(0, size, 1 + turn % 9, helped_by))
        assert not array[:size].any()
        array[:size] = 1
        if turn % 100 == 0:
            time.sleep(0.001)
        assert array.all()


def test_many_callers_share_the_helpers():
    wrong, start = [], threading.Barrier(6)

    def work(seed):
        array = np.ones(5000, np.uint8)
        start.wait()
        for turn in range(500):
            size = (seed + turn) % 5000
            pages.touch(array, 0, 1, Stint(0, size, 8, 2 + (seed + turn) % 3))
            if array[:size].any() or not array[size:].all():
                wrong.append((seed, turn))
            array[:size] = 1

    callers = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert wrong == []


BOUNDED = """
import threading, numpy as np, tilelayout as tl
from tilelayout._kernels import crew
print(crew.number())
array = np.ones((1100, 1100), np.float32)
expected = tl.pack(array, "{1,0:T(8,128)}", threads=1)
print(crew.number())
def ask():
    for _ in range(20):
        assert (tl.pack(array, "{1,0:T(8,128)}", threads=3) == expected).all()
callers = [threading.Thread(target=ask) for _ in range(5)]
for caller in callers: caller.start()
for caller in callers: caller.join()
print(crew.number())
"""


def test_there_are_no_more_helpers_than_a_call_asks_for():
    assert jobs.script(BOUNDED).stdout.split() == ["0", "0", "2"]


NO_THREADS = """
import threading, numpy as np, tilelayout as tl
from tilelayout._kernels import crew
array = np.arange(1100 * 1100, dtype=np.float32).reshape(1100, 1100)
threading.stack_size(1 << 46)  # which no system has
try:
    threading.Thread(target=print).start()
except (RuntimeError, ValueError):
    pass
else:
    raise SystemExit("a thread began")
packed = tl.pack(array, "{1,0:T(8,128)}", threads=3)
print(crew.number(), (tl.unpack(packed, "{1,0:T(8,128)}", shape=array.shape, threads=3) == array).all())
threading.stack_size(0)
print((tl.pack(array, "{1,0:T(8,128)}", threads=3) == packed).all(), crew.number())
"""


def test_the_caller_does_all_where_there_are_no_threads():
    assert jobs.script(NO_THREADS).stdout.split() == ["0", "True", "True", "2"]


@pytest.mark.parametrize("helped_by", [1, 2, 4])
@pytest.mark.parametrize("bad", [[7], [99_999, 50_000, 50_001], [0, 149_999], [149_999]])
def test_the_first_bad_query_is_named(bad, helped_by):
    layout = tl.layout("f32[300,500]{1,0:T(8,128)}")
    asked = np.stack(np.unravel_index(np.arange(150_000), (300, 500)), axis=-1)
    asked[bad, 1] = 500 + np.array(bad)
    with pytest.raises(tl.CoordinateError, match=f"{min(bad) // 500}, {500 + min(bad)}"):
        layout.index(asked, threads=helped_by)


@pytest.mark.parametrize("helped_by", [1, 3])
@pytest.mark.parametrize("place", [0, 2_000_000, 4_999_999])
def test_an_element_that_does_not_fit_is_seen_by_whoever_has_it(place, helped_by):
    array = np.zeros((5000, 1000), np.int8)
    array.flat[place] = 8
    with pytest.raises(tl.LayoutError, match="holds 8, which does not fit in 4 bits"):
        tl.pack(array, "s4[5000,1000]{1,0:T(8,128)E(4)}", threads=helped_by)
