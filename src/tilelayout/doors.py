"""The checks at the door of everything that moves elements: arrays, buffers, and where to write."""

from __future__ import annotations

import os
from functools import reduce
from math import prod
from mmap import mmap
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import numpy.typing as npt

from ._kernels.loops import fall_apart
from .bridges import Array, Tensor, refuse_cuda, refuse_masked, shared
from .errors import LayoutError, NotInjective, ShapeError, shown, type_of

if TYPE_CHECKING:
    from .digits import Layout

#: What a view of memory calls single bytes, but for the order that it may say, as those of ctypes do.
_OF_BYTES = ("B", "c")
#: What to do with the name of a file, as a message ends.
_IN_FILES = "; what is in a file is packed and unpacked by tilelayout.files"
#: Steps to spend on whether two strided arrays really share a byte; where that does not tell, they are taken to.
MOST_OVERLAP_WORK = 1000


def check_injective(layout: Layout) -> None:
    """Refuse a layout that sends two elements to one slot."""
    if layout.shared_slot is not None:
        raise NotInjective(
            f"a layout of shape {layout.shape} sends several elements to slot {layout.shared_slot}; "
            "each needs a slot of its own to be written to"
        )


def checked_array(array: npt.ArrayLike | Tensor, what: str = "what was given") -> Array:
    """What was given as an array; one of plain voids as unsigned integers."""
    if type(array) is np.ndarray and array.dtype.type is not np.void:
        return array
    refuse_masked(array, what)
    if array is None or isinstance(array, str | os.PathLike):
        raise LayoutError(f"{what} is {shown(array)}, and no array{_IN_FILES if array is not None else ''}")
    source = shared(array, what)
    stored = unvoided(source.dtype)
    return source if stored is source.dtype else source.view(stored)


def unvoided(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype, or for plain voids, as numpy makes of files of ``bfloat16``, the unsigned integers of their width."""
    is_plain = dtype.type is np.void and not dtype.fields and dtype.itemsize in (1, 2, 4, 8)
    return np.dtype(f"u{dtype.itemsize}") if is_plain else dtype


def refuse_mask(target: object, what: str) -> None:
    """Refuse to write where some elements may not be written."""
    if isinstance(target, np.ma.MaskedArray):
        raise LayoutError(f"{what} is a masked array, some elements of which may not be written; give its .data, or a plain array")


def is_raw(buffer: object) -> TypeGuard[bytes | bytearray | mmap | memoryview]:
    """Whether a buffer is bytes, which have no dtype; a view of memory that names a type of its own is none."""
    try:
        return isinstance(buffer, bytes | bytearray | mmap) or (
            isinstance(buffer, memoryview) and buffer.format.lstrip("@=<>!") in _OF_BYTES
        )
    except ValueError:  # it was released, which whoever reads it is told
        return True


def checked_buffer(buffer: npt.ArrayLike | Tensor, what: str = "the buffer") -> Array:
    """A buffer as a one-dimensional array without gaps."""
    if is_raw(buffer):
        try:
            held = buffer.tobytes() if isinstance(buffer, memoryview) and not buffer.c_contiguous else buffer
            return np.frombuffer(held, np.uint8)
        except (BufferError, ValueError) as error:
            raise LayoutError(f"{what} cannot be read as bytes: {error}") from None
    array = checked_array(buffer, what)
    try:
        return np.ascontiguousarray(array).reshape(-1)
    except MemoryError:
        raise ShapeError(
            f"{what}, of shape {array.shape}, has gaps between its elements, and without them does not fit in memory"
        ) from None


def checked_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], source: Array | None) -> Array:
    """Where to write an array of that shape and dtype, apart from the source if there is one: a plain array, whatever class ``out`` has."""
    if not isinstance(out, np.ndarray):
        refuse_cuda(out, "out")
        raise LayoutError(f"out is {type_of(out)}; it takes a numpy array of shape {shape} and dtype {dtype}")
    refuse_mask(out, "out")
    target: Array = np.asarray(out)
    if target.shape != shape or target.dtype != dtype:
        raise ShapeError(f"out has shape {target.shape} and dtype {target.dtype}; it takes shape {shape} and dtype {dtype}")
    if not target.flags.writeable:
        raise LayoutError("out is read-only; it takes an array that may be written")
    if not target.flags.forc and _meets_itself(target):
        raise LayoutError(
            f"out has strides {target.strides}, by which elements share memory; each needs a place of its own to be written to"
        )
    if source is not None and _overlap(source, target):
        raise LayoutError("out shares memory with the input, which would be overwritten while it is read; give another array, or none")
    return target


def checked_target(out: Any, size: int, dtype: np.dtype[Any], source: Array | None) -> Array:
    """The same for a buffer of so many elements, which has no gaps."""
    target = checked_out(out, (size,), dtype, source)
    if not target.flags.c_contiguous:
        raise LayoutError("out has gaps between its elements; a buffer is written whose elements lie one after the other")
    return target


def is_same(a: Array, b: object) -> bool:
    """Whether a buffer takes up exactly the memory that another does."""
    return isinstance(b, np.ndarray) and b.flags.c_contiguous and a.nbytes == b.nbytes and a.ctypes.data == b.ctypes.data


def _meets_itself(array: Array) -> bool:
    """Whether two elements have a byte in common; where that cannot be told for want of memory, they are taken to."""
    shape, steps = (*array.shape, array.itemsize), (*map(abs, array.strides), 1)
    if array.size == 0 or fall_apart([(axis, 1, n, step) for axis, (n, step) in enumerate(zip(shape, steps, strict=True))], shape):
        return False
    if 1 + sum((n - 1) * step for n, step in zip(shape, steps, strict=True)) < prod(shape):
        return True
    try:
        places = np.sort(reduce(np.add.outer, [np.arange(n) * step for n, step in zip(shape, steps, strict=True)]), axis=None)
    except MemoryError:
        return True
    return bool((places[1:] == places[:-1]).any())


def _overlap(a: Array, b: Array) -> bool:
    try:
        return np.shares_memory(a, b, max_work=MOST_OVERLAP_WORK)  # type: ignore[arg-type]  # numpy takes any integer
    except np.exceptions.TooHardError:
        return True
