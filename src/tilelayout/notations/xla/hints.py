"""What was probably meant by a text that is no XLA layout.

A layout with a usual slip is put together again from its numbers and its properties: in XLA's order, with the ``T`` that
old documents leave out, a colon in front. It is offered only if the text would then be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...errors import LayoutError
from .parser import PROPERTIES

#: Longer layouts are not corrected.
_LONGEST = 400

_PARTS = re.compile(r"\{([0-9,\s]*)(?::\s*)?(.*?)\}?", re.DOTALL)
_PROPERTY = re.compile(r"([A-Za-z]*|[#*])\s*(?:\(([^()]*)\)?|([0-9][0-9,]*))[\s,]*")


def correction(text: str, position: int, read: Callable[[str], object]) -> str | None:
    """A layout to write in place of the one around ``position``, if ``read`` takes the text with it."""
    begin = text.rfind("{", 0, position + 1)
    end = text.find("}", begin) + 1 or len(text)
    if begin < 0 or end - begin > _LONGEST:
        return None
    layout = _put_together(text[begin:end])
    try:
        if layout is None or not layout.isprintable():
            return None
        read(text[:begin] + layout + text[end:])
    except LayoutError:
        return None
    return f"did you mean {layout}?"


def _listed(numbers: str) -> str:
    """Numbers with a comma between any two, where white space may stand instead."""
    return re.sub(r"\s", "", re.sub(r"(?<=[0-9*])\s+(?=[0-9*])", ",", numbers)).strip(",")


def _put_together(section: str) -> str | None:
    parts = _PARTS.fullmatch(section)
    if parts is None:
        return None
    numbers, rest = re.findall("[0-9]+", parts[1]), parts[2]
    groups: dict[str, list[str]] = {}
    name, position = "T", 0
    while position < len(rest):
        found = _PROPERTY.match(rest, position)
        values = _listed((found[2] if found[2] is not None else found[3]) if found else "")
        if found is None or not values:
            return None
        name = found[1].upper() or name
        groups.setdefault(name, []).append(f"({values})")
        position = found.end()
    if not groups.keys() <= PROPERTIES.keys():
        return None
    properties = "".join(name + "".join(groups[name]) for name in PROPERTIES if name in groups)
    return f"{{{','.join(numbers)}{':' if properties else ''}{properties}}}"
