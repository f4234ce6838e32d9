"""Which chunks of an array fill ranges of the buffer by themselves, and which to suggest.

A chunk in which no digit carries is a small array with a layout of its own. Where no chunk has slots among those of another, the buffer
falls apart into as many ranges, each from the least slot of one chunk to that of the next; padding belongs to the chunk before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import accumulate
from math import gcd
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .. import regions
from ..chains import Chain, chains
from ..digits import Layout
from ..radix import constant, evaluate, unravelled
from .arrays import Chunks

Integers = npt.NDArray[np.int64]


class Range(NamedTuple):
    """A range of the buffer: the number of the chunk that fills it, along each axis, and the layout of the chunk in the range."""

    chunk: tuple[int, ...]
    layout: Layout


class Cut(NamedTuple):
    """An array in chunks, and the ranges that they fill, in the order of the buffer."""

    chunks: Chunks
    ranges: list[Range]


class _Spans(NamedTuple):
    """Of each chunk, the slot of its first element, and the least and the greatest that it may reach."""

    first: Integers
    least: Integers
    greatest: Integers


def cut(layout: Layout, chunks: Chunks, bits: int) -> Cut | None:
    """The ranges that these chunks fill, with slots of so many bits; None where chunks share one, or one begins within a byte."""
    if not layout.size:
        return Cut(chunks, [Range((0,) * layout.ndim, layout)]) if all(len(sizes) == 1 for sizes in chunks) else None
    if (spans := _spans(layout, chunks)) is None:
        return None
    order = np.argsort(spans.least)
    begins = spans.least[order]
    if (spans.greatest[order][:-1] >= begins[1:]).any() or (begins[1:] % (8 // gcd(bits, 8))).any():
        return None
    begins[0] = 0
    offsets, lengths = spans.first[order] - begins, np.diff(begins, append=layout.slots)
    numbers = np.stack([order, offsets, lengths], axis=-1).tolist()
    counts, inner, found = [len(sizes) for sizes in chunks], cache(partial(_inner, layout)), []
    for number, offset, slots in numbers:
        chunk = unravelled(number, counts)
        extents = tuple(sizes[k] for sizes, k in zip(chunks, chunk, strict=True))
        found.append(Range(chunk, inner(extents, offset, slots)))
    return Cut(chunks, found)


def _inner(layout: Layout, extents: tuple[int, ...], offset: int, slots: int) -> Layout:
    """The layout of a chunk of these extents whose first element has the slot ``offset`` of so many."""
    digits = [digit for digit in layout.canonical if digit.axis is not None]
    return Layout(extents, [*digits, constant(offset)] if offset else digits, slots=slots, element=layout.element)


def _spans(layout: Layout, chunks: Chunks) -> _Spans | None:
    """The spans of all chunks, row-major; None where a digit carries within one."""
    by_axis = chains(layout.canonical, layout.shape)
    if by_axis is None:
        return None
    axes = [_spans_along(chain, sizes) for chain, sizes in zip(by_axis, chunks, strict=True)]
    base = np.array(evaluate([digit for digit in layout.canonical if digit.axis is None], ()))
    found = _Spans(base, base, base)
    for along in axes:
        if along is None:
            return None
        found = _Spans(*(np.add.outer(of_all, of_axis) for of_all, of_axis in zip(found, along, strict=True)))
    return _Spans(*(of_all.ravel() for of_all in found))


def _spans_along(chain: Chain, sizes: Sequence[int]) -> _Spans | None:
    """What an axis adds to the slots of each chunk along it."""
    begins = [0, *accumulate(sizes)][:-1]
    if any(len([*regions.cuts(chain, at, at + n)]) != 1 for at, n in zip(begins, sizes, strict=True)):
        return None
    starts, extents = np.array(begins), np.array(sizes)
    first = sum((starts // d.divisor % d.radix * d.stride for d in chain), np.zeros_like(starts))
    steps = [(np.minimum(d.radix, -(-extents // d.divisor)) - 1) * d.stride for d in chain]
    least, greatest = (sum((bound(step, 0) for step in steps), first) for bound in (np.minimum, np.maximum))
    return _Spans(first, least, greatest)
