"""pack and unpack: against the reference, as inverses of each other, for every dtype and stride."""

import ctypes
import mmap
import sys
from functools import partial

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from strategies import arrays, layouts, strided_layouts
from tilelayout import reference

any_layout = st.one_of(layouts(), strided_layouts())


def mapped(raw):
    room = mmap.mmap(-1, len(raw))
    room[:] = raw
    return room


def seen_of_c(raw):
    return memoryview(ctypes.create_string_buffer(raw, len(raw)))


def packed_by_reference(array, layout, fill):
    return reference.pack(array.ravel().tolist(), layout.shape, layout.digits, layout.slots, fill)


@given(st.data(), any_layout)
def test_pack_agrees_with_the_reference(data, layout):
    array = data.draw(arrays(layout.shape))
    packed = tl.pack(array, layout, fill=7)
    assert packed.dtype == array.dtype
    assert packed.tolist() == packed_by_reference(array, layout, 7)


@given(st.data(), any_layout)
def test_unpack_agrees_with_the_reference(data, layout):
    buffer = np.arange(layout.slots).astype(data.draw(st.sampled_from(["u1", "u2", ">u4", "u8", "c16"])))
    array = tl.unpack(buffer, layout)
    assert array.dtype == buffer.dtype
    assert array.ravel().tolist() == reference.unpack(buffer.tolist(), layout.shape, layout.digits)


@given(st.data(), any_layout)
def test_unpack_undoes_pack(data, layout):
    array = data.draw(arrays(layout.shape))
    again = tl.unpack(tl.pack(array, layout), layout)
    assert again.tobytes() == array.tobytes()


@given(st.data(), any_layout)
def test_out_in_any_strides(data, layout):
    array = data.draw(arrays(layout.shape))
    out = np.full(layout.slots, 99, array.dtype)
    assert tl.pack(array, layout, fill=None, out=out) is out
    assert out.tolist() == packed_by_reference(array, layout, 99)
    room = np.zeros([2 * n for n in layout.shape] + [3], array.dtype)
    back = room[(*(slice(None, None, 2) for _ in layout.shape), 1)] if layout.ndim else np.zeros((), array.dtype)
    assert tl.unpack(out, layout, out=back) is back
    assert (back == array).all()
    assert np.count_nonzero(room) == (np.count_nonzero(array) if layout.ndim else 0)


tiles = st.lists(st.lists(st.sampled_from([1, 2, 3, 4, 8, 16, 32, 128]), min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from([1, 2, 7, 8, 16, 31, 40, 65, 128, 130]), min_size=1, max_size=3).map(tuple),
    tiles,
    st.sampled_from(["u1", "u2", "u4", "u8", "c16"]),
    st.randoms(use_true_random=False),
)
def test_tiles_large_enough_for_every_kernel(shape, tiles, dtype, random):
    order = random.sample(range(len(shape)), len(shape))
    layout = tl.xla.Layout(tuple(order), tiles=tiles).bind(shape)
    if layout.slots > 300_000:
        return
    axes = random.sample(range(len(shape)), len(shape))
    array = np.random.default_rng(random.randrange(99)).integers(0, 250, [shape[a] for a in axes]).astype(dtype)
    array = array.transpose(np.argsort(axes))
    expected = np.full(layout.slots, 3, dtype)
    expected[layout.offsets()] = array
    packed = tl.pack(array, layout, fill=3)
    assert (packed == expected).all()
    assert (tl.unpack(packed, layout) == array).all()


ALL_DTYPES = [
    *(bool, "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "M8[s]", "m8[ns]"),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn),
    *(ml_dtypes.float6_e2m3fn, ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2),
]


@pytest.mark.parametrize("dtype", ALL_DTYPES, ids=lambda d: np.dtype(d).name)
@pytest.mark.parametrize("text", ["{1,0:T(8,128)}", "{0,1:T(8,128)(2,1)}", "{1,0:T(3,4)(2,2)}"])
def test_every_dtype_bit_for_bit(dtype, text):
    rng = np.random.default_rng(1)
    width = np.dtype(dtype).itemsize
    bits = rng.integers(0, 2 if dtype is bool else 256, (37, 150, width), np.uint8)
    array = bits.view(dtype).reshape(37, 150)
    packed = tl.pack(array, text)
    assert packed.dtype == array.dtype
    assert tl.unpack(packed, text, shape=(37, 150)).tobytes() == array.tobytes()


XLA_DTYPES = {
    "pred": bool, "s8": "i1", "u8": "u1", "s16": "i2", "u16": "u2", "s32": "i4", "u32": "u4", "s64": "i8", "u64": "u8",
    "f16": "f2", "f32": "f4", "f64": "f8", "c64": "c8", "c128": "c16", "bf16": ml_dtypes.bfloat16,
    "f8e5m2": ml_dtypes.float8_e5m2, "f8e4m3fn": ml_dtypes.float8_e4m3fn, "s4": ml_dtypes.int4, "u2": ml_dtypes.uint2,
}  # fmt: skip


@pytest.mark.parametrize(("name", "dtype"), XLA_DTYPES.items())
def test_the_type_that_a_layout_names(name, dtype):
    dtype = np.dtype(dtype)
    layout = f"{name}[3,5]{{1,0:T(2,2)}}"
    array = np.arange(15).reshape(3, 5).astype(dtype)
    packed = tl.pack(array, layout)
    assert packed.dtype == dtype
    assert tl.unpack(packed, layout).tobytes() == array.tobytes()
    raw = tl.unpack(packed.tobytes(), layout)
    assert raw.tobytes() == array.tobytes()
    bits = array.view(f"u{dtype.itemsize}") if dtype.itemsize < 16 else array
    assert tl.pack(bits, layout).tobytes() == packed.tobytes()
    swapped = array.astype(dtype.newbyteorder(">")) if dtype.kind in "iufc" and dtype.isbuiltin == 1 else array
    assert tl.pack(swapped, layout).tobytes() == packed.tobytes()


def test_raw_bits_come_back_as_the_bits_that_were_given():
    bits = np.arange(15, dtype=np.uint16).reshape(3, 5)
    layout = tl.layout("bf16[3,5]{1,0:T(2,2)}")
    assert tl.pack(bits, layout).dtype == np.uint16
    assert tl.unpack(tl.pack(bits, layout), layout).dtype == np.uint16
    assert tl.unpack(tl.pack(bits, layout), layout, dtype="bfloat16").dtype == ml_dtypes.bfloat16
    assert tl.unpack(tl.pack(bits, layout).tobytes(), layout).dtype == ml_dtypes.bfloat16
    for width in (1, 2, 4, 8):
        wide = np.arange(15, dtype=f"u{width}").reshape(3, 5)
        packed, expected = (tl.pack(array, "{1,0:T(2,2)}") for array in (wide.view(f"V{width}"), wide))
        assert (packed.dtype, packed.tolist()) == (expected.dtype, expected.tolist())
    loaded = bits.view("V2")  # what numpy.load makes of a bfloat16 file
    assert tl.pack(loaded, layout).tobytes() == tl.pack(bits, layout).tobytes()


class TestBelowAByte:
    """XLA packs the first element in the low bits; the vectors are those of xla/util_test.cc."""

    @pytest.mark.parametrize(
        ("text", "values", "packed"),
        [
            ("u4[16]{0:E(4)}", range(16), "1032547698badcfe"),
            ("u4[17]{0:E(4)}", [*range(16), 9], "1032547698badcfe09"),
            ("u2[16]{0:E(2)}", [0, 1, 2, 3, 3, 2, 1, 0, 1, 2, 3, 0, 2, 3, 0, 1], "e41b394e"),
            ("u2[17]{0:E(2)}", [0, 1, 2, 3, 3, 2, 1, 0, 1, 2, 3, 0, 2, 3, 0, 1, 2], "e41b394e02"),
            ("u1[16]{0:E(1)}", [0, 1] * 8, "aaaa"),
            ("u1[18]{0:E(1)}", [0, 1] * 9, "aaaa02"),
            ("u1[17]{0:E(1)}", [0, 1] * 8 + [1], "aaaa01"),
        ],
    )
    def test_vectors(self, text, values, packed):
        array = np.array(list(values), np.uint8)
        assert tl.pack(array, text).tobytes().hex() == packed
        assert tl.unpack(bytes.fromhex(packed), text).tolist() == list(values)

    @given(st.sampled_from([1, 2, 4]), st.booleans(), st.data())
    def test_agrees_with_the_reference(self, bits, signed, data):
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        values = data.draw(st.lists(st.integers(low, high), max_size=40))
        text = f"{'s' if signed else 'u'}{bits}[{len(values)}]{{0:E({bits})}}"
        packed = tl.pack(np.array(values, "i1" if signed else "u1"), text)
        assert packed.tobytes() == reference.pack_bits(values, bits)
        assert tl.unpack(packed, text).tolist() == values == reference.unpack_bits(packed.tobytes(), len(values), bits, signed)

    @pytest.mark.parametrize("shape", [(64, 128), (70, 200), (3, 5), (1, 1)])
    def test_tiled(self, shape):
        text = f"s4[{shape[0]},{shape[1]}]{{1,0:T(64,128)(8,1)E(4)}}"
        array = np.random.default_rng(0).integers(-8, 8, shape, np.int8)
        packed = tl.pack(array, text)
        assert packed.nbytes == tl.xla.parse_shape(text).byte_size
        assert (tl.unpack(packed, text) == array).all()
        slot = tl.layout(text)(shape[0] - 1, shape[1] - 1)
        assert (packed[slot // 2] >> slot % 2 * 4) & 15 == int(array[-1, -1]) & 15
        narrow = tl.pack(array.astype(ml_dtypes.int4), text)
        assert (narrow == packed).all()
        assert tl.unpack(packed, text, dtype=ml_dtypes.int4).dtype == ml_dtypes.int4
        assert (tl.unpack(packed, text, dtype=ml_dtypes.int4).astype(np.int8) == array).all()

    def test_the_bits_that_ml_dtypes_leaves_open_are_ignored(self):
        array = np.array([0xF1, 0x0E], np.uint8).view(ml_dtypes.uint4)
        assert tl.pack(array, "u4[2]{0:E(4)}").tolist() == [0xE1]

    def test_out_of_range_is_refused(self):
        out = np.full(2, 0x55, np.uint8)
        with pytest.raises(tl.LayoutError, match="holds 8, which does not fit in 4 bits of int4; -8 to 7 do"):
            tl.pack(np.array([1, 2, 8], np.int8), "s4[3]{0:E(4)}", out=out)
        with pytest.raises(tl.LayoutError, match=r"holds 16, .* 0 to 15 do"):
            tl.pack(np.array([1, 2, 16], np.uint8), "u4[3]{0:E(4)}", out=out)

    def test_nor_in_any_of_many_blocks(self):
        layout = tl.layout("s4[256,1000]{1,0:T(8,128)E(4)}")
        array = np.zeros(layout.shape, np.int8)
        array[-1, -1] = 8
        out = np.full(layout.slots // 2, 0x55, np.uint8)
        with pytest.raises(tl.LayoutError, match="holds 8, which does not fit"):
            tl.pack(array, layout, out=out)

    @pytest.mark.parametrize("fill", [-3, None])
    @pytest.mark.parametrize(
        "layout",
        [
            tl.layout("s4[255,1000]{1,0:T(8,128)E(4)}"),
            tl.Layout((300, 256), [(0, 1, 300, 512), (1, 1, 256, 1)], slots=300 * 512, element=tl.Element("int4", 4)),
        ],
        ids=str,
    )
    def test_blocks_in_a_buffer_that_is_there(self, fill, layout):
        array = np.random.default_rng(0).integers(-8, 8, layout.shape, np.int8)
        slots = np.full(layout.slots, 5 if fill is None else fill, np.int8)
        slots[layout.offsets()] = array
        packed = tl.pack(array, layout, fill=fill, out=np.full(layout.slots // 2, 0x55, np.uint8))
        assert packed.tobytes() == reference.pack_bits(slots.tolist(), 4)
        assert (tl.unpack(packed, layout) == array).all()

    def test_regions_of_strides_that_go_backwards(self):
        layout = tl.Layout((2, 9), [(0, 1, 2, 9), (1, 1, 9, -1), (None, 1, 2, 8)], element=tl.Element("int4", 4))
        array = np.arange(18, dtype=np.int8).reshape(2, 9) % 15 - 7
        packed = tl.pack(array, layout)
        for region in (np.s_[1, 2:5], np.s_[0, :1], np.s_[:, 3:]):
            assert (tl.unpack(packed, layout, region=region) == array[region]).all()
            expected = array.copy()
            expected[region] = -array[region]
            changed = tl.pack(-array[region], layout, out=packed.copy(), region=region)
            assert (tl.unpack(changed, layout) == expected).all()

    def test_fill(self):
        text = "s4[1]{0:T(4)E(4)}"
        assert tl.pack(np.array([1], np.int8), text, fill=-2).tolist() == [0xE1, 0xEE]
        with pytest.raises(tl.LayoutError, match="fill value holds 9"):
            tl.pack(np.array([1], np.int8), text, fill=9)

    def test_fill_none_keeps_the_padding_nibbles(self):
        out = np.array([0xFF, 0xFF], np.uint8)
        tl.pack(np.array([1], np.int8), "s4[1]{0:T(4)E(4)}", fill=None, out=out)
        assert out.tolist() == [0xF1, 0xFF]

    def test_floats_of_four_bits(self):
        array = np.arange(16, dtype=np.uint8).view(ml_dtypes.float4_e2m1fn)
        packed = tl.pack(array, "f4e2m1fn[16]{0:E(4)}")
        assert packed.tobytes().hex() == "1032547698badcfe"
        assert tl.unpack(packed, "f4e2m1fn[16]{0:E(4)}").tobytes() == array.tobytes()

    def test_a_layout_without_a_type_takes_the_arrays(self):
        packed = tl.pack(np.array([1, -2, 3], np.int8), "{0:E(4)}")
        assert packed.tobytes().hex() == "e103"
        assert tl.unpack(packed, "{0:E(4)}", shape=(3,), dtype=np.int8).tolist() == [1, -2, 3]
        assert tl.unpack(packed, "{0:E(4)}", shape=(3,)).tolist() == [1, 14, 3]

    def test_pred_in_a_bit(self):
        array = np.array([True, False, True, True, False, False, False, False, True])
        assert tl.pack(array, "pred[9]{0:E(1)}").tolist() == [0b1101, 1]
        assert tl.unpack(bytes([0b1101, 1]), "pred[9]{0:E(1)}").tolist() == array.tolist()

    @pytest.mark.parametrize("step", [1, 2, -1])
    @pytest.mark.parametrize("bits", [1, 2, 4])
    def test_whatever_is_not_0_is_true(self, bits, step):
        array = np.random.default_rng(0).integers(0, 5, (11, 26), np.uint8).view(bool)[::step, ::step]
        truth = array != 0
        for order in ("1,0:T(8,8)", "0,1:"):
            layout = tl.layout(f"pred[{array.shape[0]},{array.shape[1]}]{{{order}E({bits})}}")
            packed = tl.pack(truth, layout)
            for _ in range(3):  # the last are calls that were checked before
                assert tl.pack(array, layout).tobytes() == packed.tobytes()
            assert tl.relayout(array, "{1,0}", layout).tobytes() == packed.tobytes()
            region = np.zeros_like(packed)
            tl.pack(array[1:, 2:5], layout, out=region, region=np.s_[1:, 2:5])
            assert tl.unpack(region, layout)[1:, 2:5].tolist() == truth[1:, 2:5].tolist()
            assert tl.unpack(region, layout).sum() == truth[1:, 2:5].sum()

    @pytest.mark.parametrize("form", [bytes, bytearray, memoryview, mapped, seen_of_c])
    def test_bytes_become_the_type_that_the_layout_names(self, form):
        for name, held in (("s8", np.int8), ("u8", np.uint8), ("pred", np.bool_), ("f8e4m3fn", ml_dtypes.float8_e4m3fn), ("s16", np.int16)):
            array, text = np.array([1, 0, 1, 1], held), f"{name}[4]{{0:T(2)}}"
            if held == np.int8:
                array = -array
            raw = form(array.tobytes())
            for _ in range(2):
                assert tl.unpack(raw, text).dtype == held
                assert tl.unpack(raw, text).tobytes() == array.tobytes()
            assert tl.unpack(raw, text, region=np.s_[:2]).dtype == held
            assert tl.relayout(raw, text, text).dtype == held
            if array.itemsize == 1:  # which may have been packed as the bits of such elements
                assert tl.unpack(np.frombuffer(raw, np.uint8), text).dtype == np.uint8

    def test_bytes_of_an_unknown_type(self):
        assert tl.unpack(b"\1\2\3", "{0:E(8)}", shape=(3,)).tolist() == [1, 2, 3]
        with pytest.raises(tl.LayoutError, match="give dtype="):
            tl.unpack(bytes(6), "{0:E(16)}", shape=(3,))
        assert tl.unpack(bytes(6), "{0:E(16)}", shape=(3,), dtype="float16").tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("preset:awq_int4", (256, 128)),
        ("preset:tensor_core_tiled_4", (64, 512)),
        ("u4{0,1:T(4,4)E(4)}", (200, 172)),
        ("u4{0,1:T(4,4)E(4)}", (199, 171)),
        ("u4{0,1:T(8,128)(2,4)E(4)}", (130, 300)),
        ("u2{0,1:T(2,4)E(2)}", (180, 200)),
        ("s4{0,1:T(2,4)E(4)}", (180, 200)),
    ],
)
@pytest.mark.parametrize("fill", [0, 1, None])
def test_few_elements_of_a_byte_at_a_time(text, shape, fill):
    """They took 20 to 250 copies, joined one by one; now each has a byte of its own first."""
    prefix, brace, rest = text.partition("{")
    layout = tl.layout(f"{prefix}[{','.join(map(str, shape))}]{{{rest}" if brace else text, shape=shape)
    bits, is_signed = layout.element.bits, layout.element.signed
    low = -(1 << bits - 1) if is_signed else 0
    array = np.random.default_rng(0).integers(low, low + (1 << bits), shape, np.int8 if is_signed else np.uint8)
    out = np.random.default_rng(1).integers(0, 256, -(-layout.slots * bits // 8), np.uint8)
    held = np.unpackbits(out, bitorder="little").reshape(-1, bits)[: layout.slots].dot(1 << np.arange(bits))
    if fill is not None:
        held[:] = fill
    held[layout.offsets()] = array & (1 << bits) - 1
    assert tl.pack(array, layout, fill=fill, out=out) is out
    assert (np.unpackbits(out, bitorder="little").reshape(-1, bits)[: layout.slots].dot(1 << np.arange(bits)) == held).all()
    assert (tl.unpack(out, layout) == array).all()
    before = out.copy()
    array[-1, -1] = 1 << bits - is_signed
    with pytest.raises(tl.LayoutError, match="does not fit in"):
        tl.pack(array, layout, fill=fill, out=out)
    if layout.size > 1 << 14:
        assert (out == before).all()


class TestWiderThanTheType:
    """E(32) on pred, as compilers of 2019 and 2020 wrote: the value in the low bits, zeros above."""

    def test_pred_in_four_bytes(self):
        array = np.array([[True, False, True]])
        text = "pred[1,3]{1,0:T(2,4)E(32)}"
        packed = tl.pack(array, text)
        assert packed.dtype == np.uint32
        assert packed.nbytes == tl.xla.parse_shape(text).byte_size == 32
        assert packed.tolist() == [1, 0, 1, 0, 0, 0, 0, 0]
        assert tl.unpack(packed, text).tolist() == array.tolist()
        assert tl.unpack(packed.tobytes(), text).tolist() == array.tolist()
        assert tl.unpack(packed, text).dtype == bool

    def test_signed_values_are_not_extended(self):
        assert tl.pack(np.array([-1], np.int8), "s8[1]{0:E(16)}").tolist() == [0xFF]
        assert tl.unpack(np.array([0xFF], np.uint16), "s8[1]{0:E(16)}").tolist() == [-1]

    @pytest.mark.parametrize("bits", [16, 32, 64, 128])
    def test_every_width_of_a_slot(self, bits):
        array = np.array([-1, 2, -3], np.int8)
        packed = tl.pack(array, f"s8[3]{{0:E({bits})}}")
        order = sys.byteorder if bits < 128 else "little"  # numpy has no integers of 16 bytes, which would have an order
        assert packed.tobytes() == b"".join((value & 255).to_bytes(bits // 8, order) for value in array.tolist())
        assert tl.unpack(packed, f"s8[3]{{0:E({bits})}}").tolist() == array.tolist()

    def test_narrower_than_the_type_is_refused(self):
        with pytest.raises(tl.LayoutError, match="slots of 4 bits cannot hold int8, which has 8"):
            tl.pack(np.zeros(3, np.int8), "s8[3]{0:E(4)}")


class TestFill:
    @pytest.mark.parametrize("fill", [0, -1, 1.5, np.nan, np.inf, -0.0])
    def test_any_value_of_the_dtype(self, fill):
        packed = tl.pack(np.ones((3, 5), np.float32), "{1,0:T(2,2)}", fill=fill)
        padding = tl.layout("{1,0:T(2,2)}", shape=(3, 5)).is_padding(range(24))
        assert packed[padding].tobytes() == np.full(9, fill, np.float32).tobytes()
        assert (packed[~padding] == 1).all()

    def test_a_nan_keeps_its_payload(self):
        nan = np.uint32(0x7FC01234).view(np.float32)
        packed = tl.pack(np.ones(3, np.float32), "{0:T(4)}", fill=nan)
        assert packed.view(np.uint32)[3] == 0x7FC01234

    def test_narrow_floats(self):
        packed = tl.pack(np.ones(3, ml_dtypes.bfloat16), "bf16[3]{0:T(4)}", fill=np.nan)
        assert np.isnan(packed[3])

    def test_tail_padding(self):
        assert tl.pack(np.ones(3, np.uint8), "{0:L(8)}", fill=9).tolist() == [1, 1, 1, 9, 9, 9, 9, 9]

    def test_none_without_out_is_zero(self):
        assert tl.pack(np.ones(3, np.uint8), "{0:T(4)}", fill=None).tolist() == [1, 1, 1, 0]

    @pytest.mark.parametrize(
        ("dtype", "fill"),
        [
            ("u1", 256),
            ("u1", -1),
            ("i4", 0.5),
            ("i4", np.nan),
            ("f4", "x"),
            ("f4", [1, 2]),
            ("f4", 1e300),
            ("f4", 1j),
            (bool, 2),
            ("u1", np.int64(300)),
        ],
    )
    def test_no_value_of_the_dtype(self, dtype, fill):
        with pytest.raises(tl.LayoutError, match="fill="):
            tl.pack(np.ones(3, dtype), "{0:T(4)}", fill=fill)


class TestBadInput:
    def test_wrong_shape(self):
        with pytest.raises(tl.ShapeError, match=r"\(3, 5\).*\(3, 4\)|\(3, 4\).*\(3, 5\)"):
            tl.pack(np.zeros((3, 4), np.float32), "f32[3,5]{1,0:T(2,2)}")
        with pytest.raises(tl.ShapeError, match="Dimensions size is 3, but minor to major size is 2"):
            tl.pack(np.zeros((3, 4, 5), np.float32), "{1,0:T(2,2)}")

    @pytest.mark.parametrize("dtype", [np.float64, np.int32, np.int64, np.float16, np.uint64])
    def test_wrong_dtype(self, dtype):
        with pytest.raises(tl.LayoutError, match="for a layout of float32; convert it"):
            tl.pack(np.zeros((3, 5), dtype), "f32[3,5]{1,0:T(2,2)}")

    @pytest.mark.parametrize("dtype", [object, "S4", "U1", [("a", "u1"), ("b", "u1")], "S3"])
    def test_dtypes_that_are_no_numbers(self, dtype):
        with pytest.raises(tl.LayoutError, match="numbers of 1, 2, 4, 8 or 16 bytes"):
            tl.pack(np.zeros((3, 5), dtype), "{1,0:T(2,2)}")

    @pytest.mark.parametrize("count", [0, 23, 25])
    def test_buffers_too_small_or_too_large(self, count):
        with pytest.raises(tl.ShapeError, match=f"a buffer of {count} elements .* takes 24 elements of float32, or 96 bytes"):
            tl.unpack(np.zeros(count, np.float32), "f32[3,5]{1,0:T(2,2)}")

    def test_bytes_that_do_not_add_up(self):
        with pytest.raises(tl.LayoutError, match=r"a buffer of 95 elements of uint8 .* 24 elements of float32, or 96 bytes"):
            tl.unpack(bytes(95), "f32[3,5]{1,0:T(2,2)}")

    def test_wrong_buffer_dtype(self):
        with pytest.raises(tl.LayoutError, match="a buffer of dtype float64 for slots of 32 bits"):
            tl.unpack(np.zeros(24, np.float64), "f32[3,5]{1,0:T(2,2)}")
        with pytest.raises(tl.LayoutError, match="a buffer of dtype int32 for slots of 32 bits"):
            tl.unpack(np.zeros(24, np.int32), "f32[3,5]{1,0:T(2,2)}")
        for ask in (tl.unpack, partial(tl.relayout, target="{1,0}")):
            with pytest.raises(tl.LayoutError, match=r"dtype=int32 for a layout of float32; leave it out, or ask for its bits as uint32"):
                ask(bytes(96), "f32[3,5]{1,0:T(2,2)}", dtype="int32")
        with pytest.raises(tl.LayoutError, match=r"no dtype|element type"):
            tl.unpack(np.zeros(24, np.float32), "f32[3,5]{1,0:T(2,2)}", dtype="float33")

    def test_no_shape(self):
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            tl.unpack(np.zeros(24, np.float32), "{1,0:T(2,2)}")

    def test_out(self):
        array, text = np.zeros((3, 5), np.float32), "f32[3,5]{1,0:T(2,2)}"
        for out in (np.zeros(23, "f4"), np.zeros((24, 1), "f4"), np.zeros(24, "f8"), np.zeros(24, np.dtype("f4").newbyteorder())):
            with pytest.raises(tl.ShapeError, match=r"out has shape .* it takes shape \(24,\) and dtype float32"):
                tl.pack(array, text, out=out)
        with pytest.raises(tl.LayoutError, match="out is a list"):
            tl.pack(array, text, out=[0] * 24)
        read_only = np.zeros(24, "f4")
        read_only.flags.writeable = False
        with pytest.raises(tl.LayoutError, match="read-only"):
            tl.pack(array, text, out=read_only)
        with pytest.raises(tl.LayoutError, match="read-only"):
            tl.unpack(np.zeros(24, "f4"), text, out=np.broadcast_to(np.float32(0), (3, 5)))

    def test_out_of_any_class(self):
        """What a class makes of its elements and views is not asked: astropy's quantities take no numbers without a unit."""

        class Stranger(np.ndarray):
            def refuse(self, *args, **kwargs):
                raise AttributeError("'numpy.uint32' object has no attribute 'unit'")

            __getitem__ = __setitem__ = __array_function__ = __array_ufunc__ = view = reshape = astype = refuse

        x = np.arange(12, dtype="f4").reshape(3, 4)
        layout = tl.layout("f32[3,4]{1,0:T(4,2)}")
        packed, queries = tl.pack(x, layout, fill=7), np.array([[1, 2], [2, 3]])
        for room, ask, expected in (
            (np.zeros(16, "f4"), lambda out: tl.pack(x, layout, out=out, fill=7), packed),
            (np.zeros(16, "f4"), lambda out: tl.pack(x, layout, out=out, region=np.s_[:]), tl.pack(x, layout)),
            (np.zeros((4, 3), "f4").T, lambda out: tl.unpack(packed, layout, out=out), x),
            (np.zeros((2, 2), "f4")[:, 1], lambda out: tl.unpack(packed, layout, out=out, region=np.s_[1:, 2]), x[1:, 2]),
            (np.zeros(12, "f4"), lambda out: tl.relayout(packed, layout, "{0,1}", out=out), tl.pack(x, "{0,1}")),
            (np.zeros(2, "i8"), lambda out: layout.index(queries, out=out), layout.index(queries)),
            (np.zeros(4, "i8")[::2], lambda out: layout.index(queries, out=out), layout.index(queries)),
            (np.zeros((2, 2), "i8"), lambda out: layout.coordinates([9, 13], out=out), layout.coordinates([9, 13])),
        ):
            out = np.ndarray.view(room, Stranger)
            assert ask(out) is out
            assert room.tolist() == expected.tolist()

    def test_out_has_the_shape(self):
        array = np.arange(15, dtype=np.float32).reshape(3, 5)
        packed = tl.pack(array, "{1,0:T(2,2)}")
        for out in (np.empty((3, 5), np.float32), np.empty((5, 3), np.float32).T):
            assert tl.unpack(packed, "{1,0:T(2,2)}", out=out) is out
            assert (out == array).all()
        assert (tl.unpack(tl.pack(array, "[0, 1, 0 p(4)]"), "[0, 1, 0 p(4)]", out=np.empty((3, 5), np.float32)) == array).all()

    def test_a_shape_of_its_own_is_not_that_of_out(self):
        packed = tl.pack(np.arange(15, dtype=np.float32).reshape(3, 5), "{1,0:T(2,2)}")
        for asked in ({"layout": "f32[3,5]{1,0:T(2,2)}"}, {"layout": "{1,0:T(2,2)}", "shape": (3, 5)}):
            with pytest.raises(tl.ShapeError, match=r"out has shape \(5, 3\)"):
                tl.unpack(packed, out=np.empty((5, 3), np.float32), **asked)
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            tl.unpack(packed, "{1,0:T(2,2)}", out=np.empty(4, np.float32), region=np.s_[0, :4])
        with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
            tl.unpack(packed, "{1,0:T(2,2)}", out=[0])

    def test_a_strided_out_for_pack(self):
        with pytest.raises(tl.LayoutError, match="one after the other"):
            tl.pack(np.ones((3, 5), np.float32), "f32[3,5]{1,0:T(2,2)}", out=np.zeros(48, "f4")[::2])

    def test_overlap(self):
        room = np.zeros(24, np.float32)
        with pytest.raises(tl.LayoutError, match="shares memory"):
            tl.pack(room[:15].reshape(3, 5), "f32[3,5]{1,0:T(2,2)}", out=room)
        with pytest.raises(tl.LayoutError, match="shares memory"):
            tl.unpack(room, "f32[3,5]{1,0:T(2,2)}", out=room[9:].reshape(3, 5))

    @given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
    def test_out_whose_elements_share_memory(self, shape, data):
        steps = data.draw(st.lists(st.integers(-9, 9), min_size=len(shape), max_size=len(shape)))
        begin = sum(-min(0, step) * (n - 1) for step, n in zip(steps, shape, strict=True))
        room = np.zeros(256, "u1")
        out = np.ndarray(shape, "<u2", room.data, begin, steps)
        x = np.arange(1, 1 + out.size, dtype="<u2").reshape(shape)
        taken = [begin + at + byte for at in np.dot(np.argwhere(x), steps) for byte in (0, 1)]
        order = ",".join(map(str, reversed(range(len(shape)))))
        if len({*taken}) < len(taken):
            with pytest.raises(tl.LayoutError, match="by which elements share memory"):
                tl.unpack(x.reshape(-1), f"{{{order}}}", shape=shape, out=out)
            assert not room.any()
        else:
            tl.unpack(x.reshape(-1), f"{{{order}}}", shape=shape, out=out)
            assert (out == x).all()

    def test_two_elements_in_one_slot(self):
        layout = tl.Layout((2, 2), [(0, 1, 2, 1), (1, 1, 2, 1)])
        with pytest.raises(tl.NotInjective, match="several elements to slot 1"):
            tl.pack(np.zeros((2, 2)), layout)
        assert tl.unpack(np.array([5, 6, 7]), layout).tolist() == [[5, 6], [6, 7]]

    def test_axes_that_nobody_reads_are_refused_without_a_table(self):
        x = np.broadcast_to(np.uint8(0), (10**6, 10**6))
        with pytest.raises(tl.NotInjective, match="several elements to slot 7"):
            tl.pack(x, "strides=(0,1), offset=7")
        with pytest.raises(tl.NotInjective, match="several elements to slot 0"):
            tl.pack(x, tl.Layout(x.shape, [(0, 1, 10**6, 10**6), (1, 2, 10**6, 1)]))

    def test_no_array_at_all(self):
        for bad in (object(), [[1, 2], [3]], None, "text"):
            with pytest.raises(tl.LayoutError):
                tl.pack(bad, "{0}")

    @pytest.mark.parametrize("threads", [0, -1, 1.5, "two"])
    def test_threads(self, threads):
        with pytest.raises(tl.LayoutError, match="threads="):
            tl.pack(np.zeros(3), "{0}", threads=threads)

    @pytest.mark.parametrize("bad", [None, 5, object(), b"{0}", ["{0}"]])
    def test_no_layout_at_all(self, bad):
        with pytest.raises(tl.LayoutError, match="a layout is text"):
            tl.pack(np.zeros(3), bad)

    def test_what_does_not_fit_in_memory(self):
        array = np.broadcast_to(np.float32(0), (2**40, 1))
        with pytest.raises(tl.ShapeError, match="does not fit in memory"):
            tl.pack(array, "f32[1099511627776,1]{1,0:T(8,128)}")

    def test_slots_beyond_64_bits(self):
        with pytest.raises(tl.ShapeError, match=r"64-bit|overflow"):
            tl.layout("f32[9223372036854775807,9]{1,0:T(8,128)}")


def test_zero_size():
    for text in ("f32[0,3]{1,0:T(8,128)}", "f32[3,0]{0,1:T(2,2)(3)}"):
        layout = tl.layout(text)
        packed = tl.pack(np.zeros(layout.shape, np.float32), layout)
        assert packed.shape == (layout.slots,) == (0,)
        assert tl.unpack(packed, layout).shape == layout.shape


def test_broadcast_read_only_and_zero_strides():
    array = np.broadcast_to(np.arange(5, dtype=np.uint8), (3, 5))
    assert tl.unpack(tl.pack(array, "{1,0:T(2,2)}"), "{1,0:T(2,2)}", shape=(3, 5)).tolist() == array.tolist()


def test_lists_are_arrays():
    assert tl.pack([[1, 2], [3, 4]], "{0,1}").tolist() == [1, 3, 2, 4]


def test_slots_of_16_bytes_are_read_as_they_were_written():
    layout = tl.Layout((4,), [(0, 1, 4, 1)], element=("int32", 128))
    array = np.arange(4, dtype="int32")
    packed = tl.pack(array, layout)
    assert packed.itemsize == 16
    for buffer in (packed, packed.view(np.uint8)):
        assert tl.unpack(buffer, layout).tolist() == array.tolist()


class TestWhatIsTakenForWhat:
    """Byte orders, masks and views of memory."""

    array = np.arange(15, dtype="<f4").reshape(3, 5)

    @pytest.mark.parametrize(("given", "wanted"), [("<f4", ">f4"), (">f4", "<f4"), ("<u4", ">f4")])
    def test_numbers_of_another_byte_order(self, given, wanted):
        packed = tl.pack(self.array.astype(given), "{1,0:T(2,2)}")
        for ask in (
            lambda: tl.unpack(packed, "{1,0:T(2,2)}", shape=(3, 5), dtype=wanted),
            lambda: tl.relayout(packed, "{1,0:T(2,2)}", "{0,1}", shape=(3, 5), dtype=wanted),
        ):
            with pytest.raises(tl.LayoutError, match=r"a buffer of dtype .* it takes 24 elements of"):
                ask()

    @pytest.mark.parametrize(("text", "kind"), [("{1,0:T(2,2)}", ">f4"), ("{1,0:T(2,2)E(32)}", "=f4"), ("f32[3,5]{1,0:T(2,2)}", "=f4")])
    def test_the_byte_order_of_what_comes_back(self, text, kind):
        packed = tl.pack(self.array.astype(">f4"), "{1,0:T(2,2)}")
        found = tl.unpack(packed, text, shape=(3, 5))
        assert found.dtype == kind
        assert (found == self.array).all()

    def test_bytes_of_another_byte_order(self):
        packed = tl.pack(self.array.astype(">f4"), "{1,0:T(2,2)}")
        for buffer in (packed.tobytes(), packed.view(np.uint8), packed):
            found = tl.unpack(buffer, "{1,0:T(2,2)}", shape=(3, 5), dtype=">f4")
            assert found.dtype == ">f4"
            assert (found == self.array).all()
        with pytest.raises(tl.LayoutError, match=r"dtype=>f4 is the byte order of another machine; elements come back as float32"):
            tl.unpack(packed, "f32[3,5]{1,0:T(2,2)}", dtype=">f4")
        assert (tl.unpack(packed, "f32[3,5]{1,0:T(2,2)}") == self.array).all()

    def test_masked_arrays(self):
        masked = np.ma.masked_all
        layout = tl.layout("f32[3,5]{1,0:T(2,2)}")
        packed = tl.pack(self.array, layout)
        for ask in (
            lambda: tl.pack(masked((3, 5), "f4"), layout),
            lambda: tl.pack(self.array, layout, out=masked(24, "f4")),
            lambda: tl.pack(np.array([1, 2, 3], "i1"), "s4[3]{0:E(4)}", out=np.ma.array(np.zeros(2, "u1"), mask=True, hard_mask=True)),
            lambda: tl.pack(self.array, layout, fill=np.ma.masked),
            lambda: tl.unpack(packed, layout, out=masked((3, 5), "f4")),
            lambda: layout.index(np.ma.array([[1, 2]], mask=[[0, 1]])),
            lambda: layout.index([[1, 2]], out=masked(1, "i8")),
            lambda: layout.coordinates(np.ma.array([1], mask=[1])),
            lambda: layout.is_padding(np.ma.array([1], mask=[1])),
        ):
            with pytest.raises(tl.LayoutError, match="masked"):
                ask()

    def test_views_of_memory(self):
        packed = tl.pack(self.array, "{1,0:T(2,2)}")
        for buffer in (memoryview(packed), memoryview(packed.tobytes()), memoryview(packed.tobytes()).cast("c")):
            assert (tl.unpack(buffer, "f32[3,5]{1,0:T(2,2)}") == self.array).all()
        assert (tl.unpack(memoryview(packed), "{1,0:T(2,2)}", shape=(3, 5)) == self.array).all()
        with pytest.raises(tl.LayoutError, match="a buffer of dtype float32"):
            tl.unpack(memoryview(packed), "s32[3,5]{1,0:T(2,2)}")
        gone = memoryview(b"abc")
        gone.release()
        with pytest.raises(tl.LayoutError, match=r"cannot be read as bytes: .*released"):
            tl.unpack(gone, "u8[3]")

    def test_more_dimensions_than_arrays_have(self):
        steps = f"strides=({','.join(['1'] * 70)})"
        for ask in (
            lambda: tl.layout(steps, shape=(1,) * 70).offsets(),
            lambda: tl.unpack(np.zeros(1), steps, shape=(1,) * 70, region=(0,) * 70),
            lambda: tl.pack(np.zeros(()), tl.layout(steps, shape=(1,) * 70), region=(0,) * 70, out=np.zeros(1)),
        ):
            with pytest.raises(tl.ShapeError, match="an array of 70 dimensions; numpy's have 64 at the most"):
                ask()

    def test_what_would_be_right_is_said(self):
        for ask, message in (
            (lambda: tl.pack(self.array, "c128[3,5]{1,0}"), r"convert it, as .* does$"),
            (lambda: tl.pack(np.zeros((1, 2), "i1"), "{1,0:E(3)}"), "slots of 3 bits .*; a slot has 1, 2, 4, 8"),
            (lambda: tl.pack(self.array.astype("u1"), "{1,0:T(2,2)}", fill=-1), "; 0 to 255 are$"),
            (lambda: tl.pack(self.array, "{1,0}", threads="2"), "threads='2' is no number of threads"),
            (lambda: tl.unpack(self.array.ravel(), tl.layout("{1,0}", (3, 5)), shape=(3.0, 5)), r"shape=\(3\.0, 5\) is no shape"),
            (lambda: tl.linear_index_with_tile([2, 3], (3, 5), (2, -1)), r"tile=\(2, -1\), in which -1 is XLA's '\*'"),
            (lambda: tl.layout("{1,0}", (3, 5)).index(np.zeros((0, 2), object)), "coordinates of dtype object are no integers"),
            (lambda: tl.layout("{1,0}", (3, 5)).index(np.array([[1, 2]], object)), "coordinates of dtype object are no integers"),
            (lambda: tl.Layout((3, 5), [(0, 1, 3, 1), (1, 1, 5, 2)]).coordinates([1], threads=0), "threads=0 is no number"),
        ):
            with pytest.raises(tl.LayoutError, match=message):
                ask()
