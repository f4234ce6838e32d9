"""The element types of safetensors, and the library's names for them.

The names are those of the format's own list (huggingface/safetensors, tensor.rs, version 0.8): several elements of 4 and 6 bits
share bytes there, the first in the low bits.
"""

from __future__ import annotations

from ...elements import BITS

#: The library's name of each type.
NAMES: dict[str, str] = {
    "BOOL": "bool",
    **{f"{short}{bits}": f"{long}{bits}" for short, long in (("U", "uint"), ("I", "int")) for bits in (8, 16, 32, 64)},
    **{f"F{bits}": f"float{bits}" for bits in (16, 32, 64)},
    "BF16": "bfloat16",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
    "F6_E2M3": "float6_e2m3fn",
    "F6_E3M2": "float6_e3m2fn",
    "F4": "float4_e2m1fn",
}

_TAGS = {name: tag for tag, name in NAMES.items()}


def stored_bits(tag: str) -> int:
    """Bits that an element takes in a file."""
    if tag.startswith("F6_"):
        return 6
    return 4 if tag == "F4" else max(8, BITS[NAMES[tag]])


def tag_of(name: str) -> str | None:
    """The type in which elements are stored that the library calls by that name: themselves, or the byte that holds a narrow integer."""
    if name in ("int1", "int2", "int4"):
        return "I8"
    return "U8" if name in ("uint1", "uint2", "uint4") else _TAGS.get(name)
