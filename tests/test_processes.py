"""Processes: children forked after use and in the middle of it, spawned ones, Ctrl-C, the end of the interpreter, other interpreters."""

import contextlib
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tilelayout as tl
from faults import jobs
from faults.questions import LARGE, QUESTIONS, fresh, packed_sum
from tilelayout import files, queries, threads
from tilelayout.files import behind

has_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
has_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@has_fork
class TestFork:
    def test_a_child_of_a_process_that_used_threads(self):
        expected = packed_sum(3)
        assert jobs.said(lambda: (signal.alarm(60), packed_sum(3))[1]) == str(expected)

    def test_a_child_of_a_child(self):
        packed_sum(3)
        assert jobs.said(lambda: (packed_sum(3), jobs.said(lambda: packed_sum(3)))[1]) == str(packed_sum(3))

    def test_a_child_that_is_forked_while_a_layout_is_made_ready(self, monkeypatch):
        """Whatever a thread held when the child was made, the child does not wait for it."""
        inside, is_over, make = threading.Event(), threading.Event(), queries.Ready

        def slowly(layout):
            if threading.current_thread() is asking:
                inside.set()
                is_over.wait()
            return make(layout)

        monkeypatch.setattr(queries, "Ready", slowly)
        asking = threading.Thread(target=lambda: fresh().ready)
        asking.start()
        inside.wait()
        try:
            assert jobs.said(lambda: (signal.alarm(30), fresh()(1, 2))[1]) == str(fresh()(1, 2))
        finally:
            is_over.set()
            asking.join()

    @pytest.mark.parametrize("name", ["pack with threads", "index"])
    def test_a_child_that_is_forked_while_threads_ask(self, name):
        expected, is_over = str(hash(str(QUESTIONS[name]()))), threading.Event()

        def ask():
            while not is_over.is_set():
                QUESTIONS[name]()

        asking = [threading.Thread(target=ask) for _ in range(2)]
        for thread in asking:
            thread.start()
        try:
            for _ in range(3):
                time.sleep(0.002)
                assert jobs.said(lambda: (signal.alarm(60), hash(str(QUESTIONS[name]())))[1]) == expected
        finally:
            is_over.set()
            for thread in asking:
                thread.join()


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.slow)])
def test_started_processes(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"there is no {method} here")
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.map_async(packed_sum, [1, 2, 3]).get(timeout=120) == [packed_sum(1)] * 3


@has_signals
@pytest.mark.usefixtures("interrupts_are_heard")
class TestCtrlC:
    @pytest.fixture(autouse=True)
    def no_garbage_is_collected(self):
        """An interrupt that arrives while Python runs a callback of its collector is lost there."""
        gc.disable()
        yield
        gc.enable()

    @pytest.mark.parametrize("number", [1, 2, 4])
    def test_it_ends_a_long_call_after_the_stint_in_hand(self, number, monkeypatch):
        cut, done = threads.stints, []

        def stints(*asked):
            for stint in cut(*asked):
                if len(done) == 3:
                    os.kill(os.getpid(), signal.SIGINT)
                done.append(stint)
                yield stint

        monkeypatch.setattr(threads, "LARGEST_STINT", 1 << 16)
        monkeypatch.setattr(threads, "stints", stints)
        layout = tl.layout("{1,0:T(8,128)}", LARGE.shape)
        out = np.full(layout.slots, -1, LARGE.dtype)
        with pytest.raises(KeyboardInterrupt):
            tl.pack(LARGE, layout, out=out, threads=number)
        assert len(done) == 3
        rows = done[-1].end * 8
        assert (out[: rows * 1152] >= 0).all()
        time.sleep(0.01)
        assert (out[rows * 1152 :] == -1).all(), "somebody still writes"

    @has_fork
    @pytest.mark.parametrize("number", [1, 2])
    def test_a_pack_and_the_next(self, number):
        out = np.empty(tl.layout("{1,0:T(8,128)}", LARGE.shape).slots, LARGE.dtype)
        expected = tl.pack(LARGE, "{1,0:T(8,128)}")

        def pack():
            tl.pack(LARGE, "{1,0:T(8,128)}", out=out, threads=number)

        def work():
            interrupted(0.05, pack)
            pack()
            return (out == expected).all()

        assert jobs.said(work) == "True"

    @has_fork
    @pytest.mark.parametrize("moment", range(0, 40, 8))
    def test_between_files(self, moment, tmp_path):
        """At any moment of a call that goes through a file piece by piece."""
        target = tmp_path / "out.npy"
        target.write_bytes(jobs.OLD)

        def work():
            interrupted(moment / 1000, lambda: files.pack(LARGE, "{1,0:T(8,128)}", target, memory=1 << 20))
            return "interrupted"

        assert jobs.said(work) == "interrupted"
        found = target.read_bytes()
        assert jobs.strays(tmp_path) == []
        files.save(target, tl.pack(LARGE, "{1,0:T(8,128)}"))
        assert found in (jobs.OLD, target.read_bytes())


def interrupted(seconds, work):
    """Do it again and again until Ctrl-C comes, after so many seconds."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    with contextlib.suppress(KeyboardInterrupt):
        timer.start()
        while True:
            work()
    timer.join()


ENDING = """
import atexit, pathlib, sys, tempfile, threading, numpy as np, tilelayout as tl
from tilelayout import files
array = np.arange(1500 * 1500, dtype="f4").reshape(1500, 1500)
expected = tl.pack(array, "{1,0:T(8,128)}", threads=1)
def late():
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder, "packed.npy")
        files.pack(array, "{1,0:T(8,128)}", target, memory=1 << 20)
        print((np.load(target) == expected).all(), (tl.pack(array, "{1,0:T(8,128)}", threads=3) == expected).all())
def for_ever():
    while True:
        tl.pack(array, "{1,0:T(8,128)}", threads=2)
"""


class TestTheEnd:
    def test_what_is_done_at_exit(self):
        done = jobs.script(ENDING + "atexit.register(late); tl.pack(array, '{1,0:T(8,128)}', threads=3)")
        assert (done.returncode, done.stdout, done.stderr) == (0, "True True\n", "")

    def test_a_thread_that_still_packs(self):
        done = jobs.script(ENDING + "import time; threading.Thread(target=for_ever, daemon=True).start(); time.sleep(0.1); sys.exit(3)")
        assert (done.returncode, done.stderr) == (3, "")

    @pytest.mark.slow
    def test_many_times(self):
        for seconds in np.linspace(0, 0.1, 10):
            done = jobs.script(ENDING + f"import time; threading.Thread(target=for_ever, daemon=True).start(); time.sleep({seconds})")
            assert (done.returncode, done.stderr) == (0, "")


class TestNoThreadsLeft:
    @pytest.mark.parametrize("allowed", [0, 1, 2])
    def test_each_piece_of_a_file_is_written_once(self, allowed, monkeypatch):
        """A pool that cannot start a thread refuses the work, and keeps it for a thread that it has."""
        started, start, seen = [], threading.Thread.start, []

        def limited(self):
            if len(started) == allowed:
                raise RuntimeError("can't start new thread")
            started.append(self)
            start(self)

        monkeypatch.setattr(threading.Thread, "start", limited)
        with ThreadPoolExecutor(3) as pool:
            done = [behind.hand_over(pool, lambda k: (time.sleep(0.001), seen.append(k), k)[-1], k) for k in range(100)]
            assert [each.result() for each in done] == list(range(100))
        assert sorted(seen) == list(range(100))

    def test_files(self, tmp_path, monkeypatch):
        def refuse(self):
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr(threading.Thread, "start", refuse)
        files.pack(LARGE, "{1,0:T(8,128)}", tmp_path / "x.npy", memory=1 << 20, threads=2)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), tl.pack(LARGE, "{1,0:T(8,128)}", threads=1))


INTERPRETERS = """
import sys
import tilelayout as tl
before = tl.layout("{1,0:T(2,2)}", (3, 5)).offsets().tolist()
try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters as _interpreters
text = '''
try:
    import tilelayout
    tilelayout.layout("{0}", (3,)).index([[0]])
except ImportError as error:
    import sys
    sys.stderr.write(f"refused: {error}")
'''
run = getattr(_interpreters, "run_string", None) or _interpreters.exec
run(_interpreters.create(), text)
assert tl.layout("{1,0:T(2,2)}", (3, 5)).offsets().tolist() == before
print("still here")
"""


def test_another_interpreter_is_refused():
    done = jobs.script(INTERPRETERS)
    assert (done.returncode, done.stdout) == (0, "still here\n"), done.stderr
    assert "refused: " in done.stderr  # by numpy, or by Cython's modules
