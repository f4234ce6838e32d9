"""The codec of zarr, in zarr itself."""

import json
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.core.array_spec import ArraySpec
from zarr.storage import LocalStore, MemoryStore, WrapperStore

import strategies_xla
import tilelayout as tl
from tilelayout import LayoutError, NotInjective
from tilelayout.zarr import LayoutCodec

TILES = "{1,0:T(8,128)}"
DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128", ">f4", ">i8", "datetime64[s]", "timedelta64[ms]"),
]


def make(store, x, chunks, layout, fill=None, **more):
    """An array that holds ``x`` in chunks of that layout, without compressors unless they are asked for."""
    array = zarr.create_array(
        store, shape=x.shape, chunks=chunks, dtype=x.dtype, serializer=LayoutCodec(layout, fill), **{"compressors": None, **more}
    )
    array[...] = x
    return array


def chunk(store, *at):
    """The bytes of a chunk in memory."""
    return store._store_dict["/".join(map(str, ("c", *at)))].to_bytes()


def numbers(*shape, dtype="float32"):
    """Numbers that differ from row to row and from column to column."""
    return (np.arange(np.prod(shape, dtype=int)) % 251).reshape(shape).astype(dtype)


class Counted(WrapperStore):
    """A store that counts the bytes of chunks that are read."""

    read = 0

    async def get(self, key, prototype, byte_range=None):
        found = await super().get(key, prototype, byte_range)
        if found is not None and key.startswith("c/"):
            self.read += len(found)
        return found


@settings(max_examples=25)
@given(strategies_xla.small_arrays().filter(lambda shape: 0 not in shape.bounds), st.sampled_from(["u1", "i2", "f4", "c16"]))
def test_chunks_are_what_pack_makes(shape, dtype):
    store, text, x = MemoryStore(), str(shape.layout), numbers(*shape.bounds, dtype=dtype)
    array = make(store, x + 1, shape.bounds, text)
    assert chunk(store, *(0,) * len(shape.bounds)) == tl.pack(x + 1, text).tobytes()
    assert np.array_equal(array[...], x + 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype):
    store, x = MemoryStore(), numbers(20, 150, dtype=dtype)
    array = make(store, x, (9, 150), TILES)
    assert chunk(store, 1, 0) == tl.pack(x[9:18].astype(x.dtype.newbyteorder("<")), TILES).tobytes()
    assert array[...].dtype == x.dtype
    assert np.array_equal(array[...], x)
    assert np.array_equal(zarr.open_array(store)[3:12, 5], x[3:12, 5])


def test_chunks_at_the_ends_are_whole():
    store, x = MemoryStore(), numbers(10, 300) + 1
    array = make(store, x, (8, 256), TILES, fill_value=7)
    last = np.full((8, 256), 7, "float32")
    last[:2, :44] = x[8:, 256:]
    assert chunk(store, 1, 1) == tl.pack(last, TILES).tobytes()
    assert np.array_equal(array[...], x)


def test_chunks_that_are_missing_hold_the_arrays_fill_value():
    array = zarr.create_array(MemoryStore(), shape=(30, 30), chunks=(10, 30), dtype="f4", fill_value=5, serializer=LayoutCodec(TILES))
    array[12:14, 3] = 1
    assert array[...].sum() == 30 * 30 * 5 - 2 * 4


@pytest.mark.parametrize("name", ["ZstdCodec", "GzipCodec", "BloscCodec", "Crc32cCodec"])
def test_compressors_behind_it(name):
    x = numbers(40, 130)
    array = make(MemoryStore(), x, (16, 130), TILES, compressors=getattr(zarr.codecs, name)())
    assert np.array_equal(array[...], x)
    assert np.array_equal(array[5:20, 100:], x[5:20, 100:])


def test_padding_compresses():
    array = make(MemoryStore(), numbers(64, 3), (64, 3), TILES, compressors=zarr.codecs.ZstdCodec())
    assert array.nbytes_stored() < 64 * 128 * 4 // 10


def test_shards():
    store, x = MemoryStore(), numbers(40, 500)
    array = make(store, x, (8, 250), TILES, shards=(16, 500))
    assert np.array_equal(array[...], x)
    assert np.array_equal(zarr.open_array(store)[7:30, 240:260], x[7:30, 240:260])
    assert tl.pack(x[:8, :250], TILES).tobytes() in chunk(store, 0, 0)


def test_bits_of_narrow_floats():
    values, text = numbers(17, 300).astype(ml_dtypes.bfloat16), "bf16[17,300]{1,0:T(8,128)(2,1)}"
    store = MemoryStore()
    array = make(store, values.view(np.uint16), (17, 300), text)
    assert chunk(store, 0, 0) == tl.pack(values, text).tobytes()
    assert np.array_equal(array[...].view(ml_dtypes.bfloat16), values)


@pytest.mark.parametrize("text", ["{1,0:T(8,128)E(4)}", "s4[20,150]{1,0:T(8,128)E(4)}"])
def test_elements_below_a_byte(text):
    store, x = MemoryStore(), (numbers(20, 150, dtype="int8") % 16 - 8).astype("int8")
    array = make(store, x, (20, 150), text)
    assert len(chunk(store, 0, 0)) == 24 * 256 // 2
    assert np.array_equal(array[...], x)
    assert np.array_equal(array[3:9, 77:80], x[3:9, 77:80])
    with pytest.raises(LayoutError, match="which does not fit in 4 bits"):
        array[0, 0] = 8


@pytest.mark.parametrize(
    ("dtype", "fill", "value"), [("float32", -1, -1), ("float32", "NaN", np.nan), ("uint8", 255, 255), ("float64", float("-inf"), -np.inf)]
)
def test_fill(dtype, fill, value):
    store, x = MemoryStore(), numbers(5, 100, dtype=dtype)
    array = make(store, x, (5, 100), TILES, fill)
    assert chunk(store, 0, 0) == tl.pack(x, TILES, fill=x.dtype.type(value)).tobytes()
    assert np.array_equal(array[...], x)
    said = json.loads(store._store_dict["zarr.json"].to_bytes())["codecs"][0]["configuration"]
    assert said == {"layout": TILES, "fill": {-np.inf: "-Infinity"}.get(value, fill)}


@pytest.mark.parametrize(
    ("dtype", "fill", "stored"),
    [("f4", "0x7fc00001", b"\1\0\xc0\x7f"), ("f8", "0x7ff8000000000001", b"\1\0\0\0\0\0\xf8\x7f"), ("?", True, b"\1")],
)
def test_fills_by_their_bits(dtype, fill, stored):
    """The bits of a NaN were said, and read again, as those of any."""
    store = MemoryStore()
    make(store, np.ones((1, 2), dtype), (1, 2), "{1,0:T(1,3)}", fill)
    assert chunk(store, 0, 0)[-len(stored) :] == stored
    again = zarr.open_array(store)
    assert again.metadata.codecs[0].fill == fill
    again[...] = np.zeros((1, 2), dtype)
    again[0, 0] = 1
    assert chunk(store, 0, 0)[-len(stored) :] == stored


def test_a_layout_behind_a_transpose():
    x = numbers(6, 130)
    array = make(MemoryStore(), x, (6, 130), "{1,0:T(8,128)}", filters=[zarr.codecs.TransposeCodec(order=(1, 0))])
    np.testing.assert_array_equal(array[...], x)


def test_shards_are_checked_when_one_is_written():
    array = zarr.create_array(
        MemoryStore(), shape=(64, 64), chunks=(8, 8), shards=(64, 64), dtype="f4", serializer=LayoutCodec("f32[3,4]{1,0}")
    )
    with pytest.raises(LayoutError, match=r"an array of shape \(3, 4\), not \(8, 8\)"):
        array[...] = 1


def test_a_process_that_has_not_imported_it_reads_it(tmp_path):
    x = numbers(20, 300)
    make(LocalStore(tmp_path / "a.zarr"), x, (8, 256), TILES)
    assert json.loads((tmp_path / "a.zarr/zarr.json").read_text())["codecs"] == [{"name": "tilelayout", "configuration": {"layout": TILES}}]
    script = "import sys, zarr; print(float(zarr.open_array(sys.argv[1])[...].sum()))"
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "a.zarr")], capture_output=True, text=True, check=True)
    assert float(done.stdout) == x.sum()


@pytest.fixture(scope="module")
def stored():
    """An array of one chunk, and the store that it lies in."""
    x, inner = numbers(64, 512), MemoryStore()
    make(inner, x, (64, 512), TILES)
    return x, Counted(inner)


class TestRegions:
    @pytest.mark.parametrize(
        ("region", "read"),
        [
            (np.s_[8:16], 8 * 512 * 4),
            (np.s_[8:16, 128:256], 8 * 128 * 4),
            (np.s_[9, 130], 4),
            (np.s_[9, 130:140], 40),
            (np.s_[9:11, 130:140], (128 + 10) * 4),
            (np.s_[...], 64 * 512 * 4),
            (np.s_[8:16:2], 64 * 512 * 4),
        ],
    )
    def test_no_more_is_read_than_the_stretch(self, stored, region, read):
        x, store = stored
        store.read = 0
        assert np.array_equal(zarr.open_array(store)[region], x[region])
        assert store.read == read

    @given(st.data())
    @settings(max_examples=25)
    def test_any_index(self, stored, data):
        x, store = stored
        ends = [sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in x.shape]
        kinds = [(slice(low, high), slice(low, high, 3), low % n) for (low, high), n in zip(ends, x.shape, strict=True)]
        region = tuple(data.draw(st.sampled_from(kind)) for kind in kinds)
        assert np.array_equal(zarr.open_array(store)[region], x[region])

    def test_lists_of_indices(self, stored):
        x, store = stored
        array = zarr.open_array(store)
        assert np.array_equal(array.oindex[[1, 9], [3, 200]], x[np.ix_([1, 9], [3, 200])])
        assert np.array_equal(array.vindex[[1, 9], [3, 200]], x[[1, 9], [3, 200]])


class TestRefusals:
    @pytest.mark.parametrize(
        ("dtype", "layout", "fill", "message"),
        [
            ("f4", "{2,1,0}", None, r"chunks of shape \(50, 300\) and type float32 in layout '{2,1,0}': Dimensions size is 2"),
            ("f4", "f32[8,128]{1,0}", None, r"an array of shape \(8, 128\), not \(50, 300\).*; behind a filter .* give it without a shape"),
            ("f4", "bf16[50,300]{1,0}", None, "float32 for a layout of bfloat16"),
            ("f4", "{1,0:T(8,", None, "expected a tile dimension"),
            ("f4", TILES, "x", "fill='x' is no value of type float32"),
            ("f4", TILES, 1e60, "is no value of type float32"),
            ("u1", TILES, 256, "fill=256 is no value of type uint8"),
            ("u1", TILES, " 7 ", "fill=' 7 ' is no value of type uint8 in zarr.json: it is text"),
            ("?", TILES, "false", "fill='false' is no value of type bool in zarr.json: it is neither true nor false"),
            ("?", TILES, 2, "fill=2 is no value of type bool in zarr.json: it is neither true nor false"),
            ("?", TILES, [True, False], r"fill=\[True, False\] is no value of type bool in zarr.json: it is a list"),
            ([("a", "f4")], TILES, None, "cannot be packed"),
        ],
    )
    def test_arrays_that_it_does_not_fit(self, dtype, layout, fill, message):
        with pytest.raises(LayoutError, match=message):
            zarr.create_array(MemoryStore(), shape=(100, 300), chunks=(50, 300), dtype=dtype, serializer=LayoutCodec(layout, fill))

    def test_two_elements_in_a_slot(self):
        with pytest.raises(NotInjective, match="several elements to slot 0"):
            zarr.create_array(MemoryStore(), shape=(4, 4), chunks=(4, 4), dtype="f4", serializer=LayoutCodec("cute:(4,4):(0,1)"))

    @pytest.mark.parametrize("configuration", [{}, {"lay": TILES}, {"layout": TILES, "tiles": 3}, {"layout": 3}])
    def test_configurations(self, configuration, tmp_path):
        make(LocalStore(tmp_path), numbers(4, 4), (4, 4), TILES)
        file = tmp_path / "zarr.json"
        said = json.loads(file.read_text())
        said["codecs"] = [{"name": "tilelayout", "configuration": configuration}]
        file.write_text(json.dumps(said))
        with pytest.raises(LayoutError, match=r"it takes a layout, and may have a fill|holds the layout's text"):
            zarr.open_array(LocalStore(tmp_path))

    def test_chunks_that_are_cut_short(self, tmp_path):
        array = make(LocalStore(tmp_path), numbers(8, 128), (8, 128), TILES)
        (tmp_path / "c/0/0").write_bytes(bytes(100))
        with pytest.raises(LayoutError, match="a buffer of 100 elements of uint8 for 1024 slots of 32 bits"):
            array[...]
        with pytest.raises(LayoutError, match="of its bytes 0 to 511 it has 100, where a whole one has 4096"):
            array[0]


def test_the_size_that_is_told_is_that_of_the_chunk():
    store = MemoryStore()
    array = make(store, numbers(9, 130), (9, 130), TILES)
    codec = array.metadata.codecs[0]
    spec = ArraySpec(array.chunks, array.metadata.data_type, 0, array.config, zarr.core.buffer.default_buffer_prototype())
    assert codec.compute_encoded_size(9 * 130 * 4, spec) == len(chunk(store, 0, 0)) == 16 * 256 * 4
