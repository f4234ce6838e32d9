"""A command that is killed leaves the old file or the whole new one, and the next one to write that file leaves nothing else."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from faults import jobs
from faults.jobs import JOBS, OLD, strays
from tilelayout import cli, files
from tilelayout.files import replacing, temporary

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]
FILES = str(Path(files.__file__).parent)


@pytest.fixture
def out(job_inputs, tmp_path, monkeypatch):
    monkeypatch.chdir(job_inputs)
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def at_line(number, act):
    """A tracer that acts on that line of the rooms for files, counted from 0 as they run."""
    left = number

    def trace(frame, event, _):
        nonlocal left
        if not frame.f_code.co_filename.startswith(FILES):
            return None
        if event == "line":
            left -= 1
            if left == -1:
                act()
        return trace

    return trace


def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def write(target, content=b"new" * 10_000):
    with replacing(target) as file:
        file.write(content)


class TestOneWriter:
    def test_killed_at_every_line(self, tmp_path):
        target, seen = tmp_path / "x", set()
        for line in range(1000):
            target.write_bytes(OLD)

            def work(line=line):
                sys.settrace(at_line(line, lambda: os.kill(os.getpid(), signal.SIGKILL)))
                write(target)

            code = ended(jobs.forked(work))
            seen.add((target.read_bytes(), len(strays(tmp_path))))
            write(target)
            assert strays(tmp_path) == []
            if code == 0:
                break
            assert code == -signal.SIGKILL
        new = target.read_bytes()
        assert line > 30
        assert seen == {(OLD, 0), (OLD, 1), (new, 0)}

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file that is open and has no name yet
    def test_interrupted_at_every_line(self, tmp_path):
        def interrupt():
            raise KeyboardInterrupt

        target, seen = tmp_path / "x", set()
        for line in range(1000):
            target.write_bytes(OLD)
            before = sys.gettrace()
            sys.settrace(at_line(line, interrupt))
            try:
                write(target)
            except KeyboardInterrupt:
                sys.settrace(before)
            else:
                sys.settrace(before)
                break
            seen.add(target.read_bytes())
            assert strays(tmp_path) == []
        assert line > 30
        assert seen == {OLD, target.read_bytes()}

    def test_what_is_being_written_is_left_alone(self, tmp_path):
        target = tmp_path / "x"
        with replacing(target) as first:
            first.write(b"first")
            with replacing(target) as second:
                second.write(b"second")
                assert len(strays(tmp_path)) == 2
            assert target.read_bytes() == b"second"
            assert len(strays(tmp_path)) == 1
        assert target.read_bytes() == b"first"
        assert strays(tmp_path) == []

    def test_files_of_other_targets_are_left_alone(self, tmp_path):
        assert ended(jobs.forked(lambda: killed_while_writing(tmp_path / "x"))) == -signal.SIGKILL
        write(tmp_path / "y")
        assert len(strays(tmp_path)) == 1
        write(tmp_path / "x")
        assert strays(tmp_path) == []

    @pytest.mark.parametrize("broken", ["no locks on this system", "no locks on this file system"])
    def test_without_locks_nothing_is_taken_for_left_over(self, broken, tmp_path, monkeypatch):
        assert ended(jobs.forked(lambda: killed_while_writing(tmp_path / "x"))) == -signal.SIGKILL
        if broken == "no locks on this system":
            monkeypatch.setattr(temporary, "HAS_LOCKS", False)
        else:

            def flock(*_):
                raise OSError(95, "Operation not supported")

            monkeypatch.setattr(temporary.fcntl, "flock", flock)
        write(tmp_path / "x")
        assert (tmp_path / "x").stat().st_size == 30_000
        assert len(strays(tmp_path)) == 1

    def test_a_file_that_another_has_made_since_is_left(self, tmp_path, monkeypatch):
        """It was removed where its writer was done, and another had made its own, between the opening of one and its lock."""
        path, locked = tmp_path / "x", temporary._locked
        path.write_bytes(b"old")

        def late(descriptor, **how):
            path.replace(tmp_path / "target")
            path.write_bytes(b"new")
            return locked(descriptor, **how)

        monkeypatch.setattr(temporary, "_locked", late)
        temporary._remove_left_over(path)
        assert path.read_bytes() == b"new"

    def test_a_file_that_another_has_locked_is_left_to_it(self, tmp_path, monkeypatch):
        created, held = temporary._created, []

        def locked_by_another(path, mode):
            descriptor = created(path, mode)
            if not held:
                held.append(os.open(path, os.O_RDWR))
                temporary.fcntl.flock(held[0], temporary.fcntl.LOCK_EX)
            return descriptor

        monkeypatch.setattr(temporary, "_created", locked_by_another)
        with temporary.beside(tmp_path / "x") as (path, descriptor):
            os.close(descriptor)
            assert len(strays(tmp_path)) == 2
        assert not path.exists()
        assert len(strays(tmp_path)) == 1
        os.close(held[0])
        write(tmp_path / "x")
        assert strays(tmp_path) == []

    def test_many_writers_of_one_target(self, tmp_path):
        target, contents = tmp_path / "x", [bytes([k]) * 5000 for k in range(4)]
        failures = []

        def work(k):
            try:
                for _ in range(50):
                    write(target, contents[k])
                    assert target.read_bytes() in contents
            except BaseException as error:
                failures.append(error)

        def others():
            for k in (2, 3):
                work(k)
            return len(failures)

        child = jobs.forked(others)
        writers = [threading.Thread(target=work, args=(k,)) for k in range(2)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert (failures, ended(child)) == ([], 0)
        assert strays(tmp_path) == []


def killed_while_writing(target):
    with replacing(target) as file:
        file.write(b"half")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


class TestCommands:
    def test_killed_while_it_writes(self, out):
        job = JOBS["pack-checkpoint"]
        target = out / job.target
        target.write_bytes(OLD)
        words = [sys.executable, "-m", "tilelayout", *job.arguments(target)]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        while not strays(out) and process.poll() is None:
            time.sleep(0.0005)
        process.kill()
        process.wait()
        found = target.read_bytes()
        assert cli.main(job.arguments(target)) == 0
        assert found in (OLD, target.read_bytes())
        assert strays(out) == []

    def test_killed_at_random_moments(self, out):
        kill(out, JOBS, times=8)

    @pytest.mark.slow
    def test_killed_two_hundred_times(self, out):
        kill(out, JOBS, times=208)


def kill(out, chosen, times):
    """Kill each job so many times in all, every other time only once it has begun to write; look at what is there each time."""
    chance, halves = random.Random(1), 0
    for job in chosen.values():
        target = out / job.target
        began = time.perf_counter()
        assert jobs.run(job.arguments(target)) == 0
        seconds, new = time.perf_counter() - began, target.read_bytes()
        target.write_bytes(OLD)
        for turn in range(times // len(chosen)):
            before = strays(out)
            child = jobs.forked(lambda job=job, target=target: cli.main(job.arguments(target)))
            if turn % 2:
                while (
                    strays(out) in ([], before)
                    and target.stat().st_size == len(OLD)
                    and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                ):
                    time.sleep(0)
            time.sleep(chance.uniform(0, seconds))
            os.kill(child, signal.SIGKILL)
            assert ended(child) in (0, -signal.SIGKILL)
            found = target.read_bytes()
            assert found in (OLD, new), f"{job.words}: {len(found)} bytes"
            halves += bool(strays(out))
            assert len(strays(out)) <= 1
            if found == new:
                target.write_bytes(OLD)
        assert jobs.run(job.arguments(target)) == 0
        assert target.read_bytes() == new
        assert strays(out) == []
        target.unlink()
    assert halves, "no kill came while a file was being written"
