"""Pack an array into the buffer that a layout describes, and unpack it again.

The door checks everything; then a plan runs (``planning``), or, where a layout merges axes, slots are looked up and
elements moved one by one. Nothing is written before all has been checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import planning, queries, storage
from . import threads as pool
from ._kernels.copy import CopyPlan
from .digits import Layout
from .errors import LayoutError, NotInjective, ShapeError
from .notations import LayoutLike
from .notations import layout as as_layout

Array: TypeAlias = npt.NDArray[Any]

#: Plans that a layout keeps, one for each strides and width it has met.
MOST_PLANS = 64
#: Steps to spend on whether two strided arrays really share a byte; where that does not tell, they are taken to.
MOST_OVERLAP_WORK = 1000


def pack(array: npt.ArrayLike, layout: LayoutLike, *, out: Array | None = None, fill: Any = 0, threads: int | None = None) -> Array:
    """Lay an array out in the one-dimensional buffer that the layout describes, padding included.

    >>> import numpy as np, tilelayout as tl
    >>> x = np.arange(15, dtype="float32").reshape(3, 5)
    >>> tl.pack(x, "f32[3,5]{1,0:T(2,2)}", fill=-1).reshape(6, 4)
    array([[ 0.,  1.,  5.,  6.],
           [ 2.,  3.,  7.,  8.],
           [ 4., -1.,  9., -1.],
           [10., 11., -1., -1.],
           [12., 13., -1., -1.],
           [14., -1., -1., -1.]], dtype=float32)

    A layout without a shape takes the array's; elements below a byte share bytes, the first in the low bits:

    >>> tl.pack(np.array([1, -2, 3], "int8"), "s4[3]{0:E(4)}")
    array([225,   3], dtype=uint8)

    Parameters
    ----------
    array
        Any strides and byte order; elements of 1, 2, 4, 8 or 16 bytes. Where the layout names a type, the array has that
        type, or holds its bits as unsigned integers of its width.
    layout
        Text in any notation, a notation's object, or a ``Layout``.
    out
        Where to write: ``layout.slots`` elements of the array's dtype (bytes, where elements share them), C-contiguous.
    fill
        What padding holds: one value of the dtype. ``None`` leaves padding in ``out`` as it is (zero without ``out``).
    threads
        At most how many threads; by default as many as the process may use.

    Raises ``ShapeError`` if the shapes differ, ``NotInjective`` if two elements would meet in one slot, ``LayoutError`` otherwise.
    """
    source = _array(array)
    bound = as_layout(layout, source.shape)
    _check_injective(bound)
    store = storage.for_array(source.dtype, bound.element)
    workers = pool.count(threads)
    pattern = None if fill is None else store.fill_pattern(fill)
    raw = store.raw(source)
    size = store.buffer_size(bound.slots)
    if out is None:
        target = queries.empty((size,), store.buffer_dtype, zeroed=fill is None)
    else:
        target = _checked_out(out, (size,), store.buffer_dtype, source)
        if not target.flags.c_contiguous:
            raise LayoutError("out has gaps between its elements; pack writes a buffer whose elements lie one after the other")
    if store.bits >= 8:
        _scatter(raw, bound, target.view(raw.dtype), pattern, workers)
        return target
    slots = queries.empty((bound.slots,), np.uint8) if pattern else store.slots(target, bound.slots)
    _scatter(raw, bound, slots, pattern, workers)
    packed = queries.empty((size,), np.uint8)
    store.pack(slots, packed)
    target[:] = packed
    return target


def unpack(
    buffer: npt.ArrayLike,
    layout: LayoutLike,
    *,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | None = None,
    threads: int | None = None,
) -> Array:
    """Read the array back from a buffer that the layout describes; the inverse of ``pack``.

    >>> import numpy as np, tilelayout as tl
    >>> x = np.arange(15, dtype="float32").reshape(3, 5)
    >>> bool((tl.unpack(tl.pack(x, "{1,0:T(8,128)}"), "{1,0:T(8,128)}", shape=(3, 5)) == x).all())
    True

    Bytes become elements of the type that the layout names; signed elements below a byte come back as ``int8``:

    >>> tl.unpack(b"\\xe1\\x03", "s4[3]{0:E(4)}")
    array([ 1, -2,  3], dtype=int8)

    Parameters
    ----------
    buffer
        One-dimensional: exactly ``layout.slots`` elements, or the same as raw bytes (``bytes``, ``uint8``).
    shape
        The logical shape, for a layout that is written without one.
    dtype
        The dtype of the result, of the element's width; by default the buffer's own, or the layout's for raw bytes.
    out
        Where to write: an array of the logical shape and the result's dtype, with any strides.
    threads
        As in ``pack``.
    """
    bound = as_layout(layout, shape)
    source = _buffer(buffer)
    workers = pool.count(threads)
    store = storage.for_buffer(source.dtype, bound.element, dtype)
    store.check_buffer(source, bound.slots)
    target = queries.empty(bound.shape, store.dtype) if out is None else _checked_out(out, bound.shape, store.dtype, source)
    raw = store.slots(source, bound.slots)
    _gather(raw, bound, target.view(raw.dtype), workers)
    return target


def _scatter(raw: Array, layout: Layout, target: Array, pattern: bytes | None, workers: int) -> None:
    """Write every element to its slot, and the pattern (where there is one) to every other."""
    plan, covered = _ready(layout, raw, planning.pack_plan)
    if pattern is not None:
        target[covered:] = np.frombuffer(pattern, target.dtype)[0]
    if plan is not None:
        _run(plan, raw, target[planning.start(layout) :], pattern if covered else None, workers)
        return
    done = 0
    for slots in queries.blocks(layout):
        target[slots] = raw.flat[done : done + len(slots)]
        done += len(slots)


def _gather(raw: Array, layout: Layout, target: Array, workers: int) -> None:
    """Read every element from its slot."""
    plan, _ = _ready(layout, target, planning.unpack_plan)
    if plan is not None:
        _run(plan, raw[planning.start(layout) :], target, None, workers)
        return
    done = 0
    for slots in queries.blocks(layout):
        target.flat[done : done + len(slots)] = raw[slots]
        done += len(slots)


def _ready(layout: Layout, array: Array, make: Callable[[Layout, Sequence[int], int], planning.Planned]) -> planning.Planned:
    """The plan for arrays in these strides, made once and kept by the layout."""
    key = make, array.strides, array.itemsize
    planned: planning.Planned | None = layout.plans.get(key)
    if planned is None:
        if len(layout.plans) >= MOST_PLANS:
            layout.plans.clear()
        planned = layout.plans[key] = make(layout, array.strides, array.itemsize)
    return planned


def _run(plan: CopyPlan, source: Array, target: Array, pattern: bytes | None, workers: int) -> None:
    def work(begin: int, end: int) -> None:
        plan.run(source, target, pattern, begin, end)

    pool.share(work, plan.iterations, target.nbytes, workers)


def _check_injective(layout: Layout) -> None:
    if layout.ready.is_reversible:
        return
    used = np.sort(layout.offsets(), axis=None)
    twice = used[:-1][used[1:] == used[:-1]]
    if twice.size:
        raise NotInjective(f"a layout of shape {layout.shape} sends several elements to slot {twice[0]}; pack needs a slot for each")


def _array(array: npt.ArrayLike) -> Array:
    if isinstance(array, np.ma.MaskedArray):
        raise LayoutError("a masked array has elements without a value, which no slot can hold; fill them first, with .filled(value)")
    try:
        source = np.asarray(array)
    except (ValueError, TypeError) as error:
        raise LayoutError(f"what was given to pack makes no array: {error}") from None
    plain_void = source.dtype.type is np.void and not source.dtype.fields and source.dtype.itemsize in (1, 2, 4, 8)
    return source.view(f"u{source.dtype.itemsize}") if plain_void else source


def _buffer(buffer: npt.ArrayLike) -> Array:
    if isinstance(buffer, bytes | bytearray | memoryview):
        try:
            return np.frombuffer(buffer, np.uint8)
        except (BufferError, ValueError) as error:
            raise LayoutError(f"the buffer cannot be read as bytes: {error}") from None
    return np.ascontiguousarray(_array(buffer)).reshape(-1)


def _checked_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], source: Array) -> Array:
    if not isinstance(out, np.ndarray):
        raise LayoutError(f"out is a {type(out).__name__}; it takes a numpy array of shape {shape} and dtype {dtype}")
    if out.shape != shape or out.dtype != dtype:
        raise ShapeError(f"out has shape {out.shape} and dtype {out.dtype}; it takes shape {shape} and dtype {dtype}")
    if not out.flags.writeable:
        raise LayoutError("out is read-only; it takes an array that may be written")
    if _overlap(source, out):
        raise LayoutError("out shares memory with the input, which would be overwritten while it is read; give another array, or none")
    return out


def _overlap(a: Array, b: Array) -> bool:
    try:
        return np.shares_memory(a, b, max_work=MOST_OVERLAP_WORK)  # type: ignore[arg-type]  # numpy takes any integer
    except np.exceptions.TooHardError:
        return True
