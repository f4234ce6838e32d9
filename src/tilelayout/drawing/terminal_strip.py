"""The memory in a terminal: rows of slots with what they hold, and lines where tiles, bytes and words begin."""

from __future__ import annotations

from ..tables import coordinate_text
from .cells import Cell
from .lines import DOWN, Block, Line, Painter, line
from .strip import Strip


def strip_lines(strip: Strip, painter: Painter, widest: int) -> Block:
    """All rows that are drawn, and between them what is left out."""
    rows = strip.rows
    if not rows:
        return [line(strip.instead)]
    width = max(len(_held(cell)) for row in rows for cell in row) + 2
    left = max(len(str(rows[-1][0].slot)), len("slot")) + 1
    most = _in_line(len(rows[0]), (widest - left - max(len(_place(strip, row)) for row in rows)) // (width + 1))
    left_out = strip.left_out
    lines = [line("slot")]
    for at, row in enumerate(rows):
        if at in left_out:
            lines.append(line(" " * left + left_out[at]))
        lines += [_row(strip, row[begin : begin + most], width, left, painter) for begin in range(0, len(row), most)]
    return lines


def _row(strip: Strip, row: list[Cell], width: int, left: int, painter: Painter) -> Line:
    text = f"{row[0].slot:{left - 1}}{DOWN[1]}"
    for cell in row:
        level = 0 if cell is row[-1] else strip.level_after(cell.slot)
        text += painter(f"{_held(cell):>{width - 1}} ", cell) + (" " if level is None else DOWN[level == 0])
    place = _place(strip, row)
    return Line(text + place, left + len(row) * (width + 1) + len(place))


def _place(strip: Strip, row: list[Cell]) -> str:
    return f" {strip.place(row[0].slot)}".rstrip()


def _in_line(slots: int, fit: int) -> int:
    """How many slots of a row go on a line: all, or a part that divides them, if one is at least half of what fits."""
    if slots <= fit:
        return slots
    return next((part for part in range(fit, fit // 2, -1) if slots % part == 0), max(1, fit))


def _held(cell: Cell) -> str:
    """The coordinates, with a star before what has moved, and how many more elements there are in the slot; see ``mark``."""
    if cell.outside:
        return ""
    shared = f"+{cell.elements - 1}" if cell.elements > 1 else ""
    return ("*" if cell.before is not None else "") + coordinate_text(cell.coordinates) + shared
