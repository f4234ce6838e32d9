"""The dimensions of a buffer, as far as they can be told from where the elements lie, and what a tile does to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ... import digits
from ...joining import gathered
from ...radix import Digit, Source, extent, fitting_radix
from ...sizes import MOST_SLOTS


class Dim(NamedTuple):
    """A dimension with ``radix`` values of ``(source // divisor) % radix``, whose size may be anything from ``low`` to ``high``.

    The empty source is padding alone: one value, and room.
    """

    source: Source
    divisor: int
    radix: int
    low: int
    high: int


class Cut(NamedTuple):
    """What a tile does to a dimension: ``fused`` dimensions become one (0: a size of 1 is taken), which is cut by ``size``.

    ``outer`` and ``inner`` say which parts have more than one value, or are padding.
    """

    fused: int
    size: int
    outer: bool
    inner: bool


Dims = tuple[Dim, ...]
Step = tuple[Cut, ...]


def dims_of(layout: digits.Layout, *, filled: bool) -> tuple[Dims, ...]:
    """The dimensions of the layout's buffer, slowest first; none where it is no list of dimensions, two where sums may be told in two ways.

    What reads a sum that is no fusion of dimensions, such as that of two bits in a swizzle, is none, for no tile makes it. All of the
    buffer's slots are theirs where ``filled``, else the slowest has no more room than it needs.
    """
    found = []
    for terms in dict.fromkeys((layout.canonical, gathered(layout.digits, layout.shape))):
        slots = layout.slots if filled else max((digit.stride * digit.radix for digit in terms), default=1)
        dims = stacked(terms, layout.shape, slots, slots)
        if dims is not None and all(_is_fusion(term.axis, layout.shape) for term in terms):
            found.append(dims)
    return tuple(found)


def _is_fusion(source: Source, shape: Sequence[int]) -> bool:
    """Whether this is an axis, or a sum that may be a fusion of dimensions that are, however much room they have."""
    if not isinstance(source, tuple):
        return True
    return stacked(source, shape, 1, MOST_SLOTS) is not None and all(_is_fusion(term.axis, shape) for term in source)


def stacked(terms: Iterable[Digit], shape: Sequence[int], low: int, high: int) -> Dims | None:
    """The dimensions, slowest first, whose row-major position is the sum of the terms, of ``low`` to ``high`` positions in all.

    Where a stride is no multiple of the one below it, dimensions below it are fused into one that has room for both.
    """
    rising = sorted(terms, key=lambda term: term.stride)
    if any(term.stride < 1 or term.axis is None for term in rising):
        return None
    found: list[tuple[int, int, Dim]] = []  # the stride, the number of the first term, and the dimension
    spacing = (rising[0].stride, rising[0].stride) if rising else (low, high)
    if spacing[0] > 1:
        found.append((1, 0, Dim((), 1, 1, *spacing)))
    for k, term in enumerate(rising):
        least, most = (low, high) if k + 1 == len(rising) else (rising[k + 1].stride,) * 2
        dim = Dim(term.axis, term.divisor, fitting_radix(term, shape), -(-least // term.stride), most // term.stride)
        stride, first = term.stride, k
        while (dim := dim._replace(low=max(dim.low, dim.radix))).low > dim.high:
            if not found:
                return None
            stride, first, _ = found.pop()
            fused = tuple(each._replace(stride=each.stride // stride) for each in reversed(rising[first : k + 1]))
            dim = Dim(fused, 1, extent(fused, shape), -(-least // stride), most // stride)
        found.append((stride, first, dim))
    return tuple(dim for _, _, dim in reversed(found))


def fused(dim: Dim, shape: Sequence[int]) -> Dims:
    """The dimensions whose fusion this is; none where it is a size of 1, itself where it is no fusion."""
    if dim.source == ():
        return () if dim.low <= 1 else (dim,)
    if not isinstance(dim.source, tuple) or dim.divisor > 1 or dim.radix < extent(dim.source, shape):
        return (dim,)
    found = stacked(dim.source, shape, dim.low, dim.high)
    return (dim,) if found is None else found
