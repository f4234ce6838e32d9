"""Drawings in files: SVG as it is, PNG and PDF by the ``viz`` extra."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..errors import LayoutError, shown
from ..extras import needed
from ..files import replacing

#: Pixels of a PNG for each unit of the drawing.
SCALE = 2
FORMATS = (".svg", ".png", ".pdf")


def save(svg: str, path: str | os.PathLike[str]) -> None:
    """Write a drawing in the format that the name ends in, whole or not at all."""
    if not isinstance(path, str | os.PathLike):
        raise LayoutError(f"path={shown(path)} is no name of a file; it is a str or a path that ends in {', '.join(FORMATS)}")
    ending = Path(path).suffix.lower() if isinstance(os.fspath(path), str) else ""
    if ending not in FORMATS:
        raise LayoutError(f"a drawing cannot be saved as {shown(path)}: its name must end in {', '.join(FORMATS)}")
    content = svg.encode() if ending == ".svg" else _converted(svg, ending)
    with replacing(path) as file:
        file.write(content)


def _converted(svg: str, ending: str) -> bytes:
    cairosvg = _cairosvg(ending)
    convert = cairosvg.svg2png if ending == ".png" else cairosvg.svg2pdf
    content: bytes = convert(bytestring=svg.encode(), scale=SCALE if ending == ".png" else 1)
    return content


def _cairosvg(ending: str) -> Any:
    try:
        return needed("viz", "cairosvg", ending[1:].upper(), otherwise="save the drawing as .svg")
    except OSError as error:
        raise LayoutError(
            f"{ending[1:].upper()} needs the cairo library, which cairosvg does not find ({error}): install it (libcairo2 on Debian), "
            f"or save the drawing as .svg"
        ) from None
