"""Everything asked from many threads at once has the answer that it has alone; and nothing waits for ever."""

import random
import sys
import sysconfig
import threading
from inspect import isfunction

import pytest

import tilelayout as tl
from faults import jobs
from faults.questions import QUESTIONS
from tilelayout import cute, hlo, notations


@pytest.fixture
def eager():
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def test_every_public_function_is_asked():
    functions = {name for name in tl.__all__ if isfunction(getattr(tl, name))}
    assert functions == functions & {name.split(" ", 1)[0] for name in QUESTIONS}


def forget():
    """Empty what is remembered from call to call."""
    for remembered in (notations.read, cute.batch._ready, hlo.arrays._measured):
        remembered.cache_clear()


def ask_at_once(askers, rounds):
    """What each thread that asks everything, in an order of its own, is told that it should not be."""
    expected = {name: ask() for name, ask in QUESTIONS.items()}
    start, wrong = threading.Barrier(askers), []

    def work(seed):
        order = list(QUESTIONS)
        random.Random(seed).shuffle(order)
        for turn in range(rounds):
            start.wait()
            if not seed:
                forget()
            for name in order:
                try:
                    told = QUESTIONS[name]()
                except Exception as error:
                    told = error
                if told != expected[name]:
                    wrong.append((turn, name, told))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(askers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return wrong


def test_everything_at_once(eager):
    assert ask_at_once(askers=8, rounds=1) == []


@pytest.mark.slow
def test_everything_at_once_many_times(eager):
    assert ask_at_once(askers=8, rounds=15) == []


def test_one_question_at_once(eager):
    """All threads go through the same lines of the same layout at the same moment."""
    for name in ("pack", "unpack", "layout", "index", "coordinates", "flat"):
        layout, expected = tl.layout("u16[70,300]{1,0:T(8,128)(2,1)}"), QUESTIONS[name]()
        start, wrong = threading.Barrier(6), []

        def work(name=name, layout=layout, expected=expected, start=start, wrong=wrong):
            for _ in range(3):
                start.wait()
                if QUESTIONS[name]() != expected or layout.offsets()[-1, -1] != layout(69, 299):
                    wrong.append(name)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


FIRST_USE = """
import importlib, random, sys, threading
import tilelayout as tl
names, wrong, start = sys.argv[2:], [], threading.Barrier(8)
def work(seed):
    order = names[:]
    random.Random(seed).shuffle(order)
    start.wait()
    for name in order:
        try:
            value = tl
            for part in name.split("."):
                value = getattr(value, part)
        except Exception as error:
            wrong.append((name, repr(error)))
sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=work, args=(f"{sys.argv[1]} {k}",)) for k in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong)
"""
NAMES = [*tl.__all__, "cute.composition", "cute.batch.evaluate", "doctor.diagnose", "files.pack", "hlo.read", "presets.get"]


def first_use(seed):
    done = jobs.script(FIRST_USE, seed, *NAMES)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_many_threads_are_the_first_to_use_it():
    first_use(0)


@pytest.mark.slow
def test_many_threads_are_the_first_to_use_it_many_times():
    for seed in range(1, 8):
        first_use(seed)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has one lock for all threads")
def test_the_kernels_do_without_the_lock():
    """Importing a module that does not say so takes the lock for the whole process."""
    assert jobs.script("import sys, tilelayout as tl; tl.layout('{0}', (3,)); print(sys._is_gil_enabled())").stdout == "False\n"
