"""Scales of small blocks of a matrix (NVFP4, MXFP8, MXFP4), as matrix units want them, and weights that AITER shuffles.

M counts the rows of the matrix, K the blocks along its depth: 16 elements to a block for NVFP4, 32 for the MX formats.
"""

from __future__ import annotations

from ..elements import element
from .order import Order
from .preset import Preset

_MK = ("M", "K")
_E8M0 = element("float8_e8m0fnu")
_CUBLAS = "cuBLAS, 1D block scaling factors layout; CUTLASS, sm100_blockscaled_layout.hpp (SfKMajorAtom); torchao 047c25c4, to_blocked"
_NVIDIA = "M/128 K/4 M%32 M/32%4 K%4"
_AITER = "ROCm/aiter 0122c481, aiter/ops/shuffle.py ({})"

PRESETS = (
    Preset(
        "nvfp4_scales",
        "NVIDIA's scales of NVFP4: blocks of 128x4, rows 32 apart side by side",
        _CUBLAS,
        Order(_MK, _NVIDIA),
        (200, 6),
        element=element("float8_e4m3fn"),
    ),
    Preset("mxfp8_scales", "The same for MXFP8 and MXFP4, whose scales are E8M0", _CUBLAS, Order(_MK, _NVIDIA), (200, 6), element=_E8M0),
    Preset(
        "rocm_scales_32x8",
        "ROCm's scales of the MX formats on gfx950: blocks of 32x8",
        "ROCm/rocm-libraries, shared/mxdatagenerator, PreSwizzle.hpp (preSwizzleScalesGFX950)",
        Order(_MK, "M/32 K/8 K%4 M%16 K/4%2 M/16%2"),
        (50, 13),
        element=_E8M0,
    ),
    Preset(
        "aiter_e8m0_shuffle",
        "AITER's scales of the MX formats: blocks of 32x8, rows padded to 256",
        _AITER.format("shuffle_scale"),
        Order(_MK, "M/256 M/32%8 K/8 K%4 M%16 K/4%2 M/16%2"),
        (200, 12),
        element=_E8M0,
    ),
    Preset(
        "aiter_shuffle_weight_8bit",
        "AITER's shuffle_weight(layout=(16, 16)) of elements of one byte",
        _AITER.format("shuffle_weight"),
        Order(("N", "K"), "N/16 K/32 K/16%2 N%16 K%16"),
        (32, 64),
        {"N": 16, "K": 32},
    ),
    Preset(
        "aiter_shuffle_weight_16bit",
        "AITER's shuffle_weight(layout=(16, 16)) of elements of two bytes",
        _AITER.format("shuffle_weight"),
        Order(("N", "K"), "N/16 K/32 K/8%4 N%16 K%8"),
        (32, 64),
        {"N": 16, "K": 32},
    ),
)
