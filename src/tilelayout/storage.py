"""What lies in a slot: from an array's dtype and a layout's element to the bytes that are moved.

Kernels move unsigned integers of a width. This room decides the width, and takes arrays to that form and back: narrow
floats travel as their bits, elements below a byte are packed 8 / bits to a byte, wider slots are filled up with zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from . import memory
from ._kernels.bits import first_misfit, pack_bits, unpack_bits
from ._kernels.calls import is_zero
from ._lazy import imported
from .elements import BITS, Element, numpy_dtype
from .errors import LayoutError, ShapeError, shown
from .values import is_inexact, scalar

#: Widths in bytes that an element may have, and bits that a slot may.
WIDTHS = (1, 2, 4, 8, 16)
SLOTS = (1, 2, 4, 8, 16, 32, 64, 128)
_SLOTS_ARE = f"a slot has {', '.join(map(str, SLOTS[:-1]))} or {SLOTS[-1]} bits and no fewer than the value"


@dataclass(frozen=True, slots=True)
class Storage:
    """How elements of ``dtype`` lie in a buffer of ``buffer_dtype``; ``bits`` is below 8 where several share a byte.

    ``element`` is None where the layout leaves open what it holds, and the array's bytes are moved as they are.
    """

    dtype: np.dtype[Any]
    buffer_dtype: np.dtype[Any]
    bits: int
    element: Element | None

    def buffer_size(self, slots: int) -> int:
        """How many elements of ``buffer_dtype`` hold that many slots."""
        return -(-slots * self.bits // 8) if self.bits < 8 else slots

    def raw(self, array: npt.NDArray[Any], what: str = "array") -> npt.NDArray[Any]:
        """An array of ``dtype`` as its bits: unsigned integers of the slot's width, or 16-byte values."""
        if self.element is not None and not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        bits = array.view(_raw(array.dtype.itemsize))
        if self.is_truth:
            bits = np.minimum(bits, 1, out=np.empty_like(bits))
        if self.is_checked:
            self.check(bits, what)
        if self.is_loose:
            bits = np.bitwise_and(bits, (1 << self.value_bits) - 1, out=np.empty_like(bits))  # ``&`` of no dimensions is no array
        return bits.astype(_raw(self.buffer_dtype.itemsize)) if self.is_wide else bits

    def check_buffer(self, buffer: npt.NDArray[Any], slots: int) -> None:
        """Refuse a one-dimensional buffer that is not that many slots: in the right dtype, as unsigned integers, or as bytes."""
        size, width = self.buffer_size(slots), self.buffer_dtype.itemsize
        is_bytes = width > 1 and buffer.dtype == np.uint8
        is_right = is_bytes or self.takes(buffer.dtype)
        if is_right and len(buffer) == (size * width if is_bytes else size):
            return
        wanted = f"{size} elements of {self.buffer_dtype}" + (f", or {size * width} bytes" if width > 1 else "")
        if not is_right:
            raise LayoutError(f"a buffer of dtype {buffer.dtype} for slots of {self.bits} bits; it takes {wanted}")
        if self.element is None and self.dtype == np.uint8:  # perhaps the bytes of something else
            wanted += ", or as many of the type that dtype= names"
        given = f"a buffer of {len(buffer)} elements of {buffer.dtype}"
        raise ShapeError(f"{given} for {slots} slots of {self.bits} bits; it takes {wanted}")

    def takes(self, dtype: np.dtype[Any]) -> bool:
        """Whether a buffer of that dtype holds slots, one an element."""
        if dtype == self.buffer_dtype:
            return True
        if dtype.itemsize != self.buffer_dtype.itemsize:
            return False
        if self.element is None:
            return "V" in (dtype.kind, self.buffer_dtype.kind) or dtype.isnative == self.buffer_dtype.isnative
        return dtype.kind == "u" or is_carrier(dtype, self.element.name)

    def slots(self, buffer: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
        """A buffer's slots one by one, as the bits of ``dtype``; the inverse of ``raw`` and ``pack``."""
        found = self.spread(buffer, count) if self.element is not None and self.bits < 8 else self._apart(buffer)
        return self._settled(found) if self.is_loose else found

    def spread(self, buffer: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
        """All bits of slots that share bytes, one slot to a byte, as ``pack`` takes them back."""
        out = memory.empty((count,), np.uint8)
        unpack_bits(buffer, self.bits, self.is_signed, out)
        return out

    def _apart(self, buffer: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Slots of whole bytes, as the bits of ``dtype``."""
        if self.element is not None and not buffer.dtype.isnative:
            buffer = buffer.astype(buffer.dtype.newbyteorder("="))
        bits = buffer.view(_raw(self.buffer_dtype.itemsize))
        if not self.is_wide:
            return bits
        narrow = _raw(self.dtype.itemsize)
        if bits.dtype.kind == "u":
            return bits.astype(narrow)
        return bits.view(narrow)[:: bits.itemsize // narrow.itemsize].copy()  # numpy makes 16-byte values of integers, but not the reverse

    def _settled(self, bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """What is below a byte and narrower than its slot: its own bits, with their sign where they have one."""
        above = 8 - self.value_bits
        low = np.left_shift(bits, above)
        if self.is_signed:
            return np.right_shift(low.view(np.int8), above).view(np.uint8)
        return np.right_shift(low, above)

    @property
    def value_bits(self) -> int:
        """Bits of the integer in a slot; all bits where it holds no integer."""
        if self.element is None or not self.element.name.startswith(("int", "uint")):
            return self.bits
        return min(self.element.value_bits, self.bits)

    @property
    def is_loose(self) -> bool:
        """Whether a slot has room for more than its integer below a byte, which then lies in the lowest of its bits, below zeros.

        Not where that is one byte of the array's dtype, which is kept as it is.
        """
        return self.value_bits < min(self.bits, 8) and (self.bits != 8 or self.buffer_dtype != self.dtype)

    @property
    def is_checked(self) -> bool:
        """Whether bytes of an array are integers below a byte that lie apart, and have to fit in their bits."""
        return self.value_bits < min(self.bits, 8) and self._above() != "anything"

    @property
    def is_as_given(self) -> bool:
        """Whether elements move as they lie in an array, or joined to bytes."""
        return not (self.is_wide or self.is_loose or self.is_checked or self.is_truth)

    @property
    def is_truth(self) -> bool:
        """Whether elements below a byte are bools, of whose bytes numpy reads all but 0 as True."""
        return self.bits < 8 and self.dtype == np.bool_

    @property
    def is_signed(self) -> bool:
        """Whether elements below a byte come back with their sign."""
        return self.element is not None and self.element.signed and self.dtype == np.int8

    @property
    def is_wide(self) -> bool:
        """Whether a slot is wider than the dtype."""
        return self.buffer_dtype.itemsize > self.dtype.itemsize

    def fill_pattern(self, fill: Any) -> bytes:
        """The bits of a padding slot, repeated to 16 bytes."""
        if is_zero(fill):
            return bytes(16)  # also in types that have no zero
        return _whole_pattern(self, fill) if type(fill) is int else self._pattern(fill)

    def _pattern(self, fill: Any) -> bytes:
        raw = self.raw(self._value(fill).reshape(1), "fill value")
        if self.bits < 8:
            self.pack(raw, np.empty(1, np.uint8), "fill value")
        return raw.tobytes() * (16 // raw.itemsize)

    def _value(self, fill: Any) -> npt.NDArray[Any]:
        """The fill value in ``dtype``. Where that holds the bits of floats, an integer is bits too, and a float is one of those floats."""
        if self.element is None or self.dtype.kind != "u" or self.element.name.startswith(("int", "uint", "bool")) or not is_inexact(fill):
            return scalar(fill, self.dtype)
        return scalar(fill, numpy_dtype(self.element.name)).view(self.dtype)

    def bytes_of(self, pattern: bytes) -> bytes:
        """The pattern of slots of one byte each as that of the bytes that slots share."""
        packed = np.empty(len(pattern), np.uint8)
        self.pack(np.frombuffer(pattern * (8 // self.bits), np.uint8), packed)
        return packed.tobytes()

    def pack(self, raw: npt.NDArray[np.uint8], out: npt.NDArray[np.uint8], what: str = "array") -> None:
        """Pack slots of one byte each into ``out``."""
        done = pack_bits(raw, self.bits, self._above(), out)
        if done < len(raw):
            raise self._misfit(raw[done : done + 1], what)

    def put(self, slots: npt.NDArray[np.uint8], target: npt.NDArray[np.uint8]) -> None:
        """Write slots of one byte each to the bytes that they share, if all fit; else none is written."""
        wrong = first_misfit(slots, self.bits, self._above())
        if wrong < len(slots):
            raise self._misfit(slots[wrong : wrong + 1], "array")
        pack_bits(slots, self.bits, "anything", target)

    def check(self, raw: npt.NDArray[np.uint8], what: str = "array") -> None:
        """Refuse an array of one byte an element with one that does not fit in its bits."""
        flat: Iterable[npt.NDArray[np.uint8]]
        if raw.flags.c_contiguous:
            flat = [raw.reshape(-1)]
        else:  # by way of a buffer where a row has steps of its own, of which the kernel knows nothing; nor do numpy's stubs know "contig"
            flat = np.nditer(raw, ["external_loop", "buffered", "zerosize_ok"], [["readonly", "contig"]], order="C")  # type: ignore[call-overload]
        for rows in flat:
            wrong = first_misfit(rows, self.value_bits, self._above())
            if wrong < len(rows):
                raise self._misfit(rows[wrong : wrong + 1], what)

    def _range(self) -> tuple[int, int]:
        """The least and the greatest value that fits in its bits."""
        low = -(1 << self.value_bits - 1) if self._above() == "sign" else 0
        return low, low + (1 << self.value_bits) - 1

    def _misfit(self, raw: npt.NDArray[np.uint8], what: str) -> LayoutError:
        assert self.element is not None
        low, high = self._range()
        bits = f"{self.value_bits} bits of {self.element.name}"
        return LayoutError(f"the {what} holds {raw.view(self.dtype)[0]}, which does not fit in {bits}; {low} to {high} do")

    def _above(self) -> str:
        if self.dtype == np.int8:
            return "sign"
        return "zeros" if self.dtype == np.uint8 else "anything"  # ml_dtypes leaves the high bits open


@lru_cache(maxsize=256)
def _whole_pattern(store: Storage, fill: int) -> bytes:
    """The pattern of a whole number, which small arrays are filled up with again and again."""
    return store._pattern(fill)


@lru_cache(maxsize=256)
def for_array(dtype: np.dtype[Any], element: Element | None) -> Storage:
    """How an array of that dtype is stored in slots of that element."""
    if dtype.kind in "OSUT" or dtype.fields or dtype.subdtype or dtype.itemsize not in WIDTHS:
        raise LayoutError(f"an array of dtype {dtype} cannot be packed; elements are numbers of 1, 2, 4, 8 or 16 bytes")
    if element is None:
        return Storage(dtype, dtype, dtype.itemsize * 8, None)
    element = _named(element, dtype)
    if not is_carrier(dtype, element.name):
        bits = _or_bits(element.name, "or give") if dtype.itemsize == -(-element.value_bits // 8) else ""
        raise LayoutError(f"an array of dtype {dtype} for a layout of {element.name}; convert it, as numpy.asarray(x, dtype) does{bits}")
    _check_bits(element)
    native = dtype.newbyteorder("=")
    if element.bits > dtype.itemsize * 8:
        return Storage(native, _raw(element.bits // 8), element.bits, element)
    if element.bits < 8:
        return Storage(native, np.dtype(np.uint8), element.bits, element)
    return Storage(native, native, element.bits, element)


def in_bytes(buffer: Any, element: Element | None) -> Any:
    """Integers whose bytes elements share, such as words of 32 bits with eight of four, as these bytes, the lowest first."""
    if element is None or element.bits >= 8 or buffer.dtype.kind not in "iu":
        return buffer
    return buffer.astype(buffer.dtype.newbyteorder("<"), copy=False).view(np.uint8)


def for_buffer(given: np.dtype[Any], element: Element | None, wanted: npt.DTypeLike | None, *, is_raw: bool = False) -> Storage:
    """How a buffer of dtype ``given`` stores elements that are to come back as ``wanted``, or as what fits best if that is None.

    An array of ``uint8`` may hold the bits of elements of a byte, and they come back so; bytes, which ``is_raw`` tells, have no type.
    """
    if wanted is None:
        return for_array(_result_dtype(given, element, is_raw), element)
    dtype = checked_dtype(wanted)
    if element is not None and not dtype.isnative:
        native = dtype.newbyteorder("=")
        raise LayoutError(f"dtype={dtype} is the byte order of another machine; elements come back as {native}, convert them with .astype")
    if element and element.name and not is_carrier(dtype, element.name):
        raise LayoutError(f"dtype={dtype} for a layout of {element.name}; leave it out{_or_bits(element.name, 'or ask for')}")
    store = for_array(dtype, element)
    if dtype == np.int8 != given and element is not None and element.signed and element.value_bits < store.bits == 8:
        return replace(store, buffer_dtype=np.dtype(np.uint8))  # bits of a byte, of which a value below a byte has the lowest
    return store


@lru_cache(maxsize=256)
def _result_dtype(given: np.dtype[Any], element: Element | None, is_raw: bool) -> np.dtype[Any]:
    if element is None:
        return given
    if not element.name:
        if given == np.uint8 and element.bits > 8:
            raise LayoutError(f"bytes of elements of {element.bits} bits, and nothing says of what type; give dtype=")
        return given
    if element.bits >= 8 and is_carrier(given, element.name) and (given != np.uint8 or (element.bits == 8 and not is_raw)):
        return given
    if element.bits < 8 and element.name.startswith(("int", "uint")):
        return np.dtype(np.int8 if element.signed else np.uint8)
    return numpy_dtype(element.name)


def checked_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """The dtype that numpy makes of the object, or the type of that name, which ml_dtypes has or XLA abbreviates: ``int4``, ``bf16``."""
    try:
        return np.dtype(dtype)
    except Exception:  # SyntaxError for text with brackets, and whatever a stranger's repr raises, which numpy's message repeats
        if isinstance(dtype, str):
            xla = imported(".notations.xla.types", __package__)  # a language, imported where numpy does not know a name
            return numpy_dtype(xla.numpy_name(dtype) or dtype)
        if (name := _of_torch(dtype)) is not None:
            return checked_dtype(name)
        raise LayoutError(f"dtype={shown(dtype)} is no dtype") from None


def _of_torch(dtype: object) -> str | None:
    """The name of a dtype of torch's, which torch is not imported for."""
    kind = type(dtype)
    return str(dtype).removeprefix("torch.") if (kind.__module__, kind.__name__) == ("torch", "dtype") else None


def _named(element: Element, dtype: np.dtype[Any]) -> Element:
    """The element with a name: where a layout has only its bits, the array's type, or an integer of so many bits."""
    if element.name:
        return element
    narrow = element.bits < 8 and dtype in (np.int8, np.uint8)
    name = f"{dtype.name.rstrip('8')}{element.bits}" if narrow else dtype.name
    if element.bits not in SLOTS:
        raise LayoutError(f"slots of {element.bits} bits for an array of dtype {dtype}; {_SLOTS_ARE}")
    if name not in BITS:
        raise LayoutError(f"an array of dtype {dtype} for slots of {element.bits} bits; known types are {', '.join(sorted(BITS))}")
    return Element(name, element.bits)


def _check_bits(element: Element) -> None:
    if element.bits not in SLOTS or element.bits < element.value_bits:
        raise LayoutError(f"slots of {element.bits} bits cannot hold {element.name}, which has {element.value_bits}; {_SLOTS_ARE}")


def is_carrier(dtype: np.dtype[Any], name: str) -> bool:
    """Whether arrays of that dtype can hold elements of the named type: the type itself, or its bits as unsigned integers."""
    return dtype.name in (name, *_carriers(name))


def _carriers(name: str) -> list[str]:
    width = -(-BITS[name] // 8)
    carriers = [f"uint{8 * width}"] if width <= 8 else []
    return [*carriers, "int8"] if name in ("int1", "int2", "int4") else carriers


def _or_bits(name: str, verb: str) -> str:
    """The end of a message: which integers hold the bits of elements of the named type, if any do."""
    carriers = " or ".join(_carriers(name))
    return f", {verb} its bits as {carriers}" if carriers else ""


@cache
def _raw(width: int) -> np.dtype[Any]:
    return np.dtype(f"u{width}") if width < 16 else np.dtype("V16")
