"""The three moves that build every layout from the axes of an array: split, merge and permute.

A layout starts as the list of the array's axes. ``split`` cuts a dimension into (outer, inner), ``merge``
fuses neighbours in row-major order, ``permute`` reorders. What remains, slowest first, is laid out compactly
by ``compact``; a language with strides of its own builds its digits itself.

    f32[3,5]{1,0:T(2,2)}:  axes 3, 5 -> split both by 2 -> (2, 2, 3, 2) -> permute -> (2, 3, 2, 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .digits import Layout
from .elements import Element
from .errors import ShapeError
from .radix import Digit, Source
from .sizes import checked_product


class Dim(NamedTuple):
    """A dimension under construction: ``(source // divisor) % radix``, of a source whose values lie below ``extent``.

    ``radix`` may exceed what the source can reach: the values between are padding.
    """

    source: Source
    extent: int
    divisor: int
    radix: int

    @property
    def reaches_the_end(self) -> bool:
        """Whether no larger values of the source are folded back by ``% radix``."""
        return self.divisor * self.radix >= self.extent


Dims = tuple[Dim, ...]

#: A dimension of size one with nothing in it; tiles longer than the rank are met by putting these in front.
UNIT = Dim((), 1, 1, 1)


def axes(shape: Iterable[int]) -> Dims:
    """The dimensions of an array, one per axis, slowest first."""
    return tuple(Dim(axis, size, 1, size) for axis, size in enumerate(shape))


def permute(dims: Dims, order: Sequence[int]) -> Dims:
    """Reorder: dimension ``order[k]`` comes to position ``k``."""
    if sorted(order) != list(range(len(dims))):
        raise ShapeError(f"{tuple(order)} does not name each of {len(dims)} dimensions once")
    return tuple(dims[k] for k in order)


def split(dims: Dims, position: int, size: int) -> Dims:
    """Cut a dimension into ``(ceil(radix / size), size)``; a ``size`` that does not divide it brings padding.

    >>> split(axes([5]), 0, 2)
    (Dim(source=0, extent=5, divisor=2, radix=3), Dim(source=0, extent=5, divisor=1, radix=2))
    """
    if size < 1:
        raise ShapeError(f"a tile of size {size} cannot split a dimension of size {dims[position].radix}; sizes are 1 or more")
    dim = dims[position]
    if dim.radix % size and not dim.reaches_the_end:
        # (v % radix) // size is no digit of v itself, so the dimension becomes a source of its own.
        dim = Dim((Digit(dim.source, dim.divisor, dim.radix, 1),), dim.radix, 1, dim.radix)
    outer = dim._replace(divisor=dim.divisor * size, radix=-(-dim.radix // size))
    inner = dim._replace(radix=size)
    return (*dims[:position], outer, inner, *dims[position + 1 :])


def merge(dims: Dims, begin: int, end: int) -> Dims:
    """Fuse the dimensions ``begin`` to ``end - 1`` into one, row-major: ``x_i * d_j + x_j``.

    >>> merge(axes([3, 4]), 0, 2)[0].radix
    12
    """
    fused = dims[begin]
    for dim in dims[begin + 1 : end]:
        fused = _fuse(fused, dim)
    return (*dims[:begin], fused, *dims[end:])


def compact(shape: Sequence[int], dims: Dims, *, multiple: int = 1, element: Element | None = None) -> Layout:
    """The layout whose dimensions lie in row-major order without gaps; ``multiple`` rounds the slots up.

    >>> compact((3,), split(axes([3]), 0, 2)).slots
    4
    """
    slots = checked_product((d.radix for d in dims), "slots")
    digits, stride = [], 1
    for dim in reversed(dims):
        if dim.radix != 1:
            digits.append(Digit(dim.source, dim.divisor, dim.radix, stride))
        stride *= dim.radix
    slots = checked_product((-(-slots // multiple), multiple), "slots")
    return Layout(shape, tuple(reversed(digits)), slots=slots, element=element)


def _fuse(outer: Dim, inner: Dim) -> Dim:
    radix = checked_product((outer.radix, inner.radix), "a merged dimension")
    if inner.radix == 1:
        return outer
    if outer.radix == 1 or outer.source == ():
        if outer.radix == 1 or inner.reaches_the_end:
            return inner._replace(radix=radix)
    elif outer.source == inner.source and outer.divisor == inner.divisor * inner.radix and outer.extent == inner.extent:
        return inner._replace(radix=radix)
    return Dim((*_terms(outer, inner.radix), *_terms(inner, 1)), radix, 1, radix)


def _terms(dim: Dim, weight: int) -> tuple[Digit, ...]:
    """The dimension times ``weight`` as digits; a merged source is taken apart again where it is whole."""
    if dim.source == ():
        return ()
    if isinstance(dim.source, tuple) and dim.divisor == 1 and dim.reaches_the_end:
        return tuple(d._replace(stride=d.stride * weight) for d in dim.source)
    return (Digit(dim.source, dim.divisor, dim.radix, weight),)
