"""Packing functions as black boxes: what they do to an array whose elements are numbered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import storage
from .._kernels.bits import unpack_bits
from ..bridges import Array
from ..elements import BITS, Element
from ..errors import LayoutError, ShapeError, shown
from ..memory import check_axes
from ..sizes import checked_shape, integer
from .reading import Reading, numbers_of
from .result import NotInferred


def numbered(
    function: Callable[[Array], Any], shape: Sequence[int], dtype: npt.DTypeLike | None = None, bits: int | None = None
) -> Reading:
    """The numbers 1, 2, ... of the elements, and where the function puts them; 0 is left for padding.

    A dtype too narrow for the numbers carries some bits of them at a time, and the function is called once for each such plane.
    """
    if not callable(function):
        raise LayoutError(f"{shown(function)} is no function, and a probe calls one; infer takes an array and its buffer")
    extents = checked_shape(shape)
    size = prod(extents)
    kind = np.min_scalar_type(size) if dtype is None else _checked_dtype(dtype)
    carried = _carried(kind, bits)
    try:
        numbers = np.ones(size, np.int64)
        np.cumsum(numbers, out=numbers)  # arange makes an empty array of the largest sizes
    except (MemoryError, ValueError):
        raise ShapeError(f"an array of shape {shown(extents)} with a number in each element does not fit in memory") from None
    check_axes(extents)
    after, shared = np.zeros(0, np.int64), False
    for low in range(0, max(1, size.bit_length()), carried):
        plane = numbers >> low & (1 << carried) - 1
        packed = numbers_of(function(_encoded(plane, kind).reshape(extents)), "what the function returns")
        slots, shared = _decoded(packed, kind, carried, size)
        if low and len(slots) != len(after):
            raise NotInferred(f"the function gives {len(after)} slots for one array of shape {extents} and {len(slots)} for the next")
        after = slots << low if low == 0 else after | slots << low
    element = Element(kind.name if BITS.get(kind.name, 8) < 8 else f"uint{carried}", carried) if shared else None
    return Reading(extents, numbers.view(np.uint64), after.view(np.uint64), element)


def _checked_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    kind = storage.checked_dtype(dtype)
    storage.for_array(kind, None)
    return kind.newbyteorder("=")


def _carried(kind: np.dtype[Any], bits: int | None) -> int:
    """How many bits of a number an element carries: those of an unsigned integer, or of a number in a type that has signs."""
    width = BITS.get(kind.name, 8 * kind.itemsize)
    unsigned = kind.kind in "ub" or kind.name.startswith("uint")
    most = width if unsigned else width - 1 if kind.name.startswith("int") else width - 2
    if bits is None:
        return min(most, 62)
    given = integer(bits)
    if given is None or not 1 <= given <= width:
        raise LayoutError(f"bits={shown(bits)} is no number of bits that elements of {kind} carry; it takes 1 to {width}")
    return min(given, 62)


def _encoded(plane: npt.NDArray[np.int64], kind: np.dtype[Any]) -> Array:
    """Elements whose bits are the numbers: small positive values, in any type."""
    if kind.itemsize < 16:
        return plane.astype(f"u{kind.itemsize}").view(kind)
    return np.stack([plane, np.zeros_like(plane)], axis=-1).view(kind).reshape(-1)


def _decoded(packed: Array, kind: np.dtype[Any], carried: int, size: int) -> tuple[npt.NDArray[np.int64], bool]:
    """The numbers in a buffer, and whether elements share bytes in it."""
    width = kind.itemsize
    if packed.dtype == np.uint8 or width == 1:
        packed = packed.view(np.uint8)
        if width == 1 and carried in (1, 2, 4) and len(packed) < size:
            slots = np.empty(len(packed) * 8 // carried, np.uint8)
            unpack_bits(packed, carried, False, slots)
            return slots.astype(np.int64), True
    if packed.itemsize not in (1, width) or packed.nbytes % width:
        raise LayoutError(
            f"the function returns {packed.size} elements of {packed.dtype} for an array of {kind}; it takes the same width, or bytes"
        )
    halves = packed.view(f"u{min(width, 8)}")
    return (halves[::2] if width == 16 else halves).astype(np.int64), False
