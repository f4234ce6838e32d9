"""A layout as JAX has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ... import digits
from ...errors import LayoutError, shown
from ...extras import needed
from ...sizes import items_of
from .. import xla
from ..xla.validation import checked_integers, wrong_order

#: The fields, in JAX's order.
FIELDS = ("major_to_minor", "tiling", "sub_byte_element_size_in_bits")


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """A layout as JAX has it.

    >>> Layout((0, 1), ((8, 128),))
    Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)

    Any sequences of integers are taken, and stored as tuples. Raises ``LayoutError`` for what XLA refuses in a layout.

    Parameters
    ----------
    major_to_minor
        The dimensions, slowest first.
    tiling
        The tiles, outermost first, or None.
    sub_byte_element_size_in_bits
        Bits that a slot takes, or 0 for whole bytes. JAX does not look at it where ``tiling`` is None.
    """

    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] | None = None
    sub_byte_element_size_in_bits: int = 0

    def __post_init__(self) -> None:
        order = checked_integers(self.major_to_minor, "major_to_minor")
        if wrong := wrong_order(order):
            raise LayoutError(f"major_to_minor {shown(order)} {wrong}")
        tiling = None if self.tiling is None else xla.Layout((), tiles=self.tiling).tiles
        if tiling and any(size in (-1, "*") for tile in items_of(self.tiling) for size in items_of(tile)):
            raise LayoutError(f"tiling {shown(self.tiling)} has a size of -1 or '*'; XLA combines dimensions at {int(xla.COMBINE)}")
        bits = xla.Layout((), element_size_in_bits=self.sub_byte_element_size_in_bits).element_size_in_bits
        object.__setattr__(self, "major_to_minor", order)
        object.__setattr__(self, "tiling", None if tiling is None else tuple(tuple(map(int, tile)) for tile in tiling))
        object.__setattr__(self, "sub_byte_element_size_in_bits", bits)

    def to_xla(self) -> xla.Layout:
        """The same in XLA's notation.

        >>> print(Layout((0, 1), ((8, 128), (2, 1))).to_xla())
        {1,0:T(8,128)(2,1)}
        """
        if self.tiling is None:
            return xla.Layout(self.major_to_minor[::-1])
        return xla.Layout(self.major_to_minor[::-1], tiles=self.tiling, element_size_in_bits=self.sub_byte_element_size_in_bits)

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape; a shape of another rank, or none, raises ``ShapeError``."""
        return self.to_xla().bind(shape)

    def to_jax(self) -> Any:
        """The same as a ``jax.experimental.layout.Layout``; raises ``LayoutError`` where JAX 0.7 or later is not installed."""
        return theirs("Layout")(self.major_to_minor, self.tiling, self.sub_byte_element_size_in_bits)

    def __repr__(self) -> str:
        return f"Layout({', '.join(f'{field}={getattr(self, field)}' for field in FIELDS)})"

    __str__ = __repr__


def theirs(name: str) -> Any:
    """JAX's own class of that name; before 0.7 there was no ``Format``, and ``Layout`` was the name of what it is now."""
    module, purpose = "jax.experimental.layout", f"a {name} of JAX 0.7 or later"
    needed("jax", module, purpose, name="Format")
    return needed("jax", module, purpose, name=name)
