"""Pack an array into the buffer that a layout describes, and unpack it again, whole or a region of it.

The door checks everything (``doors``); then elements move (``stored``). Nothing is written before all has been checked, but for elements
that share bytes: whether each fits in its bits is seen as it moves, for to read all of them once more would take as long again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import memory, storage, stored
from . import threads as pool
from ._kernels.calls import are_usual, is_zero, know, pack_again, unpack_again
from .bridges import Array, Tensor, lent
from .calls import is_plain, keep_pack, keep_unpack
from .digits import Layout
from .doors import check_injective, checked_array, checked_buffer, checked_target, is_raw
from .errors import LayoutError, ShapeError, SizesMissing, shown
from .notations import LayoutLike
from .notations import layout as as_layout
from .regions import Region, RegionLike, box_of
from .storage import Storage


def pack(
    array: npt.ArrayLike | Tensor,
    layout: LayoutLike,
    *,
    out: Array | Tensor | None = None,
    fill: Any = 0,
    region: RegionLike | None = None,
    threads: int | None = None,
) -> Array:
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

    With a region, only its elements are written, into a buffer that is there:

    >>> buffer = tl.pack(x, "f32[3,5]{1,0:T(2,2)}")
    >>> tl.pack(np.array([70, 80], "float32"), "f32[3,5]{1,0:T(2,2)}", out=buffer, region=np.s_[1, 2:4]).reshape(6, 4)[:3]
    array([[ 0.,  1.,  5.,  6.],
           [ 2.,  3., 70., 80.],
           [ 4.,  0.,  9.,  0.]], dtype=float32)

    Parameters
    ----------
    array
        An array of numpy, or what shares its memory by ``__array__``, DLPack or the buffer protocol. Any strides and byte order; elements
        of 1, 2, 4, 8 or 16 bytes. Where the layout names a type, the array has that
        type, or holds its bits as unsigned integers of its width.
    layout
        Text in any notation, a notation's object, or a ``Layout``.
    out
        Where to write: ``layout.slots`` elements of the array's dtype (bytes, where elements share them), C-contiguous. A tensor of another
        library is written in its memory, by DLPack, and an array of that memory returned. What is refused leaves it as it was, with one
        exception: where an element turns out not to fit in the bits with which it shares bytes, slots of elements (and padding that is
        filled) may hold anything.
    fill
        What padding holds: one value of the dtype; of an array that holds the bits of floats, bits, or a float of the type that the
        layout names. ``None`` leaves padding in ``out`` as it is (zero without ``out``).
    region
        The box of the logical array that ``array`` is, as numpy indexes it: ``np.s_[0:8, 128:256]``. It is written into ``out``, and
        nothing else is: not even padding.
    threads
        At most how many threads; by default as many as the process may use.

    Raises ``ShapeError`` if the shapes differ, ``NotInjective`` if two elements would meet in one slot, ``LayoutError`` otherwise.
    """
    known = layout.calls if type(layout) is Layout else layout
    if (done := pack_again(known, array, out, fill, region, threads)) is not None:
        return done
    source = checked_array(array)
    if region is not None:
        return _pack_region(source, _whole(layout, region), region, lent(out), fill=fill, threads=threads)
    bound = as_layout(layout, source.shape)
    if type(layout) is str:
        know(layout, bound.calls)
    if (done := pack_again(bound.calls, source, out, fill, None, threads)) is not None:
        return done
    is_usual, room = are_usual(threads, out), lent(out)
    check_injective(bound)
    store = storage.for_array(source.dtype, bound.element)
    workers = pool.count(threads, source.nbytes)
    pattern = None if fill is None else store.fill_pattern(fill)
    raw = store.raw(source)
    target = stored.buffer(room, store, bound.slots, source, zeroed=fill is None, workers=workers)
    planned = stored.scatter(raw, bound, store, target, pattern, workers=workers)
    if is_usual and is_zero(fill) and store.is_as_given:
        keep_pack(bound, planned, source, target, store.bits)
    return target if room is None else room


def unpack(
    buffer: npt.ArrayLike | Tensor,
    layout: LayoutLike,
    *,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    out: Array | Tensor | None = None,
    region: RegionLike | None = None,
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

    A region is read without the rest:

    >>> tl.unpack(tl.pack(x, "{1,0:T(2,2)}"), "{1,0:T(2,2)}", shape=(3, 5), region=np.s_[1:, -1])
    array([ 9., 14.], dtype=float32)

    Parameters
    ----------
    buffer
        Exactly ``layout.slots`` elements, or the same as raw bytes (``bytes``, ``uint8``). One of several dimensions is read in row-major
        order. Where elements share bytes, integers of any width that hold these are read the lowest byte first.
    shape
        The logical shape, for a layout that is written without one; left out, it is that of ``out``.
    dtype
        The dtype of the result, of the element's width; by default the buffer's own, or the layout's for raw bytes. An array of ``uint8``
        is no raw bytes where elements have 8 bits, but holds these. Where the layout says what lies in a slot, elements of another byte
        order come back in the machine's own; where it leaves that open, they come back as they are.
    out
        Where to write: an array of the logical shape (the region's, if there is one) and the result's dtype, with any strides.
    region
        The box to read, as numpy indexes it: integers, which drop their axis, slices with step 1, and ``...``.
    threads
        As in ``pack``.
    """
    known = layout.calls if type(layout) is Layout else layout
    if (done := unpack_again(known, buffer, shape, dtype, out, region, threads)) is not None:
        return done
    bound = _bound(layout, shape, None if region is not None else out)
    if type(layout) is str and shape is None:
        know(layout, bound.calls)
    if (done := unpack_again(bound.calls, buffer, None, dtype, out, region, threads)) is not None:
        return done
    is_usual, room = dtype is None and are_usual(threads, out), lent(out)
    source = storage.in_bytes(checked_buffer(buffer), bound.element)
    workers = pool.count(threads, source.nbytes)
    store = storage.for_buffer(source.dtype, bound.element, dtype, is_raw=is_raw(buffer))
    store.check_buffer(source, bound.slots)
    if region is not None:
        return _unpack_region(source, bound, store, box_of(region, bound.shape), room, workers=workers)
    target = stored.array(room, store, bound.shape, source, workers=workers)
    planned = stored.gather(source, bound, store, target, workers=workers)
    if is_usual and store.is_as_given and source.dtype.isnative and is_plain(buffer, source):
        keep_unpack(bound, planned, target, source, store.bits)
    return target if room is None else room


def _bound(layout: LayoutLike, shape: Sequence[int] | None, out: Array | Tensor | None) -> Layout:
    """The layout, of the shape that is given or its own, or else that of ``out``."""
    try:
        return as_layout(layout, shape)
    except SizesMissing:
        room = lent(out)
        if shape is not None or not isinstance(room, np.ndarray):
            raise
        return as_layout(layout, room.shape)


def _whole(layout: LayoutLike, region: RegionLike) -> Layout:
    """The layout of all that a region is a part of."""
    try:
        return as_layout(layout)
    except SizesMissing:
        raise SizesMissing(
            f"{shown(layout)} says nothing of sizes, and region {shown(region)} is a part of an array; "
            "write its shape in front, or give tilelayout.layout(text, shape)"
        ) from None


def _unpack_region(source: Array, bound: Layout, store: Storage, box: Region, out: Array | None, *, workers: int) -> Array:
    target = stored.array(out, store, box.shape, source, workers=workers)
    memory.check_axes(bound.shape)
    spread = np.expand_dims(target, box.dropped) if box.dropped else target
    stored.gather_region(source, bound, store, box, spread, workers=workers)
    return target if out is None else out


def _pack_region(source: Array, bound: Layout, region: RegionLike, out: Array | None, *, fill: Any, threads: int | None) -> Array:
    box = box_of(region, bound.shape)
    if source.shape != box.shape:
        raise ShapeError(f"an array of shape {source.shape} for region {shown(region)} of shape {box.shape}; the shapes must be equal")
    if out is None:
        raise LayoutError(f"region {shown(region)} without out; a region is written into a buffer that is there, which out= names")
    check_injective(bound)
    store = storage.for_array(source.dtype, bound.element)
    if fill is not None:
        store.fill_pattern(fill)  # there is nothing to fill; what cannot be a fill is refused all the same
    workers = pool.count(threads, source.nbytes)
    memory.check_axes(bound.shape)
    raw = np.expand_dims(store.raw(source), box.dropped)
    target = checked_target(out, store.buffer_size(bound.slots), store.buffer_dtype, source)
    stored.scatter_region(raw, bound, store, box, target, workers=workers)
    return out
