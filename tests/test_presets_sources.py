"""Presets against their sources: what each source does to an array, restated in plain numpy, and the figures that it prints."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import presets, xla


def packed(name, x):
    return tl.pack(x, presets.get(name))


def words(name, x):
    """The packed array as little-endian 32-bit words."""
    return packed(name, x).view("<u4")


def fields(x, seed=1, bits=4):
    return np.random.default_rng(seed).integers(0, 1 << bits, x, dtype="u1")


# --- TPUs and Tenstorrent -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", xla.FORMATS)
def test_tpu_formats_are_xlas(name):
    tiles = "".join(f"({','.join(map(str, tile))})" for tile in xla.FORMATS[name])
    text = f"{{1,0{':T' * bool(tiles)}{tiles}}}"
    assert presets.get(f"tpu_{name}").bind((33, 150)) == tl.layout(text, (33, 150))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tpu_f32", "f32[96,300]{1,0:T(8,128)}"),
        ("tpu_bf16", "bf16[96,300]{1,0:T(8,128)(2,1)}"),
        ("tpu_s8", "s8[96,300]{1,0:T(32,128)(4,1)}"),
        ("tpu_s4", "s4[128,300]{1,0:T(64,128)(8,1)E(4)}"),
    ],
)
def test_tpu_choices(name, text):
    """The tiles that libtpu 0.0.51 chose (see xla.tpu_layout)."""
    layout = tl.layout(text)
    assert presets.get(name).bind(layout.shape) == layout
    assert presets.get(name).bind(layout.shape).element == layout.element


def test_tenstorrent_faces():
    """tensor_layouts.md, figures 2 and 3: tiles row by row, in each its four faces row by row, in each face its rows."""
    x = np.arange(64 * 64, dtype="u2").reshape(64, 64)
    expected = []
    for tile_row, tile_column in np.ndindex(2, 2):
        tile = x[32 * tile_row :, 32 * tile_column :][:32, :32]
        expected += [tile[16 * r :, 16 * c :][:16, :16].ravel() for r, c in np.ndindex(2, 2)]
    assert np.array_equal(packed("tenstorrent_tile", x), np.concatenate(expected))


def test_tenstorrent_pads_the_last_two_axes():
    """tt-xla#4761: tiles made a tensor of shape (1,4096,5,64,1,2) 512 times as large."""
    layout = presets.get("tenstorrent_tile").bind((1, 4096, 5, 64, 1, 2))
    assert layout.slots == 512 * layout.size


# --- oneDNN ---------------------------------------------------------------------------------------------------------------


def onednn_offset(tag, dims, index):
    """The offset that a blocking descriptor gives (dnnl_blocking_desc_t: strides of outer blocks, inner_blks, inner_idxs)."""
    tag = tag if tag[:2] == "BA" else tag.translate(str.maketrans("nchwoiNCHWOI", "abcdabABCDAB"))
    outer, inner = re.fullmatch(r"([a-zA-Z]+)((?:\d+[a-z])*)", tag).groups()
    blocks = [(int(size), ord(letter) - ord("a")) for size, letter in re.findall(r"(\d+)([a-z])", inner)]
    of_axis = [np.prod([size for size, axis in blocks if axis == k], dtype=int) for k in range(len(dims))]
    position, offset, stride = list(index), 0, 1
    for size, axis in reversed(blocks):
        offset += position[axis] % size * stride
        position[axis] //= size
        stride *= size
    for letter in reversed(outer):
        axis = ord(letter.lower()) - ord("a")
        offset += position[axis] * stride
        stride *= -(-dims[axis] // of_axis[axis])
    return offset, stride


@pytest.mark.parametrize("name", [name for name in presets.names() if name.startswith(("nChw", "OIhw", "BA"))])
def test_onednn_tags(name):
    dims = (34, 66, 2, 3) if len(presets.get(name).axes) == 4 else (70, 67)
    layout = presets.get(name).bind(dims)
    index = np.random.default_rng(0).integers(0, dims, (200, len(dims)))
    told = [onednn_offset(name, dims, row) for row in index.tolist()]
    assert layout.index(index).tolist() == [offset for offset, _ in told]
    assert {layout.slots} == {slots for _, slots in told}


def test_channels_are_padded():
    """oneDNN's guide "Understanding Memory Formats": 17 channels in nChw8c take the room of 24."""
    assert presets.get("nChw8c").bind((1, 17, 1, 1)).slots == 24


def test_nchw4c_by_hand():
    offsets = presets.get("nchw4c").bind((1, 8, 2, 3)).offsets()[0]
    assert offsets[0].tolist() == [[0, 4, 8], [12, 16, 20]]
    assert offsets[3].tolist() == [[3, 7, 11], [15, 19, 23]]
    assert offsets[4].tolist() == [[24, 28, 32], [36, 40, 44]]


@pytest.mark.parametrize(("name", "count"), [("vnni2", 2), ("vnni4", 4)])
def test_tile_products(name, count):
    """Intel SDM, TDPBF16PS and TDPBSSD: C[m][n] gains A.row[m][count*k + j] * B.row[k][count*n + j], for all k and j."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 9, (16, 16 * count)), rng.integers(0, 9, (16 * count, 16))
    rows = packed(name, b).reshape(16, 16 * count)
    c = np.zeros((16, 16), int)
    for m, n, k, j in np.ndindex(16, 16, 16, count):
        c[m, n] += a[m, count * k + j] * rows[k, count * n + j]
    assert np.array_equal(c, a @ b)


@pytest.mark.parametrize(("tag", "vnni", "depth"), [("BA16a16b2a", "vnni2", 32), ("BA16a16b4a", "vnni4", 64)])
def test_onednn_blocks_are_amx_tiles(tag, vnni, depth):
    assert presets.get(tag).bind((depth, 16)) == presets.get(vnni).bind((depth, 16))


# --- words of four bits ---------------------------------------------------------------------------------------------------


def test_awq():
    """AutoAWQ, gemm.py: field i of a word holds the column order_map[i] of its eight."""
    x = fields((6, 32))
    expected = np.zeros((6, 4), "u4")
    for column in range(4):
        for i, source in enumerate([0, 2, 4, 6, 1, 3, 5, 7]):
            expected[:, column] |= x[:, 8 * column + source].astype("u4") << 4 * i
    assert np.array_equal(words("awq_int4", x).reshape(6, 4), expected)


def test_awq_reverse_order():
    """AutoAWQ, packing_utils.py: fields read in order and taken by AWQ_REVERSE_ORDER are the columns."""
    x = fields((3, 8))
    read = words("awq_int4", x)[:, None] >> np.arange(0, 32, 4) & 15
    assert np.array_equal(read[:, [0, 4, 1, 5, 2, 6, 3, 7]], x)


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_gptq(bits):
    """AutoGPTQ, QuantLinear.pack: row j of a word's rows is shifted by bits * j; infeatures // 32 * bits rows of words."""
    x = fields((64, 5), bits=bits)
    expected = np.zeros((64 // 32 * bits, 5), "u4")
    for row in range(64):
        expected[row * bits // 32] |= x[row].astype("u4") << bits * (row % (32 // bits))
    assert np.array_equal(words(f"gptq_int{bits}", x).reshape(expected.shape), expected)


def marlin_tile_order():
    """The places in four 16x16 blocks, end to end, that Marlin's 1024 fields of a 16x64 tile hold (_get_perms)."""
    places = []
    for lane in range(32):
        column, pair = divmod(lane, 4)
        held = [(2 * pair + row, column + block) for block in (0, 8) for row in (0, 1, 8, 9)]
        for tile in range(4):
            places += [256 * tile + 16 * held[k][0] + held[k][1] for k in (0, 2, 4, 6, 1, 3, 5, 7)]
    return places


def test_marlin():
    order = marlin_tile_order()
    assert order[:10] == [0, 128, 8, 136, 16, 144, 24, 152, 256, 384]
    assert sorted(order) == list(range(1024))
    x = fields((48, 128))
    blocks = x.reshape(3, 16, 8, 16).swapaxes(1, 2).reshape(-1, 1024)[:, order]
    expected = (blocks.reshape(-1, 8).astype("u4") << np.arange(0, 32, 4, dtype="u4")).sum(1, dtype="u4")
    assert np.array_equal(words("marlin_int4", x), expected)
    assert expected.size == 48 // 16 * 128 * 16 // 8  # the buffer B of marlin.Layer: (k // 16, n * 16 // 8)


def test_marlin_of_8_bits():
    """gptq_marlin_repack.cu: warp w of four writes lane t's words 8t + 2w and 8t + 2w + 1, columns 8 apart, of rows 0, 8, 1 and 9 on."""
    x = fields((48, 128), bits=8)
    expected = np.zeros((3, 2, 32, 4, 2, 4), "u1")
    for tile, strip, lane, warp, half, byte in np.ndindex(*expected.shape):
        row = 16 * tile + 2 * (lane % 4) + (0, 8, 1, 9)[byte]
        expected[tile, strip, lane, warp, half, byte] = x[row, 64 * strip + 16 * warp + 8 * half + lane // 4]
    assert np.array_equal(packed("marlin_int8", x), expected.ravel())


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("marlin_scales", [i + 8 * j for i in range(8) for j in range(8)]),
        ("marlin_scales_single", [2 * i + j for i in range(4) for j in (0, 1, 8, 9, 16, 17, 24, 25)]),
    ],
)
def test_marlin_scales(name, order):
    """_get_perms: scale_perm and scale_perm_single."""
    x = np.arange(3 * 256, dtype="u2").reshape(3, 256)
    assert np.array_equal(packed(name, x), x.reshape(-1, len(order))[:, order].ravel())


@pytest.mark.parametrize("inner", [2, 4, 8])
def test_tensor_core_tiled(inner):
    """int4mm.cu: out[n / 8][k / (inner * 16)][lane][word]; a word is v7 v5 v3 v1 v6 v4 v2 v0 from its high end."""
    n, k = 20, 2 * 16 * inner
    x = fields((n, k))
    out = np.zeros((3, 2, 32, inner // 2), "u4")
    for tile, super_tile, lane, word in np.ndindex(*out.shape):
        row = 8 * tile + lane // 4
        first = (super_tile * inner + 2 * word) * 16 + 2 * (lane % 4)
        values = [int(x[row, first + 16 * half + step]) if row < n else 0 for half in (0, 1) for step in (0, 1, 8, 9)]
        for value in (values[i] for i in (7, 5, 3, 1, 6, 4, 2, 0)):
            out[tile, super_tile, lane, word] = (int(out[tile, super_tile, lane, word]) << 4) | value
    assert np.array_equal(words(f"tensor_core_tiled_{inner}", x), out.ravel())


# --- scales ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["nvfp4_scales", "mxfp8_scales"])
def test_nvidia_scales(name):
    """torchao's to_blocked: rows and columns padded to 128 and 4; in each block the four groups of 32 rows side by side."""
    x = fields((200, 6), bits=8)
    room = np.zeros((256, 8), "u1")
    room[:200, :6] = x
    expected = [np.hstack([room[r + 32 * g :][:32, c : c + 4] for g in range(4)]).ravel() for r in (0, 128) for c in (0, 4)]
    assert np.array_equal(packed(name, x), np.concatenate(expected))


def test_nvidia_scales_are_cutlass_atoms():
    """CUTLASS's SfKMajorAtom, ((32,4),(vec,4)):((16,4),(0,1)), without the elements that share a scale; tiles along K first."""
    assert presets.get("nvfp4_scales").bind((128, 4)) == tl.layout("cute:((32,4),4):((16,4),1)")
    assert presets.get("nvfp4_scales").bind((256, 12)) == tl.layout("cute:((32,4,2),(4,3)):((16,4,1536),(1,512))")


def test_nvidia_scales_as_one_transposition():
    """NVIDIA/Fuser#5401: (m/128, k/4, 32, 4(m), 4(k))."""
    x = fields((256, 8), bits=8)
    assert np.array_equal(packed("nvfp4_scales", x), x.reshape(2, 4, 32, 2, 4).transpose(0, 3, 2, 1, 4).ravel())


@pytest.mark.parametrize("shape", [(64, 16), (50, 13), (200, 12), (1, 1)])
@pytest.mark.parametrize(("name", "rows"), [("rocm_scales_32x8", 32), ("aiter_e8m0_shuffle", 256)])
def test_rocm_scales(name, rows, shape):
    """aiter's fp4_scale_shuffle_id: where its kernels write the scale of row x and block y, of so many padded blocks.

    preSwizzleScalesGFX950 pads as its tests say: 50 x 13 scales take the room of 64 x 16.
    """
    blocks = -(-shape[1] // 8) * 8
    x, y = np.indices(shape)
    expected = x // 32 * blocks * 32 + y // 8 * 256 + y % 4 * 64 + x % 16 * 4 + y % 8 // 4 * 2 + x % 32 // 16
    layout = presets.get(name).bind(shape)
    assert np.array_equal(layout.offsets(), expected)
    assert layout.slots == -(-shape[0] // rows) * rows * blocks


@pytest.mark.parametrize(("name", "dtype", "lane"), [("aiter_shuffle_weight_8bit", "u1", 16), ("aiter_shuffle_weight_16bit", "u2", 8)])
def test_aiter_weights(name, dtype, lane):
    """aiter's shuffle_weight(layout=(16, 16)): blocks of 16 rows by 32 elements; in them pieces of 16 bytes, rows fastest."""
    x = np.random.default_rng(2).integers(0, 250, (32, 64)).astype(dtype)
    expected = []
    for row, column in np.ndindex(2, 2):
        block = x[16 * row :, 32 * column :][:16, :32]
        expected += [block[r, p : p + lane] for p in range(0, 32, lane) for r in range(16)]
    assert np.array_equal(packed(name, x), np.concatenate(expected))


# --- ggml -----------------------------------------------------------------------------------------------------------------


def raw_rows(rows, blocks, size, seed=3):
    return np.random.default_rng(seed).integers(0, 256, (rows, blocks, size), dtype="u1")


@pytest.mark.parametrize(("name", "header"), [("q4_0", 2), ("q4_1", 4), ("mxfp4", 1)])
def test_ggml_halves(name, header):
    """dequantize_row_q4_0 and its kin: element j of a block is the low half of byte j, element j + 16 the high half."""
    raw = raw_rows(3, 4, header + 16)
    expected = np.zeros((3, 128), "u1")
    for row, block, j in np.ndindex(3, 4, 16):
        byte = raw[row, block, header + j]
        expected[row, 32 * block + j] = byte & 15
        expected[row, 32 * block + j + 16] = byte >> 4
    assert np.array_equal(tl.unpack(raw.ravel(), presets.get(name), shape=(3, 128), dtype="u1"), expected)


def test_ggml_mxfp4_is_e2m1():
    """gguf 0.19.0, quants.py (MXFP4): the values of a block whose scale is 128, twice what E2M1 says."""
    pytest.importorskip("ml_dtypes")
    raw = bytes([128, *range(0, 256, 17)])
    values = 2 * tl.unpack(raw, presets.get("mxfp4"), shape=(1, 32)).astype("f4")
    assert values.reshape(2, 16).tolist() == [[0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12]] * 2


def test_ggml_iq4_xs():
    """dequantize_row_iq4_xs: 8 bytes of scales; of every 16 bytes first all low halves, then all high halves."""
    raw = raw_rows(2, 2, 136)
    expected = []
    for block in raw.reshape(-1, 136):
        for q in block[8:].reshape(8, 16):
            expected += [*(q & 15), *(q >> 4)]
    assert tl.unpack(raw.ravel(), presets.get("iq4_xs"), shape=(2, 512)).ravel().tolist() == expected


def test_ggml_q8_0():
    """block_q8_0: two bytes of scale, then 32 signed bytes."""
    raw = raw_rows(2, 3, 34)
    assert np.array_equal(tl.unpack(raw.ravel(), presets.get("q8_0"), shape=(2, 96), dtype="u1").reshape(2, 3, 32), raw[:, :, 2:])


def test_ggml_q4_k():
    """dequantize_row_q4_K: 16 bytes of scales; of every 32 bytes first all low halves, then all high halves."""
    raw = raw_rows(2, 2, 144)
    expected = []
    for block in raw.reshape(-1, 144):
        for q in block[16:].reshape(4, 32):
            expected += [*(q & 15), *(q >> 4)]
    assert tl.unpack(raw.ravel(), presets.get("q4_K"), shape=(2, 512)).ravel().tolist() == expected


@pytest.mark.parametrize(("name", "size"), [("q4_0", 18), ("q8_0", 34)])
def test_ggml_scales(name, size):
    raw = raw_rows(2, 3, size)
    told = tl.unpack(raw.ravel().view("u2"), presets.get(f"{name}_scales"), shape=(2, 3), dtype="u2")
    assert np.array_equal(told, raw[:, :, :2].copy().view("u2")[:, :, 0])


def test_quants_and_scales_fill_one_buffer():
    raw = raw_rows(3, 2, 18).ravel()
    quants = tl.unpack(raw, presets.get("q4_0"), shape=(3, 64))
    scales = tl.unpack(raw.view("u2"), presets.get("q4_0_scales"), shape=(3, 2), dtype="u2")
    buffer = np.zeros_like(raw)
    tl.pack(scales, presets.get("q4_0_scales"), out=buffer.view("u2"), fill=None)
    tl.pack(quants, presets.get("q4_0"), out=buffer, fill=None)
    assert np.array_equal(buffer, raw)


@pytest.mark.parametrize(("name", "rows", "piece"), [("q4_0_4x4", 4, 4), ("q4_0_4x8", 4, 8), ("q4_0_8x8", 8, 8)])
def test_ggml_repacked(name, rows, piece):
    """make_block_q4_0x4: the scales of the rows, then pieces of their bytes in turn, each byte xor 0x88, which makes q - 8 of q."""
    blocks = 3
    raw = raw_rows(2 * rows, blocks, 18)
    out = []
    for group, block in np.ndindex(2, blocks):
        part = raw[rows * group :, block][:rows]
        out += [part[:, :2].ravel()]
        out += [part[r, 2 + start :][:piece] ^ 0x88 for start in range(0, 16, piece) for r in range(rows)]
    quants = tl.unpack(raw.ravel(), presets.get("q4_0"), shape=(2 * rows, 32 * blocks))
    repacked = tl.unpack(np.concatenate(out), presets.get(name), shape=(2 * rows, 32 * blocks))
    assert repacked.dtype == np.int8
    assert np.array_equal(repacked, quants.astype("i1") - 8)


# --- models ---------------------------------------------------------------------------------------------------------------


def test_rope():
    """permute of convert_llama_weights_to_hf.py: the view (heads, pairs, 2, dim) with its middle axes swapped."""
    meta = np.arange(3 * 8 * 5, dtype="f4").reshape(3, 8, 5)
    hugging_face = meta.reshape(3, 4, 2, 5).swapaxes(1, 2).reshape(3, 8, 5)
    assert np.array_equal(packed("rope_half_split", meta).reshape(3, 8, 5), hugging_face)
    assert np.array_equal(packed("rope_interleaved", hugging_face).reshape(3, 8, 5), meta)


def test_gate_up():
    """swiglu of gpt_oss/torch/model.py: the gate is [..., ::2], the linear part [..., 1::2]."""
    gate, up = np.arange(15, dtype="f4").reshape(5, 3), np.arange(100, 115, dtype="f4").reshape(5, 3)
    stored = packed("gate_up_interleaved", np.concatenate([gate, up])).reshape(10, 3)
    assert np.array_equal(stored[::2], gate)
    assert np.array_equal(stored[1::2], up)
