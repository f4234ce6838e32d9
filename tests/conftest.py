"""Settings of the whole suite, and what several files of it are given."""

import signal

import pytest
from hypothesis import settings

# A slow machine is no failure. ``pytest --hypothesis-profile=thorough`` looks longer, and ``brief`` is for slow builds.
settings.register_profile("default", deadline=None, max_examples=60)
settings.register_profile("brief", deadline=None, max_examples=15)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("default")


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
