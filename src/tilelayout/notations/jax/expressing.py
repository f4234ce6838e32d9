"""From digits to JAX's notation."""

from __future__ import annotations

from ... import digits
from ...elements import Element, element
from ..xla.expressing import without_element
from .layout import Layout

_LANGUAGE = "JAX's notation"


def express(layout: digits.Layout) -> Layout:
    """The layout in JAX's notation, which prints as JAX's object does, and makes it with ``to_jax``.

    >>> import tilelayout as tl
    >>> express(tl.layout("bf16[3,300]{1,0:T(8,128)(2,1)}"))
    Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)

    Raises ``NotExpressible`` where XLA's notation has no words, or says it by rounding the slots up (``L``), which JAX cannot.
    """
    digits.check_layout(layout)
    found = without_element(layout, aligned=False, language=_LANGUAGE)
    bits = _bits(layout.element, is_tiled=bool(found.tiles))
    return Layout(found.minor_to_major[::-1], found.tiles if found.tiles or bits else None, bits)


def _bits(held: Element | None, *, is_tiled: bool) -> int:
    """The bits of a slot as JAX is told them: 0 for whole bytes, but for tiled integers below a byte, which JAX takes for packed then."""
    if held is None:
        return 0
    is_whole = bool(held.name) and held == element(held.name)
    is_packed_by_default = is_tiled and held.name.removeprefix("u").startswith("int") and held.value_bits < 8
    return 0 if is_whole and not is_packed_by_default else held.bits
