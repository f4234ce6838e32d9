"""Texts of each language from its grammar: valid ones, ones with a character wrong, and what no grammar has: huge, deep, foreign."""

from __future__ import annotations

import json

from hypothesis import strategies as st

SMALL = st.integers(0, 9).map(str)
#: Numbers at the ends of integer types and far beyond them, and digits that are none of ASCII.
ODD_NUMBERS = st.sampled_from(
    [
        "-1",
        "007",
        str(2**31),
        str(2**63 - 1),
        str(2**63),
        str(2**64),
        str(-(2**63)),
        "1" + "0" * 400,
        "9" * 5000,
        "３",
        "٣",
        "²",
        "1_0",
        "1e3",
    ]
)
NUMBER = st.one_of(*[SMALL] * 8, st.sampled_from(["16", "128"]), ODD_NUMBERS)
TYPE = st.sampled_from(["f32", "bf16", "s4", "pred", "token", "f8e4m3fn", "c64", "u1", "opaque"])


def listed(items, opening="", closing="", separator=",", most=4):
    return st.lists(items, max_size=most).map(lambda words: opening + separator.join(words) + closing)


def joined(*parts):
    return st.tuples(*(st.just(part) if isinstance(part, str) else part for part in parts)).map("".join)


def maybe(part):
    return st.one_of(st.just(""), part)


def order(most=4):
    return st.integers(0, most).flatmap(lambda n: st.permutations(range(n))).map(lambda axes: ",".join(map(str, axes)))


TILE = listed(st.one_of(NUMBER, st.just("*")), "(", ")")
XLA_PROPERTY = st.one_of(
    joined("T", listed(TILE, separator="", most=3)),
    *(joined(name, "(", NUMBER, ")") for name in ("L", "E", "S", "M")),
    joined("#(", st.sampled_from(["u32", "s8", "f32"]), ")"),
    joined("SC(", NUMBER, ":", listed(NUMBER), ")"),
)
XLA_LAYOUT = joined("{", order(), maybe(joined(":", listed(XLA_PROPERTY, separator="", most=3))), "}")
XLA_ARRAY = joined(TYPE, listed(joined(maybe(st.just("<=")), NUMBER), "[", "]"), maybe(XLA_LAYOUT))
XLA_SHAPE = st.deferred(lambda: st.one_of(XLA_ARRAY, XLA_ARRAY, XLA_ARRAY, listed(XLA_SHAPE, "(", ")", ", ")))
INT_TUPLE = st.recursive(NUMBER, lambda inner: listed(inner, "(", ")"), max_leaves=6)
CUTE_LAYOUT = joined(INT_TUPLE, ":", INT_TUPLE)
LETTERS = st.text("abcdABCDNHWC", min_size=1, max_size=5)
BLOCKS = listed(joined(NUMBER, st.sampled_from("abcdABCD")), separator="")
NAMES = st.sampled_from(["a", "b", "c", "h", "w", "...", "1", "(a b)", "(h (a b))"])
TERMS = joined(st.sampled_from(["d0", "d1", "s0", "d9"]), st.sampled_from(["", " floordiv 2", " mod 4", " * 3", " + d1"]))
PLACES = st.one_of(NUMBER, TERMS)
EINOPS_SIDE = listed(NAMES, separator=" ")
CONFIG = st.sampled_from(["{}", '{"a":"', "{{", '"'])
BASES = listed(listed(NUMBER, "[", "]", ", ", 3), "[", "]", ", ")
MLIR_LIST = listed(NUMBER, "[", "]", ", ")
SIZES = listed(st.sampled_from(["1", "2", "4", "0", "3"]), "[", "]", ", ", 2)
TRITON_PARENT = st.one_of(
    joined("#ttg.blocked<{sizePerThread = ", SIZES, ", threadsPerWarp = ", SIZES, ", warpsPerCTA = ", SIZES, ", order = [1, 0]}>"),
    joined("#ttg.nvidia_mma<{versionMajor = ", NUMBER, ", versionMinor = 0, warpsPerCTA = ", SIZES, ", instrShape = [16, 8]}>"),
)
TRITON = st.one_of(
    TRITON_PARENT,
    joined("#ttg.slice<{dim = ", NUMBER, ", parent = ", TRITON_PARENT, "}>"),
    joined("#ttg.dot_op<{opIdx = ", NUMBER, ", parent = ", TRITON_PARENT, maybe(joined(", kWidth = ", NUMBER)), "}>"),
    joined("#ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = ", NUMBER, ", CGALayout = ", BASES, "}>"),
    joined("tensor<", listed(NUMBER, separator="x"), "xf32, ", TRITON_PARENT, ">"),
)

GRAMMARS = {
    "xla": st.one_of(XLA_LAYOUT, XLA_ARRAY),
    "shapes": XLA_SHAPE,
    "cute": st.one_of(CUTE_LAYOUT, joined("S<", listed(NUMBER, most=3), "> o ", NUMBER, " o ", CUTE_LAYOUT)),
    "algebra": listed(st.one_of(CUTE_LAYOUT, INT_TUPLE, listed(CUTE_LAYOUT, "<", ">")), separator="\n", most=3),
    "morello": listed(joined(NUMBER, maybe(joined(st.sampled_from([" p(", " oe(", " "]), NUMBER, ")"))), "[", "]", ", "),
    "onednn": st.one_of(joined(LETTERS, BLOCKS), joined(TYPE, "::blocked:", LETTERS, BLOCKS, "::f0")),
    "tvm": st.one_of(joined(LETTERS, BLOCKS), joined(LETTERS, "->", LETTERS, BLOCKS)),
    "einops": joined(EINOPS_SIDE, " -> ", EINOPS_SIDE, listed(joined(", a=", NUMBER), separator="", most=2)),
    "mlir": st.one_of(
        joined("affine_map<(", listed(st.sampled_from(["d0", "d1"])), ") -> (", listed(PLACES, separator=", "), ")>"),
        joined("memref<", listed(NUMBER, separator="x"), "xf32", maybe(joined(", strided<", MLIR_LIST, ", offset: ", NUMBER, ">")), ">"),
        joined("inner_dims_pos = ", MLIR_LIST, " inner_tiles = ", MLIR_LIST, maybe(joined(" outer_dims_perm = ", MLIR_LIST))),
    ),
    "mosaic": joined("#tpu.tiled<", listed(TILE, separator="", most=3), ",", listed(NUMBER, "[", "]"), ">"),
    "jax": joined("Layout(major_to_minor=(", order(), "), tiling=(", listed(TILE), "), sub_byte_element_size_in_bits=", NUMBER, ")"),
    "triton": st.one_of(BASES, joined("#ttg.shared_linear<{offset = ", BASES, "}, alignment = ", NUMBER, ">"), TRITON),
    "strides": joined("strides=", listed(NUMBER, "(", ",)"), maybe(joined(", offset=", NUMBER)), maybe(joined(", slots=", NUMBER))),
    "preset": joined(st.sampled_from(["tpu_2x128", "nvfp4_scales", "awq_int4", "row_major"]), maybe(NUMBER)),
    "proto": st.fixed_dictionaries(
        {},
        optional={
            "minorToMajor": st.lists(NUMBER, max_size=3),
            "tiles": st.lists(st.fixed_dictionaries({"dimensions": st.lists(NUMBER, max_size=3)}), max_size=2),
            "elementSizeInBits": st.one_of(NUMBER, st.integers(), st.floats()),
            "elementType": st.one_of(st.sampled_from(["F32", "BF16"]), st.integers(-1, 40)),
            "dimensions": st.lists(st.one_of(NUMBER, st.integers()), max_size=3),
        },
    ).map(json.dumps),
    "sizes": joined(NUMBER, maybe(joined(".", NUMBER)), st.sampled_from(["", "B", "K", "GiB", " M"])),
    "hlo": listed(joined("%x.", NUMBER, " = ", XLA_ARRAY, " copy(%y), backend_config=", CONFIG), separator="\n"),
}  # fmt: skip
SHAPE = st.one_of(st.just(""), listed(NUMBER).map(lambda sizes: f"\n{sizes}"))


@st.composite
def nearly(draw, texts):
    """A text with a character left out, doubled, or replaced by another of its own or by one of none."""
    text = draw(texts)
    at = draw(st.integers(0, len(text)))
    other = draw(st.one_of(st.sampled_from([*(text or "(")]), st.sampled_from(list("(){}[]<>:,-*\0\n\ud800é３²"))))
    return text[:at] + draw(st.sampled_from(["", other, text[at : at + 1] * 2])) + text[at + 1 :]


def endless(texts):
    """A piece of a text again and again, up to hundreds of thousands of characters."""
    return st.tuples(texts, st.integers(0, 40), st.integers(1, 9), st.sampled_from([70, 3000, 30_000])).map(
        lambda drawn: drawn[0][: drawn[1]] + drawn[0][drawn[1] : drawn[1] + drawn[2]] * drawn[3]
    )


@st.composite
def inputs(draw, name):
    """Texts for a target, as its input."""
    valid = joined(GRAMMARS[name], SHAPE)
    alphabet = st.sampled_from(list("(){}[]<>:,-*=. \n\0\"'\\#@") + list("0123456789abdxfoST") + ["３", "\ud800", "\u2028", "😀"])
    texts = st.one_of(valid, valid, nearly(valid), st.text(alphabet, max_size=40), endless(valid))
    return draw(texts).encode("utf-8", "surrogatepass")
