"""A whole drawing as text, for terminals: one scene, or several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from ..tables import PADDING
from .lines import BLANK, Block, Painter, beside, line, painted, plain
from .scene import Scene, Words
from .terminal_grid import fitting, grid_lines
from .terminal_strip import strip_lines

_WORDS = Words(f"{PADDING} and · padding", "blank:", "*")
_CORNERS = "├┼┤┝┿┥┠╂┨┣╋┫┍┯┑┏┳┓┕┷┙┗┻┛"
_ASCII = str.maketrans(dict.fromkeys(_CORNERS, "+") | {"─": "-", "━": "=", "│": ":", "┃": "|", "×": "x", "·": ".", "…": "~"})


def text(scenes: Sequence[Scene], *, color: bool, ascii_only: bool, columns: int) -> str:
    """The scenes as lines, side by side where there is room."""
    painter = painted if color else plain
    most = fitting(scenes, columns)
    found = "\n".join(each.text for each in beside([_scene(scene, painter, columns, most) for scene in scenes], columns))
    return found.translate(_ASCII) if ascii_only else found


def _scene(scene: Scene, painter: Painter, columns: int, most: int | None) -> Block:
    grid = scene.grid(most)
    notes = [words for note in scene.notes(grid, _WORDS) for words in wrap(note, columns, break_long_words=False, break_on_hyphens=False)]
    told = [f"{scene.tells} of each element"] if scene.view.labels else []
    head = [line(words) for words in (scene.title, *scene.summary, *told)]
    below = [BLANK, *map(line, notes)] if notes else []
    return [*head, BLANK, *grid_lines(grid, painter, columns), BLANK, *strip_lines(scene.strip, painter, columns), *below]
