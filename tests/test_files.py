"""Files are read without trust, and written whole or not at all."""

import errno
import io
import os
import pickle
import stat
import struct
import subprocess
import sys
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilelayout import LayoutError, files
from tilelayout.files import FileError, npy, replacing, temporary


def npy_bytes(array, tmp_path):
    np.save(tmp_path / "whole.npy", array)
    return (tmp_path / "whole.npy").read_bytes()


def with_header(header: str, data: bytes = b"", version=(1, 0)) -> bytes:
    """A .npy file with a header of our own."""
    text = header.encode("utf-8")
    return b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version == (1, 0) else "<I", len(text)) + text + data


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


class TestRead:
    @pytest.mark.parametrize(
        "array",
        [
            np.arange(15, dtype="f4").reshape(3, 5),
            np.asfortranarray(np.arange(24, dtype=">i8").reshape(2, 3, 4)),
            np.float64(2.5),
            np.empty((0, 3), "u2"),
            np.array([True, False]),
            np.array([1 + 2j], "c16"),
            np.arange(3).astype("M8[s]"),
        ],
        ids=lambda array: f"{array.dtype.str}-{array.shape}",
    )
    def test_reads_what_numpy_saved(self, array, tmp_path):
        np.save(tmp_path / "x.npy", array)
        got = files.read(tmp_path / "x.npy")
        assert got.dtype == array.dtype
        np.testing.assert_array_equal(got, array)

    def test_narrow_types_come_as_their_bits(self, tmp_path):
        array = np.array([1.5, -2], ml_dtypes.bfloat16)
        np.save(tmp_path / "x.npy", array)
        got = files.read(tmp_path / "x.npy")
        assert got.dtype == np.dtype("V2")
        assert got.tobytes() == array.tobytes()

    @pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
    def test_every_version_of_the_format(self, version, tmp_path):
        with (tmp_path / "x.npy").open("wb") as file:
            np.lib.format.write_array(file, np.arange(3, dtype="i2"), version=version)
        assert files.read(tmp_path / "x.npy").tolist() == [0, 1, 2]

    @pytest.mark.parametrize("version", [(1, 0), (2, 0)])
    def test_sizes_as_python_2_wrote_them(self, version, tmp_path):
        """They were refused as a header that says no shape."""
        header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }"
        (tmp_path / "x.npy").write_bytes(with_header(header, np.arange(6, dtype="<f4").tobytes(), version))
        np.testing.assert_array_equal(files.read(tmp_path / "x.npy"), np.arange(6, dtype="f4").reshape(2, 3))

    def test_reads_from_a_pipe(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.npy")
        content = npy_bytes(np.arange(3, dtype="u1"), tmp_path)
        writer = threading.Thread(target=(tmp_path / "pipe.npy").write_bytes, args=(content,))
        writer.start()
        assert files.read(tmp_path / "pipe.npy").tolist() == [0, 1, 2]
        writer.join()

    def test_a_file_cut_at_any_length_is_refused(self, tmp_path):
        content = npy_bytes(np.arange(3, dtype="f4"), tmp_path)
        cut = tmp_path / "cut.npy"
        for length in range(len(content)):
            cut.write_bytes(content[:length])
            with pytest.raises(FileError, match=r"cut\.npy"):
                files.read(cut)

    def test_a_file_that_goes_on_is_refused(self, tmp_path):
        (tmp_path / "x.npy").write_bytes(npy_bytes(np.arange(3, dtype="f4"), tmp_path) + b"more")
        with pytest.raises(FileError, match=r"goes on after its array: .* takes 12 bytes after the header, and 16 are there"):
            files.read(tmp_path / "x.npy")

    def test_objects_are_never_unpickled(self, tmp_path):
        class Bomb:
            def __reduce__(self):
                return Path.touch, (tmp_path / "exploded",)

        np.save(tmp_path / "x.npy", np.array([Bomb()]), allow_pickle=True)
        with pytest.raises(FileError, match="Python objects"):
            files.read(tmp_path / "x.npy")
        assert not (tmp_path / "exploded").exists()

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is empty"),
            (b"PK\x03\x04 and so on", "zip archive"),
            (pickle.dumps([1, 2]), "a pickle"),
            (b"\x93NUMPX\x01\x00", "must be"),
            (b"\x93NUMPY\x09\x00", r"version 9\.0"),
            (b"\x93NUMPY\x01\x00\xff\xff", "cut short or damaged"),
            (b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + bytes(100), "cut short or damaged"),
        ],
    )
    def test_what_is_no_npy_file(self, content, message, tmp_path):
        (tmp_path / "x.npy").write_bytes(content)
        with pytest.raises(FileError, match=message):
            files.read(tmp_path / "x.npy")

    @pytest.mark.parametrize(
        ("header", "message"),
        [
            ("", "damaged header"),
            ("{}", "damaged header"),
            ("[1, 2]", "damaged header"),
            ("(" * 5000, "damaged header"),
            ("__import__('os').getcwd()", "damaged header"),
            ("{'descr': '<f4', 'fortran_order': False}", "damaged header"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "no tuple of sizes"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "no tuple of sizes"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (True,)}", "no tuple of sizes"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", "no tuple of sizes"),
            ("{'descr': '<f3', 'fortran_order': False, 'shape': (1,)}", "no dtype '<f3'"),
            ("{'descr': '|V0', 'fortran_order': False, 'shape': (1,)}", "no plain type"),
            ("{'descr': '3f4', 'fortran_order': False, 'shape': (1,)}", "no plain type"),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "no plain type"),
            ("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "Python objects"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1LL,)}", "damaged header"),
        ],
    )
    def test_headers_that_lie(self, header, message, tmp_path):
        (tmp_path / "x.npy").write_bytes(with_header(header, bytes(4)))
        with pytest.raises(FileError, match=message):
            files.read(tmp_path / "x.npy")

    @pytest.mark.parametrize("shape", [(2**62,), (2**64,), (2**40, 2**40), (2**32, 2**32, 2**32), (10**30, 0), (0, 2**70), (1,) * 100])
    def test_shapes_that_overflow_are_refused_before_anything_is_allocated(self, shape, tmp_path):
        (tmp_path / "x.npy").write_bytes(with_header(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}", bytes(4)))
        with pytest.raises(FileError):
            files.read(tmp_path / "x.npy")

    @pytest.mark.parametrize("shape", [(2**40,), (2**45, 3)])
    def test_the_length_of_the_file_is_held_against_the_header(self, shape, tmp_path, monkeypatch):
        monkeypatch.setattr(npy, "take", lambda *_: pytest.fail("it was read"))
        (tmp_path / "x.npy").write_bytes(with_header(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}", bytes(4)))
        with pytest.raises(FileError, match=r"is cut short: .* and 4 are there"):
            files.read(tmp_path / "x.npy")

    def test_files_that_cannot_be_read(self, tmp_path):
        with pytest.raises(FileError, match="No such file"):
            files.read(tmp_path / "missing.npy")
        with pytest.raises(FileError, match="directory"):
            files.read(tmp_path)
        with pytest.raises(FileError, match="NUL"):
            files.read("a\0b.npy")
        with pytest.raises(FileError, match="device"):
            files.read("/dev/zero")

    def test_errors_are_both_of_the_library_and_of_the_system(self, tmp_path):
        with pytest.raises(LayoutError, match="cannot read"):
            files.read(tmp_path / "missing.npy")
        with pytest.raises(OSError, match="missing"):
            files.read(tmp_path / "missing.npy")


class TestLoadAndSave:
    @pytest.mark.parametrize("array", [np.arange(6, dtype=">u2").reshape(2, 3).T, np.float32(1), np.empty((2, 0), "i4")])
    def test_npy(self, array, tmp_path):
        files.save(tmp_path / "x.npy", array)
        got = np.load(tmp_path / "x.npy")
        assert got.dtype == array.dtype
        np.testing.assert_array_equal(got, array)

    def test_bytes(self, tmp_path):
        files.save(tmp_path / "x.bin", np.arange(4, dtype="<u2").reshape(2, 2).T)
        assert (tmp_path / "x.bin").read_bytes() == bytes([0, 0, 2, 0, 1, 0, 3, 0])
        assert files.load(tmp_path / "x.bin").tolist() == [0, 0, 2, 0, 1, 0, 3, 0]

    @pytest.mark.parametrize(
        ("dtype", "stored"),
        [(ml_dtypes.bfloat16, "u2"), (ml_dtypes.float8_e4m3fn, "u1"), (ml_dtypes.float8_e5m2, "u1"), (ml_dtypes.int4, "u1")],
    )
    def test_types_that_npy_cannot_say_are_saved_as_their_bits(self, dtype, stored, tmp_path):
        array = np.array([[1, -2]]).astype(dtype)
        files.save(tmp_path / "x.npy", array)
        got = np.load(tmp_path / "x.npy")
        assert got.dtype == np.dtype(stored)
        assert (got == array.view(stored)).all()

    @pytest.mark.parametrize("name", ["x.npy", "x.bin"])
    @pytest.mark.parametrize(
        "array",
        [
            None,
            {1},
            [[1], [1, 2]],
            np.array([None]),
            np.zeros(2, "O,i4"),
            np.array(["a"], np.dtypes.StringDType()),
            np.ma.masked_equal([1, 2], 1),
        ],
        ids=str,
    )
    def test_what_no_bytes_say_is_refused(self, name, array, tmp_path):
        """These left as numpy's errors, and masked elements as if they had values."""
        with pytest.raises(LayoutError, match=r"convert it to numbers|masked array|no array"):
            files.save(tmp_path / name, array)
        assert [*tmp_path.iterdir()] == []

    def test_elements_without_bytes_are_not_saved(self, tmp_path):
        """They were, and could not be read."""
        with pytest.raises(LayoutError, match="its elements have no bytes"):
            files.write(tmp_path / "x.npy", np.zeros(2, "V0"))
        assert [*tmp_path.iterdir()] == []


class TestReplacing:
    def test_the_target_is_whole_or_as_it_was(self, tmp_path):
        target = tmp_path / "x"
        target.write_bytes(b"old")
        with replacing(target) as file:
            file.write(b"new")
            file.flush()
            assert target.read_bytes() == b"old"
        assert target.read_bytes() == b"new"
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, MemoryError, RuntimeError])
    def test_whatever_happens_while_writing(self, failure, tmp_path):
        target = tmp_path / "x"
        target.write_bytes(b"old")
        with pytest.raises(failure), replacing(target) as file:
            file.write(b"half")
            raise failure
        assert target.read_bytes() == b"old"
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("step", ["fsync", "chmod", "replace", "open"])
    @pytest.mark.parametrize("failure", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
    def test_whatever_happens_at_any_step(self, step, failure, tmp_path, monkeypatch):
        target = tmp_path / "x"
        target.write_bytes(b"old")

        def fail(*_, **__):
            raise failure

        monkeypatch.setattr(os, "fsync" if step == "fsync" else step, fail) if step in ("fsync", "open") else monkeypatch.setattr(
            Path, step, fail
        )
        with pytest.raises((KeyboardInterrupt, FileError)) as caught, replacing(target) as file:
            file.write(b"new")
        monkeypatch.undo()
        if isinstance(failure, OSError):
            assert str(caught.value) == f"cannot write {str(target)!r}: No space left on device; free some space, or choose another place"
        assert target.read_bytes() == b"old"
        assert left_over(tmp_path) == []

    def test_what_is_written_is_on_disk_before_it_takes_the_place(self, tmp_path, monkeypatch):
        steps = []
        fsync, replace = os.fsync, Path.replace
        monkeypatch.setattr(os, "fsync", lambda fd: (steps.append(("fsync", os.fstat(fd).st_size)), fsync(fd)))
        monkeypatch.setattr(Path, "replace", lambda self, to: (steps.append(("replace", to.name)), replace(self, to)))
        with replacing(tmp_path / "x") as file:
            file.write(b"new")
        assert steps[:2] == [("fsync", 3), ("replace", "x")]
        assert [step for step, _ in steps[2:]] == ["fsync"]  # of the directory

    @pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
    def test_a_new_file_has_the_permissions_of_any_new_file(self, umask, tmp_path):
        before = os.umask(umask)
        try:
            with replacing(tmp_path / "x"):
                pass
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o666 & ~umask

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
    def test_a_replaced_file_keeps_its_permissions(self, mode, tmp_path):
        target = tmp_path / "x"
        target.write_bytes(b"old")
        target.chmod(mode)
        with replacing(target) as file:
            assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in left_over(tmp_path)] == [mode]
            file.write(b"new")
        assert stat.S_IMODE(target.stat().st_mode) == mode

    @pytest.mark.parametrize(("mode", "begun"), [(0o600, 0o600), (0o644, 0o600), (None, 0o644)])
    def test_nobody_else_may_read_it_before_it_has_its_permissions(self, mode, begun, tmp_path, monkeypatch):
        """Who opened it in between could read all that was written later."""
        target, created, seen = tmp_path / "x", temporary._created, []

        def watched(path, *how):
            held = created(path, *how)
            seen.append(stat.S_IMODE(os.fstat(held).st_mode))
            return held

        if mode is not None:
            target.write_bytes(b"old")
            target.chmod(mode)
        monkeypatch.setattr(temporary, "_created", watched)
        before = os.umask(0o022)
        try:
            with replacing(target) as file:
                file.write(b"new")
        finally:
            os.umask(before)
        assert seen == [begun]
        assert stat.S_IMODE(target.stat().st_mode) == (mode or 0o644)

    @pytest.mark.skipif(not hasattr(os, "chown"), reason="files have no owners here")
    @pytest.mark.parametrize(
        ("ours", "mode", "kept"),
        [
            ("all", 0o4775, 0o4775),
            ("its group", 0o664, 0o664),
            ("its group", 0o6755, 0o755),
            ("none", 0o664, 0o644),
            ("none", 0o660, 0o600),
            ("none", 0o2771, 0o711),
        ],
    )
    def test_a_group_that_is_not_kept_may_do_no_more_than_others(self, ours, mode, kept, tmp_path, monkeypatch):
        """The group of who wrote it was given what the group that it had may do."""
        target, asked = tmp_path / "x", []

        def chown(path, owner, group):
            asked.append((owner, group))
            if ours == "none" or (owner != -1 and ours != "all"):
                raise PermissionError(errno.EPERM, "Operation not permitted")

        target.write_bytes(b"old")
        target.chmod(mode)
        old = target.stat()
        monkeypatch.setattr(os, "chown", chown)
        with replacing(target) as file:
            file.write(b"new")
        assert asked == [(old.st_uid, old.st_gid), (-1, old.st_gid)][: 1 if ours == "all" else 2]
        assert stat.S_IMODE(target.stat().st_mode) == kept

    @pytest.mark.parametrize("failure", [ConnectionResetError("a worker"), TimeoutError(), FileNotFoundError(2, "gone", "missing.cfg")])
    @pytest.mark.parametrize("target", ["x", "/dev/null"])
    def test_what_the_block_raises_comes_out_as_it_is(self, failure, target, tmp_path):
        """It was told as the target's: that it could not be written."""
        with pytest.raises(type(failure)) as caught, replacing(tmp_path / target) as file:
            file.write(b"half")
            raise failure
        assert caught.value is failure
        assert [*tmp_path.iterdir()] == []

    @pytest.mark.parametrize("end", ["close", "detach", "wrapper", "wrapper detached"])
    def test_a_block_that_closes_its_file(self, end, tmp_path):
        """It got a ValueError, and the old file."""
        with replacing(tmp_path / "x") as file:
            if end.startswith("wrapper"):
                text = io.TextIOWrapper(file, "utf-8")
                text.write("new")
                text.detach() if end.endswith("detached") else text.close()
            else:
                file.write(b"new")
                getattr(file, end)()
        assert (tmp_path / "x").read_bytes() == b"new"
        assert left_over(tmp_path) == []

    def test_a_link_stays_and_what_it_points_to_is_replaced(self, tmp_path):
        (tmp_path / "real").mkdir()
        (tmp_path / "real" / "x").write_bytes(b"old")
        (tmp_path / "link").symlink_to(Path("real") / "x")
        with replacing(tmp_path / "link") as file:
            file.write(b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real" / "x").read_bytes() == b"new"
        assert left_over(tmp_path) == left_over(tmp_path / "real") == []

    def test_a_link_to_nothing_makes_the_file_it_points_to(self, tmp_path):
        (tmp_path / "link").symlink_to("x")
        with replacing(tmp_path / "link") as file:
            file.write(b"new")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "x").read_bytes() == b"new"

    def test_a_link_to_itself(self, tmp_path):
        (tmp_path / "link").symlink_to("link")
        with pytest.raises(FileError, match="cannot write"), replacing(tmp_path / "link"):
            pass
        assert (tmp_path / "link").is_symlink()

    def test_a_directory_is_never_replaced(self, tmp_path):
        with pytest.raises(FileError, match="directory"), replacing(tmp_path):
            pass
        assert tmp_path.is_dir()

    @pytest.mark.parametrize("ending", ["/", "//", "/."])
    def test_the_name_of_a_directory_is_no_name_of_a_file(self, ending, tmp_path):
        """A file of that name came about where there was no such directory."""
        with pytest.raises(FileError, match="is the name of a directory; name a file in it"):
            files.save(f"{tmp_path}/new{ending}", np.zeros(3))
        assert [*tmp_path.iterdir()] == []

    def test_a_parent_that_is_missing_or_a_file(self, tmp_path):
        (tmp_path / "file").write_bytes(b"old")
        with pytest.raises(FileError, match="No such file"), replacing(tmp_path / "missing" / "x"):
            pass
        with pytest.raises(FileError, match="Not a directory"), replacing(tmp_path / "file" / "x"):
            pass
        assert (tmp_path / "file").read_bytes() == b"old"

    def test_a_name_that_is_too_long_is_refused_before_anything_is_written(self, tmp_path):
        with pytest.raises(FileError, match="choose a shorter name"), replacing(tmp_path / ("x" * 300)):
            pytest.fail("it was let in")

    def test_the_longest_name_is_no_trouble(self, tmp_path):
        with replacing(tmp_path / ("x" * 255)) as file:
            file.write(b"new")
        assert (tmp_path / ("x" * 255)).read_bytes() == b"new"

    def test_a_write_protected_file(self, tmp_path):
        target = tmp_path / "x"
        target.write_bytes(b"old")
        target.chmod(0o444)
        if os.access(target, os.W_OK):
            pytest.skip("this user may write everything")
        with pytest.raises(FileError, match="write-protected"), replacing(target):
            pass
        assert target.read_bytes() == b"old"

    def test_a_read_only_directory(self, tmp_path):
        folder = tmp_path / "folder"
        folder.mkdir()
        folder.chmod(0o555)
        if os.access(folder, os.W_OK):
            pytest.skip("this user may write everywhere")
        with pytest.raises(FileError, match="choose another place"), replacing(folder / "x"):
            pass

    def test_a_device_is_written_and_stays_a_device(self):
        with replacing("/dev/null") as file:
            file.write(b"new")
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
    @pytest.mark.parametrize("size", [3, 1 << 20])
    def test_a_full_device(self, size):
        with pytest.raises(FileError, match="cannot write '/dev/full': No space left"), replacing("/dev/full") as file:
            file.write(bytes(size))
        assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_errors_survive_a_pickle():
    """Those of workers come back so."""
    with pytest.raises(FileError) as caught:
        files.read("nowhere.npy")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.errno) == (FileError, str(caught.value), errno.ENOENT)


@pytest.mark.parametrize(
    "dtype",
    [
        [("a", ml_dtypes.bfloat16), ("b", "u1")],
        {"names": ["a", "b"], "formats": ["f4", "f4"], "offsets": [4, 0]},
        "i4,f4",
        [("\N{GREEK SMALL LETTER ALPHA}", "f4")],
        [(f"field {k}", "f4") for k in range(5000)],
    ],
    ids=["narrow", "unordered", "plain", "greek", "many"],
)
def test_records_are_not_saved(dtype, tmp_path):
    """They could not be loaded again; the last two left as UnicodeEncodeError and ValueError."""
    with pytest.raises(LayoutError, match="save its fields one by one"):
        files.save(tmp_path / "x.npy", np.zeros(3, np.dtype(dtype)))
    assert not [*tmp_path.iterdir()]


def test_a_directory_of_very_many_files_is_not_read(tmp_path, monkeypatch):
    """Each file that was written took as long as all that were there: 8,000 of them 37 seconds."""
    for reading in ("listdir", "scandir"):
        monkeypatch.delattr(os, reading)
    files.save(tmp_path / "x.npy", np.zeros(3))
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_an_interpreter_that_keeps_bytes_and_text_apart(tmp_path):
    """``python -bb`` raised ``BytesWarning`` for every path."""
    work = "import sys, numpy; from tilelayout import files; files.save(sys.argv[1], numpy.zeros(3)); print(files.read(sys.argv[1]))"
    words = [sys.executable, "-bb", "-W", "error", "-c", work, str(tmp_path / "x.npy")]
    assert subprocess.run(words, capture_output=True, check=True, text=True).stdout == "[0. 0. 0.]\n"
