"""What was given to inference, as two flat arrays of bits: one value for each element, and one for each slot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import storage
from .._kernels.bits import unpack_bits
from ..doors import checked_array, checked_buffer
from ..elements import BITS, Element
from ..errors import LayoutError, ShapeError, shown
from ..sizes import checked_shape
from .placing import Tokens
from .result import too_few


class Reading(NamedTuple):
    """An array and its buffer as bits; ``element`` says what lies in a slot where elements share bytes.

    ``is_second`` tells whether a likelier reading may have a layout, too, which was not found.
    """

    shape: tuple[int, ...]
    before: Tokens
    after: Tokens
    element: Element | None
    is_second: bool = False


def readings(before: npt.ArrayLike, after: npt.ArrayLike, shape: Sequence[int] | None) -> Iterator[Reading]:
    """The ways to read the buffer, likeliest first: slots as wide as the elements, or of 4, 2 or 1 bits where the values fit."""
    source, buffer = checked_array(before, "before"), numbers_of(after, "after")
    storage.for_array(source.dtype, None)
    extents = source.shape if shape is None else _fitting(source, shape)
    width = source.dtype.itemsize
    if buffer.dtype == np.uint8 or width == 1:
        buffer = buffer.view(np.uint8)
        if len(buffer) % width:
            raise ShapeError(f"a buffer of {len(buffer)} bytes for elements of {source.dtype}; it takes a multiple of {width} bytes")
    elif buffer.dtype.itemsize != width:
        raise LayoutError(f"a buffer of {buffer.dtype} for elements of {source.dtype}; it takes the same width, or bytes as uint8")
    elif buffer.dtype.isnative != source.dtype.isnative:
        buffer = buffer.byteswap()
    slots = len(buffer) * buffer.itemsize // width
    if source.size > slots * (8 if width == 1 else 1):
        raise too_few(slots, source.size, extents)
    try:
        elements = np.ascontiguousarray(source).reshape(-1)
    except MemoryError:
        raise ShapeError(f"before, of shape {source.shape}, does not fit in memory without the gaps between its elements") from None
    narrow = [bits for bits in (4, 2, 1) if width == 1 and len(buffer) * 8 // bits >= source.size and _fits(elements, bits)]
    if slots >= source.size or not narrow:
        yield Reading(extents, *_tokens(elements, buffer, width), None)
    for bits in narrow:
        values = np.empty(len(buffer) * 8 // bits, np.uint8)
        unpack_bits(buffer, bits, False, values)
        yield Reading(extents, elements.view(np.uint8) & np.uint8((1 << bits) - 1), values, _element(elements, bits))


def numbers_of(buffer: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """A buffer as a flat array of numbers, whatever they are."""
    array = checked_buffer(buffer, what)
    try:
        storage.for_array(array.dtype, None)
    except LayoutError as error:
        raise LayoutError(f"{what} is {shown(buffer)}: {error}") from None
    return array


def _fitting(source: npt.NDArray[Any], shape: Sequence[int]) -> tuple[int, ...]:
    extents = checked_shape(shape)
    size = int(np.prod(extents, dtype=object))
    if size != source.size:
        raise ShapeError(f"before has {source.size} elements, and shape={shown(extents)} takes {size}")
    return extents


def _tokens(elements: npt.NDArray[Any], buffer: npt.NDArray[Any], width: int) -> tuple[Tokens, Tokens]:
    if width < 16:
        return elements.view(f"u{width}"), buffer.view(f"u{width}")
    halves = np.concatenate([elements.view("u8"), buffer.view("u8")]).reshape(-1, 2)
    high, low = (np.unique(half, return_inverse=True)[1] for half in halves.T)
    both = (high * (len(halves) + 1) + low).astype(np.uint64)
    return both[: len(elements)], both[len(elements) :]


def _fits(elements: npt.NDArray[Any], bits: int) -> bool:
    if elements.dtype.name not in ("bool", "int8", "uint8"):
        return BITS.get(elements.dtype.name, 8) <= bits
    low, high = (int(elements.min()), int(elements.max())) if len(elements) else (0, 0)
    return (-(1 << bits - 1) <= low and high < 1 << bits - 1) or (low >= 0 and high < 1 << bits)


def _element(elements: npt.NDArray[Any], bits: int) -> Element:
    name = elements.dtype.name
    if BITS.get(name, 8) < 8:
        return Element(name, bits)
    signed = name == "int8" and int(elements.max(initial=0)) < 1 << bits - 1
    return Element(f"{'int' if signed else 'uint'}{bits}", bits)
