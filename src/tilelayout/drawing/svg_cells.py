"""Cells of grids and strips in SVG, and the borders between them."""

from __future__ import annotations

from ..tables import coordinate_text
from .canvas import Box, Canvas, Segments
from .cells import Cell

CELL_HEIGHT, HEAD = 26.0, 17.0
#: How wide borders are, of the largest blocks first.
BORDERS = (2.6, 1.8, 1.2)
#: How much colour is left of what stands back, and the size of the dot on what has moved.
PALE, DOT = 0.25, 4.0


def draw_cell(canvas: Canvas, cell: Cell, label: str, box: Box) -> None:
    """A cell with its label; an element that has moved has a dot, one that has not, or is outside of what is looked at, is pale."""
    attributes = {"data_slot": str(cell.slot)}
    if cell.coordinates is not None:
        attributes["data_x"] = ",".join(map(str, cell.coordinates))
    with canvas.group(_told(cell), **attributes):
        canvas.rect(box, "hatched" if cell.fill is None else f"c{cell.fill}", opacity=PALE if cell.pale else 1)
        if cell.before is not None:
            canvas.rect(Box(box.x + box.width - DOT - 2, box.y + 2, DOT, DOT), "ink")
        x, y, role = box.x + box.width / 2, box.y + box.height / 2, "muted" if cell.fill is None or cell.outside else "ink"
        canvas.text(x, y, label, role=role, bold=cell.before is not None)


def draw_borders(canvas: Canvas, near: Segments, plain: Segments, levels: list[Segments]) -> None:
    """Borders: faint between neighbours in memory, plain between other cells, and over them those of blocks, the largest last."""
    canvas.lines("near", 1, near)
    canvas.lines("cell", 1.2, plain)
    for width, segments in reversed(list(zip(BORDERS, levels, strict=True))):
        canvas.lines("frame", width, segments)


def _told(cell: Cell) -> str:
    """What shows when the cell is pointed at."""
    words = f"slot {cell.slot}: padding" if cell.fill is None else f"({coordinate_text(cell.coordinates)}) → slot {cell.slot}"
    if cell.before is not None:
        words += f", before {cell.before}"
    return words + (f", shared by {cell.elements} elements" if cell.elements > 1 else "")
