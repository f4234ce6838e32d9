"""From one buffer to another: the elements that lie in one layout, laid out in another, with no array in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import elements, memory, storage, stored, transfers
from . import threads as pool
from ._kernels.calls import are_usual, is_zero, relayout_again
from .bridges import Array, Tensor, lent
from .calls import is_plain, keep_relayout
from .digits import Layout
from .doors import check_injective, checked_buffer, is_raw, is_same
from .elements import Element
from .errors import LayoutError, SizesMissing
from .notations import LayoutLike
from .notations import layout as as_layout
from .planning import Planned

#: The most bytes that are set aside where a buffer is laid out anew in its own memory.
MOST_ASIDE = 1 << 24


def relayout(
    buffer: npt.ArrayLike | Tensor,
    source: LayoutLike,
    target: LayoutLike,
    *,
    shape: Sequence[int] | None = None,
    out: Array | Tensor | None = None,
    fill: Any = 0,
    dtype: npt.DTypeLike | None = None,
    threads: int | None = None,
) -> Array:
    """Take the elements of a buffer from one layout to another; what ``pack(unpack(buffer, source), target)`` gives.

    That is one pass where the digits of both layouts divide each other and elements have whole bytes; else it goes by way of an array.

    >>> import numpy as np, tilelayout as tl
    >>> packed = tl.pack(np.arange(6, dtype="uint8").reshape(2, 3), "{1,0:T(2,2)}")
    >>> packed
    array([0, 1, 3, 4, 2, 0, 5, 0], dtype=uint8)
    >>> tl.relayout(packed, "{1,0:T(2,2)}", "{0,1}", shape=(2, 3))
    array([0, 3, 1, 4, 2, 5], dtype=uint8)

    The layouts may be of different languages, and give an element slots of different widths:

    >>> tl.relayout(np.array([1, -2, 3], "int8"), "s4[3]{0}", "s4[3]{0:E(4)}")
    array([225,   3], dtype=uint8)

    Parameters
    ----------
    buffer
        As in ``unpack``: ``source.slots`` elements, or the same as raw bytes.
    source, target
        Two layouts of one shape. Where one names the type of the elements, the other need not; where both do, it is the same.
    shape
        The logical shape; one layout that has it is enough.
    out
        Where to write: ``target.slots`` elements (bytes, where elements share them), C-contiguous. It may be the buffer itself, if all
        of it: blocks that both layouts keep to themselves are moved one by one, else the buffer is set aside, up to 16 MiB of it.
    fill
        What padding of the target holds; ``None`` leaves it as it is in ``out`` (zero without ``out``).
    dtype
        The dtype of the elements, as ``unpack`` takes it.
    threads
        As in ``pack``.

    Raises ``ShapeError`` if the shapes differ, ``NotInjective`` if two elements would meet in one slot, ``LayoutError`` otherwise.
    """
    before, after = bound(source, target, shape)
    if (done := relayout_again(before.calls, buffer, after, out, fill, dtype, threads)) is not None:
        return done
    is_usual = dtype is None and type(target) in {str, Layout} and are_usual(threads, out)
    check_injective(after)
    element = _element(before, after)
    given, place = storage.in_bytes(checked_buffer(buffer), element), lent(out)
    workers = pool.count(threads, given.nbytes)
    read = storage.for_buffer(given.dtype, element, dtype, is_raw=is_raw(buffer))
    write = storage.for_array(read.dtype, after.element)
    read.check_buffer(given, before.slots)
    pattern = None if fill is None else write.fill_pattern(fill)
    room = stored.buffer(place, write, after.slots, None if is_same(given, place) else given, zeroed=fill is None, workers=workers)
    result = room if place is None else place
    if read.bits == write.bits < 8 and not read.is_loose and (whole := _in_whole_bytes(before, after, 8 // read.bits)):
        packed = pattern and write.bytes_of(pattern)
        _move(given.view(np.uint8), whole[0], room, whole[1], packed, workers=workers)
        return result
    if read.bits < 8 or write.bits < 8 or write.is_loose:
        array = memory.empty(before.shape, read.dtype, threads=workers)
        stored.gather(given, before, read, array, workers=workers)
        stored.scatter(write.raw(array, "buffer"), after, write, room, pattern, workers=workers)
        return result
    raw = write.raw(read.slots(given, before.slots).view(read.dtype))
    planned = _move(raw, before, room.view(raw.dtype), after, pattern, workers=workers)
    if planned and is_usual and is_zero(fill) and is_plain(buffer, given) and np.may_share_memory(raw, given):
        keep_relayout(before, planned, given, after, room)
    return result


def bound(source: LayoutLike, target: LayoutLike, shape: Sequence[int] | None) -> tuple[Layout, Layout]:
    """Both layouts, of the shape that is given or that one of them has."""
    try:
        before = as_layout(source, shape)
    except SizesMissing:
        if shape is not None:
            raise
        after = as_layout(target)
        return as_layout(source, after.shape), after
    return before, as_layout(target, before.shape)


def _element(before: Layout, after: Layout) -> Element | None:
    """What lies in a slot of the source: a type that only the target names is the source's as well."""
    element, named = before.element, after.element
    if element and named and element.name and named.name and element.name != named.name:
        raise LayoutError(f"a buffer of {element.name} laid out anew as {named.name}; where both layouts name a type, it is the same")
    if named is None or not named.name or (element and element.name):
        return element
    return Element(named.name, element.bits) if element else elements.element(named.name)


def _move(raw: Array, before: Layout, room: Array, after: Layout, pattern: bytes | None, *, workers: int) -> Planned | None:
    """Move the elements, within one buffer block by block where blocks keep to themselves; the plan, where it was for two buffers."""
    if is_same(raw, room):
        plan = transfers.plan_in_place(raw, before, after, pattern is not None)
        if plan and plan.size <= MOST_ASIDE:
            transfers.move_in_place(room, plan, pattern, workers)
            return None
        aside = min(plan.size if plan else raw.nbytes, raw.nbytes)
        if aside > MOST_ASIDE:
            raise LayoutError(
                f"out is the buffer itself, and its elements move so far that {aside} bytes would have to be set aside, "
                f"more than {MOST_ASIDE}; give another array, or none"
            )
        transfers.move(raw.copy(), before, room, after, pattern, workers=workers)
        return None
    return transfers.move(raw, before, room, after, pattern, workers=workers)


def _in_whole_bytes(before: Layout, after: Layout, per_byte: int) -> tuple[Layout, Layout] | None:
    """Both layouts with the elements of a byte as one element, if the same neighbours share a byte in both."""
    for axis in range(before.ndim):
        whole = _grouped(before, axis, per_byte), _grouped(after, axis, per_byte)
        if whole[0] and whole[1]:
            return whole[0], whole[1]
    return None


def _grouped(layout: Layout, axis: int, count: int) -> Layout | None:
    """The layout with so many neighbours along an axis as one element, if they lie side by side in groups of that many slots."""
    if layout.shape[axis] % count or layout.slots % count or not layout.size:
        return None
    digits, is_led = [], False
    for digit in layout.digits:
        leads = digit.axis == axis and digit.divisor == digit.stride == 1 and digit.radix % count == 0
        if leads:
            digits.append(digit._replace(radix=digit.radix // count))
            is_led = True
        elif digit.stride % count or (isinstance(digit.axis, tuple) and digit.axis):
            return None
        elif digit.axis != axis:
            digits.append(digit._replace(stride=digit.stride // count))
        elif digit.divisor % count == 0:
            digits.append(digit._replace(divisor=digit.divisor // count, stride=digit.stride // count))
        else:
            return None
    shape = [n // count if k == axis else n for k, n in enumerate(layout.shape)]
    return Layout(shape, digits, slots=layout.slots // count) if is_led else None
