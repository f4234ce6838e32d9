"""From XLA's layout of an array to digits, by the moves of the core and nothing else.

The axes are put in physical order, major first; the tiles cut them; what results lies in row-major order without gaps,
and the number of slots is rounded up to the layout's alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ... import digits, moves
from ...elements import Element
from . import validation
from .tiling import expanded
from .types import xla_element

if TYPE_CHECKING:
    from .layout import Layout


def bound(layout: Layout, shape: Sequence[int], element_type: str | None) -> digits.Layout:
    """The digits of an array of this shape; without an element type only the bits of a slot are known, if the layout has them."""
    validation.check_for_shape(layout, shape)
    return moves.compact(
        shape,
        expanded_dims(layout, shape),
        multiple=layout.tail_padding_alignment_in_elements,
        element=_element(element_type, layout.element_size_in_bits),
    )


def _element(element_type: str | None, bits: int) -> Element | None:
    if element_type is not None:
        return xla_element(element_type, bits)
    return Element("", bits) if bits else None


def expanded_dims(layout: Layout, shape: Sequence[int]) -> moves.Dims:
    """The dimensions that the array lies in, slowest first, when every tile has cut them."""
    return expanded(moves.permute(moves.axes(shape), layout.minor_to_major[::-1]), layout.tiles)
