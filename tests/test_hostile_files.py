"""Files that lie: headers that promise more than there is, ask for code, or are no headers; nothing is allocated on their word."""

import io
import json
import os
import pathlib
import pickle
import subprocess
import sys
import time
import tracemalloc
import warnings

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import files
from tilelayout.errors import type_of
from tilelayout.files import FileError
from tilelayout.files.npy import read_header

MIB = 1 << 20


def npy(header, data=b"", version=(1, 0), length=None):
    """A ``.npy`` file with any header."""
    text = header if isinstance(header, bytes) else str(header).encode("latin-1")
    size = (len(text) if length is None else length).to_bytes(2 if version == (1, 0) else 4, "little")
    return b"\x93NUMPY" + bytes(version) + size + text + data


def fields(shape, descr="<f4"):
    return {"descr": descr, "fortran_order": False, "shape": shape}


def tensors(entries, data=b"", length=None):
    """A safetensors file with any header."""
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def tensor(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


class Bomb:
    """What a pickle of it does when it is read."""

    def __reduce__(self):
        return os.mkdir, ("exploded",)


def saved_objects():
    file = io.BytesIO()
    np.save(file, np.array([Bomb()], object), allow_pickle=True)
    return file.getvalue()


NPY = {
    "4 GiB of header": npy(b"{}", version=(2, 0), length=2**32 - 1),
    "more header than file": npy(fields((2,)), length=60_000),
    "a header of spaces": npy(b" " * 60_000),
    "a negative extent": npy(fields((-1,)), bytes(4)),
    "a huge extent": npy(fields((2**40,)), bytes(64)),
    "2**63 elements": npy(fields((2**63,)), bytes(64)),
    "a product that is 0 in 64 bits": npy(fields((2**32, 2**32))),
    "a product that is 0 though elements are none": npy(fields((2**62, 4, 0), "<f8"), bytes(8)),
    "no elements of bytes beyond 64 bits": npy(fields((2**59, 6, 0), "<f8")),
    "bytes that are 0 in 64 bits": npy(fields((2**61,), "<f8")),
    "digits without end": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"9" * 5000 + b",)}"),
    "a float": npy(fields((2.0,)), bytes(8)),
    "a bool": npy(fields((True,)), bytes(4)),
    "a list": npy(fields([2]), bytes(8)),
    "brackets without end": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': " + b"(" * 30_000),
    "minus signs without end": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': " + b"-" * 30_000 + b"1}"),
    "a sum without end": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': " + b"1j+" * 10_000 + b"1}"),
    "code": npy(b"{'descr': __import__('os').mkdir('exploded'), 'fortran_order': False, 'shape': (2,)}"),
    "code for a dtype": npy(fields((2,), "__import__('os').mkdir('exploded')")),
    "a comprehension": npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': tuple(9 for _ in range(10**9))}"),
    "an unhashable key": npy(b"{[]: 1}"),
    "a field of its own": npy({**fields((2,)), "code": "import os"}, bytes(8)),
    "an order that is no bool": npy({**fields((2,)), "fortran_order": 1}, bytes(8)),
    "NUL": npy(b"{'descr': '<f4',\0}"),
    "Python objects": npy(fields((1,), "|O"), pickle.dumps([Bomb()])),
    "Python objects as numpy saves them": saved_objects(),
    "records with objects": npy(fields((1,), [("a", "|O")]), bytes(8)),
    "nested dtypes": npy(b"{'descr': " + b"[('a', " * 5000 + b"'<f4'" + b")]" * 5000 + b", 'fortran_order': False, 'shape': (2,)}"),
    "a dtype of 2 GiB": npy(fields((1,), "|V2147483647")),
    "a dtype of no bytes": npy(fields((2**62,), "|V0")),
    "an unknown dtype": npy(fields((2,), "<z9"), bytes(8)),
    "a dtype of digits without end": npy(fields((2,), "<f" + "9" * 5000)),
    "a date": npy(fields((1,), "<M8[" + "9" * 50 + "s]"), bytes(8)),
    "a pickle alone": pickle.dumps(Bomb()),
    "a version of its own": npy(fields((2,)), bytes(8), version=(9, 9)),
    "half a magic": b"\x93NUM",
    "nothing": b"",
    "more axes than numpy has": npy(fields((1,) * 100), bytes(4)),
}  # fmt: skip

SAFETENSORS = {
    "more header than file": tensors({"a": tensor()}, bytes(8), length=2**40),
    "2**64 - 1 bytes of header": tensors({}, length=2**64 - 1),
    "no header": tensors(b"", length=0),
    "overlapping": tensors({"a": tensor(), "b": tensor(offsets=(4, 12))}, bytes(12)),
    "the same place": tensors({"a": tensor(), "b": tensor()}, bytes(8)),
    "past the end": tensors({"a": tensor(offsets=(8, 16))}, bytes(8)),
    "a gap": tensors({"a": tensor(), "b": tensor(offsets=(16, 24))}, bytes(24)),
    "backwards": tensors({"a": tensor(offsets=(8, 0))}, bytes(8)),
    "negative": tensors({"a": tensor(offsets=(-8, 0))}, bytes(8)),
    "beyond 64 bits": tensors({"a": tensor(offsets=(2**64, 2**64 + 8))}, bytes(8)),
    "floats": tensors({"a": tensor(offsets=(0.0, 8.0))}, bytes(8)),
    "bools": tensors({"a": tensor(shape=(True, 2))}, bytes(8)),
    "NaN": tensors(b'{"a":{"dtype":"F32","shape":[NaN],"data_offsets":[0,8]}}', bytes(8)),
    "minus zero": tensors(b'{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,-0]}}', b""),
    "infinity": tensors(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,Infinity]}}', bytes(8)),
    "a product that is 0 in 64 bits": tensors({"a": tensor(shape=(2**32, 2**32), offsets=(0, 0))}),
    "bits that are 0 in 64 bits": tensors({"a": tensor("F64", (2**58,), (0, 0))}),
    "a huge shape of nothing": tensors({"a": tensor(shape=(2**62, 4, 0), offsets=(0, 8))}, bytes(8)),
    "a negative extent": tensors({"a": tensor(shape=(-2,))}, bytes(8)),
    "the same name twice": tensors(b"{" + b",".join([b'"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'] * 2) + b"}", b"1"),
    "the same field twice": tensors(b'{"a":{"dtype":"U8","dtype":"F32","shape":[1],"data_offsets":[0,1]}}', b"1"),
    "JSON nested without end": tensors(b'{"a":' * 50_000),
    "lists nested without end": tensors(b"[" * 500_000),
    "digits without end": tensors(b'{"a":{"dtype":"F32","shape":[' + b"9" * 5000 + b'],"data_offsets":[0,8]}}', bytes(8)),
    "no UTF-8": tensors(b'{"\xff":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', bytes(8)),
    "UTF-16": tensors('{"a":1}'.encode("utf-16")),
    "half a surrogate pair": tensors(b'{"a":{"dtype":"\\ud800","shape":[2],"data_offsets":[0,8]}}', bytes(8)),
    "a name that is half a pair": tensors(b'{"\\ud800":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}', bytes(8)),
    "a note that is half a pair": tensors(b'{"__metadata__":{"a":"\\ud800"}}'),
    "an unknown dtype": tensors({"a": tensor("F33")}, bytes(8)),
    "no dict": tensors([1, 2, 3]),
    "metadata that is no text": tensors({"__metadata__": {"a": 1}}),
    "half a byte": tensors({"a": tensor("F4", (3,), (0, 1))}, bytes(1)),
    "a pickle": pickle.dumps(Bomb()),
    "nothing": b"",
}  # fmt: skip


def peak(use):
    """The most bytes that Python held on the way to a refusal, and the refusal."""
    tracemalloc.start()
    try:
        with pytest.raises(tl.LayoutError) as caught:
            use()
        return tracemalloc.get_traced_memory()[1], str(caught.value)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("content", NPY.values(), ids=NPY)
def test_npy(content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.npy").write_bytes(content)
    uses = (
        lambda: files.read("x.npy"),
        lambda: files.pack("x.npy", "{0}", "y.bin"),
        lambda: files.unpack("x.npy", "{0}", "y.npy", shape=(2,)),
    )
    for use in uses:
        most, message = peak(use)
        assert most < 32 * MIB
        assert len(message) < 2000
        message.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]  # nothing ran, and nothing is left of what was begun


@pytest.mark.parametrize("content", SAFETENSORS.values(), ids=SAFETENSORS)
def test_safetensors(content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.safetensors").write_bytes(content)
    uses = (
        lambda: files.pack_checkpoint("x.safetensors", "y.safetensors", ["*=tpu:v5e"]),
        lambda: files.unpack_checkpoint("x.safetensors", "y.safetensors"),
    )
    for use in uses:
        most, message = peak(use)
        assert most < 64 * MIB
        assert len(message) < 2000
        message.encode()
    assert [path.name for path in tmp_path.iterdir()] == ["x.safetensors"]


def test_one_of_very_many_names_twice(tmp_path):
    """A header of 100 KB took minutes to refuse: for each name all those before it were gone through."""
    names = [*range(20_000), 19_999]
    (tmp_path / "x.st").write_bytes(tensors(b"{%s}" % b",".join(b'"%d":1' % name for name in names)))
    begin = time.process_time()
    with pytest.raises(FileError, match="has '19999' twice in its header"):
        files.unpack_checkpoint(tmp_path / "x.st", tmp_path / "y.st")
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("cut", range(0, 90, 7))
def test_files_cut_short(cut, tmp_path):
    for name, content, read in (
        ("x.npy", npy(fields((2,)), bytes(8)), files.read),
        ("x.st", tensors({"a": tensor()}, bytes(8)), lambda path: files.unpack_checkpoint(path, tmp_path / "y.st")),
    ):
        (tmp_path / name).write_bytes(content[:cut])
        if cut < len(content):
            with pytest.raises(FileError):
                read(tmp_path / name)


def test_a_file_that_is_all_holes(tmp_path):
    """A header for as many elements as a sparse file pretends to have: refused for memory, not tried."""
    header = npy(fields((2**43,), "|u1"))
    path = tmp_path / "x.npy"
    path.write_bytes(header)
    try:
        os.truncate(path, len(header) + 2**43)
    except OSError:
        pytest.skip("this file system has no files of 8 TiB")
    code = "import resource, tilelayout as tl; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); tl.files.read('x.npy')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "does not fit in memory" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "it is empty"),
        ("\0", "it has a NUL in it"),
        ("\ud800", "is no character"),
        ("x" * 5000, "cannot read"),
        (".", "is the name of a directory"),
        *((thing, f"is {type_of(thing)}; a file is named by text or a path") for thing in (None, 3, 1.5, b"x", ["x"])),
    ],
    ids=repr,
)
def test_names_that_no_file_has(name, said, tmp_path, monkeypatch):
    """A lone surrogate left as a UnicodeEncodeError, and None as a TypeError."""
    monkeypatch.chdir(tmp_path)
    for use in (files.load, files.read, tl.hlo.read if isinstance(name, str) else files.load):
        with pytest.raises(tl.LayoutError, match=said):
            use(name)


@pytest.mark.skipif(not pathlib.Path("/dev/fd").exists(), reason="open files have no names")
@pytest.mark.parametrize("name", [lambda _: "9" * 20, "0{}".format, lambda number: "".join(chr(0x660 + int(x)) for x in str(number))])
def test_names_that_no_open_file_has(name, tmp_path):
    """Python reads them as numbers; the first left as an OverflowError, and the others were written to the open file of that number."""
    with (tmp_path / "x").open("wb") as file, pytest.raises(tl.LayoutError, match="cannot write"):
        files.save(f"/dev/fd/{name(file.fileno())}", np.zeros(3))


def test_a_dtype_by_an_old_name_where_warnings_are_errors():
    """Found by fuzzing: numpy's warning of the name left as it was."""
    data = npy(b"{'descr': '>a8', 'fortran_order': False, 'shape': (2,), }", bytes(16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FileError, match="numpy knows no dtype '>a8'"):
            read_header(io.BytesIO(data), len(data), pathlib.Path("old.npy"))


def test_no_elements_of_more_bytes_than_an_array_has():
    """Found by fuzzing: a layout of that shape packed the file, though numpy makes no such array."""
    data = npy(fields((2**59, 6, 0), "<f8"))
    with pytest.raises(FileError, match="bytes are more than a signed 64-bit integer holds"):
        read_header(io.BytesIO(data), len(data), pathlib.Path("none.npy"))
