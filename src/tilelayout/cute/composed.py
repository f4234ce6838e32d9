"""Composed layouts: functions ``c -> outer(offset + inner(c))`` that no single layout expresses, such as swizzled ones.

>>> from tilelayout import cute
>>> layout = cute.ComposedLayout(cute.Swizzle(3, 0, 3), 0, cute.Layout((8, 8), (8, 1)))
>>> print(layout, layout(1, 0), layout.size)
S<3,0,3> o 0 o (8,8):(8,1) 9 64
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias, cast

import numpy as np

from .. import digits
from ..errors import LayoutError
from ..radix import check_number
from . import batch, binding
from .basis import tuple_add
from .coordinates import Coordinate, checked_coordinate
from .layout import Layout, least_offset, slice_of
from .nesting import MOST_NESTED
from .spelling import shown, spelled
from .swizzle import Swizzle
from .tuples import IntTuple, Shaped, as_int_tuple, depth, rank, size, weakly_congruent
from .wildcards import has_wildcard, start_of

#: The most coordinates at which ``cosize`` looks one by one.
MOST_COUNTED = 1 << 20


@dataclass(frozen=True, slots=True, repr=False)
class ComposedLayout(Shaped):
    """``outer o offset o inner``, with the domain of ``inner``: its shape, modes and coordinates.

    Parameters
    ----------
    outer
        A ``Swizzle`` or a ``Layout``: CuTe C++'s ``layout_a()``. (The CuTe DSL has the words the other way round: it calls this ``inner``.)
    offset
        An integer, or a coordinate where ``inner`` leads to coordinates.
    inner
        A ``Layout`` or ``ComposedLayout``: CuTe C++'s ``layout_b()``.

    >>> from tilelayout.cute import E
    >>> transposed = ComposedLayout(Layout((6, 2), (1, 6)), (2, 1), Layout((2, 3), (E(1), E(0))))
    >>> print(transposed, transposed(0, 2))
    (6,2):(1,6) o (2,1) o (2,3):(1@1,1@0) 10

    Outer layouts are not bounded by their shape: they are evaluated as ``Layout.extended`` does.
    """

    outer: Swizzle | Layout
    offset: IntTuple
    inner: AnyLayout

    def __post_init__(self) -> None:
        outer, offset, inner = self.outer, as_int_tuple(self.offset), self.inner
        if isinstance(outer, ComposedLayout):
            outer, offset, inner = outer.outer, outer.offset, ComposedLayout(outer.inner, offset, inner)
        for name, value in (("outer", outer), ("offset", offset), ("inner", inner)):
            object.__setattr__(self, name, value)
        if not isinstance(outer, Swizzle | Layout) or not isinstance(inner, AnyLayout):
            raise LayoutError(f"{shown(outer)} o {shown(offset)} o {shown(inner)}: outer is a Swizzle or Layout, inner any layout")
        if sum(1 for _ in self._links()) > MOST_NESTED:
            raise LayoutError(f"more than {MOST_NESTED} layouts are composed; compose some of them first")
        self._check_fit()

    def _check_fit(self) -> None:
        start = tuple_add(self.offset, self.inner.extended(0))
        if isinstance(self.outer, Swizzle):
            if isinstance(start, tuple):
                raise LayoutError(f"{self.outer} swizzles integers, got the offset {shown(self.offset)} and {shown(self.inner)}")
        elif not weakly_congruent(start, self.outer.shape):
            raise LayoutError(f"{shown(start)} is no coordinate of {shown(self.outer)}; offset + inner(c) is an integer or has its nest")

    def _links(self) -> Iterator[ComposedLayout]:
        link: AnyLayout = self
        while isinstance(link, ComposedLayout):
            yield link
            link = link.inner

    @property
    def shape(self) -> IntTuple:  # type: ignore[override]
        """The shape of the domain."""
        return self.inner.shape

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return size(self.shape)

    @property
    def rank(self) -> int:
        """The number of modes."""
        return rank(self.shape)

    @property
    def depth(self) -> int:
        """The levels of nesting of the shape."""
        return depth(self.shape)

    def __call__(self, *coordinate: Coordinate) -> Any:
        """The offset at a coordinate, or a slice, which begins at the offset that the integers beside None lead to.

        >>> swizzled = ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1)))
        >>> swizzled(3, 5), print(swizzled(None, 5)), swizzled(None, 5)(3)
        S<3,0,3> o 5 o (8):(8)
        (30, None, 30)

        Of a ``Layout`` it starts at 0; here what comes after depends on where it begins.
        """
        if batch.has_array(*coordinate):
            return batch.evaluate(self, *coordinate)
        place = coordinate[0] if len(coordinate) == 1 else coordinate
        checked_coordinate(place, self.shape)
        if has_wildcard(place):
            return begun(self, place)[0]
        return self.extended(place)

    def extended(self, coordinate: Coordinate) -> Any:
        """The offset at a coordinate that may lie outside the shape, as ``Layout.extended``."""
        middle = tuple_add(self.offset, self.inner.extended(coordinate))
        return self.outer(middle) if isinstance(self.outer, Swizzle) else self.outer.extended(middle)  # type: ignore[arg-type]

    @property
    def cosize(self) -> int:
        """One more than the greatest offset of a swizzled layout, which may be more than that of the layout inside.

        >>> ComposedLayout(Swizzle(1, 0, 2), 0, Layout((3, 2), (2, 1))).cosize, Layout((3, 2), (2, 1)).cosize
        (6, 6)
        >>> ComposedLayout(Swizzle(2, 0, 3), 0, Layout((2, 4), (8, 1))).cosize, Layout((2, 4), (8, 1)).cosize
        (12, 12)

        Where the outermost function is a layout, ``LayoutError``: what it reaches tells nothing of the memory it needs.
        """
        if any(isinstance(link.outer, Layout) for link in self._links()):
            raise LayoutError(f"{shown(self)} has no cosize; only swizzled layouts have one")
        if not isinstance(self.inner, Layout):
            return 1 + int(batch.evaluate(self, np.arange(_countable(self.size, self))).max())
        steps = sorted((abs(cast(int, d)), s - 1) for s, d in self.inner.flat if d and s > 1)
        lowest = cast(int, self.offset) + least_offset(self.inner)
        swizzle = cast(Swizzle, self.outer)
        return 1 + max(swizzle(lowest), *map(swizzle, self._candidates(lowest, steps)))

    def _candidates(self, value: int, steps: list[tuple[int, int]]) -> set[int]:
        """The values in front of the swizzle that may lead to the greatest offset, from the least value and pairs of (stride, count).

        A swizzle keeps every block of ``2**k`` offsets together, ``k`` being the bits it touches: the block of the greatest value decides.
        """
        outer = cast(Swizzle, self.outer)
        rest = sum(stride * count for stride, count in steps)
        touched = outer.bits + outer.base + abs(outer.shift) if outer.bits else 0
        least = value + rest >> touched << touched
        found = {value}
        for stride, count in reversed(steps):
            rest -= stride * count
            ranges = [range(v + stride * max(0, -(-(least - rest - v) // stride)), v + stride * count + 1, stride) for v in found]
            _countable(sum(map(len, ranges)), self)
            found = set(chain.from_iterable(ranges))
        return found

    def sums(self, domain: IntTuple | None = None) -> binding.Sums:
        """The offset as sums of the core's digits, as ``Layout.sums``."""
        domain = self.shape if domain is None else domain
        sums = self.outer.after(binding.shifted(self.inner.sums(domain), self.offset), binding.axes_of(domain))
        for listed in sums.values():  # each link reads what the next leads to several times over
            check_number(listed)
        return sums

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The core's layout, as ``Layout.bind``.

        >>> ComposedLayout(Swizzle(3, 0, 3), 0, Layout((8, 8), (8, 1))).bind()(3, 5)
        30
        """
        return binding.bound(self, self.shape, self.sums(), shape)

    def __getitem__(self, mode: int | Sequence[int]) -> ComposedLayout:
        return ComposedLayout(self.outer, self.offset, self.inner[mode])

    def __iter__(self) -> Iterator[ComposedLayout]:
        return (self[mode] for mode in range(self.rank))

    def __str__(self) -> str:
        return f"{self.outer} o {spelled(self.offset)} o {self.inner}"

    def __repr__(self) -> str:
        return f"cute.ComposedLayout({self.outer!r}, {self.offset!r}, {self.inner!r})"


AnyLayout: TypeAlias = Layout | ComposedLayout


def begun(layout: AnyLayout, place: Coordinate) -> tuple[AnyLayout, IntTuple]:
    """The modes that meet None in a checked coordinate as a layout, and the offset at which it begins."""
    if isinstance(layout, ComposedLayout):
        return taken_in(layout, begun(layout.inner, place))
    return slice_of(layout, place), layout.extended(start_of(place))


def taken_in(layout: ComposedLayout, inside: tuple[AnyLayout, IntTuple]) -> tuple[ComposedLayout, IntTuple]:
    """A composed layout with another layout inside, which begins at an offset; that goes inside as well, so that 0 is left beside it."""
    part, start = inside
    return ComposedLayout(layout.outer, tuple_add(layout.offset, start), part), 0


def cosize(layout: AnyLayout, mode: int | Sequence[int] = ()) -> int:
    """The number of offsets from the least to the greatest, of a layout or of one of its modes.

    >>> cosize(Layout((4, 3, 2), (1, 4, 12))), cosize(Layout((4, 3, 2), (1, 4, 12)), mode=[1])
    (24, 9)
    """
    if not isinstance(layout, AnyLayout):
        raise LayoutError(f"{shown(layout)} has no cosize; a Layout has one, plain or composed")
    return layout[mode].cosize


def coshape(layout: Layout) -> IntTuple:
    """The shape that a plain layout's offsets lie in: its cosize, or the extents of the coordinates that basis strides lead to.

    >>> coshape(Layout((4, 3, 2), (1, 4, 12)))
    24
    """
    if not isinstance(layout, Layout):
        raise LayoutError(f"{shown(layout)} has no coshape; a plain Layout has one")
    return layout.coshape


def _countable(count: int, layout: ComposedLayout) -> int:
    if count > MOST_COUNTED:
        raise LayoutError(f"the cosize of {shown(layout)} takes more than {MOST_COUNTED} steps ({count}); give a smaller layout")
    return count
