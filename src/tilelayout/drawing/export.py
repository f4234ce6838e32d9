"""Drawings in files: SVG as it is, PNG and PDF by the ``viz`` extra."""

from __future__ import annotations

import os
import re
from typing import Any

from ..errors import LayoutError
from ..extras import needed
from ..files import replacing
from ..files.errors import checked_ending

#: Pixels of a PNG for each unit of the drawing.
SCALE = 2
#: The least of them that can be read, and pixels of a side at the most, as cairo has it.
LEAST_SCALE, MOST_PIXELS = 0.5, 32767
_SIDES = re.compile(r' (?:width|height)="([0-9.]+)"')
FORMATS = (".svg", ".png", ".pdf")


def save(svg: str, path: str | os.PathLike[str]) -> None:
    """Write a drawing in the format that the name ends in, whole or not at all."""
    ending = checked_ending(path, FORMATS, "a drawing")
    content = svg.encode() if ending == ".svg" else _converted(svg, ending)
    with replacing(path) as file:
        file.write(content)


def _converted(svg: str, ending: str) -> bytes:
    cairosvg = _cairosvg(ending)
    convert = cairosvg.svg2png if ending == ".png" else cairosvg.svg2pdf
    content: bytes = convert(bytestring=svg.encode(), scale=_scale(svg) if ending == ".png" else 1)
    return content


def _scale(svg: str) -> float:
    """Pixels to a unit of the drawing: as many as are wished for, or as there may be."""
    longest = max(float(side) for side in _SIDES.findall(svg.partition(">")[0]))
    scale = min(SCALE, MOST_PIXELS / longest)
    if scale < LEAST_SCALE:
        raise LayoutError(
            f"a drawing of {longest:g} units to a side has no room in a PNG, whose sides have {MOST_PIXELS} pixels at the most; "
            f"save it as .svg, or draw less of it"
        )
    return scale


def _cairosvg(ending: str) -> Any:
    try:
        return needed("viz", "cairosvg", ending[1:].upper(), otherwise="save the drawing as .svg")
    except OSError as error:
        raise LayoutError(
            f"{ending[1:].upper()} needs the cairo library, which cairosvg does not find ({error}): install it (libcairo2 on Debian), "
            f"or save the drawing as .svg"
        ) from None
