"""Settings of the whole suite, and what several files of it are given."""

import signal
from inspect import signature
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import is_hypothesis_test, settings

from engines import ENGINES, made_for
from tilelayout import cli

# A slow machine is no failure. ``pytest --hypothesis-profile=thorough`` looks longer, and ``brief`` is for slow builds.
settings.register_profile("default", deadline=None, max_examples=30)
settings.register_profile("brief", deadline=None, max_examples=15)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("default")


def pytest_addoption(parser):
    parser.addoption("--every-engine", action="store_true", help="call tests with the mark engines for each of them, not for a third")


def engines_for(item):
    """Those that the mark ``engines`` names, all, or a third that depends on the test's name.

    All are for tests that look for examples, which do so anew for each, and, if so asked, for those that are not slow.
    """
    named = item.get_closest_marker("engines").args
    is_quick = not item.get_closest_marker("slow")
    if named or is_hypothesis_test(item.obj) or (is_quick and item.config.getoption("every_engine")):
        return named or ENGINES
    return ENGINES[crc32(item.nodeid.encode()) % 3 :: 3]


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Tests with the mark ``engines`` are called for several, and are one each: to collect and report as many takes as long as most do."""
    if not pyfuncitem.get_closest_marker("engines"):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in signature(pyfuncitem.obj).parameters}
    for engine in engines_for(pyfuncitem):
        with made_for(engine):
            try:
                pyfuncitem.obj(**given)
            except Exception as failure:
                failure.add_note(f"engine: {engine}")
                raise
            finally:
                if "monkeypatch" in given:  # or the next engine has what this one was patched with
                    given["monkeypatch"].undo()
    return True


@pytest.fixture(scope="session")
def job_inputs(tmp_path_factory):
    """The folder with the files that the jobs of ``faults.jobs`` read."""
    from faults import jobs

    folder = tmp_path_factory.mktemp("jobs")
    jobs.write_inputs(folder)
    return folder


@pytest.fixture
def interrupts_are_heard():
    """What a shell starts in the background ignores Ctrl-C, and so do the children of that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def answers(capsys):
    """Run a command that must end with this code and complain of nothing; what it printed."""

    def run(*words, code=0):
        assert cli.main(words) == code
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return run


@pytest.fixture
def complains(capsys):
    """Run a command that must be refused; what it said, and that it left nothing behind."""

    def run(*words):
        before = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
        assert cli.main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("tilelayout: error: ")
        assert "Traceback" not in err
        assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
        return err

    return run
