"""``infer``: from an array and its buffer to the layout between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import moves
from ..describe import counted
from ..digits import Layout
from ..errors import LayoutError, shown
from ..radix import constant, unravelled
from .completing import complete
from .explaining import explain, simplest
from .failing import refusal
from .placing import UNKNOWN, Tokens, first_missing, place
from .probing import numbered
from .reading import Reading, readings
from .result import Inferred, NotInferred, too_few
from .searching import Search
from .steps import Values

#: How many other layouts that explain the same bytes are kept.
MOST_ALTERNATIVES = 8
#: Layouts that a search looks at before it takes the simplest.
MOST_CANDIDATES = 64


def infer(before: Any, after: Any, *, shape: Sequence[int] | None = None) -> Inferred:
    """The layout that turns an array into a buffer, found from the two.

    >>> import numpy as np, tilelayout as tl
    >>> weights = np.random.default_rng(0).standard_normal((16, 256)).astype("float32")
    >>> infer(weights, tl.pack(weights, "{1,0:T(8,128)}")) == tl.layout("f32[16,256]{1,0:T(8,128)}")
    True

    Given a shape and a function, the function packs an array of that shape, with a number of its own in each element:

    >>> found = infer((8,), lambda x: x.reshape(4, 2).T)
    >>> found.digits
    (Digit(axis=0, divisor=1, radix=2, stride=4), Digit(axis=0, divisor=2, radix=4, stride=1))

    Parameters
    ----------
    before
        The array, with elements of 1, 2, 4, 8 or 16 bytes, or the shape of one where ``after`` is a function.
    after
        Its buffer: an array, read flat in row-major order, of the same width of elements; or bytes. Where the bytes are too few, or no
        layout of bytes is found, and the values fit in 4, 2 or 1 bits, elements share bytes, the first in the low bits.
    shape
        The logical shape, where ``before`` has another of the same size.

    Returns
    -------
    A ``Layout`` of ``after``'s slots that reproduces every element exactly, with ``alternatives``, ``is_unique`` and ``report()``.

    Where each value lies in one slot, these are always found:

    * axes cut by tiles that divide one another (only the last of an axis may be ragged), in any order, with any strides, forwards
      or backwards where they are full, from any slot on;
    * the same of the row-major index of neighbouring axes, in any order, or, of more than four, in their own;
    * XOR swizzles whose bits are bits of coordinates.

    Where values repeat, tiles are searched for that divide the axes, or the extents that they are padded to, and fill the buffer;
    ``is_unique`` then speaks of these. The search ends after 32 ways to pad the extents, 16 slots of the first element, and work in
    proportion to the buffer: of a few different values it may find none, and where it has not come to its end ``is_unique`` is false.
    Other layouts are found now and then. Broadcasts are refused. Raises ``NotInferred``, which says how far it got, and ``LayoutError``
    for arrays and buffers that do not go together.
    """
    if callable(after):
        return _described(numbered(after, before if shape is None else shape))
    failures: list[tuple[bool, NotInferred]] = []
    for reading in readings(before, after, shape):
        try:
            return _described(reading._replace(is_second=any(error.element is None for _, error in failures)))
        except NotInferred as error:
            is_missing = error.element is not None and error.placed < len(reading.before)
            failures.append((is_missing, error))
    raise min(failures, key=itemgetter(0))[1]


def probe(function: Callable[[npt.NDArray[Any]], Any], shape: Sequence[int], dtype: npt.DTypeLike, *, bits: int | None = None) -> Inferred:
    """The layout that a packing function gives arrays of one shape and dtype, found by calling it.

    >>> found = probe(lambda x: x.reshape(4, 250, 4).transpose(0, 2, 1), (1000, 4), "uint8")
    >>> found(1, 0), found(250, 3)
    (1, 1750)

    The elements are numbered from 1, so that padding of 0 is told from them. A dtype that cannot hold the numbers carries some bits
    of them at a time, and the function is called once for each such plane: twice, for a ``uint8`` array of a thousand elements.

    Parameters
    ----------
    function
        Takes an array and returns its buffer: an array, read flat in row-major order, or bytes.
    shape, dtype
        Of the arrays that it takes. In types with signs the elements are small positive values.
    bits
        How many bits of an element the function keeps, where those are fewer: 4 for one that packs nibbles of ``uint8``.

    Raises ``NotInferred`` as ``infer`` does, and what the function raises.
    """
    return _described(numbered(function, shape, dtype, bits))


def _described(reading: Reading) -> Inferred:
    shape, before, after, *_ = reading
    if not len(before):
        return _inferred(reading, [Layout(shape, (), slots=len(after))], "the array has no elements", 0, True)
    if len(after) < len(before):
        raise too_few(len(after), len(before), shape)
    slots = place(before, after)
    placed = int(np.count_nonzero(slots != UNKNOWN))
    if placed == len(before):
        layout = _layout(slots.reshape(shape), len(after))
        return _inferred(reading, [layout], "each value lies in one slot, so the slot of every element is known", placed, True)
    if (lost := first_missing(before, after)) is not None:
        where = unravelled(lost, shape)
        counts = [int(np.count_nonzero(tokens == before[lost])) for tokens in (before, after)]
        raise NotInferred(
            f"the buffer is no arrangement of the array: the value of element {where} (bits {int(before[lost]):#x}) "
            f"occurs {counted(counts[0], 'time')} in the array and {counted(counts[1], 'time')} in the buffer",
            element=where,
            placed=placed,
        )
    return _searched(reading, slots, placed)


def _searched(reading: Reading, slots: Values, placed: int) -> Inferred:
    """The simplest layout where some values repeat."""
    shape, before, after, *_ = reading
    found: list[Layout] = []
    failure = None
    how = "values repeat; the places of the buffer were found one by one, by the runs of values in them"
    if 2 * placed >= len(before) and UNKNOWN not in (full := complete(slots, before, after, shape)):
        try:
            found.append(_layout(full.reshape(shape), len(after)))
            how = "most values lie in one slot, and the steps between those lead to the others"
        except NotInferred as error:
            failure = error
    certain = len(found) == 1 and _is_settled((slots != UNKNOWN).reshape(shape))
    search = Search(before, after, shape)
    for layout in islice(search.layouts(), 0 if certain else MOST_CANDIDATES):
        if layout not in found:
            found.append(layout)
    if not found:
        raise failure or NotInferred(
            f"{placed} of {len(before)} elements have a value that lies in one slot, and no layout tried puts the others, too, where "
            f"the buffer of {len(after)} slots has their values; an array of distinct values, or the packing function itself, tells more",
            placed=placed,
        )
    found.sort(key=lambda layout: len(layout.canonical))
    return _inferred(reading, found, how, placed, search.exhausted and len(found) < MOST_CANDIDATES and _has_tiles_alone(found[0]))


def _is_settled(known: npt.NDArray[np.bool_]) -> bool:
    """Whether no two layouts that are a sum of one function of each axis have the known slots.

    Any two coordinates of an axis that both have known slots for more than half of the others share one of these, which tells their step.
    """
    return all((np.moveaxis(known, axis, 0).reshape(size, -1).mean(1) > 0.5).all() for axis, size in enumerate(known.shape))


def _has_tiles_alone(layout: Layout) -> bool:
    """Whether the layout may be one of those that are searched to their end: it reads axes, forwards, from the first slot on."""
    return all(isinstance(digit.axis, int) and digit.stride >= 0 for digit in layout.digits)


def _layout(slots: Values, total: int) -> Layout:
    """The layout with exactly these slots."""
    start = int(slots.reshape(-1)[0])
    found = explain(slots - start, moves.axes(slots.shape))
    if found is None:
        raise refusal(slots)
    try:
        layout = simplest((*found, constant(start)), slots.shape, total)
    except LayoutError as error:
        raise NotInferred(f"the slots are known, but their digits {shown(found)} make no layout: {error}", placed=slots.size) from None
    if not np.array_equal(layout.offsets(), slots):
        raise refusal(slots)
    return layout


def _inferred(reading: Reading, found: Sequence[Layout], how: str, placed: int, exhaustive: bool) -> Inferred:
    simplest, *others = found
    return Inferred(
        simplest,
        how=how,
        placed=placed,
        filled=_filled(simplest, reading.after),
        alternatives=others[:MOST_ALTERNATIVES],
        exhaustive=exhaustive and not reading.is_second,
        element=reading.element,
    )


def _filled(layout: Layout, after: Tokens) -> str:
    """What padding holds, in words."""
    if not layout.padding:
        return "none"
    empty = np.ones(len(after), np.bool_)
    empty[layout.offsets().reshape(-1)] = False
    held = np.unique(after[empty])
    several = f"{len(held)} different values" if len(held) > 1 else f"{int(held[0]):#x}".replace("0x0", "0")
    return f"{counted(layout.padding, 'slot')}, which {'holds' if layout.padding == 1 else 'hold'} {several}"
