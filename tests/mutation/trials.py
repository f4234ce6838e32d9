"""Tests of something wrong, each time in a process that is forked and thrown away."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from bisect import bisect
from collections.abc import Callable, Iterable
from itertools import accumulate
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, Protocol

# Loaded once, here: every process is forked from this one.
import hypothesis
import ml_dtypes  # noqa: F401
import numpy  # noqa: F401
import pytest
from swapping import Imported, SwapError
from watchers import ROOT, WATCHERS

FEW = 10  # examples of each law at first
QUICK = 10  # seconds of tests at first
MOST = 120  # seconds of a test
FORK = multiprocessing.get_context("fork")


def forked(function: Callable[..., object], *args: object, seconds: float = 10 * MOST) -> object:
    """What a function returns in a process of its own, or how that ended instead."""
    here, there = FORK.Pipe(duplex=False)

    def answer() -> None:
        _prepare()
        there.send(function(*args))

    process = FORK.Process(target=answer)
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(seconds) else "timed out"
    except EOFError:
        process.join()
        return "timed out" if process.exitcode == -signal.SIGPROF else "crashed"
    finally:
        process.kill()
        process.join()


def _prepare() -> None:
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    if str(ROOT / "src") not in sys.path:
        sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)


def _hasten(examples: int | None) -> None:
    """Leave out what hypothesis does after it has found a failure, and, if so told, most of what it does before."""
    phases, checks = (hypothesis.Phase.explicit, hypothesis.Phase.generate), tuple(hypothesis.HealthCheck)
    changed = {
        "phases": property(lambda _: phases),
        "suppress_health_check": property(lambda _: checks),
        "database": property(lambda _: None),
    }
    if examples:
        changed["max_examples"] = property(lambda self: min(examples, self._max_examples))
    for name, value in changed.items():
        type.__setattr__(hypothesis.settings, name, value)  # hypothesis guards its class against plain assignment


def _pytest(modules: Iterable[str], *plugins: object) -> int:
    files = dict.fromkeys(f"tests/test_{name}" for module in modules for name in WATCHERS[module])
    options = ["-x", "-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return pytest.main([*options, *files], list(plugins))


class Timed:
    """Seconds of a processor that no test may exceed, or the process ends."""

    def pytest_runtest_logstart(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, MOST)


class Ordered:
    """The tests in the order of their names here, and no others."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = names

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[name] for name in self.names if name in found]


def imported(module: str, source: str, names: Iterable[str], examples: int | None) -> str:
    """What those tests of a module say when it is imported from this source."""
    _hasten(examples)
    sys.meta_path.insert(0, Imported(f"tilelayout.{module}", source))
    return "killed" if _pytest([module], Timed(), Ordered(names)) else "survived"


class Subject(Protocol):
    """Modules that can be made wrong in a process that has imported them, and know which of their places were reached."""

    modules: list[str]

    def mutants(self, module: str) -> list[Any]:
        """All mutants of a module."""

    def prepare(self) -> None:
        """Called before any of the modules is imported."""

    def begin(self) -> None:
        """Called once all tests are collected."""

    def reached(self, test: Callable[[], bool]) -> tuple[bool, dict[str, set[int]]]:
        """What a test returns, and the places of every module that it reaches."""

    def become(self, module: str, mutant: Any) -> None:
        """Let a module be wrong from now on."""


class Seen(NamedTuple):
    """What a test did when nothing was wrong: whether it passed, its seconds, and the places that it reached, by module."""

    passed: bool
    seconds: float
    places: dict[str, set[int]]


class Collected:
    """A process that has collected the tests of some modules and knows which places of these each reaches."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.here, there = FORK.Pipe()
        FORK.Process(target=self._serve, args=(there,), daemon=False).start()
        there.close()
        self.seconds, self.failed = self.here.recv()

    def quickest(self, most: float) -> list[str]:
        """The tests that pass, the quickest first, as many as take so many seconds together."""
        ended = accumulate(self.seconds.values())
        return [name for name, end in zip(self.seconds, ended, strict=True) if end <= most]

    def outcome(self, module: str, mutant: Any, thoroughly: bool) -> str:
        """What the tests say of a mutant of a module; "open" if it cannot take the module's place."""
        self.here.send((module, mutant, thoroughly))
        return self.here.recv()

    def close(self) -> None:
        self.here.send(None)

    def _serve(self, there: Connection) -> None:
        self.here.close()
        _prepare()
        self.there = there
        self.subject.prepare()
        _pytest(self.subject.modules, self)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run no test here, but some in a process of its own for each mutant that is asked about."""
        self.session = session
        self.subject.begin()
        self.seen = dict(zip(session.items, forked(self._look_at_all, seconds=3600), strict=True))
        self.passing = sorted((item for item in self.seen if self.seen[item].passed), key=lambda item: self.seen[item].seconds)
        failed = [item.nodeid for item, seen in self.seen.items() if not seen.passed]
        self.there.send(({item.nodeid: self.seen[item].seconds for item in self.passing}, failed))
        while wanted := self.there.recv():
            self.there.send(self._outcome(*wanted))
        return True

    def _look_at_all(self) -> list[Seen]:
        _hasten(FEW)
        return [self._look_at(item) for item in self.session.items]

    def _look_at(self, item: pytest.Item) -> Seen:
        began = time.process_time()
        passed, places = self.subject.reached(lambda: self._passes(item))
        return Seen(passed, time.process_time() - began, places)

    def _passes(self, item: pytest.Item) -> bool:
        before = self.session.testsfailed
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self.session.testsfailed == before

    def _outcome(self, module: str, mutant: Any, thoroughly: bool) -> str:
        names = tuple(f"tests/test_{name}" for name in WATCHERS[module])
        watching = [item for item in self.passing if item.nodeid.startswith(names) and self.seen[item].places.get(module)]
        reaching = [item for item in watching if not self.seen[item].places[module].isdisjoint(mutant.places)]
        ended = [*accumulate(self.seen[item].seconds for item in reaching)]
        first = bisect(ended, QUICK)
        outcome = forked(self._try, module, mutant, reaching[:first], FEW)
        if outcome == "survived" and thoroughly:
            outcome = forked(self._try, module, mutant, reaching[first:], FEW)
        if outcome == "survived" and thoroughly:
            laws = [item for item in watching if getattr(item.obj, "is_hypothesis_test", False)]
            outcome = forked(self._try, module, mutant, laws, None)
        return outcome

    def _try(self, module: str, mutant: Any, tests: list[pytest.Item], examples: int | None) -> str:
        _hasten(examples)
        try:
            self.subject.become(module, mutant)
        except SwapError:
            return "open"
        for test in tests:
            signal.setitimer(signal.ITIMER_PROF, min(MOST, 5 + 10 * self.seen[test].seconds))  # which ends the process
            if not self._passes(test):
                return "killed"
        return "survived"
