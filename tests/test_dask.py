"""Arrays of dask's, packed, unpacked and queried chunk by chunk, hold what they would if it were done at once."""

import pickle
import subprocess
import sys
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies as given_by
import tilelayout as tl
from tilelayout import CoordinateError, Layout, LayoutError, NotInjective, ShapeError
from tilelayout.files import FileError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import tilelayout.dask as tld  # noqa: E402 - after what it needs

LAYOUTS = (given_by.layouts(most_slots=1 << 8) | given_by.strided_layouts()).filter(lambda layout: layout.slots <= 1 << 11)
LIMITS = st.sampled_from(["100B", "500B", "2kB", "1MiB"])
TILED = "f32[64,256]{1,0:T(8,128)}"
# A layout that has no ranges: the low bit of the rows is the slowest.
INTERLEAVED = Layout((64, 6), [(0, 1, 2, 192), (0, 2, 32, 6), (1, 1, 6, 1)])


@pytest.fixture(autouse=True, scope="module")
def in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@st.composite
def parts(draw, n):
    """An extent in parts, some of them perhaps empty."""
    cuts = [0, *sorted(draw(st.lists(st.integers(0, n), max_size=3))), n]
    return tuple(high - low for low, high in pairwise(cuts))


def values(layout, dtype="<u2"):
    return np.arange(1, 1 + layout.size).reshape(layout.shape).astype(dtype)


def dask_of(array, chunks="auto"):
    return da.from_array(array, chunks)


def layers(*arrays):
    return [len(array.dask.layers) for array in arrays]


class TestEqualsNumpy:
    @settings(max_examples=25)
    @given(data=st.data(), layout=LAYOUTS, limit=LIMITS, fill=st.sampled_from([0, 7]), dtype=st.sampled_from(["u1", "<u2", ">f4", "<c16"]))
    def test_pack_and_unpack(self, data, layout, limit, fill, dtype):
        array = values(layout, dtype)
        chunks = tuple(data.draw(parts(n)) for n in layout.shape)
        with dask.config.set({"array.chunk-size": limit}):
            packed = tld.pack(dask_of(array, chunks), layout, fill=fill)
            back = tld.unpack(packed, layout, chunks=data.draw(st.none() | st.just(chunks)))
        expected = tl.pack(array, layout, fill=fill)
        assert (packed.shape, packed.dtype, back.shape, back.dtype) == (expected.shape, expected.dtype, array.shape, array.dtype)
        held, again = dask.compute(packed, back)
        np.testing.assert_array_equal(held, expected)
        np.testing.assert_array_equal(again, array)

    @settings(max_examples=12)
    @given(data=st.data(), layout=LAYOUTS)
    def test_queries(self, data, layout):
        slots = layout.offsets().ravel()
        there = np.stack(np.unravel_index(np.arange(layout.size), layout.shape), axis=-1) if layout.ndim else np.empty((1, 0), int)
        chunks = data.draw(parts(len(slots))), data.draw(parts(layout.ndim))
        np.testing.assert_array_equal(tld.index(dask_of(there, chunks), layout), slots)
        np.testing.assert_array_equal(tld.coordinates(dask_of(slots, chunks[:1]), layout), there)

    @settings(max_examples=30)
    @given(data=st.data(), layout=LAYOUTS, limit=st.sampled_from([1, 20, 100, 10_000]))
    def test_suggested_chunks_cover_the_array_within_the_limit(self, data, layout, limit):
        extents = tld.suggest_chunks(layout, dtype="u2", limit=limit)
        assert all(1 <= n <= size or n == size == 0 for n, size in zip(extents, layout.shape, strict=True))
        assert 2 * np.prod(extents, dtype=int) <= max(limit, 2)

    @pytest.mark.parametrize("limit", ["64B", "1kB", "1MiB"])
    @pytest.mark.parametrize("text", ["s4[9,21]{1,0:T(2,4)E(4)}", "s4[9,21]{0,1:E(4)}", "u4[40]{0:E(4)}", "s4[6,7]{1,0:T(4)E(4)}"])
    def test_elements_that_share_bytes(self, text, limit):
        layout = tl.layout(text)
        array = (np.arange(layout.size).reshape(layout.shape) % 7).astype("u1" if text.startswith("u") else "i1")
        with dask.config.set({"array.chunk-size": limit}):
            packed = tld.pack(dask_of(array, 4), text, fill=5)
            np.testing.assert_array_equal(packed, tl.pack(array, text, fill=5))
            np.testing.assert_array_equal(tld.unpack(packed, text), array)

    @pytest.mark.parametrize(
        "layout", ["bf16[20,300]{1,0:T(8,128)(2,1)}", Layout((20, 300), [(0, 1, 2, 3000), (0, 2, 10, 300), (1, 1, 300, 1)])]
    )
    def test_narrow_floats(self, layout):
        array = np.arange(6000).reshape(20, 300).astype(ml_dtypes.bfloat16)
        with dask.config.set({"array.chunk-size": "4kB"}):
            packed = tld.pack(dask_of(array, (7, 150)), layout, fill=-1)
            assert packed.dtype == ml_dtypes.bfloat16
            assert packed.npartitions > 1
            np.testing.assert_array_equal(packed, tl.pack(array, layout, fill=-1))
            np.testing.assert_array_equal(tld.unpack(packed, layout), array)

    def test_slots_wider_than_their_elements(self):
        text = "f32[6,5]{1,0:T(2,2)E(64)}"
        array = values(tl.layout(text), "f4")
        packed = tld.pack(dask_of(array, 2), text, fill=3)
        np.testing.assert_array_equal(packed, tl.pack(array, text, fill=3))
        np.testing.assert_array_equal(tld.unpack(packed, text, dtype="f4"), array)

    @pytest.mark.parametrize("layout", [tl.layout(TILED), INTERLEAVED])
    def test_raw_bytes(self, layout):
        array = values(layout, "f4")
        held = tl.pack(array, layout)
        with dask.config.set({"array.chunk-size": f"{held.nbytes // 5}B"}):
            for raw in (held.tobytes(), dask_of(held.view("u1"), held.nbytes // 3)):
                np.testing.assert_array_equal(tld.unpack(raw, layout, dtype="f4"), array)

    @pytest.mark.parametrize(("shape", "chunks"), [((0, 3), "auto"), ((4, 0), ((2, 2), (0,))), ((0,), ((0, 0),)), ((), ())])
    @pytest.mark.parametrize("slots", [None, 5])
    def test_arrays_of_no_elements_or_no_axes(self, shape, chunks, slots):
        layout = Layout(shape, [], slots=slots)
        array = np.ones(shape, "f4")
        packed = tld.pack(dask_of(array, chunks), layout, fill=2)
        np.testing.assert_array_equal(packed, tl.pack(array, layout, fill=2))
        for again in (tld.unpack(packed, layout), tld.unpack(packed, layout, chunks=chunks)):
            np.testing.assert_array_equal(again, array)

    @pytest.mark.parametrize("chunks", ["auto", ("auto", -1), None])
    def test_chunks_to_choose_for_arrays_of_no_elements(self, chunks):
        """Dask divides by their size."""
        with dask.config.set({"array.chunk-size": "100B"}):
            assert tld.unpack(np.zeros(0, "f4"), "{1,0}", shape=(24, 0), chunks=chunks).compute().shape == (24, 0)

    def test_arrays_that_are_not_dasks(self):
        np.testing.assert_array_equal(tld.pack([[1, 2], [3, 4]], "{0,1}"), [1, 3, 2, 4])

    def test_files_of_narrow_floats_come_as_voids(self):
        array = np.arange(6, dtype="u2").view("V2")
        packed = tld.pack(dask_of(array, 2), "{0}")
        assert packed.dtype == "u2"
        np.testing.assert_array_equal(packed, np.arange(6))

    def test_flipped_axes_have_ranges_too(self):
        layout = Layout((12, 4), [(0, 1, 12, -4), (1, 1, 4, 1), (None, 1, 2, 44)])
        array = values(layout)
        packed = tld.pack(dask_of(array, (5, 4)), layout)
        assert packed.chunks == ((8, 20, 20),)
        np.testing.assert_array_equal(packed, array[::-1].ravel())


class TestGraph:
    def test_suggested_chunks_are_packed_one_by_one_in_one_layer(self):
        extents = tld.suggest_chunks(TILED, limit="16KiB")
        x = dask_of(values(tl.layout(TILED), "f4"), extents)
        packed = tld.pack(x, TILED)
        assert extents == (16, 256)
        assert packed.chunks == ((4096,) * 4,)
        assert layers(packed) == [layers(x)[0] + 1]
        assert len(packed.dask) == len(x.dask) + x.npartitions

    def test_axes_that_run_backwards_are_cut_as_others(self):
        forwards, backwards = "strides=(256,1)", "strides=(-256,1), offset=16128"
        extents = tld.suggest_chunks(backwards, (64, 256), dtype="f4", limit="16KiB")
        x = dask_of(values(tl.layout(backwards, (64, 256)), "f4"), extents)
        packed = tld.pack(x, backwards)
        assert extents == tld.suggest_chunks(forwards, (64, 256), dtype="f4", limit="16KiB") == (16, 256)
        assert len(packed.dask) == len(x.dask) + x.npartitions
        np.testing.assert_array_equal(packed, tl.pack(x.compute(), backwards))

    def test_and_unpacked_one_by_one(self):
        buffer = da.zeros(64 * 256, dtype="f4", chunks=4096)
        back = tld.unpack(buffer, TILED, chunks=(16, 256))
        assert layers(back) == [layers(buffer)[0] + 1]
        assert back.chunksize == (16, 256)

    def test_other_chunks_that_have_ranges_are_taken_as_they_are(self):
        x = dask_of(values(tl.layout(TILED), "f4"), ((8, 24, 32), (256,)))
        packed = tld.pack(x, TILED)
        assert packed.chunks == ((2048, 6144, 8192),)
        assert layers(packed) == [layers(x)[0] + 1]

    def test_chunks_of_tiles_of_one_row(self):
        x = dask_of(values(tl.layout(TILED), "f4"), (8, 128))
        assert tld.pack(x, TILED).chunks == ((1024,) * 16,)

    def test_looked_up_elements_are_one_layer_too(self):
        x = dask_of(values(INTERLEAVED), (10, 6))
        with dask.config.set({"array.chunk-size": "200B"}):
            packed = tld.pack(x, INTERLEAVED)
        assert packed.npartitions > 3
        np.testing.assert_array_equal(packed, tl.pack(values(INTERLEAVED), INTERLEAVED))

    def test_only_ranges_that_chunks_may_reach_are_joined_to_them(self):
        layout = tl.layout("{1,0:T(*,4)}", (4000, 4))
        with dask.config.set({"array.chunk-size": "4kB"}):
            x = da.ones(layout.shape, dtype="u1", chunks="auto")
            packed = tld.pack(x, layout)
            assert len(packed.dask) < 8 * (x.npartitions + packed.npartitions)

    def test_the_same_call_has_the_same_name(self):
        x = da.ones((64, 256), dtype="f4")
        assert tld.pack(x, TILED).name == tld.pack(x, tl.layout(TILED)).name
        assert tld.pack(x, TILED).name != tld.pack(x, TILED, fill=1).name

    @pytest.mark.parametrize("layout", [tl.layout(TILED), INTERLEAVED])
    def test_one_graph_holds_what_was_cut_at_two_limits(self, layout):
        """Tasks of both had the same names, so that one took the other's chunks."""
        array = values(layout, "f4")
        held = tl.pack(array, layout)
        for ask, before, after in ((tld.pack, array, held), (tld.unpack, held, array)):
            source, found = dask_of(before, 50), []
            for limit in ("1KiB", "8KiB"):
                with dask.config.set({"array.chunk-size": limit}):
                    found.append(ask(source, layout))
            assert found[0].chunks != found[1].chunks
            np.testing.assert_array_equal(da.concatenate(found), np.concatenate([after, after]))

    def test_nothing_is_computed_before_it_is_asked_for(self):
        def refuse(block):
            raise RuntimeError("computed")

        x = da.ones((64, 256), dtype="f4").map_blocks(refuse, dtype="f4", meta=np.empty((0, 0), "f4"))
        packed = tld.pack(x, TILED)
        back = tld.unpack(packed, TILED)
        with pytest.raises(RuntimeError, match="computed"):
            back.compute()

    def test_a_layout_pickles_small_and_so_does_a_graph(self):
        layout = tl.layout("bf16[4096,8192]{1,0:T(8,128)(2,1)}")
        tl.pack(np.zeros(layout.shape, "u2"), layout)
        layout.index([[0, 0]])
        assert len(pickle.dumps(layout)) < 300
        x = da.zeros(layout.shape, dtype="u2", chunks=(64, 8192))
        packed = tld.pack(x, layout)
        assert packed.npartitions == 64
        assert len(pickle.dumps(dict(packed.dask.layers[packed.name]))) < 64 * 200


class TestRefusals:
    def test_shapes(self):
        with pytest.raises(ShapeError, match=r"\(64, 256\).*\(3, 4\)"):
            tld.pack(da.ones((3, 4), dtype="f4"), TILED)
        with pytest.raises(ShapeError, match="16384 elements of float32"):
            tld.unpack(da.ones(5, dtype="f4"), TILED)
        beyond = Layout((1,) * 65, ())
        for ask in (lambda: tld.unpack(da.ones(1), beyond), lambda: tld.suggest_chunks(beyond, dtype="f4")):
            with pytest.raises(ShapeError, match="65 dimensions; numpy's have 64"):
                ask()

    def test_unknown_chunks(self):
        x = da.ones((6, 4), chunks=3)
        with pytest.raises(ShapeError, match="compute_chunk_sizes"):
            tld.pack(x[x[:, 0] > 0], "{1,0}")

    def test_types_and_fill(self):
        with pytest.raises(LayoutError, match="float64 for a layout of float32"):
            tld.pack(da.ones((64, 256)), TILED)
        with pytest.raises(LayoutError, match="makes no dask array"):
            tld.pack(np.array([None, 3]), "{0}")
        with pytest.raises(LayoutError, match="makes no dask array"):
            tld.pack(np.broadcast_to(np.uint8(1), 2**40), "{0}")
        with pytest.raises(LayoutError, match="is a Layout, and no array"):
            tld.pack(Layout((), ()), "{0}")
        with pytest.raises(LayoutError, match="fill=300"):
            tld.pack(da.ones((3, 5), dtype="u1"), "{1,0:T(2,2)}", fill=300)
        with pytest.raises(LayoutError, match="masked"):
            tld.pack(da.ma.masked_array(da.ones(3), [0, 1, 0]), "{0}")

    def test_elements_that_meet(self):
        with pytest.raises(NotInjective, match="slot 1"):
            tld.pack(da.ones((3, 3)), "strides=(1,1)")

    def test_elements_that_meet_among_many_are_seen_while_packing(self):
        shared = Layout((1101, 999), [(((0, 1, 1101, 999), (1, 1, 999, 1)), 2, 550000, 1)])
        with pytest.raises(NotInjective, match="several elements to one slot"):
            tld.pack(da.ones(shared.shape, dtype="u1"), shared).compute()

    def test_chunks_and_limits(self):
        with pytest.raises(LayoutError, match=r"chunks=.*cut an array of shape"):
            tld.unpack(da.ones(64 * 256, dtype="f4"), TILED, chunks=((1, 2), (256,)))
        for chunks in ((0, 3), ((-8, 72), 256), ((np.nan,), 256), ("auto", 0)):
            with pytest.raises(LayoutError, match=r"chunks=.*cut an array of shape"):
                tld.unpack(da.ones(64 * 256, dtype="f4"), TILED, chunks=chunks)
        for limit in ("much", float("inf"), True):
            with pytest.raises(LayoutError, match="is no number of bytes"):
                tld.suggest_chunks(TILED, limit=limit)
        with pytest.raises(LayoutError, match="dtype="):
            tld.suggest_chunks("{1,0}", (3, 5))

    def test_queries(self):
        with pytest.raises(ShapeError, match=r"coordinates of shape \(4, 3\) for a layout of shape \(64, 256\); the last axis"):
            tld.index(da.ones((4, 3), dtype=int), TILED)
        with pytest.raises(LayoutError, match="no integers"):
            tld.coordinates(da.ones(4), TILED)
        places = da.ones((4, 2), dtype=int)
        with pytest.raises(ShapeError, match=r"last axis.*compute_chunk_sizes"):
            tld.index(places[places[:, 0] > 0].T, TILED)
        with pytest.raises(CoordinateError, match="70 on axis 0"):
            tld.index(da.full((4, 2), 70), TILED).compute()

    def test_queries_of_unknown_sizes(self):
        slots = da.arange(10, chunks=3)
        slots = slots[slots > 4]
        there = tld.coordinates(slots, TILED)
        np.testing.assert_array_equal(tld.index(there, TILED), np.arange(5, 10))

    def test_single_queries(self):
        assert tld.index([2, 3], "f32[3,5]{1,0:T(2,2)}").compute() == 17
        assert tld.coordinates(np.array(17), "f32[3,5]{1,0:T(2,2)}").compute().tolist() == [2, 3]

    def test_padding_is_marked(self):
        assert tld.coordinates([5, 4], "{1,0:T(2,2)}", shape=(3, 5), padding="mark").compute().tolist() == [[0, 3], [0, 2]]
        assert tld.coordinates([9], "{1,0:T(2,2)}", shape=(3, 5), padding="mark").compute().tolist() == [[-1, -1]]

    def test_without_dask(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "dask.array", None)
        with pytest.raises(LayoutError, match=r"pip install 'tilelayout\[dask\]'"):
            tld.pack(np.ones(3), "{0}")


class TestSave:
    @pytest.mark.parametrize("dtype", ["f4", ml_dtypes.bfloat16])
    @pytest.mark.parametrize("name", ["packed.npy", "packed.bin"])
    def test_files_hold_the_buffer(self, tmp_path, dtype, name):
        array = np.arange(64 * 256).reshape(64, 256).astype(dtype)
        packed = tld.pack(dask_of(array, (8, 256)), "{1,0:T(8,128)}")
        tld.save(packed, tmp_path / name)
        held = np.load(tmp_path / name) if name.endswith("npy") else np.fromfile(tmp_path / name, dtype)
        np.testing.assert_array_equal(held.view(dtype), tl.pack(array, "{1,0:T(8,128)}"))

    def test_an_empty_buffer(self, tmp_path):
        assert tld.pack(np.zeros((200_000_000, 0), "f4"), "{1,0:T(8,128)}").shape == (0,)
        tld.save(tld.pack(da.ones((0, 3)), "{1,0}"), tmp_path / "x.npy")
        assert np.load(tmp_path / "x.npy").shape == (0,)

    def test_a_file_is_whole_or_not_there(self, tmp_path):
        layout = tl.layout(TILED)
        packed = tld.pack(da.zeros(layout.shape, dtype="f4", chunks=(8, 256)), layout)
        broken = packed.map_blocks(lambda block: block.missing, dtype="f4", meta=np.empty(0, "f4"))
        with pytest.raises(AttributeError):
            tld.save(broken, tmp_path / "x.bin")
        assert not [*tmp_path.iterdir()]

    @pytest.mark.parametrize("failure", [FileNotFoundError(2, "gone", "missing.cfg"), TimeoutError("a worker")])
    def test_what_a_task_raises_is_no_fault_of_the_file(self, tmp_path, failure):
        """It was told as the target's: that it could not be written."""

        def fail(chunk):
            raise failure

        with pytest.raises(type(failure)) as caught:
            tld.save(da.arange(20, chunks=7).map_blocks(fail, dtype=int, meta=np.empty(0, int)), tmp_path / "x.npy")
        assert (type(caught.value), str(caught.value)) == (type(failure), str(failure))
        assert not [*tmp_path.iterdir()]

    def test_a_worker_that_cannot_write_the_file(self, tmp_path):
        """Its directory is not there, or not under that name."""

        def vanish(chunk):
            for path in tmp_path.iterdir():
                path.unlink()
            return chunk

        with pytest.raises(FileError, match=r"cannot write '.*x\.npy': No such file"):
            tld.save(da.arange(20, chunks=20).map_blocks(vanish, dtype=int, meta=np.empty(0, int)), tmp_path / "x.npy")

    def test_more_bytes_than_64_bits_count(self, tmp_path):
        with pytest.raises(ShapeError, match="more than a signed 64-bit integer holds"):
            tld.save(da.zeros(2**62, chunks=2**62), tmp_path / "x.npy")
        assert not [*tmp_path.iterdir()]

    @pytest.mark.parametrize(
        "buffer",
        [
            da.ones(8, chunks=4),
            da.arange(20, dtype="u1", chunks=7)[::2],
            da.arange(8, chunks=4)[::-1],
            da.from_array(np.arange(8, dtype=">i2"), chunks=3),
            da.arange(8, chunks=3, dtype=">i2").map_blocks(lambda chunk: chunk.astype("<i2"), dtype=">i2"),
        ],
        ids=["stride 0", "steps", "backwards", "the other byte order", "the byte order of some machine"],
    )
    def test_chunks_as_they_come(self, tmp_path, buffer):
        tld.save(buffer, tmp_path / "x.npy")
        held = np.load(tmp_path / "x.npy")
        assert held.dtype == buffer.dtype
        np.testing.assert_array_equal(held, buffer.compute())

    @pytest.mark.parametrize("wrong", [lambda chunk: chunk.astype("f8"), lambda chunk: chunk[:3]], ids=["dtype", "length"])
    def test_chunks_that_are_not_what_was_said(self, tmp_path, wrong):
        buffer = da.arange(20, dtype="f4", chunks=7).map_blocks(wrong, dtype="f4")
        with pytest.raises(LayoutError, match=r"the chunk of elements \d+ to \d+ came out with shape .* was said to have dtype float32"):
            tld.save(buffer, tmp_path / "x.npy")
        assert not [*tmp_path.iterdir()]

    def test_refusals(self, tmp_path):
        with pytest.raises(ShapeError, match=r"\(3, 4\)"):
            tld.save(da.ones((3, 4)), tmp_path / "x.npy")
        with pytest.raises(LayoutError, match="cannot write"):
            tld.save(da.ones(4), tmp_path / "nowhere" / "x.npy")
        with pytest.raises(LayoutError, match="no regular file"):
            tld.save(da.ones(4), np.ones(4))


def test_tilelayout_does_not_import_dask():
    code = "import sys, tilelayout as tl; tl.layout('f32[3,5]{1,0}'); assert not any(name.split('.')[0] == 'dask' for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
