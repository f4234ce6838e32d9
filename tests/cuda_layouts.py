"""Layouts of NVIDIA's GPUs: what ``cuda/`` asks a GPU about, and ``test_cuda_facts.py`` what GPUs answered, as ``data/cuda`` keeps it.

The strings in CuTe's words are those of CUTLASS: mma_traits_sm80.hpp, mma_traits_sm90_gmma.hpp, and copy_traits_sm75.hpp and _sm90.hpp.
"""

import base64
import json
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tilelayout as tl

FACTS = Path(__file__).parent / "data" / "cuda"


def read_facts(subject):
    """What was measured, by name; arrays are arrays."""
    return json.loads((FACTS / f"{subject}.json").read_text(encoding="utf-8"), object_hook=_unfolded)


def write_facts(folder, subject, facts):
    """A line for each fact. Of arrays of whole numbers, each is written as its XOR with the one before, and the words are compressed."""
    lines = (f"{json.dumps(name)}: {json.dumps(fact, default=_folded)}" for name, fact in facts.items())
    Path(folder, f"{subject}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _folded(array):
    words = np.ascontiguousarray(array).astype("<i8").astype("<u4").ravel()
    words[1:] ^= words[:-1].copy()
    return {"shape": array.shape, "words": base64.b64encode(zlib.compress(words.tobytes(), 9)).decode()}


def _unfolded(held):
    if "words" not in held:
        return held
    words = np.frombuffer(zlib.decompress(base64.b64decode(held["words"])), "<u4")
    return np.bitwise_xor.accumulate(words).reshape(held["shape"])


def offsets(text):
    """The offset at each coordinate of a layout in CuTe's words."""
    return tl.layout(f"cute:{text}").offsets()


# --- mma, ldmatrix and stmatrix -----------------------------------------------------------------------------------------------


class Atom(NamedTuple):
    """Where (thread, value) lies in A (M, K), B (N, K) and D (M, N), all column-major; A's and B's type, and how many numbers it holds."""

    a: str
    b: str
    d: str
    dtype: str
    most: int


ROW_16X8 = "((4,8),(2,2)):((32,1),(16,8))"  # SM80_16x8_Row
A_16X8 = "((4,8),(2,2)):((16,1),(8,64))"
A_16X16 = "((4,8),(2,2,2)):((32,1),(16,8,128))"
B_8X16 = "((4,8),(2,2)):((16,1),(8,64))"
A_16X32 = "((4,8),(4,2,2)):((64,1),(16,8,256))"
ATOMS = {
    "m16n8k16.f32.f16": Atom(A_16X16, B_8X16, ROW_16X8, "f2", 2048),  # SM80_16x8x16_F32F16F16F32_TN
    "m16n8k8.f32.f16": Atom(ROW_16X8, "((4,8),2):((16,1),8)", ROW_16X8, "f2", 2048),  # SM80_16x8x8_F32F16F16F32_TN
    "m16n8k16.f32.bf16": Atom(A_16X16, B_8X16, ROW_16X8, "bfloat16", 256),  # SM80_16x8x16_F32BF16BF16F32_TN
    "m16n8k8.f32.tf32": Atom(A_16X8, "((4,8),2):((8,1),32)", ROW_16X8, "f4", 1024),  # SM80_16x8x8_F32TF32TF32F32_TN
    "m16n8k4.f32.tf32": Atom("((4,8),2):((16,1),8)", "((4,8),1):((8,1),0)", ROW_16X8, "f4", 1024),  # SM80_16x8x4_F32TF32TF32F32_TN
    "m16n8k16.s32.s8": Atom("((4,8),(4,2)):((64,1),(16,8))", "((4,8),4):((32,1),8)", ROW_16X8, "i1", 64),  # SM80_16x8x16_S32S8S8S32_TN
    "m16n8k32.s32.s8": Atom(A_16X32, "((4,8),(4,2)):((32,1),(8,128))", ROW_16X8, "i1", 64),  # SM80_16x8x32_S32S8S8S32_TN
}


def multiplied(name):
    """D's registers for each place of A that holds the one 1 there is, where B's place number k, thread by thread, holds k + 1."""
    a, b, d = map(offsets, ATOMS[name][:3])
    in_b = np.zeros(b.size, "i8")
    in_b[b] = np.arange(1, b.size + 1).reshape(b.shape)
    row, depth = (part[:, None, None] for part in (a.ravel() % 16, a.ravel() // 16))
    return np.where(d % 16 == row, in_b[depth * 8 + d // 16], 0)


#: The bit of the rows, which lie one behind the other, that (thread, bit) loads.
LDMATRIX = {
    "x1": "(32,32):(32,1)",  # SM75_U32x1_LDSM_N
    "x2": "(32,(32,2)):(32,(1,1024))",  # SM75_U32x2_LDSM_N
    "x4": "(32,(32,4)):(32,(1,1024))",  # SM75_U32x4_LDSM_N
    "x1.trans": "((4,8),(16,2)):((256,16),(1,128))",  # SM75_U16x2_LDSM_T
    "x2.trans": "((4,8),(16,2,2)):((256,16),(1,128,1024))",  # SM75_U16x4_LDSM_T
    "x4.trans": "((4,8),(16,2,4)):((256,16),(1,128,1024))",  # SM75_U16x8_LDSM_T
}
#: The element of 16 bits of the rows that (thread, element) stores.
STMATRIX = {
    "x4": "(32,(2,4)):(2,(1,64))",  # SM90_U32x4_STSM_N
    "x4.trans": "((4,8),(2,4)):((16,1),(8,64))",  # SM90_U16x8_STSM_T
}


def check_loaded(kind, held):
    """The layout tells which element of 16 bits of the rows each register holds, where elements have their numbers."""
    text = LDMATRIX[kind]
    assert np.array_equal(held, offsets(text)[:, ::16] // 16)
    bits = np.unpackbits(held.astype("<u2").view("u1"), axis=1, bitorder="little")
    rows = np.packbits(tl.pack(bits, f"cute:{text}"), bitorder="little").view("<u2")
    assert np.array_equal(rows, np.arange(held.size))


# --- wgmma --------------------------------------------------------------------------------------------------------------------

#: ALayout_64x16 in registers.
A_64X16 = "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))"


def accumulator(n):
    """CLayout_64xN."""
    return f"((4,8,4),(2,2,{n // 8})):((128,1,16),(64,8,512))"


def operand(way, rows, wide):
    """An operand of (rows, 64) halves in shared memory, whose swizzled rows hold so many: GMMA::Layout_K_SW128_Atom and its kin.

    K is fastest, but in the way "columns", where the 64 rows are. With 8 in a row there is no swizzle.
    """
    if wide == 8:  # 8 rows of 16 bytes are one piece
        return f"((8,{rows // 8}),(8,8)):((8,512),(1,64))"
    inner = f"({rows},({wide},{64 // wide})):({wide},(1,{rows * wide}))"
    if way == "columns":
        inner = f"(({wide},{64 // wide}),64):((1,{64 * wide}),{wide})"
    return f"Sw<{wide.bit_length() - 4},3,3> o 0 o {inner}"


#: What is built: how the operands come, N, and halves in a row.
WARPGROUPS = [
    *((way, n, wide) for n in (8, 64) for way in ("memory", "registers") for wide in (8, 16, 32, 64)),
    *(("columns", 64, wide) for wide in (16, 32, 64)),
]


# --- TMA ----------------------------------------------------------------------------------------------------------------------


def tile(wide, dtype):
    """An array of 32 rows of so many bytes, in which neighbours differ."""
    columns = wide // np.dtype(dtype).itemsize
    return (np.arange(32 * columns) * 37 % 2039).astype(dtype).reshape(32, columns)


def swizzled(wide, size):
    """The same in shared memory: Sw<3,4,3>, <2,4,3> and <1,4,3> of bytes swizzle 128, 64 and 32 bytes; in wider elements M is less."""
    columns = wide // size
    return f"Sw<{wide.bit_length() - 5},{4 - (size.bit_length() - 1)},3> o 0 o (32,{columns}):({columns},1)"


# --- Triton -------------------------------------------------------------------------------------------------------------------

#: Layouts of shared memory in Gluon, the shape, and what the library reads: None is what Triton prints.
SHARED = {
    "plain": ("SwizzledSharedLayout(1, 1, 1, [1, 0])", (64, 64), None),
    "swizzled": ("SwizzledSharedLayout(8, 1, 8, [1, 0])", (64, 64), None),
    "swizzled by pairs of rows": ("SwizzledSharedLayout(4, 2, 4, [1, 0])", (32, 32), None),
    "swizzled columns": ("SwizzledSharedLayout(2, 1, 4, [0, 1])", (32, 32), None),
    "linear": (
        "SharedLinearLayout([[0, 1], [0, 2], [0, 4], [1, 4], [2, 8], [0, 8], [4, 1], [0, 16], [8, 0], [16, 16]])",
        (32, 32),
        None,
    ),
    "for wgmma, 128 bytes": ("NVMMASharedLayout(128, 16, 2)", (64, 64), "Sw<3,3,3> o 0 o (64,64):(64,1)"),
    "for wgmma, 64 bytes": ("NVMMASharedLayout(64, 16, 2)", (64, 32), "Sw<2,3,3> o 0 o (64,32):(32,1)"),
    "for wgmma, 32 bytes": ("NVMMASharedLayout(32, 16, 2)", (64, 16), "Sw<1,3,3> o 0 o (64,16):(16,1)"),
    "for wgmma, halves": ("NVMMASharedLayout(128, 16, 2)", (64, 128), "Sw<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))"),
    "for wgmma, turned": ("NVMMASharedLayout(128, 16, 2, True)", (64, 64), "Sw<3,3,3> o 0 o (64,64):(1,64)"),
}


def check_registers(printed, shape, held):
    """The layout that Triton prints tells the number of the element in each register, counted thread by thread."""
    layout, elements = tl.layout(printed), np.arange(held.size).reshape(shape)
    assert layout.shape == tuple(shape)
    assert np.array_equal(tl.pack(elements, layout), held)
    assert np.array_equal(elements[tuple(layout.coordinates(np.arange(held.size)).T)], held)


def check_shared(name, printed, held):
    """The layout tells the number of the element in each place of shared memory."""
    _, shape, ours = SHARED[name]
    layout = tl.layout(printed, shape=shape) if ours is None else tl.layout(f"cute:{ours}")
    assert np.array_equal(tl.pack(np.arange(held.size).reshape(shape), layout), held)


# --- torch and JAX ------------------------------------------------------------------------------------------------------------


def check_weights(inner, weights, words):
    """torch's tiles of weights of four bits, words of 32 bits one after the other, are those of the preset."""
    layout = tl.presets.get(f"tensor_core_tiled_{inner}").bind(weights.shape)
    assert np.array_equal(tl.pack(weights, layout).view("<u4"), words)
    assert np.array_equal(tl.unpack(words.astype("<u4").view("u1"), layout), weights)


#: Arrays that JAX puts into a layout.
PUT = ["f32[17,300]{1,0}", "f32[17,300]{0,1}", "bf16[3,4,5]{0,2,1}", "s32[3,4,5]{1,2,0}", "s8[17,300]{0,1}", "pred[17,300]{0,1}"]


def counted(layout):
    """An array to put there: 0 to 6, again and again."""
    return (np.arange(layout.size) % 7).reshape(layout.shape)


#: Of four bits, in the default layout.
FOUR_BITS = counted(tl.layout("s4[16,30]"))


def check_program(text):
    """The text of a program for a GPU, (x @ y).T + 1 of f32[17,300] and f32[300,65], has all its arrays' layouts."""
    module = tl.hlo.read(text)
    assert {array.padded_bytes for array in module} >= {17 * 300 * 4, 300 * 65 * 4, 17 * 65 * 4}
    assert not list(module.problems)
