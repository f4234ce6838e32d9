"""Disks that are full or read-only, input that vanishes, is cut short or comes in drops: an error, the old file, and nothing else."""

import io
import os
import resource
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl
from faults import jobs
from faults.jobs import JOBS, OLD, TILED, strays
from tilelayout import cli, files
from tilelayout.files import FileError
from tilelayout.files.stores import FileStore

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]
NOBODY = 65534
SMALL = ("draw", "explore", "pack, scattered")
STREAMED = [name for name in JOBS if name not in SMALL]


@pytest.fixture
def here(job_inputs, monkeypatch):
    monkeypatch.chdir(job_inputs)


@pytest.fixture
def disk(tmp_path):
    """A file system of 1 MiB with nothing in it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a file system")
    yield folder
    subprocess.run(["umount", folder], check=True)


def refusal(job, target):
    """What a command that fails says."""

    def work():
        words = io.StringIO()
        cli.output.sys.stderr = words
        assert cli.main(job.arguments(target)) == 2
        return words.getvalue()

    return jobs.said(work)


class TestFullDisk:
    @pytest.mark.parametrize("name", JOBS)
    def test_every_command(self, name, disk, here):
        job, target = JOBS[name], disk / JOBS[name].target
        target.write_bytes(OLD)
        room = 4096 if name in SMALL else 400_000
        (disk / "other").write_bytes(bytes((1 << 20) - 4096 - room))
        assert refusal(job, target) == (
            f"tilelayout: error: cannot write '{target}': No space left on device; free some space, or choose another place\n"
        )
        assert target.read_bytes() == OLD
        assert strays(disk) == []

    def test_a_disk_that_lacks_the_last_byte(self, disk):
        array = np.arange(50_000, dtype="u1")
        pages = -(-array.size // 4096)
        for left in range(pages + 2):
            (disk / "other").write_bytes(bytes((1 << 20) - 4096 * (left + 1)))
            (disk / "x").write_bytes(OLD)
            if left < pages:
                with pytest.raises(FileError, match="No space left on device"):
                    files.save(disk / "x", array)
                assert (disk / "x").read_bytes() == OLD
            else:
                files.save(disk / "x", array)
                assert (disk / "x").read_bytes() == array.tobytes()
            assert strays(disk) == []
            (disk / "other").unlink()
            (disk / "x").unlink()

    @pytest.mark.parametrize("name", STREAMED)
    def test_files_that_may_not_be_so_large(self, name, tmp_path, here):
        job, target = JOBS[name], tmp_path / JOBS[name].target
        target.write_bytes(OLD)

        def limited():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
            return refusal(job, target)

        assert jobs.said(limited).endswith("File too large; choose a place that takes files of that size\n")
        assert target.read_bytes() == OLD
        assert strays(tmp_path) == []


class TestPermissions:
    @pytest.mark.parametrize("name", ["pack", "pack-checkpoint", "draw", "explore"])
    def test_a_read_only_file_system(self, name, disk, here):
        job, target = JOBS[name], disk / JOBS[name].target
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        assert refusal(job, target) == f"tilelayout: error: cannot write '{target}': Read-only file system; choose another place\n"

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user")
    @pytest.mark.parametrize(
        ("what", "message"),
        [
            ("read secret.npy", "cannot read '{}': Permission denied; choose another place, or ask for permission"),
            ("write held.npy", "cannot write '{}': it is write-protected; allow writing, or choose another name"),
            ("write new.npy", "cannot write '{}': Permission denied; choose another place, or ask for permission"),
        ],
    )
    def test_another_users_files(self, what, message):
        how, name = what.split()
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            folder.chmod(0o755)
            np.save(folder / "secret.npy", np.zeros(3))
            (folder / "secret.npy").chmod(0o600)
            np.save(folder / "held.npy", np.ones(3))
            before = {path.name: path.read_bytes() for path in folder.iterdir()}

            def work():
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                return files.load(folder / name) if how == "read" else files.save(folder / name, np.zeros(3))

            assert jobs.said(work) == f"FileError: {message.format(folder / name)}"
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


class TestInput:
    def test_it_vanishes_while_it_is_read(self, job_inputs, tmp_path):
        source, target = tmp_path / "x.npy", tmp_path / "packed.npy"
        source.write_bytes((job_inputs / "x.npy").read_bytes())
        files.pack(source, TILED, target, memory=1 << 20, progress=lambda *_: source.unlink(missing_ok=True))
        assert target.read_bytes() == (job_inputs / "packed.npy").read_bytes()
        assert not source.exists()

    def test_another_takes_its_place_while_it_is_read(self, job_inputs, tmp_path):
        source, target = tmp_path / "x.npy", tmp_path / "packed.npy"
        source.write_bytes((job_inputs / "x.npy").read_bytes())
        files.pack(source, TILED, target, memory=1 << 20, progress=lambda *_: files.save(source, np.zeros(3)))
        assert target.read_bytes() == (job_inputs / "packed.npy").read_bytes()

    def test_it_is_not_there(self, tmp_path):
        for work in (lambda: files.pack(tmp_path / "x.npy", TILED, tmp_path / "p"), lambda: files.load(tmp_path / "x.npy")):
            with pytest.raises(FileError, match="No such file or directory; check its name and directory"):
                work()
        assert [*tmp_path.iterdir()] == []

    @pytest.mark.parametrize("name", ["x.safetensors", "packed.safetensors"])
    def test_a_checkpoint_is_cut_short_while_it_is_read(self, name, job_inputs, tmp_path):
        source, target = tmp_path / name, tmp_path / "out"
        source.write_bytes((job_inputs / name).read_bytes())
        target.write_bytes(OLD)

        def accident(*_):
            os.truncate(source, 1 << 20)

        with pytest.raises(FileError, match="it was changed while it was read, so read it again"):
            if name == "x.safetensors":
                files.pack_checkpoint(source, target, "*={1,0:T(8,128)}", memory=1 << 20, progress=accident)
            else:
                files.unpack_checkpoint(source, target, memory=1 << 20, progress=accident)
        assert target.read_bytes() == OLD
        assert strays(tmp_path) == []

    @pytest.mark.parametrize(("side", "mode"), [("source", "r"), ("source", "r+"), ("source", "c"), ("target", "r+"), ("target", "c")])
    def test_a_mapped_file_is_cut_short_while_it_is_used(self, side, mode, job_inputs, tmp_path):
        """Touching what is gone would end the process with a signal, so a child does it."""
        name = "x.npy" if side == "source" else "packed.npy"
        (tmp_path / name).write_bytes((job_inputs / name).read_bytes())

        def accident(*_):
            time.sleep(0.5)  # what is read ahead and written behind is done by then: a cut in the moment of a copy still kills
            os.truncate(tmp_path / name, 4096)

        def work():
            mapped = np.load(tmp_path / name, mmap_mode=mode)
            ends = (mapped, TILED, tmp_path / "out.npy") if side == "source" else (job_inputs / "x.npy", TILED, mapped)
            files.pack(*ends, memory=1 << 20, progress=accident)

        size = (job_inputs / name).stat().st_size
        assert jobs.said(work) == (
            f"FileError: the {side} is mapped from a file that has 4096 bytes now, where {size} are mapped; map it again"
        )
        assert strays(tmp_path) == []

    def test_a_mapped_file_that_was_cut_before(self, job_inputs, tmp_path):
        (tmp_path / "x.npy").write_bytes((job_inputs / "x.npy").read_bytes())

        def work():
            part = np.load(tmp_path / "x.npy", mmap_mode="r")[:8]
            os.truncate(tmp_path / "x.npy", 4096)
            files.pack(part, "{1,0:T(8,128)}", tmp_path / "out.npy")

        assert "map it again" in jobs.said(work)

    def test_the_directory_of_the_target_vanishes(self, job_inputs, tmp_path):
        folder = tmp_path / "folder"
        folder.mkdir()

        def accident(*_):
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()

        with pytest.raises(FileError, match=r"cannot write .*out\.npy': No such file or directory; check its name and directory"):
            files.pack(job_inputs / "small.npy", "{1,0:T(8,128)}", folder / "out.npy", progress=accident)
        assert [*tmp_path.iterdir()] == []

    def test_a_pipe_that_drips(self, job_inputs, tmp_path):
        pipe, content = tmp_path / "pipe", (job_inputs / "small.npy").read_bytes()
        os.mkfifo(pipe)

        def drip():
            with pipe.open("wb", buffering=0) as out:
                for begin in range(0, len(content), 777):
                    out.write(content[begin : begin + 777])

        writer = threading.Thread(target=drip)
        writer.start()
        files.pack(pipe, "{1,0:T(8,128)}", tmp_path / "out.npy")
        writer.join()
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), tl.pack(np.load(job_inputs / "small.npy"), "{1,0:T(8,128)}"))

    def test_a_pipe_that_breaks_off(self, job_inputs, tmp_path):
        pipe, content = tmp_path / "pipe", (job_inputs / "small.npy").read_bytes()
        os.mkfifo(pipe)
        (tmp_path / "out.npy").write_bytes(OLD)
        writer = threading.Thread(target=lambda: pipe.write_bytes(content[:20_000]))
        writer.start()
        with pytest.raises(FileError, match="is cut short"):
            files.pack(pipe, "{1,0:T(8,128)}", tmp_path / "out.npy")
        writer.join()
        assert (tmp_path / "out.npy").read_bytes() == OLD


class Drops(io.RawIOBase):
    """A file of which a call moves a few bytes at the most, as a system may do."""

    def __init__(self, content):
        self.held, self.at, self.calls = bytearray(content), 0, 0

    def readable(self):
        return True

    writable = seekable = readable

    def seek(self, offset, whence=0):
        self.at = offset + (0, self.at, len(self.held))[whence]
        return self.at

    def tell(self):
        return self.at

    def _next(self, size):
        self.calls += 1
        return min(size, 1 + self.calls % 7)

    def readinto(self, room):
        part = self.held[self.at : self.at + self._next(len(room))]
        room[: len(part)] = part
        self.at += len(part)
        return len(part)

    def write(self, data):
        size = self._next(len(data))
        self.held[self.at : self.at + size] = bytes(data[:size])
        self.at += size
        return size


class TestDrops:
    def test_reads_and_writes_are_finished(self):
        content = np.random.default_rng(0).integers(0, 256, 20_000).astype("u1")
        raw = Drops(content.tobytes())
        store = FileStore(io.BufferedRandom(raw), Path("x"), 100, 19_900)
        held = np.zeros(15_000, "u1")
        store.read(33, held)
        np.testing.assert_array_equal(held, content[133:15_133])
        store.write(1000, held)
        np.testing.assert_array_equal(np.frombuffer(raw.held, "u1")[1100:16_100], held)

    def test_a_file_that_ends_early_is_told(self):
        store = FileStore(io.BufferedRandom(Drops(bytes(500))), Path("x"), 0, 1000)
        with pytest.raises(FileError, match="'x' ended after 500 of 1000 bytes; it was changed while it was read"):
            store.read(0, np.zeros(1000, "u1"))

    def test_what_cannot_be_written_is_told_by_the_write(self):
        class Full(Drops):
            def write(self, data):
                raise OSError(28, "No space left on device")

        raw = Full(bytes(500))
        file = io.BufferedRandom(raw)
        with pytest.raises(FileError, match="cannot write 'x': No space left"):
            FileStore(file, Path("x"), 0, 500).write(0, np.zeros(10, "u1"))
        raw.write = len  # or else closing it fails again
