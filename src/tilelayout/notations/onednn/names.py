"""The names of oneDNN: letters of axes, irregular tags, and data types."""

from __future__ import annotations

from string import ascii_lowercase

from ...elements import Element

#: The most axes, and the most blocks, of a memory descriptor (DNNL_MAX_NDIMS).
MOST_AXES = 12
#: The largest block: oneDNN reads blocks as C ints.
MOST_BLOCK = 2**31 - 1
#: The letters of axes in logical order, by domain: activations, weights, and the tensors of recurrent networks.
ALPHABETS = (
    *(ascii_lowercase[:n] for n in range(1, MOST_AXES + 1)),
    *("x", "nc", "ncw", "nchw", "ncdhw", "oi", "oiw", "oihw", "oidhw", "goiw", "goihw", "goidhw"),
    *("tn", "tnc", "ldnc", "ldigo", "ldio", "ldgo"),
)
#: Names of the header that stand for another tag than their letters spell.
IRREGULAR = {
    "OhwI24o": "Acdb24a",
    "OhwI32o": "Acdb32a",
    "gOhwI24o": "aBdec24b",
    "gOhwI32o": "aBdec32b",
    "gIOhw2i8o16i2o": "aBCde2c8b16c2b",
    "gIOdhw2i8o16i2o": "aBCdef2c8b16c2b",
}
#: Data types by the name that the log prints, and the bits that a value takes in memory.
DATA_TYPES = {
    "f16": Element("float16", 16),
    "bf16": Element("bfloat16", 16),
    "f32": Element("float32", 32),
    "f64": Element("float64", 64),
    "s8": Element("int8", 8),
    "u8": Element("uint8", 8),
    "s32": Element("int32", 32),
    "s64": Element("int64", 64),
    "boolean": Element("bool", 8),
    "f8_e5m2": Element("float8_e5m2", 8),
    "f8_e4m3": Element("float8_e4m3fn", 8),
    "e8m0": Element("float8_e8m0fnu", 8),
    "s4": Element("int4", 4),
    "u4": Element("uint4", 4),
    "f4_e2m1": Element("float4_e2m1fn", 4),
    "f4_e3m0": Element("", 4),
}
