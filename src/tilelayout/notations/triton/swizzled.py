"""Triton's swizzled shared memory: rows whose columns are exchanged by XOR, so that those of one column lie in different banks."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ... import digits
from ...errors import LayoutError, ShapeError, shown
from ...sizes import items_of, shape_of_rank
from .layout import Basis, LinearLayout


@dataclass(frozen=True, slots=True)
class SwizzledShared:
    """``#ttg.swizzled_shared``: each row's vectors of columns are exchanged by XOR with the row's phase, ``row / perPhase % maxPhase``.

    >>> layout = SwizzledShared(vec=2, perPhase=1, maxPhase=2, order=(1, 0))
    >>> print(layout)
    #ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 2, order = [1, 0]}>
    >>> layout.bind((2, 4)).offsets()
    array([[0, 1, 2, 3],
           [6, 7, 4, 5]])

    Parameters
    ----------
    vec
        How many neighbours in a row stay together.
    perPhase
        How many rows in a row are swizzled alike.
    maxPhase
        How many ways of swizzling there are.
    order
        The axes, fastest first: the first is that of the columns, the second that of the rows.

    All are powers of two. The meaning is that of ``swizzledSharedToLinearLayout`` in triton's LinearLayoutConversions.cpp.
    """

    vec: int
    perPhase: int  # noqa: N815 - Triton's name
    maxPhase: int  # noqa: N815
    order: tuple[int, ...]

    def __post_init__(self) -> None:
        try:
            for name in ("vec", "perPhase", "maxPhase"):
                object.__setattr__(self, name, operator.index(getattr(self, name)))
            object.__setattr__(self, "order", tuple(map(operator.index, items_of(self.order))))
        except TypeError:
            asked = f"vec={shown(self.vec)}, perPhase={shown(self.perPhase)}, maxPhase={shown(self.maxPhase)}, order={shown(self.order)}"
            raise LayoutError(f"{asked}: these are three integers and a sequence of integers") from None
        for name in ("vec", "perPhase", "maxPhase"):
            value = getattr(self, name)
            if not 0 < value < 1 << 32 or value.bit_count() != 1:
                raise LayoutError(f"{name} = {shown(value)} is no power of two below 2**32")
        if not self.order or sorted(self.order) != list(range(len(self.order))):
            raise LayoutError(f"order = {shown(list(self.order))} does not name each axis once, from 0 on")

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape, as digits.

        Raises ``ShapeError`` for a shape of another rank, with extents that are no powers of two, or none.
        """
        return self.linear(shape).bind(shape)

    def linear(self, shape: Sequence[int] | None) -> LinearLayout:
        """The linear layout that this is for an array of the shape.

        >>> print(SwizzledShared(1, 1, 4, (1, 0)).linear((4, 4)))
        #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 1], [2, 2]]}, alignment = 16>
        """
        extents = shape_of_rank(shape, len(self.order), self)
        if any(extent.bit_count() != 1 for extent in extents):
            raise ShapeError(f"{self} is for arrays whose extents are powers of two; got shape {shown(extents)}")
        return LinearLayout((("offset", tuple(self._bases(extents))),), axes=len(extents))

    def _bases(self, shape: tuple[int, ...]) -> Iterator[Basis]:
        for place, axis in enumerate(self.order):
            for bit in range(shape[axis].bit_length() - 1):
                basis = [0] * len(shape)
                basis[axis] = 1 << bit
                if place == 1:
                    basis[self.order[0]] = self.vec * ((1 << bit) // self.perPhase % self.maxPhase) % shape[self.order[0]]
                yield tuple(basis)

    def __str__(self) -> str:
        order = ", ".join(map(str, self.order))
        return f"#ttg.swizzled_shared<{{vec = {self.vec}, perPhase = {self.perPhase}, maxPhase = {self.maxPhase}, order = [{order}]}}>"
