"""A whole drawing in SVG: one scene, or several."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .canvas import SMALL, Box, Canvas, text_width
from .scene import Scene, Words
from .svg_grid import draw_grid
from .svg_strip import draw_strip

MARGIN, LINE, BETWEEN = 16.0, 18.0, 40.0
_TITLE, _SWATCH = 15.0, 22.0
#: The most room that scenes take side by side.
WIDEST = 1600.0
_WORDS = Words("hatched: padding", "pale:", "bold, with a dot:")


def svg(scenes: tuple[Scene, ...]) -> str:
    """The scenes side by side, or below each other if they are wide, as the text of an SVG file."""
    canvas = Canvas()
    x = y = MARGIN
    right = bottom = 0.0
    for scene in scenes:
        sheet = Canvas()
        width, height = _draw(sheet, scene)
        if right and x + width > WIDEST:
            x, y = MARGIN, bottom + BETWEEN
        with canvas.group(transform=f"translate({x:g} {y:g})"):
            canvas.parts += sheet.parts
        right, bottom = max(right, x + width), max(bottom, y + height)
        x += width + BETWEEN
    title = " → ".join(scene.title for scene in scenes)
    return canvas.document(right + MARGIN, bottom + MARGIN, title, "; ".join(scene.summary[0] for scene in scenes))


def _draw(canvas: Canvas, scene: Scene) -> tuple[float, float]:
    canvas.text(0, _TITLE / 2, scene.title, anchor="start", size=_TITLE, bold=True)
    right, y = text_width(scene.title, _TITLE), _TITLE + 2
    for words in scene.summary:
        canvas.text(0, y + LINE / 2, words, role="muted", anchor="start")
        right, y = max(right, text_width(words)), y + LINE
    y += 14
    grid = scene.grid()
    sections: list[tuple[str, str, Callable[[Canvas], tuple[float, float]]]] = [
        ("grid", f"{scene.tells} of each element", partial(draw_grid, grid=grid)),
        ("memory", "memory, slot by slot", partial(draw_strip, strip=scene.strip)),
    ]
    for part, heading, draw in sections:
        canvas.text(0, y + LINE / 2, heading, anchor="start", bold=True)
        with canvas.group(transform=f"translate(0 {y + LINE + 4:g})", data_part=part):
            width, height = draw(canvas)
        right, y = max(right, width), y + LINE + height + 20
    values = scene.view.coloring.values
    for note in scene.notes(grid, _WORDS):
        canvas.text(0, y + LINE / 2, note, role="muted", anchor="start")
        end = text_width(note)
        if values:  # the first note is on colours
            end, values = _draw_legend(canvas, end + 10, y, values), 0
        right, y = max(right, end), y + LINE
    return right, y


def _draw_legend(canvas: Canvas, x: float, y: float, values: int) -> float:
    """Every value on its fill; where the last ends."""
    for value in range(values):
        canvas.rect(Box(x, y + 1, _SWATCH, LINE - 2), f"c{value}")
        canvas.text(x + _SWATCH / 2, y + LINE / 2, str(value), size=SMALL)
        x += _SWATCH
    return x
