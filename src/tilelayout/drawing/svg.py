"""A whole drawing in SVG: one scene, or several side by side."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .canvas import Canvas, text_width
from .scene import Scene
from .svg_grid import draw_grid
from .svg_strip import draw_strip

MARGIN, LINE, BETWEEN = 16.0, 18.0, 40.0
_TITLE = 15.0


def svg(scenes: tuple[Scene, ...]) -> str:
    """The scenes side by side, as the text of an SVG file."""
    canvas = Canvas()
    x, bottom = MARGIN, 0.0
    for scene in scenes:
        with canvas.group(transform=f"translate({x:g} {MARGIN:g})"):
            width, height = _draw(canvas, scene)
        x, bottom = x + width + BETWEEN, max(bottom, height)
    title = " → ".join(scene.title for scene in scenes)
    return canvas.document(x - BETWEEN + MARGIN, bottom + 2 * MARGIN, title, "; ".join(scene.summary[0] for scene in scenes))


def _draw(canvas: Canvas, scene: Scene) -> tuple[float, float]:
    canvas.text(0, _TITLE / 2, scene.title, anchor="start", size=_TITLE, bold=True)
    right, y = text_width(scene.title, _TITLE), _TITLE + 2
    for words in scene.summary:
        canvas.text(0, y + LINE / 2, words, role="muted", anchor="start")
        right, y = max(right, text_width(words)), y + LINE
    y += 14
    grid = scene.grid()
    sections: list[tuple[str, str, Callable[[Canvas], tuple[float, float]]]] = [
        ("grid", "slot of each element", partial(draw_grid, grid=grid)),
        ("memory", "memory, slot by slot", partial(draw_strip, strip=scene.strip)),
    ]
    for part, heading, draw in sections:
        canvas.text(0, y + LINE / 2, heading, anchor="start", bold=True)
        with canvas.group(transform=f"translate(0 {y + LINE + 4:g})", data_part=part):
            width, height = draw(canvas)
        right, y = max(right, width), y + LINE + height + 20
    for note in scene.notes(grid, padding="hatched: padding", moved="bold, with a dot: elements that lie in another slot"):
        canvas.text(0, y + LINE / 2, note, role="muted", anchor="start")
        right, y = max(right, text_width(note)), y + LINE
    return right, y
