"""Quantized tensors of ggml, as GGUF files and llama.cpp's CPU kernels hold them: R rows of K elements.

A row is a chain of blocks, each with a header. The slots of a header belong to no element here: ``unpack`` reads the quants from
the raw bytes of a tensor, and ``pack(..., out=buffer, fill=None)`` leaves the headers in the buffer as they are. The scales of q4_0 and
q8_0 have presets of their own, with a column for each block.
"""

from __future__ import annotations

from ..elements import Element, element
from .order import Order
from .preset import Preset

_UINT4 = element("uint4", 4)
_QUANTS = "ggml, ggml-quants.c (dequantize_row_{0}) and ggml-common.h (block_{0})"
_REPACK = "ggml, ggml-cpu/repack.cpp (make_block_q4_0x{}, blck_size_interleave = {})"


def _quants(name: str, words: str, block: int, summary: str, held: Element) -> Preset:
    return Preset(name, summary, _QUANTS.format(name), Order(("R", "K"), words), (2, 2 * block), {"K": block}, held)


def _scales(name: str, behind: int) -> Preset:
    summary = f"The scale of each block of {name}, B blocks to a row"
    return Preset(f"{name}_scales", summary, _QUANTS.format(name), Order(("R", "B"), f"R B ..{behind}"), (2, 4), element=element("float16"))


def _repacked(rows: int, interleave: int) -> Preset:
    chunks = 16 // interleave
    return Preset(
        f"q4_0_{rows}x{interleave}",
        f"q4_0 repacked: {rows} rows interleaved by {interleave} bytes; the quants are signed (stored q ^ 8)",
        _REPACK.format(rows, interleave),
        Order(("R", "K"), f"R/{rows} K/32 {4 * rows}.. K/{interleave}%{chunks} R%{rows} K%{interleave} K/16%2"),
        (2 * rows, 64),
        {"R": rows, "K": 32},
        element("int4", 4),
    )


PRESETS = (
    _quants(
        "q4_0",
        "R K/32 4.. K%16 K/16%2",
        32,
        "Blocks of 32: a scale, then 16 bytes, the first half in the low bits; values are q - 8",
        _UINT4,
    ),
    _quants("q4_1", "R K/32 8.. K%16 K/16%2", 32, "Blocks of 32: a scale and a minimum, then 16 bytes as in q4_0", _UINT4),
    _quants("q8_0", "R K/32 2.. K%32", 32, "Blocks of 32: a scale, then 32 bytes", element("int8")),
    _quants(
        "q4_K", "R K/256 32.. K/64%4 K%32 K/32%2", 256, "Blocks of 256: 16 bytes of scales, then 64 elements to every 32 bytes", _UINT4
    ),
    _quants(
        "iq4_xs", "R K/256 16.. K/32%8 K%16 K/16%2", 256, "Blocks of 256: 8 bytes of scales, then 16 bytes as in q4_0, eight times", _UINT4
    ),
    _quants(
        "mxfp4",
        "R K/32 2.. K%16 K/16%2",
        32,
        "Blocks of 32: an E8M0 scale of a byte, then 16 bytes as in q4_0",
        element("float4_e2m1fn", 4),
    ),
    _scales("q4_0", 8),
    _scales("q8_0", 16),
    _repacked(4, 4),
    _repacked(4, 8),
    _repacked(8, 8),
)
