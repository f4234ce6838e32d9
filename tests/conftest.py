"""Settings of the whole suite, and what several files of it are given."""

import signal
from pathlib import Path

import pytest
from hypothesis import settings

from engines import LEVELS, share_little
from tilelayout import cli, parts, threads, twosteps
from tilelayout._kernels import copy
from tilelayout._kernels.calls import forget
from tilelayout._kernels.nests import set_machine
from tilelayout.notations import read

# A slow machine is no failure. ``pytest --hypothesis-profile=thorough`` looks longer, and ``brief`` is for slow builds.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("brief", deadline=None, max_examples=15)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("default")


#: Levels, bytes from which on copies are streamed, the kind of machine, and whether threads share the work, by turns. Only vectors of 512
#: bits ask whether rows are fetched, and only those of 256 whether they are pairs.
ENGINES = [
    (level, large, machine, (n + k) % 2 == 1)
    for n, level in enumerate(LEVELS)
    for k, (large, machine) in enumerate(
        (
            (0, "paired" if level == "256" else "fetching"),
            (1 << 60, "sweeping" if level == "512 bytes" else "fetching"),
            *([(0, "sweeping")] if level.startswith("512") else []),
        )
    )
]


@pytest.fixture(params=ENGINES, ids=str)
def engine(request, monkeypatch):
    """Plans are made for one of ``ENGINES``; layouts that keep others are forgotten."""
    level, large, machine, is_shared = request.param
    forget()
    read.cache_clear()
    monkeypatch.setattr(parts, "LARGE", large)
    monkeypatch.setattr(twosteps, "READ_OVER", 64)
    if is_shared:
        share_little(monkeypatch)
        monkeypatch.setenv(threads.VARIABLE, "3")
    before, made_for = copy.level(), set_machine(machine)
    copy.set_level(level)
    yield
    copy.set_level(before)
    set_machine(made_for)
    forget()
    read.cache_clear()


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
