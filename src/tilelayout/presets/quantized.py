"""Weights of a few bits, packed into 32-bit words: AWQ, GPTQ, Marlin and torchao.

The slots are the bits' fields, least significant first, of little-endian words, one word after the other. K is the depth of the
product (the input features), N the output features. Zero points and biases change values, not places, and are no part of this.
"""

from __future__ import annotations

from ..elements import element
from .order import Order
from .preset import Preset

_KN = ("K", "N")
_UINT4 = element("uint4", 4)
_GPTQ = "AutoGPTQ 058fd80a, auto_gptq/nn_modules/qlinear/qlinear_cuda.py (QuantLinear.pack)"
_MARLIN = "IST-DASLab/marlin 0f102e11, marlin/__init__.py (_get_perms, Layer.pack)"
_VLLM = "vLLM 04aa528e, quantization/utils/marlin_utils_test.py (get_weight_perm, marlin_weights); gptq_marlin_repack.cu"
_TINYGEMM = "PyTorch, aten/src/ATen/native/cuda/int4mm.cu (matrix_to_m16n8k16_Bint4_layout)"


def _gptq(bits: int) -> Preset:
    count = 32 // bits
    return Preset(
        f"gptq_int{bits}",
        f"GPTQ's qweight of {bits} bits: {count} rows in a word",
        _GPTQ,
        Order(_KN, f"K/{count} N K%{count}"),
        (64, 24),
        {"K": 32},
        element(f"uint{bits}", bits),
    )


def _tensor_core_tiled(inner_k_tiles: int) -> Preset:
    deep = 16 * inner_k_tiles
    pairs = f"K/32%{inner_k_tiles // 2} " if inner_k_tiles > 2 else ""
    return Preset(
        f"tensor_core_tiled_{inner_k_tiles}",
        f"torchao's TensorCoreTiledLayout(inner_k_tiles={inner_k_tiles}), torch._convert_weight_to_int4pack on CUDA",
        _TINYGEMM,
        Order(("N", "K"), f"N/8 K/{deep} N%8 K/2%4 {pairs}K%2 K/16%2 K/8%2"),
        (20, 2 * deep),
        {"K": deep},
        _UINT4,
    )


PRESETS = (
    Preset(
        "awq_int4",
        "AWQ's qweight (GEMM version): 8 columns in a word, in the order 0, 2, 4, 6, 1, 3, 5, 7",
        "AutoAWQ 7ee28736, awq/utils/packing_utils.py (AWQ_ORDER) and awq/modules/linear/gemm.py",
        Order(_KN, "K N/8 N%2 N/2%4"),
        (4, 16),
        {"N": 8},
        _UINT4,
    ),
    _gptq(2),
    _gptq(4),
    _gptq(8),
    Preset(
        "marlin_int4",
        "Marlin's weights: tiles of 16x64 in the order of mma.m16n8k16's operands; its kernel wants K of 128s and N of 256s",
        _MARLIN,
        Order(_KN, "K/16 N/64 N%8 K/2%4 N/16%4 K%2 N/8%2 K/8%2"),
        (32, 128),
        {"K": 16, "N": 64},
        _UINT4,
    ),
    Preset(
        "marlin_int8",
        "Marlin's weights of 8 bits, GPTQ's and FP8, as vLLM repacks them for activations of 16 bits",
        _VLLM,
        Order(_KN, "K/16 N/64 N%8 K/2%4 N/16%4 N/8%2 K%2 K/8%2"),
        (32, 128),
        {"K": 16, "N": 64},
        element("uint8"),
    ),
    Preset(
        "marlin_scales",
        "Marlin's scales of groups, one row for each group",
        _MARLIN,
        Order(("G", "N"), "G N/64 N%8 N/8%8"),
        (3, 128),
        {"N": 64},
        element("float16"),
    ),
    Preset(
        "marlin_scales_single",
        "Marlin's scales where a whole column is one group",
        _MARLIN,
        Order(("G", "N"), "G N/32 N/2%4 N/8%4 N%2"),
        (1, 128),
        {"N": 32},
        element("float16"),
    ),
    _tensor_core_tiled(2),
    _tensor_core_tiled(4),
    _tensor_core_tiled(8),
)
