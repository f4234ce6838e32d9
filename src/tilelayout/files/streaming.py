"""Pack, unpack and relayout from file to file, a piece at a time, so that neither has to fit in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._kernels.calls import is_zero
from ..digits import Layout
from ..doors import check_injective
from ..elements import BITS, Element, checked_element, element
from ..errors import LayoutError, ShapeError, shown
from ..notations import LayoutLike
from ..notations import layout as as_layout
from ..queries import shared_along_axes
from ..relayouts import bound
from ..sizes import positive
from ..storage import checked_dtype, for_array, for_buffer, in_bytes
from ..values import scalar
from .moving import move
from .opening import Given, Place, ordered, reading, writing
from .sides import Progress, Side, Terms

#: Bytes that pieces take at the most, if nothing else is asked for.
MEMORY = 256 << 20
#: Bytes for each element of a layout whose elements have to be compared to see that none meet.
COMPARING = 16


class Written(NamedTuple):
    """What was written: the layout that was bound, and the dtype, shape and bytes of what the target holds.

    >>> import numpy as np
    >>> done = pack(np.zeros((3, 5), "float32"), "{1,0:T(2,2)}", np.empty(24, "float32"))
    >>> done.layout.slots, done.dtype, done.shape, done.nbytes
    (24, dtype('float32'), (24,), 96)
    """

    layout: Layout
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    nbytes: int


def pack(
    source: Place,
    layout: LayoutLike,
    target: Place,
    *,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
    threads: int | None = None,
    fill: Any = 0,
) -> Written:
    """Lay the array in a file out in another file as a layout says; ``tilelayout.pack`` for arrays larger than memory.

    >>> import pathlib, tempfile, numpy as np
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> np.save(folder / "x.npy", np.arange(15, dtype="float32").reshape(3, 5))
    >>> pack(folder / "x.npy", "{1,0:T(2,2)}", folder / "packed.npy").nbytes
    96
    >>> np.load(folder / "packed.npy")[:6]
    array([0., 1., 5., 6., 2., 3.], dtype=float32)

    Parameters
    ----------
    source, target
        A ``.npy`` file, a file of any other name, which holds the bytes alone, or an array without gaps, such as a ``numpy.memmap``.
        What begins as a ``.npy`` file does is read as one under any name, unless ``dtype`` is given.
        A file is written whole or not at all; of an array given as target, what was written before an error stays. One that shares
        memory with the source is refused, and one that is mapped from bytes of the source's file: on Linux however it was mapped, elsewhere
        where it is a ``numpy.memmap``, or a view of one.
    layout, threads, fill
        As ``tilelayout.pack`` takes them; ``fill=None`` leaves padding as it is in a target that is an array. Raw bytes of a type
        that numpy has no name for, such as bfloat16, are taken as their bits, and so is ``fill``, unless ``dtype`` names the type.
    shape, dtype
        Of the array, for raw bytes whose layout does not say them.
    memory
        Bytes that pieces take at the most; what Python and numpy take themselves comes on top.
    progress
        Called as ``progress(done, total)`` after each piece, in bytes of the elements as the source has them, padding left out.

    Raises ``FileError``, which is a ``LayoutError`` and an ``OSError``, for a file that cannot be read or written, is cut short, or is
    written to while it is read; otherwise what ``tilelayout.pack`` raises, and what ``progress`` does. That a file was written to is seen
    by its size and the time of its last change; of the file that an array is mapped from, only that it is shorter.
    """
    with reading(source, by_content=dtype is None) as given:
        after = as_layout(layout, given.shape if shape is None else shape)
        if given.shape is not None and dtype is not None:
            raise LayoutError(f"dtype={shown(dtype)} for {given.store.name}, which says itself that it holds {given.dtype}")
        array = given if given.shape is not None else given.taken_as(_element_dtype(after.element, dtype, given), after.shape)
        as_layout(after, array.shape)  # a shape that is given apart is the array's
        for_array(array.dtype, after.element)  # refused is what tilelayout.pack refuses of types
        return _move(_Ends(array, source, target), array.layout, after, checked_terms(memory, progress, threads, fill=fill))


def unpack(
    source: Place,
    layout: LayoutLike,
    target: Place,
    *,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Written:
    """Read the array back from the buffer in a file, into another file; the inverse of ``pack``.

    >>> import pathlib, tempfile, numpy as np
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = pack(np.arange(15, dtype="int16").reshape(3, 5), "s16[3,5]{1,0:T(2,2)}", folder / "packed.bin")
    >>> unpack(folder / "packed.bin", "s16[3,5]{1,0:T(2,2)}", folder / "x.npy").shape
    (3, 5)
    >>> np.load(folder / "x.npy")[2]
    array([10, 11, 12, 13, 14], dtype=int16)

    ``shape`` and ``dtype`` are as ``tilelayout.unpack`` takes them, the rest as in ``pack``. Types that numpy has no name for come as
    their bits, unless ``dtype`` asks for one; to files signed integers below a byte come as ``int8``, whether ``dtype`` names their type
    or the layout alone does.

    Raises ``FileError`` as ``pack`` does, otherwise what ``tilelayout.unpack`` raises; also for a ``.npy`` file of another dtype than the
    elements have, and for one of words in big-endian order where elements share bytes.
    """
    with reading(source) as given:
        before = as_layout(layout, shape)
        buffer, kind = _as_buffer(given, before, before.element, _held(dtype, before.element, target))
        terms = checked_terms(memory, progress, threads, dtype=kind)
        return _move(_Ends(buffer, source, target), before, ordered(before.shape), terms, is_array=True)


def relayout(
    source: Place,
    before: LayoutLike,
    after: LayoutLike,
    target: Place,
    *,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    memory: int = MEMORY,
    progress: Progress | None = None,
    threads: int | None = None,
    fill: Any = 0,
) -> Written:
    """Take the elements of the buffer in a file from one layout to another, into another file.

    >>> import numpy as np
    >>> rows, columns = np.arange(6, dtype="uint8"), np.zeros(6, "uint8")
    >>> _ = relayout(rows, "{1,0}", "{0,1}", columns, shape=(2, 3))
    >>> columns
    array([0, 3, 1, 4, 2, 5], dtype=uint8)

    ``before``, ``after``, ``shape`` and ``dtype`` are as ``tilelayout.relayout`` takes them, the rest as in ``pack``. Types that numpy has
    no name for are moved as their bits, unless ``dtype`` asks for one, and ``fill`` is of them then.

    Raises ``FileError`` as ``pack`` does, otherwise what ``tilelayout.relayout`` raises; of a source's dtype as ``unpack`` does.
    """
    with reading(source) as given:
        layouts = bound(before, after, shape)
        element = next((layout.element for layout in layouts if layout.element and layout.element.name), layouts[0].element)
        held = _held(dtype, element, target)
        buffer, kind = _as_buffer(given, layouts[0], element, held)
        if dtype is not None and held is not None and held is not dtype:
            fill = _fill_held(fill, checked_dtype(dtype), checked_dtype(held))
        terms = checked_terms(memory, progress, threads, fill=fill, dtype=kind)
        return _move(_Ends(buffer, source, target), *layouts, terms)


def bits_dtype(element: Element | None) -> np.dtype[Any] | None:
    """The dtype that files hold elements in: their own where numpy has it, else integers of their bits; None where nothing tells.

    >>> import tilelayout as tl
    >>> [str(bits_dtype(tl.layout(f"{name}[8]{{0}}").element)) for name in ("f32", "bf16", "s4")]
    ['float32', 'uint16', 'int8']

    Raises ``LayoutError`` for what is no element.
    """
    if element is None:
        return None
    element = checked_element(element)
    if not element.name:
        return np.dtype(np.uint8) if element.bits <= 8 else None
    if hasattr(np, element.name):
        return np.dtype(element.name)
    if element.name.lstrip("u").startswith("int"):
        return np.dtype(np.int8 if element.signed else np.uint8)
    return np.dtype(f"u{-(-element.value_bits // 8)}")


def held_dtype(name: str) -> np.dtype[Any]:
    """The dtype that files hold elements of a named type in, each in whole bytes."""
    dtype = bits_dtype(element(name))
    assert dtype is not None
    return dtype


class _Ends(NamedTuple):
    """What is read, and the places that were named for it and for what is written."""

    given: Given
    source: Place
    target: Place


def _move(ends: _Ends, before: Layout, after: Layout, terms: Terms, *, is_array: bool = False) -> Written:
    """Check everything, and move into a buffer, or into an array where the target is to be one."""
    given = ends.given
    check_apart(after, terms.memory)
    reader = Side(given.store, before, given.dtype)
    dtype = terms.check(given.dtype, before, after)
    if reader.nbytes != given.store.size:
        raise ShapeError(
            f"{given.store.name} holds {given.store.size} bytes; {before.slots} slots of {reader.bits} bits take {reader.nbytes} bytes"
        )
    nbytes = Side(given.store, after, dtype).nbytes
    shape = after.shape if is_array else (nbytes // dtype.itemsize,)
    with writing(ends.target, dtype, shape, ends.source) as (store, stored):
        if not isinstance(ends.target, np.ndarray):
            terms = replace(terms, is_fresh=True, fill=0 if terms.fill is None else terms.fill)
        move(reader, Side(store, after, dtype, keeps_rest=terms.fill is None), terms)
        given.check()
    return Written(after, stored, shape, nbytes)


def _element_dtype(element: Element | None, dtype: npt.DTypeLike | None, given: Given) -> npt.DTypeLike:
    """The dtype to take raw bytes as."""
    found = bits_dtype(element) if dtype is None else dtype
    if found is None:
        raise LayoutError(f"{given.store.name} is raw bytes, and the layout names no type of element; say it with dtype=")
    return found


def _held(dtype: npt.DTypeLike | None, element: Element | None, target: Place) -> npt.DTypeLike | None:
    """The dtype that is asked for; where it is the element's own type below a byte, a file holds what it holds without being asked."""
    if dtype is None or element is None or isinstance(target, np.ndarray):
        return dtype
    name = checked_dtype(dtype).name
    is_own = element.name == name or (not element.name and element.bits == BITS.get(name))
    return held_dtype(name) if is_own and BITS[name] < 8 else dtype


def _fill_held(fill: Any, dtype: np.dtype[Any], held: np.dtype[Any]) -> Any:
    """A fill of the dtype that is asked for, as one of the dtype that a file holds in its stead."""
    if fill is None or is_zero(fill):
        return fill
    value = scalar(fill, dtype)
    return (value.astype(held) if held.kind == "i" else value.view(held))[()]


def _as_buffer(given: Given, before: Layout, element: Element | None, dtype: npt.DTypeLike | None) -> tuple[Given, npt.DTypeLike | None]:
    """What is given as a buffer of that layout and element, and the dtype of what comes out of it, None where that is the buffer's own."""
    if sum(n > 1 for n in given.shape or ()) > 1 and given.is_column_major:
        raise LayoutError(f"{given.store.name} is an array of shape {given.shape} in column-major order; a buffer has one dimension")
    held = in_bytes(np.empty(0, given.dtype), before.element).dtype
    if held != given.dtype and given.dtype != (words := given.dtype.newbyteorder("<")):
        raise LayoutError(
            f"{given.store.name} holds {given.dtype}, where elements share bytes and the lowest of a word comes first; "
            f"convert it with .astype({words.str!r})"
        )
    given = given._replace(dtype=held)
    if given.shape is None:
        dtype = _element_dtype(element, dtype, given)
    elif dtype is None and given.dtype == np.uint8:
        dtype = bits_dtype(element)
    if before.element is None and dtype is not None:
        store = for_buffer(given.dtype, None, dtype)
        if given.dtype != np.uint8 and not store.takes(given.dtype):
            raise LayoutError(
                f"dtype={shown(dtype)} for {given.store.name}, which says itself that it holds {given.dtype}; leave it out, or convert that"
            )
        return given._replace(dtype=store.dtype), dtype
    return given, dtype


def checked_terms(memory: Any, progress: Any, threads: int | None, *, fill: Any = 0, dtype: npt.DTypeLike | None = None) -> Terms:
    """The terms that arguments name."""
    if progress is not None and not callable(progress):
        raise LayoutError(f"progress={shown(progress)} cannot be called; it takes a function of the bytes done and all of them")
    refusal = f"memory={shown(memory)} is no number of bytes; it takes an integer of 1 or more, such as 256 << 20"
    return Terms(positive(None if isinstance(memory, bool) else memory, refusal), fill, dtype, threads, progress, is_fresh=False)


def check_apart(layout: Layout, memory: int) -> None:
    """Refuse a layout that sends two elements to one slot, or of which that cannot be told within so much memory."""
    if not layout.ready.is_reversible and layout.size * COMPARING > memory and shared_along_axes(layout) is None:
        raise LayoutError(
            f"whether a layout of shape {layout.shape} sends two elements to one slot can only be told by comparing all {layout.size}, "
            f"which takes {layout.size * COMPARING} bytes of memory, more than {memory}; allow as much with memory="
        )
    check_injective(layout)
