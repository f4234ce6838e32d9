"""The logical array in SVG: panels of cells, with heads that number the blocks, and borders at every level."""

from __future__ import annotations

from .canvas import SMALL, Box, Canvas, Segments, text_width
from .cells import Cell
from .grid import Grid
from .svg_cells import BORDERS, CELL_HEIGHT, HEAD, draw_borders, draw_cell
from .tracks import Edge, Track

BETWEEN, NARROWEST, WIDEST = 26.0, 30.0, 1100.0


def draw_grid(canvas: Canvas, grid: Grid) -> tuple[float, float]:
    """Draw all panels from the origin on; the room they take."""
    if not grid.panels:
        canvas.text(0, HEAD / 2, "no elements", role="muted", anchor="start")
        return text_width("no elements"), HEAD
    panels = [(panel, grid.cells(panel)) for panel in grid.panels]
    widest = max(text_width(cell.label) for _, rows in panels for row in rows for cell in row)
    room = max(NARROWEST, widest + 12, text_width(str(grid.columns.kept[-1])) + 8)
    rows, columns = Track(grid.rows, CELL_HEIGHT), Track(grid.columns, room)
    x = y = right = bottom = 0.0
    last = panels[0][0]
    for panel, cells in panels:
        if right and (panel[:-1] != last[:-1] or x + columns.length > WIDEST):
            x, y = 0.0, bottom + BETWEEN
        if right and not grid.follows(last, panel):
            canvas.text(x + 4, y + 30, "⋯", role="muted", anchor="start", size=16)
            x += 30
        with canvas.group(transform=f"translate({x:g} {y:g})"):
            width, height = _draw_panel(canvas, grid.name(panel), cells, rows, columns)
        right, bottom = max(right, x + width), max(bottom, y + height)
        x += width + BETWEEN
        last = panel
    return right, bottom


def _draw_panel(canvas: Canvas, name: str, cells: list[list[Cell]], rows: Track, columns: Track) -> tuple[float, float]:
    levels = columns.side.levels
    widths = [max(text_width(level.name, SMALL), text_width(str(rows.side.kept[-1]))) + 10 for level in rows.side.levels]
    left = max(sum(widths), max((text_width(level.name, SMALL) + 8 for level in levels), default=0))
    top = HEAD * (bool(name) + len(levels) + bool(widths))
    if name:
        canvas.text(left, HEAD / 2, name, anchor="start", bold=True)
    _draw_column_head(canvas, columns, left, HEAD * bool(name))
    _draw_row_head(canvas, rows, widths, left, top)
    with canvas.group(transform=f"translate({left:g} {top:g})"):
        for row, (_, y, y_end) in zip(cells, rows.spans, strict=True):
            for cell, (_, x, x_end) in zip(row, columns.spans, strict=True):
                draw_cell(canvas, cell, cell.label, Box(x, y, x_end - x, y_end - y))
        _draw_borders(canvas, cells, rows, columns)
        cut = [(x, row.middle) for x in columns.gaps for row in rows.spans]
        cut += [(column.middle, y) for y in rows.gaps for column in columns.spans]
        for x, y in cut:
            canvas.text(x, y, "⋯", role="muted")
    return left + max(columns.length, text_width(name)) + 2, top + rows.length + 2


def _draw_borders(canvas: Canvas, cells: list[list[Cell]], rows: Track, columns: Track) -> None:
    near: Segments = []
    plain: Segments = []
    levels: list[Segments] = [[] for _ in BORDERS]

    def kind(edge: Edge, line: list[Cell]) -> Segments:
        """Where the border goes, of a row or column of cells that it cuts."""
        if edge.level is not None:
            return levels[min(edge.level, len(levels) - 1)]
        beside = edge.before is not None and edge.after is not None and abs(line[edge.after].slot - line[edge.before].slot) == 1
        return near if beside else plain

    for edge in columns.edges:
        for row, (_, y, y_end) in zip(cells, rows.spans, strict=True):
            kind(edge, row).append((edge.at, y, edge.at, y_end))
    by_column = [list(column) for column in zip(*cells, strict=True)]
    for edge in rows.edges:
        for column, (_, x, x_end) in zip(by_column, columns.spans, strict=True):
            kind(edge, column).append((x, edge.at, x_end, edge.at))
    draw_borders(canvas, near, plain, levels)


def _draw_column_head(canvas: Canvas, columns: Track, left: float, top: float) -> None:
    for line, level in enumerate(columns.side.levels):
        y = top + HEAD * (line + 0.5)
        canvas.text(left - 6, y, level.name, role="muted", anchor="end", size=SMALL)
        for span in columns.blocks(level.size):
            canvas.text(left + span.middle, y, str(level.number(span.number)), role=_role(columns, span.number * level.size))
            if level.size > 1:
                canvas.lines("cell", 0.8, [(left + span.begin + 3, y + HEAD / 2 - 1, left + span.end - 3, y + HEAD / 2 - 1)])


def _draw_row_head(canvas: Canvas, rows: Track, widths: list[float], left: float, top: float) -> None:
    right = left - sum(widths)
    for level, width in zip(rows.side.levels, widths, strict=True):
        x, right = right + width / 2 - 2, right + width
        canvas.text(x, top - HEAD / 2, level.name, role="muted", size=SMALL)
        for span in rows.blocks(level.size):
            canvas.text(x, top + span.middle, str(level.number(span.number)), role=_role(rows, span.number * level.size))
            if level.size > 1:
                canvas.lines("cell", 0.8, [(right - 3, top + span.begin + 3, right - 3, top + span.end - 3)])


def _role(track: Track, first: int) -> str:
    """How the number of a block is written, by the first coordinate in it."""
    return "muted" if first >= track.side.size else "ink"
