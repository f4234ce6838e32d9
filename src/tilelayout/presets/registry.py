"""All presets by name, and the language of their names: reading one, and finding the one that a layout is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from types import MappingProxyType

from ..digits import Layout, check_layout
from ..elements import Element
from ..errors import LayoutError, LayoutSyntaxError, ShapeError, shown
from ..places import refusal
from ..verifying import first_equal
from . import convolution, ggml, models, quantized, scales, tiles
from .preset import Preset

_PREFIX = "preset:"
#: Characters of an unknown name that are compared with those that there are.
_LONGEST = 60
#: Names that are suggested for it.
_MOST = 3
_FAMILIES = (tiles, convolution, quantized, scales, ggml, models)
_PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for family in _FAMILIES for preset in family.PRESETS})
_FOLDED = MappingProxyType({name.casefold(): name for name in _PRESETS})


def names() -> tuple[str, ...]:
    """The names of all presets, family by family.

    >>> names()[:3], "awq_int4" in names()
    (('tpu_untiled', 'tpu_8x128', 'tpu_4x128'), True)
    """
    return tuple(_PRESETS)


def get(name: str) -> Preset:
    """The preset of that name, in any case, with or without ``preset:`` in front.

    >>> print(get("nchw16c"), get("preset:nvfp4_scales"))
    preset:nChw16c preset:nvfp4_scales
    >>> get("nvfp4")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: no preset is called 'nvfp4'
        nvfp4
        ^
    did you mean nvfp4_scales?
    """
    if not isinstance(name, str):
        raise LayoutError(f"a preset is asked for by its name, a str such as 'awq_int4', not {type(name).__name__}")
    asked = name.strip().removeprefix(_PREFIX).strip()
    found = _FOLDED.get(asked.casefold())
    if found is None:
        raise LayoutSyntaxError(f"no preset is called {shown(asked)}", name, name.find(asked), _suggestion(asked))
    return _PRESETS[found]


#: The name that every language has for its reader.
parse = get


def recognizes(text: str) -> bool:
    """Whether the text has a form of its own: a bare name has none, so presets are asked for with ``preset:`` in front."""
    return False


def express(layout: Layout) -> Preset:
    """The preset that a layout is: of several the one with the same element, then with the fewest digits.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("cute:(4,(2,4,2)):(16,(4,1,8))")))
    preset:awq_int4

    A layout that says what lies in a slot is no preset of another element, and one that only says how wide a slot is, none of another
    width; one that says neither may be any. Raises ``NotExpressible`` where no preset sends every element of the shape to the same slot.
    """
    check_layout(layout)
    element, digits = layout.element, {}
    for preset in _PRESETS.values():
        with suppress(ShapeError):
            digits[preset.name] = len(preset.bind(layout.shape).digits)
    held = {name: _as_told(get(name).element, element) for name in digits}
    usable = (get(name) for name in digits if element is None or held[name] in (None, element))
    found = first_equal(sorted(usable, key=lambda preset: (held[preset.name] != element, digits[preset.name])), layout, "presets")
    if found is None:
        slots = "" if element is None else f", with {element.name and f'{element.name} in '}slots of {element.bits} bits"
        raise refusal("presets", layout, f"none of the {len(digits)} that take the shape have this order and padding{slots}")
    return found


def _as_told(held: Element | None, element: Element | None) -> Element | None:
    """What a preset holds as far as a layout with this element tells: of one without a name, the width alone."""
    return held._replace(name="") if held and element and not element.name else held


def _suggestion(asked: str) -> str:
    """What was probably meant, or where the names are listed."""
    folded = asked.casefold()[:_LONGEST]
    begun = [name for name in _FOLDED if folded and name.startswith(folded)]
    close = begun[:_MOST] or get_close_matches(folded, _FOLDED, _MOST, cutoff=0.5)
    return (
        f"did you mean {' or '.join(_FOLDED[name] for name in close)}?"
        if close
        else "presets.names() lists them all, as tilelayout presets does"
    )
