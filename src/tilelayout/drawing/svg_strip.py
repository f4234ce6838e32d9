"""The memory in SVG: the slots in order, with what they hold, and where bytes and words begin."""

from __future__ import annotations

from ..tables import coordinate_text
from .canvas import SMALL, Box, Canvas, Segments, text_width
from .cells import Cell
from .strip import Strip
from .svg_cells import BORDERS, CELL_HEIGHT, HEAD, draw_borders, draw_cell


def draw_strip(canvas: Canvas, strip: Strip) -> tuple[float, float]:
    """Draw all rows from the origin on; the room they take."""
    rows = strip.rows
    if not rows:
        canvas.text(0, HEAD / 2, strip.instead, role="muted", anchor="start")
        return text_width(strip.instead), HEAD
    labels = [[_label(cell) for cell in row] for row in rows]
    width = max(30.0, max(text_width(label) for row in labels for label in row) + 10)
    places = [strip.place(row[0].slot) for row in rows]
    left = max(text_width(str(rows[-1][0].slot)), text_width("slot", SMALL)) + 10
    left_out = strip.left_out
    narrow = strip.bits if strip.bits and strip.bits < 8 else None
    canvas.text(left - 8, HEAD / 2, "slot", role="muted", anchor="end", size=SMALL)
    y = HEAD
    for at, (row, texts) in enumerate(zip(rows, labels, strict=True)):
        if at in left_out:
            canvas.text(left, y + HEAD / 2, left_out[at], role="muted", anchor="start")
            y += HEAD + 4
        if narrow:
            with canvas.group(transform=f"translate({left:g} {y:g})"):
                _draw_ruler(canvas, row, narrow, width)
            y += HEAD
        canvas.text(left - 8, y + CELL_HEIGHT / 2, str(row[0].slot), anchor="end", role="muted")
        if places[at]:
            canvas.text(left + width * len(row) + 8, y + CELL_HEIGHT / 2, places[at], anchor="start", role="muted", size=SMALL)
        with canvas.group(transform=f"translate({left:g} {y:g})"):
            for number, (cell, text) in enumerate(zip(row, texts, strict=True)):
                draw_cell(canvas, cell, text, Box(number * width, 0, width, CELL_HEIGHT))
            _draw_borders(canvas, strip, row, width)
        y += CELL_HEIGHT + (8 if narrow else 6)
    right = max(left + width * len(row) + 10 + text_width(place, SMALL) for row, place in zip(rows, places, strict=True))
    return max(right, left + max((text_width(words) for words in left_out.values()), default=0)) + 2, y


def _label(cell: Cell) -> str:
    if cell.fill is None:
        return "pad"
    return coordinate_text(cell.coordinates) + (f" +{cell.elements - 1}" if cell.elements > 1 else "")


def _draw_ruler(canvas: Canvas, row: list[Cell], bits: int, width: float) -> None:
    """The bytes above a row; one that the row cuts is named in both rows."""
    first, last = row[0].slot * bits, (row[-1].slot + 1) * bits
    for byte in range(first // 8, -(-last // 8)):
        begin, end = (min(max(bit, first), last) - first for bit in (byte * 8, byte * 8 + 8))
        a, b = begin * width / bits, end * width / bits
        canvas.text((a + b) / 2, HEAD / 2, f"byte {byte}" if b - a > 48 else str(byte), role="muted", size=SMALL)
        canvas.lines("cell", 0.8, [(a + 3, HEAD - 3, b - 3, HEAD - 3)])


def _draw_borders(canvas: Canvas, strip: Strip, row: list[Cell], width: float) -> None:
    """Borders of slots; wider where a tile, a word or, of narrow elements, a byte begins."""
    end = len(row) * width
    near: Segments = []
    levels: list[Segments] = [[] for _ in BORDERS]
    levels[-1] += [(0, 0, end, 0), (0, CELL_HEIGHT, end, CELL_HEIGHT), (0, 0, 0, CELL_HEIGHT), (end, 0, end, CELL_HEIGHT)]
    for number, cell in enumerate(row[:-1], 1):
        level = strip.level_after(cell.slot)
        (near if level is None else levels[level]).append((number * width, 1, number * width, CELL_HEIGHT - 1))
    draw_borders(canvas, near, [], levels)
