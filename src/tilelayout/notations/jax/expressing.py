"""From digits to JAX's notation."""

from __future__ import annotations

from ... import digits
from ...elements import element
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
    held = layout.element
    whole = held is None or (held.name and held == element(held.name))
    bits = 0 if held is None or whole else held.bits
    return Layout(found.minor_to_major[::-1], found.tiles if found.tiles or bits else None, bits)
