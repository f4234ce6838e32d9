"""A sheet that SVG elements are written on, in colours for light and dark.

Colours are attributes, which every renderer knows; a style sheet changes them where the reader's screen is dark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .palette import ROLES

#: The size of text, and how wide a character of it is in the fonts that are asked for.
FONT_SIZE, CHARACTER = 12.0, 7.3
SMALL = 10.0
_FONTS = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """How much room a text takes."""
    return len(text) * CHARACTER * size / FONT_SIZE


#: Lines from (x, y) to (x, y).
Segments = list[tuple[float, float, float, float]]


class Box(NamedTuple):
    """A place on the sheet."""

    x: float
    y: float
    width: float
    height: float


class Canvas:
    """Elements in the order in which they are painted."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def text(
        self, x: float, y: float, words: str, *, role: str = "ink", anchor: str = "middle", size: float = FONT_SIZE, bold: bool = False
    ) -> None:
        """Text around, before or after a point, centred on its height."""
        extra = {"text-anchor": anchor} if anchor != "middle" else {}
        if size != FONT_SIZE:
            extra["font-size"] = _number(size)
        if bold:
            extra["font-weight"] = "bold"
        if role != "ink":
            extra |= _painted(role)
        self.parts.append(f'<text x="{_number(x)}" y="{_number(y + size * 0.35)}"{_attributes(extra)}>{_clean(words)}</text>')

    def rect(self, box: Box, role: str, *, opacity: float = 1) -> None:
        """A filled rectangle."""
        extra = _painted(role) if role != "hatched" else {"fill": "url(#tl-hatch)"}
        if opacity != 1:
            extra["fill-opacity"] = _number(opacity)
        place = {name: _number(value) for name, value in box._asdict().items()}
        self.parts.append(f"<rect{_attributes(place | extra)}/>")

    def lines(self, role: str, width: float, segments: Segments) -> None:
        """Straight lines."""
        if segments:
            path = "".join(f"M{_number(a)} {_number(b)}L{_number(c)} {_number(d)}" for a, b, c, d in segments)
            extra = {"stroke-width": _number(width), "stroke-linecap": "square"} | _painted(role)
            if role == "near":
                extra["stroke-opacity"] = "0.16"
            self.parts.append(f'<path d="{path}" fill="none"{_attributes(extra)}/>')

    @contextmanager
    def group(self, title: str = "", **attributes: str) -> Iterator[None]:
        """Elements that belong together; a title is what shows when they are pointed at."""
        self.parts.append(f"<g{_attributes({name.replace('_', '-'): value for name, value in attributes.items()})}>")
        if title:
            self.parts.append(f"<title>{_clean(title)}</title>")
        yield
        self.parts.append("</g>")

    def document(self, width: float, height: float, title: str, description: str) -> str:
        """The elements as a file of its own."""
        w, h = _number(width), _number(height)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{w}" height="{h}" viewBox="0 0 {w} {h}" '
                f'font-family="{_FONTS}" font-size="{_number(FONT_SIZE)}" text-anchor="middle"{_attributes(_painted("ink"))}>',
                f"<title>{_clean(title)}</title>",
                f"<desc>{_clean(description)}</desc>",
                f"<style>@media (prefers-color-scheme: dark) {{\n{_dark()}\n}}</style>",
                '<defs><pattern id="tl-hatch" width="6" height="6" patternUnits="userSpaceOnUse">'
                f'<rect width="6" height="6"{_attributes(_painted("void"))}/>'
                f'<path d="M0 6L6 0M-1 1L1 -1M5 7L7 5" stroke-width="1"{_attributes(_painted("hatch"))}/></pattern></defs>',
                f'<rect width="{w}" height="{h}"{_attributes(_painted("paper"))}/>',
                *self.parts,
                "</svg>\n",
            ]
        )


def _dark() -> str:
    return "\n".join(f".tl-{name} {{ {role.attribute}: {role.dark} }}" for name, role in ROLES.items())


def _painted(role: str) -> dict[str, str]:
    return {"class": f"tl-{role}", ROLES[role].attribute: ROLES[role].light}


def _attributes(named: dict[str, str]) -> str:
    return "".join(f' {name}="{_clean(value)}"' for name, value in named.items())


def _clean(text: str) -> str:
    return _NOT_XML.sub("�", text).translate(_ESCAPES)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
