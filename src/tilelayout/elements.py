"""Element types by name: how many bits a value has, and how many bits a slot gives it.

The names are numpy's and ml_dtypes' (``float32``, ``bfloat16``, ``int4``); a notation translates its own.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from .errors import LayoutError, shown
from .extras import needed

_NUMPY = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
_ML_DTYPES = {
    "bfloat16": 16,
    "int1": 1, "int2": 2, "int4": 4, "uint1": 1, "uint2": 2, "uint4": 4,
    "float4_e2m1fn": 4, "float6_e2m3fn": 8, "float6_e3m2fn": 8,
    "float8_e3m4": 8, "float8_e4m3": 8, "float8_e4m3b11fnuz": 8, "float8_e4m3fn": 8, "float8_e4m3fnuz": 8,
    "float8_e5m2": 8, "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8,
}  # fmt: skip

#: Bits of a value of each type; the 6-bit floats are whole bytes everywhere.
BITS: dict[str, int] = {name: np.dtype(name).itemsize * 8 for name in _NUMPY} | _ML_DTYPES | {"bool": 1}


class Element(NamedTuple):
    """What lies in a slot: a type by name, and the bits that a slot gives it (4 in ``s4[...]{...:E(4)}``, else whole bytes).

    The name is empty where a layout says how wide its slots are and not what they hold, as ``{0:E(4)}`` does.
    """

    name: str
    bits: int

    @property
    def value_bits(self) -> int:
        """Bits of the value itself, at most ``bits`` in a layout that can be packed."""
        return BITS[self.name]

    @property
    def signed(self) -> bool:
        """Whether the type is a signed integer, whose top bit is repeated when it is widened."""
        return self.name.startswith("int")


def element(name: str, bits: int = 0) -> Element:
    """The element of type ``name``; ``bits`` of 0 means whole bytes.

    >>> element("int4"), element("int4", 4)
    (Element(name='int4', bits=8), Element(name='int4', bits=4))
    """
    _check(name)
    return Element(name, bits or -(-BITS[name] // 8) * 8)


def checked_element(fields: Any) -> Element:
    """An element from its two fields; the name is one that is known, or empty."""
    try:
        name, bits = fields
        result = Element(name, operator.index(bits))
    except (TypeError, ValueError, NotImplementedError):  # the last is that of a view of memory with several axes
        raise LayoutError(f"element={shown(fields)} is no element: it takes (name, bits), such as ('float32', 32)") from None
    if not isinstance(name, str):
        raise LayoutError(f"element={shown(fields)} is no element: its name is text, such as 'float32'")
    if result.bits < 1:
        raise LayoutError(f"element={shown(fields)} is no element: a slot has one bit or more")
    if name:
        _check(name)
    return result


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy dtype of that name; the narrow ones come from ml_dtypes."""
    _check(name)
    if name in _ML_DTYPES:
        bits = f"take the raw bits, as uint{-(-BITS[name] // 8) * 8}"
        narrow: np.dtype[Any] = np.dtype(needed("dtypes", "ml_dtypes", f"{name}, which numpy has not,", name=name, otherwise=bits))
        return narrow
    return np.dtype(name)


def _check(name: str) -> None:
    if name not in BITS:
        raise LayoutError(f"no element type is called {shown(name)}; known are {', '.join(sorted(BITS))}")
