"""Files that are packed, unpacked and laid out anew piece by piece hold what they would if it were done at once."""

import importlib.util
import io
import json
import mmap
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies as given_by
import tilelayout as tl
from peaks import HIGHEST
from tilelayout import Layout, LayoutError, NotInjective, ShapeError, cli, files
from tilelayout.elements import Element
from tilelayout.files import FileError, mapped, opening, stores, windows
from tilelayout.radix import constant

EITHER_WAY = given_by.turned(given_by.layouts(most_slots=1 << 10))
STRIDED_EITHER_WAY = EITHER_WAY | given_by.turned(given_by.strided_layouts())
MEMORIES = st.sampled_from([1, 300, 1000, 5000, 40_000, 1 << 20])
BARE = "{1,0:T(2,2)}"


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def values(layout, dtype="<u2"):
    return np.arange(1, 1 + layout.size).reshape(layout.shape).astype(dtype)


@pytest.fixture
def array(tmp_path):
    array = np.arange(60 * 130, dtype="f4").reshape(60, 130)
    np.save(tmp_path / "x.npy", array)
    return array


@pytest.fixture
def here(array, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


class TestEqualsInMemory:
    @settings(max_examples=60, deadline=None)
    @given(layout=STRIDED_EITHER_WAY, memory=MEMORIES, fill=st.sampled_from([0, 7]))
    def test_pack_and_unpack(self, layout, memory, fill, tmp_path_factory):
        folder = tmp_path_factory.mktemp("x")
        array = values(layout)
        np.save(folder / "x.npy", array)
        told = []
        files.pack(folder / "x.npy", layout, folder / "p.npy", memory=memory, fill=fill, progress=lambda *done: told.append(done))
        np.testing.assert_array_equal(np.load(folder / "p.npy"), tl.pack(array, layout, fill=fill))
        files.unpack(folder / "p.npy", layout, folder / "y.npy", memory=memory)
        np.testing.assert_array_equal(np.load(folder / "y.npy"), array)
        assert told == sorted(told)
        assert not layout.size or told[-1] == (array.nbytes, array.nbytes)

    @settings(max_examples=60, deadline=None)
    @given(data=st.data(), memory=MEMORIES)
    def test_relayout(self, data, memory):
        before = data.draw(EITHER_WAY)
        after = data.draw(given_by.turned(given_by.layouts(st.just(before.shape), most_slots=1 << 10)))
        packed = tl.pack(values(before), before)
        target = np.full(after.slots, 9, "u2")
        files.relayout(packed, before, after, target, memory=memory, fill=None)
        np.testing.assert_array_equal(target, tl.relayout(packed, before, after, out=np.full(after.slots, 9, "u2"), fill=None))

    @settings(max_examples=60, deadline=None)
    @given(layout=EITHER_WAY, bits=st.sampled_from([1, 2, 4]), memory=MEMORIES, fill=st.sampled_from([0, 1]))
    def test_elements_below_a_byte(self, layout, bits, memory, fill):
        narrow = Layout(layout.shape, layout.digits, slots=layout.slots, element=Element(f"uint{bits}", bits))
        array = np.asarray(values(layout, "u1") * 37 % (1 << bits), "u1")
        packed = np.full(-(-layout.slots * bits // 8), 0xFF, "u1")
        files.pack(array, narrow, packed, memory=memory, fill=fill)
        np.testing.assert_array_equal(packed, tl.pack(array, narrow, fill=fill))
        again = np.empty_like(array)
        files.unpack(packed, narrow, again, memory=memory)
        np.testing.assert_array_equal(again, array)

    @settings(max_examples=30, deadline=None)
    @given(layout=EITHER_WAY, memory=MEMORIES, order=st.sampled_from("CF"))
    def test_slots_wider_than_their_elements(self, layout, memory, order):
        wide = Layout(layout.shape, layout.digits, slots=layout.slots, element=Element("float32", 64))
        array = np.asarray(values(layout, "f4"), order=order)
        packed = np.full(layout.slots, 3, "u8")
        files.pack(array, wide, packed, memory=memory)
        np.testing.assert_array_equal(packed, tl.pack(array, wide))
        again = np.empty(layout.shape, "f4")
        files.unpack(packed, wide, again, memory=memory)
        np.testing.assert_array_equal(again, array)

    @pytest.mark.parametrize(
        "text", ["{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)}", "{0,1}", "{1,0:T(5,3)}", "{1,0:T(4,4)(3,3)}", "{1,0:T(*,4)}"]
    )
    @pytest.mark.parametrize("memory", [20_000, 100_000, 1 << 28])
    def test_tiles(self, text, memory, array, tmp_path):
        files.pack(tmp_path / "x.npy", text, tmp_path / "p.npy", memory=memory, fill=-1)
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), tl.pack(array, text, fill=-1))

    @pytest.mark.parametrize("text", ["{1,0:T(8,128)(2,1)}", "{0,1}", "{1,0:T(4,4)(3,3)}"])
    def test_one_piece_starts_no_threads(self, text, array, tmp_path, monkeypatch):
        """A checkpoint may have very many small tensors, and each would start two."""
        monkeypatch.setattr(threading.Thread, "start", lambda thread: pytest.fail("a thread is started"))
        files.pack(tmp_path / "x.npy", text, tmp_path / "p.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), tl.pack(array, text))

    @pytest.mark.parametrize(
        ("name", "dtype", "fill"),
        [("f4e2m1fn", ml_dtypes.float4_e2m1fn, 1), ("f4e2m1fn", "f4e2m1fn", np.float32(0.5)), ("s4", "s4", -2), ("u2", ml_dtypes.uint2, 3),
         ("s4", "s4", None), ("s4", "int8", -2), ("f4e2m1fn", None, 3)],
    )  # fmt: skip
    @pytest.mark.parametrize("source", ["s.npy", "s.bin"])
    def test_fills_of_a_type_below_a_byte_that_is_named_twice(self, name, dtype, fill, source, tmp_path):
        """A file holds such elements in another type, but a fill is a value of theirs; of their bits if ``dtype`` does not name them."""
        before, after = (f"{name}[3]{{0:{tile}E({name[1]})}}" for tile in ("", "T(8)"))
        packed = tl.pack(np.ones(3, "u1"), before)
        files.save(tmp_path / source, packed)
        files.relayout(tmp_path / source, before, after, tmp_path / "t.bin", dtype=dtype, fill=fill)
        expected = tl.relayout(packed, before, after, dtype="u1" if dtype is None else dtype, fill=0 if fill is None else fill)
        assert (tmp_path / "t.bin").read_bytes() == expected.tobytes()
        if fill is not None:
            with pytest.raises(LayoutError, match="99"):
                files.relayout(tmp_path / source, before, after, tmp_path / "t.bin", dtype=dtype, fill=99)

    @pytest.mark.parametrize("dtype", [None, "s4", "int4", "int8", ml_dtypes.int4])
    @pytest.mark.parametrize("source", ["s.npy", "s.bin"])
    @pytest.mark.parametrize("target", ["t.npy", "t.bin"])
    def test_a_type_below_a_byte_that_is_named_twice(self, dtype, source, target, tmp_path):
        files.save(tmp_path / source, np.array([225, 3], "u1"))
        expected = tl.unpack(b"\xe1\x03", "s4[3]{0:E(4)}", dtype=dtype).astype("i1")
        moves = [
            lambda: files.unpack(tmp_path / source, "s4[3]{0:E(4)}", tmp_path / target, dtype=dtype),
            lambda: files.relayout(tmp_path / source, "s4[3]{0:E(4)}", "s4[3]{0}", tmp_path / target, dtype=dtype),
        ]
        if dtype is not None:
            moves.append(lambda: files.unpack(tmp_path / source, "{0:E(4)}", tmp_path / target, shape=(3,), dtype=dtype))
        for move in moves:
            assert move().dtype == np.int8
            assert files.load(tmp_path / target).view("i1").tolist() == expected.tolist() == [1, -2, 3]

    @pytest.mark.parametrize(("text", "dtype"), [("u4[3]{0:E(4)}", "uint4"), ("f4e2m1fn[3]{0:E(4)}", "f4e2m1fn"), ("bf16[3]{0}", "bf16")])
    def test_types_without_a_sign_of_their_own(self, text, dtype, tmp_path):
        packed = np.array([225, 3, 5, 7, 9, 11], "u1")[: 6 if dtype == "bf16" else 2]
        once, twice = files.unpack(packed, text, tmp_path / "a.npy"), files.unpack(packed, text, tmp_path / "b.npy", dtype=dtype)
        assert once.dtype == twice.dtype
        assert (tmp_path / "a.npy").read_bytes() == (tmp_path / "b.npy").read_bytes()

    def test_another_type_below_a_byte_is_refused(self, tmp_path):
        for text in ("s8[2]{0}", "s2[4]{0:E(4)}"):
            with pytest.raises(LayoutError, match="dtype=int4 for a layout of int"):
                files.unpack(np.array([225, 3], "u1"), text, tmp_path / "t.npy", dtype="s4")

    def test_an_array_of_the_type_that_is_asked_for(self):
        target = np.zeros(3, ml_dtypes.int4)
        files.unpack(np.array([225, 3], "u1"), "s4[3]{0:E(4)}", target, dtype="s4")
        assert target.astype("i1").tolist() == [1, -2, 3]

    def test_a_layout_that_only_reads_may_read_an_element_twice(self):
        broadcast = Layout((3, 4), [(1, 1, 4, 1)])
        target = np.empty((3, 4), "u1")
        files.unpack(np.arange(4, dtype="u1"), broadcast, target, memory=1)
        assert target.tolist() == [[0, 1, 2, 3]] * 3


class TestWindows:
    @settings(max_examples=80, deadline=None)
    @given(data=st.data(), budget=st.sampled_from([1, 4, 16, 64, 256]))
    def test_each_box_has_its_stretches_to_itself(self, data, budget):
        layout = data.draw(STRIDED_EITHER_WAY)
        nests = windows.nested(opening.ordered(layout.shape), 16), windows.nested(layout, 16)
        assume(layout.size and nests[1])
        budget = max(budget, layout.size // 256)  # so that boxes are some hundred at the most
        box = windows.largest_box(nests, lambda extents: np.prod(extents) <= budget)
        assume(box)
        seen = np.zeros(layout.slots, int)
        offsets = layout.offsets()
        for start in np.ndindex(*(-(-size // n) for size, n in zip(layout.shape, box, strict=True))):
            at = tuple(k * n for k, n in zip(start, box, strict=True))
            here = tuple(slice(a, min(a + n, size)) for a, n, size in zip(at, box, layout.shape, strict=True))
            extents = tuple(s.stop - s.start for s in here)
            window = nests[1].window(extents, box)
            if extents in (box, layout.shape):
                assert nests[1].stretch(extents) in (0, 2 * window.stretches.length)
            first = 0 if extents == layout.shape else layout(*at)
            slots = np.concatenate([first + np.arange(low, low + length) for low, length in window.stretches.listed()])
            slots_kept = slots[slots < layout.slots]
            seen[slots_kept] += 1
            np.testing.assert_array_equal(slots[window.layout.offsets()], offsets[here])
        assert seen.max() == 1
        assert not nests[1].is_covered(box) or seen.min() == 1

    @given(layout=given_by.layouts() | given_by.strided_layouts(), budget=st.sampled_from([4, 64, 1024]))
    def test_axes_that_run_backwards_are_cut_as_others(self, layout, budget):
        digits = [digit._replace(stride=-digit.stride) for digit in layout.canonical]
        backwards = Layout(layout.shape, [*digits, constant(layout.slots - 1)] if layout.size else [], slots=layout.slots)
        nests = windows.nested(layout, 16), windows.nested(backwards, 16)
        assert (nests[0] is None) == (nests[1] is None)
        assume(layout.size and nests[0])
        box, other = (windows.largest_box((nest,), lambda extents: np.prod(extents) <= budget) for nest in nests)
        assert box == other
        assert box is None or nests[0].stretch(box) == nests[1].stretch(box)

    def test_large_tiled_arrays_are_cut_into_long_stretches(self):
        sides = [
            windows.nested(layout, 16)
            for layout in (opening.ordered((1 << 15, 1 << 16)), tl.layout(f"bf16[{1 << 15},{1 << 16}]{{1,0:T(8,128)(2,1)}}"))
        ]
        box = windows.largest_box(sides, lambda extents: np.prod(extents) * 12 <= files.MEMORY)
        assert box[1] == 1 << 16
        assert min(side.stretch(box) for side in sides) >= windows.ENOUGH


class TestPlaces:
    def test_raw_bytes_both_ways(self, array, tmp_path):
        (tmp_path / "x.bin").write_bytes(array.tobytes())
        written = files.pack(tmp_path / "x.bin", "f32[60,130]{1,0:T(8,128)}", tmp_path / "p.bin", memory=100_000)
        packed = tl.pack(array, "{1,0:T(8,128)}")
        assert (tmp_path / "p.bin").read_bytes() == packed.tobytes()
        assert written.nbytes == packed.nbytes
        files.unpack(tmp_path / "p.bin", "{1,0:T(8,128)}", tmp_path / "y.bin", shape=(60, 130), dtype="f4", memory=100_000)
        assert (tmp_path / "y.bin").read_bytes() == array.tobytes()

    @pytest.mark.parametrize("mode", ["r", "r+", "c"])
    def test_mapped_files(self, mode, array, tmp_path):
        source = np.lib.format.open_memmap(tmp_path / "x.npy", mode)
        if mode == "c":
            source[0, 0] = 99
        target = np.lib.format.open_memmap(tmp_path / "p.npy", "w+", "f4", (64 * 256,))
        files.pack(source, "{1,0:T(8,128)}", target, memory=50_000)
        target.flush()
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), tl.pack(np.array(source), "{1,0:T(8,128)}"))
        assert source[0, 0] == (99 if mode == "c" else 0)

    def test_part_of_a_mapped_file(self, array, tmp_path):
        source = np.lib.format.open_memmap(tmp_path / "x.npy", "r")[3:50]
        target = np.empty(48 * 256, "f4")
        files.pack(source, "{1,0:T(8,128)}", target, memory=20_000)
        np.testing.assert_array_equal(target, tl.pack(array[3:50], "{1,0:T(8,128)}"))

    def test_numpy_s_files_under_another_name(self, array, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        writer = subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', str(tmp_path / "x.npy"), str(tmp_path / "pipe")])
        files.pack(tmp_path / "pipe", BARE, tmp_path / "p.npy", memory=10_000)
        assert writer.wait(timeout=20) == 0
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), tl.pack(array, BARE))

    def test_column_major_files(self, array, tmp_path):
        np.save(tmp_path / "f.npy", np.asfortranarray(array))
        files.pack(tmp_path / "f.npy", BARE, tmp_path / "p.npy", memory=10_000)
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), tl.pack(array, BARE))

    def test_a_file_may_be_packed_into_itself(self, array, tmp_path):
        files.pack(tmp_path / "x.npy", BARE, tmp_path / "x.npy", memory=10_000)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), tl.pack(array, BARE))

    def test_padding_of_a_target_in_memory_may_be_left(self, array):
        target = np.full(64 * 256, 5, "f4")
        expected = tl.pack(array, "{1,0:T(8,128)}", out=target.copy(), fill=None)
        files.pack(array, "{1,0:T(8,128)}", target, fill=None, memory=20_000)
        np.testing.assert_array_equal(target, expected)

    def test_narrow_types_are_their_bits(self, tmp_path):
        array = np.arange(15).reshape(3, 5).astype(ml_dtypes.bfloat16)
        np.save(tmp_path / "x.npy", array)
        files.pack(tmp_path / "x.npy", f"bf16[3,5]{BARE}", tmp_path / "p.bin")
        assert files.unpack(tmp_path / "p.bin", f"bf16[3,5]{BARE}", tmp_path / "y.npy").dtype == np.uint16
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), array.view("u2"))

    @pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,), (1, 1)])
    def test_small_shapes(self, shape, tmp_path):
        np.save(tmp_path / "x.npy", np.ones(shape, "f4"))
        layout = Layout(shape, [(axis, 1, n, 1) for axis, n in enumerate(shape)], slots=5)
        files.pack(tmp_path / "x.npy", layout, tmp_path / "p.npy", fill=2, memory=1)
        np.testing.assert_array_equal(np.load(tmp_path / "p.npy"), tl.pack(np.ones(shape, "f4"), layout, fill=2))
        files.unpack(tmp_path / "p.npy", layout, tmp_path / "y.npy", memory=1)
        assert np.load(tmp_path / "y.npy").shape == shape

    def test_a_device_takes_bytes_in_order(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        reader = subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE)
        array = np.arange(15, dtype="u1").reshape(3, 5)
        files.pack(array, BARE, tmp_path / "pipe")
        assert reader.communicate(timeout=20)[0] == tl.pack(array, BARE).tobytes()


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"memory": 0}, "memory=0 is no number of bytes"),
            ({"memory": "1G"}, "memory='1G' is no number of bytes"),
            ({"memory": True}, "memory=True"),
            ({"memory": None}, "memory=None"),
            ({"threads": 0}, "threads=0"),
            ({"progress": 3}, "progress=3 cannot be called"),
            ({"fill": "red"}, "fill='red'"),
            ({"dtype": "f4"}, "says itself that it holds float32"),
            ({"shape": (3, 5)}, r"\(3, 5\)"),
        ],
    )
    def test_arguments(self, arguments, message, array, tmp_path):
        (tmp_path / "p.npy").write_bytes(b"old")
        with pytest.raises(LayoutError, match=message):
            files.pack(tmp_path / "x.npy", BARE, tmp_path / "p.npy", **arguments)
        assert (tmp_path / "p.npy").read_bytes() == b"old"
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize(
        ("source", "target", "message"),
        [
            (3, "p.npy", "source 3 is an int; it takes a path or an array"),
            ("x.npy", None, "target None is a NoneType"),
            (b"x.npy", "p.npy", "source b'x.npy' is a bytes"),
            (np.array(["a"]), "p.npy", "cannot be packed"),
            (np.array([None]), "p.npy", "cannot be packed"),
            (np.zeros((60, 260), "f4")[:, ::2], "p.npy", "has gaps between its elements"),
            (np.ma.masked_array(np.zeros((60, 130), "f4"), False), "p.npy", "masked"),
            ("x.npy", np.zeros(7800, "f8"), "it takes shape"),
            ("x.npy", np.zeros(7801, "f4"), "it takes shape"),
            ("x.npy", np.zeros(15600, "f4")[::2], "row-major order without gaps"),
            ("x.npy", np.ma.masked_array(np.zeros(7800, "f4"), True), "the target is a masked array"),
            ("missing.npy", "p.npy", "No such file"),
        ],
    )
    def test_places(self, source, target, message, here):
        with pytest.raises(LayoutError, match=message):
            files.pack(source, "{1,0:T(2,2)}", target)
        assert not Path("p.npy").exists()

    def test_a_read_only_target(self, array):
        target = np.zeros(7800, "f4")
        target.flags.writeable = False
        with pytest.raises(LayoutError, match="read-only"):
            files.pack(array, BARE, target)

    def test_a_target_that_is_the_source(self, array, tmp_path):
        mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "r+").reshape(-1)
        for source in (mapped.reshape(60, 130), np.asarray(mapped).reshape(60, 130), tmp_path / "x.npy"):
            for target in (mapped, np.asarray(mapped)):
                with pytest.raises(LayoutError, match="shares memory with the source"):
                    files.pack(source, BARE, target)

    @pytest.mark.parametrize("how", ["mmap", "memoryview", "torch"])
    @pytest.mark.parametrize("source", ["file", "array"])
    def test_a_target_that_is_mapped_from_the_source_in_another_way(self, how, source, array, tmp_path):
        """Half of what was written came out of what had been written."""
        if how != "memoryview" and not mapped.MAPS.exists():
            pytest.skip("this system does not tell what is mapped")
        if how == "mmap":
            with (tmp_path / "x.npy").open("r+b") as file:
                target = np.frombuffer(mmap.mmap(file.fileno(), 0), "f4", offset=128)
        elif how == "memoryview":
            target = np.frombuffer(memoryview(np.load(tmp_path / "x.npy", "r+")).cast("B"), "f4")
        else:
            torch = pytest.importorskip("torch")
            target = torch.from_numpy(np.load(tmp_path / "x.npy", "r+")).numpy().reshape(-1)
        given = tmp_path / "x.npy" if source == "file" else np.load(tmp_path / "x.npy", "r")
        with pytest.raises(LayoutError, match="shares memory with the source"):
            files.pack(given, "{0,1}", target, memory=5000)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), array)

    @pytest.mark.parametrize("lists", [True, False])
    def test_two_parts_of_a_mapped_file(self, lists, array, tmp_path, monkeypatch):
        """They were said to share memory."""
        if not lists:
            monkeypatch.setattr(mapped, "MAPS", tmp_path / "nowhere")
        both = np.memmap(tmp_path / "x.bin", "f4", "w+", offset=512, shape=(2, array.size))
        both[0] = array.reshape(-1)
        files.pack(both[0].reshape(array.shape), "{0,1}", both[1], memory=5000)
        np.testing.assert_array_equal(both[1], tl.pack(array, "{0,1}"))
        again = np.memmap(tmp_path / "x.bin", "f4", "r", offset=512 + array.nbytes - 4).view(np.ndarray)[: array.size]
        with pytest.raises(LayoutError, match="shares memory with the source"):
            files.pack(again.reshape(array.shape), "{0,1}", both[1], memory=5000)

    @pytest.mark.parametrize("name", ["p.bin", "p.npy"])
    def test_slots_whose_bytes_are_more_than_64_bits_count(self, name, tmp_path):
        """They ended in an OverflowError of Python's."""
        text = "{0:T(4611686018427387904)}"
        for work in (
            lambda: files.pack(np.zeros(1), text, tmp_path / name),
            lambda: files.relayout(np.zeros(1), "{0}", text, tmp_path / name, shape=(1,)),
        ):
            with pytest.raises(ShapeError, match="would hold 36893488147419103232 bytes, more than a signed 64-bit integer holds"):
                work()
        assert [*tmp_path.iterdir()] == []

    def test_a_buffer_of_the_wrong_size(self, tmp_path):
        (tmp_path / "p.bin").write_bytes(bytes(95))
        with pytest.raises(ShapeError, match=r"holds 95 bytes; 24 slots of 32 bits take 96 bytes"):
            files.unpack(tmp_path / "p.bin", f"f32[3,5]{BARE}", tmp_path / "y.npy")

    @pytest.mark.parametrize("held", ["u1", "i1", "?", "<u2", ">u2", "<i2", "<f4", ">f4", "V2"])
    @pytest.mark.parametrize("dtype", ["u1", "?", "<u2", ">u2", "<i2", ">i2", "<f4", ">f4", "<u8", ml_dtypes.bfloat16])
    def test_a_file_that_says_another_type(self, held, dtype, tmp_path):
        buffer = np.arange(64, dtype="u1").view(held)
        shape = (64 // np.dtype(dtype).itemsize,)
        np.save(tmp_path / "p.npy", buffer)
        (tmp_path / "y.npy").write_bytes(b"old")
        try:
            expected = tl.unpack(buffer, "{0}", shape=shape, dtype=dtype)
        except LayoutError:
            for move in (files.unpack, lambda source, layout, target, **more: files.relayout(source, layout, layout, target, **more)):
                with pytest.raises(LayoutError, match="which says itself that it holds"):
                    move(tmp_path / "p.npy", "{0}", tmp_path / "y.npy", shape=shape, dtype=dtype)
            assert (tmp_path / "y.npy").read_bytes() == b"old"
        else:
            files.unpack(tmp_path / "p.npy", "{0}", tmp_path / "y.npy", shape=shape, dtype=dtype)
            assert np.load(tmp_path / "y.npy").tobytes() == expected.tobytes()

    def test_raw_bytes_of_no_type(self, tmp_path):
        (tmp_path / "p.bin").write_bytes(bytes(96))
        with pytest.raises(LayoutError, match="say it with dtype="):
            files.unpack(tmp_path / "p.bin", BARE, tmp_path / "y.npy", shape=(3, 5))

    def test_layouts_in_which_elements_meet(self, array, tmp_path):
        with pytest.raises(NotInjective, match="several elements to slot 0"):
            files.pack(array, Layout((60, 130), [(1, 1, 130, 1)]), tmp_path / "p.npy", memory=1000)
        crossed = Layout((60, 130), [(0, 1, 60, 1), (1, 1, 130, 2)])
        with pytest.raises(NotInjective, match="several elements to slot 2"):
            files.pack(array, crossed, tmp_path / "p.npy")
        with pytest.raises(LayoutError, match="takes 124800 bytes of memory, more than 1000; allow as much with memory="):
            files.pack(array, crossed, tmp_path / "p.npy", memory=1000)

    def test_values_that_do_not_fit_leave_the_old_file(self, tmp_path):
        (tmp_path / "p.bin").write_bytes(b"old")
        array = np.zeros(10_000, "i1")
        array[9_990] = 9
        with pytest.raises(LayoutError, match="holds 9, which does not fit in 4 bits of int4"):
            files.pack(array, "s4[10000]{0:E(4)}", tmp_path / "p.bin", memory=1000)
        assert (tmp_path / "p.bin").read_bytes() == b"old"
        assert left_over(tmp_path) == []


class TestBytesThatElementsShare:
    @pytest.mark.parametrize("memory", [1, 100, 1000, 1 << 20])
    @pytest.mark.parametrize(
        "text", ["u4[33,21]{1,0:E(4)}", "u1[33,21]{0,1:E(1)}", "u2[33,21]{1,0:T(2,3)E(2)}", "u4[33,21]{1,0:T(4,4)(3,3)E(4)}"]
    )
    @pytest.mark.parametrize("fill", [None, 0, 1])
    def test_the_bits_behind_the_last_slot(self, text, fill, memory):
        """They were cleared where padding is left as it is."""
        layout = tl.layout(text)
        rows = tl.layout(f"{text.partition('{')[0]}{{1,0:E({layout.element.bits})}}")
        rng = np.random.default_rng(0)
        array = rng.integers(0, 1 << layout.element.bits, layout.shape).astype("u1")
        packed = tl.pack(array, rows)
        held = rng.integers(0, 256, -(-layout.slots * layout.element.bits // 8)).astype("u1")
        expected, given, moved = held.copy(), held.copy(), held.copy()
        tl.pack(array, layout, out=expected, fill=fill)
        files.pack(array, layout, given, fill=fill, memory=memory)
        files.relayout(packed, rows, layout, moved, fill=fill, memory=memory)
        np.testing.assert_array_equal(given, expected)
        np.testing.assert_array_equal(moved, expected)

    @pytest.mark.parametrize("memory", [500, 1 << 20])
    @pytest.mark.parametrize("dtype", ["<i4", "<u4", "<u8", "i1", "u1"])
    def test_in_integers_of_any_width(self, dtype, memory, tmp_path):
        array = np.random.default_rng(0).integers(0, 16, (128, 256), dtype="u1")
        words = tl.pack(array, "preset:awq_int4").view(dtype)
        np.save(tmp_path / "w.npy", words.reshape(128, -1))
        how = {"shape": array.shape, "memory": memory}
        for source in (tmp_path / "w.npy", words):
            files.unpack(source, "preset:awq_int4", tmp_path / "x.npy", dtype="uint8", **how)
            np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), array)
            files.relayout(source, "preset:awq_int4", "u4[128,256]{0,1:E(4)}", tmp_path / "y.npy", **how)
            np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), tl.pack(array, "u4[128,256]{0,1:E(4)}"))

    def test_in_words_that_pieces_cut(self, tmp_path):
        """Rows of 6 bytes, as those of 4."""
        array = np.random.default_rng(0).integers(0, 16, (64, 12), dtype="u1")
        np.save(tmp_path / "w.npy", tl.pack(array, "u4[64,12]{1,0:E(4)}").view("<u4"))
        files.unpack(tmp_path / "w.npy", "u4[64,12]{1,0:E(4)}", tmp_path / "x.npy", memory=100)
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), array)

    def test_in_words_of_the_other_byte_order(self, tmp_path):
        np.save(tmp_path / "w.npy", np.zeros((128, 32), ">i4"))
        with pytest.raises(LayoutError, match=r"holds >i4, where elements share bytes .* convert it with \.astype\('<i4'\)"):
            files.unpack(tmp_path / "w.npy", "preset:awq_int4", tmp_path / "x.npy", shape=(128, 256))


class TestAccidents:
    @pytest.mark.parametrize("change", ["shrinks", "grows"])
    @pytest.mark.parametrize("text", [BARE, "{1,0:T(4,4)(3,3)}"])
    def test_a_file_that_changes_size_while_it_is_read(self, change, text, array, tmp_path):
        (tmp_path / "p.npy").write_bytes(b"old")

        def accident(done, total):
            with (tmp_path / "x.npy").open("r+b") as file:
                file.truncate(1000 if change == "shrinks" else 1 << 20)

        with pytest.raises(FileError, match="it was changed while it was read, so read it again"):
            files.pack(tmp_path / "x.npy", text, tmp_path / "p.npy", memory=10_000, progress=accident)
        assert (tmp_path / "p.npy").read_bytes() == b"old"
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("text", [BARE, "{1,0:T(4,4)(3,3)}"])
    def test_a_file_that_is_written_to_while_it_is_read(self, text, array, tmp_path):
        """What was written held some of the old and some of the new."""
        (tmp_path / "p.npy").write_bytes(b"old")
        os.utime(tmp_path / "x.npy", (1, 1))

        def accident(done, total):
            with (tmp_path / "x.npy").open("r+b") as file:
                file.seek(20_000)
                file.write(bytes(1000))

        with pytest.raises(FileError, match="was written to after it was opened; it was changed while it was read, so read it again"):
            files.pack(tmp_path / "x.npy", text, tmp_path / "p.npy", memory=10_000, progress=accident)
        assert (tmp_path / "p.npy").read_bytes() == b"old"
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("failure", [ConnectionResetError("of a bar"), FileNotFoundError(2, "gone", "bar.cfg")])
    def test_what_progress_raises_is_no_fault_of_a_file(self, failure, array, tmp_path):
        """It was told as the target's."""

        def fail(done, total):
            raise failure

        with pytest.raises(type(failure)) as caught:
            files.pack(tmp_path / "x.npy", BARE, tmp_path / "p.npy", progress=fail)
        assert caught.value is failure

    @pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, RuntimeError])
    def test_whatever_happens_between_pieces(self, failure, array, tmp_path):
        (tmp_path / "p.npy").write_bytes(b"old")

        def fail(done, total):
            raise failure

        with pytest.raises(failure):
            files.pack(tmp_path / "x.npy", BARE, tmp_path / "p.npy", memory=10_000, progress=fail)
        assert (tmp_path / "p.npy").read_bytes() == b"old"
        assert left_over(tmp_path) == []

    def test_a_disk_that_fills_up(self, array, tmp_path, monkeypatch):
        (tmp_path / "p.npy").write_bytes(b"old")
        write = stores.FileStore.write

        def full(self, at, data):
            if at > 10_000:
                with Path("/dev/full").open("wb", buffering=0) as device:
                    write(stores.FileStore(device, self.path, 0, self.size), 0, data)
            write(self, at, data)

        monkeypatch.setattr(stores.FileStore, "write", full)
        with pytest.raises(FileError, match=r"cannot write .*p\.npy': No space left on device; free some space"):
            files.pack(tmp_path / "x.npy", BARE, tmp_path / "p.npy", memory=10_000)
        assert (tmp_path / "p.npy").read_bytes() == b"old"
        assert left_over(tmp_path) == []

    def test_a_file_cut_short(self, array, tmp_path):
        (tmp_path / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-1])
        with pytest.raises(FileError, match="cut short"):
            files.pack(tmp_path / "x.npy", BARE, tmp_path / "p.npy")


class TestCommandLine:
    def test_relayout(self, array, here, capsys):
        files.pack("x.npy", BARE, "p.npy")
        assert cli.main(["relayout", "p.npy", BARE, "{0,1:T(2,2)}", "q.bin", "--shape", "60,130", "--fill", "0", "--memory", "1"]) == 0
        said = "laid 7800 slots out as 7800 slots, none of them padding: 31200 bytes as float32 in q.bin\n"
        assert capsys.readouterr().out == said
        assert Path("q.bin").read_bytes() == tl.pack(array, "{0,1:T(2,2)}").tobytes()
        assert cli.main(["relayout", "q.bin", "{0,1:T(2,2)}", f"f32[60,130]{BARE}", "r.npy", "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {
            **{"out": "r.npy", "elements": 7800, "slots": 7800, "padding": 0, "bytes": 31200, "dtype": "float32"}
        }
        np.testing.assert_array_equal(np.load("r.npy"), np.load("p.npy"))

    def test_raw_bytes_of_no_type(self, here, capsys):
        Path("q.bin").write_bytes(bytes(31200))
        assert cli.main(["relayout", "q.bin", BARE, "{0,1}", "r.npy", "--shape", "60,130"]) == 2
        assert "say it with --dtype" in capsys.readouterr().err

    @pytest.mark.parametrize("has_tqdm", [True, False])
    def test_a_bar_where_there_is_a_terminal(self, has_tqdm, here, monkeypatch):
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", terminal)
        if not has_tqdm:
            monkeypatch.setitem(sys.modules, "tqdm", None)
        elif importlib.util.find_spec("tqdm") is None:
            pytest.skip("tqdm is not installed")
        assert cli.main(["pack", "x.npy", BARE, "p.npy"]) == 0
        assert ("100% of 31,200 bytes" in terminal.getvalue()) != has_tqdm
        assert terminal.getvalue()

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no name for standard output")
    @pytest.mark.parametrize("more", [[], ["--json"]])
    def test_nothing_is_said_behind_data(self, more, here):
        words = ["pack", "x.npy", BARE, "/dev/stdout", *more]
        done = subprocess.run([sys.executable, "-m", "tilelayout", *words], capture_output=True, timeout=60, check=True)
        assert done.stdout == tl.pack(np.load("x.npy"), BARE).tobytes()

    @pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")
    @pytest.mark.usefixtures("interrupts_are_heard")
    def test_ctrl_c(self, tmp_path):
        (tmp_path / "x.bin").touch()
        os.truncate(tmp_path / "x.bin", 1 << 28)
        (tmp_path / "p.bin").write_bytes(b"old")
        script = "import sys; from tilelayout import cli; sys.stderr.write('x'); sys.stderr.flush(); sys.exit(cli.main())"
        words = ["unpack", str(tmp_path / "x.bin"), "u8[16384,16384]{0,1}", str(tmp_path / "p.bin"), "--memory", "1"]
        process = subprocess.Popen([sys.executable, "-c", script, *words], stderr=subprocess.PIPE)
        process.stderr.read(1)
        while not left_over(tmp_path) and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == b""
        assert process.returncode == 130
        assert (tmp_path / "p.bin").read_bytes() == b"old"
        assert left_over(tmp_path) == []


PEAK = f"""{HIGHEST}
import sys, time, numpy as np
from tilelayout import files
source, target, shape, text, memory, how = sys.argv[1:]
shape = tuple(map(int, shape.split(",")))
before = highest()
given = np.memmap(source, "u2", "r", shape=shape) if how == "mapped" else source
began = time.perf_counter()
files.pack(given, text, target, memory=int(memory), shape=shape, dtype=None if how == "mapped" else "u2")
print(highest() - before, time.perf_counter() - began)
"""


def peak(folder: Path, shape, text: str, *, memory: int, how: str) -> tuple[int, float]:
    """Bytes by which packing ``x.bin`` into ``p.bin`` raises the peak memory of a process, and its seconds."""
    words = [str(folder / "x.bin"), str(folder / "p.bin"), ",".join(map(str, shape)), text, str(memory), how]
    done = subprocess.run([sys.executable, "-c", PEAK, *words], capture_output=True, check=True, text=True)
    rise, seconds = done.stdout.split()
    return int(rise), float(seconds)


def seconds_of_copy(folder: Path) -> float:
    """A plain copy of ``x.bin``, on disk at the end as every file of ours is."""
    began = time.perf_counter()
    with (folder / "x.bin").open("rb") as source, (folder / "copy.bin").open("wb") as target:
        shutil.copyfileobj(source, target, 16 << 20)
        target.flush()
        os.fsync(target.fileno())
    return time.perf_counter() - began


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in other units elsewhere")
class TestMemory:
    @pytest.mark.parametrize("how", ["path", "mapped"])
    @pytest.mark.parametrize("text", ["{1,0:T(8,128)(2,1)}", "{0,1}", "strides=(-1,-4096), offset=67108863"])
    def test_peak(self, how, text, tmp_path):
        shape = (4096, 16384)  # 128 MiB
        with (tmp_path / "x.bin").open("wb") as file:
            file.truncate(shape[0] * shape[1] * 2)
        rise, _ = peak(tmp_path, shape, text, memory=32 << 20, how=how)
        assert rise < 48 << 20

    @pytest.mark.slow
    def test_four_gibibytes(self, tmp_path):
        """Within 600 MiB, and half as long again as a copy takes; the best of three of each, for disks are noisy."""
        if shutil.disk_usage(tmp_path).free < 16 << 30:
            pytest.skip("it takes 16 GiB of disk")
        shape = (1 << 15, 1 << 16)
        rows = np.random.default_rng(0).integers(0, 1 << 16, (1 << 10, shape[1]), "u2")
        with (tmp_path / "x.bin").open("wb") as file:
            for k in range(shape[0] // len(rows)):
                (rows + np.uint16(k)).tofile(file)
        copies, packs = [], []
        for _ in range(3):
            copies.append(seconds_of_copy(tmp_path))
            (tmp_path / "copy.bin").unlink()
            packs.append(peak(tmp_path, shape, "bf16[32768,65536]{1,0:T(8,128)(2,1)}", memory=files.MEMORY, how="mapped"))
        assert max(rise for rise, _ in packs) < 500 << 20
        packed = np.memmap(tmp_path / "p.bin", "u2", "r")
        for k in (0, 17, 31):  # tiles of 8 rows keep to themselves
            here = packed[k * rows.size : (k + 1) * rows.size]
            np.testing.assert_array_equal(here, tl.pack(rows + np.uint16(k), "{1,0:T(8,128)(2,1)}"))
        assert min(seconds for _, seconds in packs) < 1.5 * min(copies), (packs, copies)
