"""A preset: a layout that has a name in the field, with where it comes from and what it asks of an array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ..digits import Layout
from ..elements import Element
from ..errors import LayoutError, ShapeError, SizesMissing, shown
from ..sizes import checked_shape


class Recipe(Protocol):
    """How a preset's layout comes about; ``str`` says it in a line."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the axes, or nothing where any rank is taken."""

    @property
    def blocks(self) -> Mapping[str, int]:
        """What the extents of axes are rounded up to multiples of."""

    def bind(self, shape: Sequence[int], element: Element | None) -> Layout:
        """The layout of an array of this shape."""


@dataclass(frozen=True, slots=True, repr=False)
class Preset:
    """A well-known layout, for arrays of any shape that it takes; ``presets.get`` hands them out.

    >>> import numpy as np, tilelayout as tl
    >>> from tilelayout import presets
    >>> awq = presets.get("awq_int4")
    >>> awq.axes, str(awq.recipe), awq.constraints
    (('K', 'N'), 'K N/8 N%2 N/2%4', 'N a multiple of 8; elements are uint4, 4 bits each')
    >>> print(awq, hex(int(tl.pack(np.arange(8, dtype="uint8").reshape(1, 8), awq).view("<u4")[0])))
    preset:awq_int4 0x75316420

    Parameters
    ----------
    name
        What the field calls it.
    summary
        What it is, in a line.
    source
        The project and file that define it, with the commit or version that was read.
    recipe
        How the slots come about.
    example
        A shape that it takes.
    multiples
        What the extents of axes must be multiples of.
    element
        What lies in a slot, where the format fixes it.
    """

    name: str
    summary: str
    source: str
    recipe: Recipe
    example: tuple[int, ...]
    multiples: Mapping[str, int] = field(default_factory=dict, hash=False)
    element: Element | None = None

    def __post_init__(self) -> None:
        if not all(isinstance(text, str) for text in (self.name, self.summary, self.source)):
            raise LayoutError(
                f"{shown((self.name, self.summary, self.source))} are no name, summary and source of a preset: these are text"
            )

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of the logical axes; a preset for arrays of any rank has none."""
        return self.recipe.axes

    @property
    def constraints(self) -> str:
        """What an array must be like, and what is rounded up, in words."""
        asked = [f"{axis} a multiple of {multiple}" for axis, multiple in self.multiples.items()] if self.axes else ["any rank"]
        padded = [
            f"{axis} is padded to a multiple of {block}"
            for axis, block in self.recipe.blocks.items()
            if self.multiples.get(axis, 1) % block
        ]
        element = [f"elements are {self.element.name}, {self.element.bits} bits each"] if self.element else []
        return "; ".join([*asked, *padded, *element])

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of an array of this shape; raises ``ShapeError`` where the preset does not take it, saying what it takes."""
        if shape is None:
            raise SizesMissing(f"{self} says nothing of sizes: give a shape{self._named_axes()}, such as {self.example}")
        extents = checked_shape(shape)
        if self.axes and len(extents) != len(self.axes):
            raise ShapeError(
                f"{self} lays out arrays of shape{self._named_axes()}, such as {self.example}, not arrays of {len(extents)} dimensions"
            )
        for axis, size in zip(self.axes, extents, strict=False):
            multiple = self.multiples.get(axis, 1)
            if size % multiple:
                raise ShapeError(
                    f"{self} takes arrays with {axis} a multiple of {multiple}, not {shown(size)} in shape {shown(extents)}; "
                    f"the next is {shown(-(-size // multiple) * multiple)}"
                )
        return self.recipe.bind(extents, self.element)

    def _named_axes(self) -> str:
        return f" ({', '.join(self.axes)}{',' * (len(self.axes) == 1)})" if self.axes else ""

    def __str__(self) -> str:
        return f"preset:{self.name}"

    def __repr__(self) -> str:
        return f"presets.get({shown(self.name)})"
