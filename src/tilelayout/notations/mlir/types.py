"""Memref types: a shape, what an element is, and how it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ... import moves
from ...digits import Layout
from ...elements import Element
from ...errors import LayoutError, ShapeError, shown
from ...sizes import checked_shape, shape_of_rank
from ..element_types import ELEMENTS, is_element_type
from .affine import AffineMap, Strided


def agreed(shape: Sequence[int] | None, own: tuple[int, ...], described: object) -> tuple[int, ...]:
    """The shape that the text has; another one may only repeat it."""
    if shape is not None and checked_shape(shape) != own:
        raise ShapeError(f"{described} is of shape {own}, not {checked_shape(shape)}")
    return own


def check_element_type(name: object) -> None:
    """Refuse what is no element type."""
    if not is_element_type(name):
        raise LayoutError(f"{shown(name)} is no element type that is known, such as {', '.join(ELEMENTS)}")


@dataclass(frozen=True, slots=True)
class MemRef:
    """A memref type; without a layout its elements lie in row-major order.

    >>> print(MemRef((3, 5), "f32", Strided((8, 1))))
    memref<3x5xf32, strided<[8, 1]>>
    """

    shape: tuple[int, ...]
    element_type: str
    layout: AffineMap | Strided | None = None

    def __post_init__(self) -> None:
        check_element_type(self.element_type)
        extents = checked_shape(self.shape)
        if not isinstance(self.layout, AffineMap | Strided | None):
            raise LayoutError(f"layout={shown(self.layout)} is no mlir.AffineMap or mlir.Strided; text is read by mlir.parse")
        if self.layout is not None:
            shape_of_rank(extents, self.layout.rank, self.layout)
        object.__setattr__(self, "shape", extents)

    @property
    def element(self) -> Element | None:
        """What lies in a slot, if that is a type that numpy or ml_dtypes have."""
        return ELEMENTS.get(self.element_type)

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of its array."""
        extents = agreed(shape, self.shape, self)
        if self.layout is None:
            return moves.compact(extents, moves.axes(extents), element=self.element)
        return self.layout.bind(extents, self.element)

    def __str__(self) -> str:
        layout = "" if self.layout is None else f", {self.layout}"
        return f"memref<{typed(self.shape, self.element_type)}{layout}>"


def typed(shape: Sequence[int], element_type: str) -> str:
    """A shape and an element type as types spell them: ``3x5xf32``."""
    return "".join(f"{size}x" for size in shape) + element_type
