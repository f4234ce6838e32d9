"""XLA's element types, and the numpy and ml_dtypes types that they are.

XLA writes lower-case names, ``f32`` or ``bf16``; the library's core knows numpy's, ``float32`` and ``bfloat16``.
A type narrower than a byte takes a whole byte unless the layout's ``E(bits)`` says otherwise. The names are those of
xla_data.proto.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...elements import BITS, Element, element
from ...errors import LayoutError, shown

#: The numpy or ml_dtypes name of every element type that an array can have, by XLA's name.
NUMPY_NAMES: dict[str, str] = {
    "pred": "bool",
    **{f"s{bits}": f"int{bits}" for bits in (1, 2, 4, 8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (1, 2, 4, 8, 16, 32, 64)},
    "f4e2m1fn": "float4_e2m1fn",
    "f6e2m3fn": "float6_e2m3fn",
    "f6e3m2fn": "float6_e3m2fn",
    "f8e3m4": "float8_e3m4",
    "f8e4m3": "float8_e4m3",
    "f8e4m3b11fnuz": "float8_e4m3b11fnuz",
    "f8e4m3fn": "float8_e4m3fn",
    "f8e4m3fnuz": "float8_e4m3fnuz",
    "f8e5m2": "float8_e5m2",
    "f8e5m2fnuz": "float8_e5m2fnuz",
    "f8e8m0fnu": "float8_e8m0fnu",
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}

#: Types without elements: written ``token[]`` and ``opaque[]``.
OPAQUE_TYPES = frozenset(("token", "opaque"))

#: The types that index and pointer types (``#`` and ``*``) are printed for; XLA prints any other as ``invalid``.
INTEGER_TYPES = frozenset(name for name, numpy_name in NUMPY_NAMES.items() if numpy_name.lstrip("u").startswith("int"))

_XLA_NAMES = {numpy_name: name for name, numpy_name in NUMPY_NAMES.items()}

_OTHER_NAMES = {
    **{"bool_": "pred", "boolean": "pred", "float": "f32", "half": "f16", "double": "f64", "int": "s32", "uint": "u32"},
    **{"e4m3": "f8e4m3fn", "e5m2": "f8e5m2", "fp8": "f8e4m3fn", "fp16": "f16", "fp32": "f32", "fp64": "f64"},
}


def element_type(dtype: object) -> str:
    """XLA's name of an element type, from that name, numpy's or ml_dtypes' name, or a dtype object.

    >>> element_type("bf16"), element_type("bfloat16"), element_type(np.dtype("uint8")), element_type(np.float32)
    ('bf16', 'bf16', 'u8', 'f32')
    """
    given = dtype if isinstance(dtype, str) else _numpy_name(dtype)
    name = given if given in NUMPY_NAMES else _XLA_NAMES.get(given)
    if name is None:
        raise LayoutError(f"{shown(dtype)} is no XLA element type; {suggestion(given)}")
    return name


def numpy_name(name: str) -> str | None:
    """The library's name of an element type, from that name or XLA's; None for a name that is neither.

    >>> numpy_name("bf16"), numpy_name("bfloat16"), numpy_name("bf61")
    ('bfloat16', 'bfloat16', None)
    """
    return name if name in BITS else NUMPY_NAMES.get(name)


def xla_element(name: str, element_size_in_bits: int = 0) -> Element:
    """What lies in a slot of an array of type ``name``; 0 bits means whole bytes.

    >>> xla_element("s4"), xla_element("s4", 4)
    (Element(name='int4', bits=8), Element(name='int4', bits=4))
    """
    return element(NUMPY_NAMES[name], element_size_in_bits)


def suggestion(name: str) -> str:
    """The type that was meant by a name that is none, or else the names there are.

    >>> suggestion("float32"), suggestion("F32"), suggestion("f8e4m3f")
    ("did you mean 'f32'?", "did you mean 'f32'?", "did you mean 'f8e4m3fn'?")
    """
    lower = name.lower()
    meant = lower if lower in NUMPY_NAMES or lower in OPAQUE_TYPES else _XLA_NAMES.get(lower) or _OTHER_NAMES.get(lower)
    if meant is None and len(lower) <= max(map(len, _XLA_NAMES)):
        import difflib  # noqa: PLC0415 - a sixth of the package's import time, for a rare message

        close = difflib.get_close_matches(lower, (*NUMPY_NAMES, *_XLA_NAMES), n=1)
        meant = _XLA_NAMES.get(close[0], close[0]) if close else None
    if meant is None or meant == name:
        return f"element types are {', '.join(NUMPY_NAMES)}"
    return f"did you mean {meant!r}?"


def _numpy_name(dtype: Any) -> str:
    if dtype is None:  # numpy would take it for float64
        return ""
    try:
        name: str = np.dtype(dtype).name
    except Exception:  # whatever a stranger's repr raises, which numpy's message repeats
        return ""
    return name
