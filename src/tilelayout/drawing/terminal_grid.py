"""The logical array in a terminal: cells in boxes, light and heavy after the level of their borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .cells import Cell, Coordinates
from .grid import Grid
from .lines import ACROSS, DOWN, Block, Line, Painter, beside, line
from .scene import Scene
from .sides import Side

#: The fewest columns of a grid, however narrow the terminal.
FEWEST = 4
#: Characters where lines meet, by (weight of the line across, weight of the line down), at the left, in the middle and at the right.
_TOP = {(1, 0): "┍┯┑", (1, 1): "┏┳┓"}
_MIDDLE = {(0, 0): "├┼┤", (1, 0): "┝┿┥", (0, 1): "┠╂┨", (1, 1): "┣╋┫"}
_BOTTOM = {(1, 0): "┕┷┙", (1, 1): "┗┻┛"}
_CUT = " … "


class Fence(NamedTuple):
    """What stands after a coordinate: the weight of a line, if there is one, and whether coordinates are left out."""

    weight: int | None
    cut: bool


def fitting(scenes: Sequence[Scene], widest: int) -> int | None:
    """How many columns the grids have at most where there is room for no more; None where there is room for all."""
    grids = [grid for scene in scenes if (grid := scene.grid()).panels]
    if all(_columns(grid) <= widest for grid in grids):
        return None
    most = max(len(grid.columns.kept) for grid in grids)
    room = min((widest - _head_width(grid) - 1) // (_cell_width(grid) + 1) for grid in grids)
    for fewer in range(min(most, room), FEWEST, -1):
        if all(_columns(narrower) <= widest for scene in scenes if (narrower := scene.grid(fewer)).panels):
            return fewer
    return FEWEST


def grid_lines(grid: Grid, painter: Painter, widest: int) -> Block:
    """All panels of a grid."""
    if not grid.panels:
        return [line("no elements")]
    width = _cell_width(grid)
    return beside([_panel(grid, panel, width, painter) for panel in grid.panels], widest)


def _panel(grid: Grid, panel: Coordinates, width: int, painter: Painter) -> Block:
    rows, columns, left = grid.rows, grid.columns, _head_width(grid)
    across, down = _fences(columns), _fences(rows)
    found = [line(grid.name(panel))] if grid.leading else []
    if columns.axis is not None:
        head = "".join(f"{x:{width - 1}} " + " " * len(_after(fence)) for x, fence in zip(columns.kept, across, strict=True))
        found.append(line(f"{columns.levels[-1].name:>{left}} {head}"))
    name = rows.levels[-1].name if rows.levels else ""
    found.append(line(f"{name:>{left}}{_border(_TOP, 1, across, width)}"))
    heads = [str(x) if rows.axis is not None else "" for x in rows.kept]
    for head, row, fence in zip(heads, grid.cells(panel), down, strict=True):
        labels = [f"{mark(cell):>{width - 1}} " for cell in row]
        text = "".join(painter(label, cell) + _after(fence) for label, cell, fence in zip(labels, row, across, strict=True))
        found.append(Line(f"{head:>{left}}{DOWN[1]}{text}", left + 1 + sum(map(len, labels)) + sum(len(_after(f)) for f in across)))
        if fence.weight is not None and not fence.cut and head != heads[-1]:
            found.append(line(" " * left + _border(_MIDDLE, fence.weight, across, width)))
        if fence.cut:
            found.append(line(f"{'…':>{left}}"))
    return [*found, line(" " * left + _border(_BOTTOM, 1, across, width))]


def mark(cell: Cell) -> str:
    """The label, with a dot before padding and a star before what has moved; nothing of an element that is not looked at."""
    return "" if cell.outside else ("·" if cell.fill is None else "*" if cell.before is not None else "") + cell.label


def _columns(grid: Grid) -> int:
    """How wide a panel is."""
    fences = _fences(grid.columns)
    return _head_width(grid) + 1 + len(fences) * _cell_width(grid) + sum(len(_after(fence)) for fence in fences)


def _cell_width(grid: Grid) -> int:
    marks = [len(mark(cell)) for panel in grid.panels for row in grid.cells(panel) for cell in row]
    return max(*marks, len(str(grid.columns.kept[-1]))) + 2


def _head_width(grid: Grid) -> int:
    words = [*(level.name for side in (grid.rows, grid.columns) for level in side.levels[-1:]), *(str(x) for x in grid.rows.kept)]
    return max(map(len, words)) + 1 if grid.columns.axis is not None else 0


def _fences(side: Side) -> list[Fence]:
    found = []
    for x, following in zip(side.kept, side.kept[1:], strict=False):
        level = side.level(x + 1)
        found.append(Fence(None if level is None else int(level == 0), following != x + 1))
    return [*found, Fence(1, False)]


def _after(fence: Fence) -> str:
    return ("" if fence.weight is None else DOWN[fence.weight]) + (_CUT if fence.cut else "")


def _border(characters: dict[tuple[int, int], str], weight: int, across: list[Fence], width: int) -> str:
    found = characters[weight, 1][0]
    for number, fence in enumerate(across, 1):
        found += ACROSS[weight] * width
        if fence.weight is not None:
            found += characters[weight, fence.weight][2 if number == len(across) else 1]
        found += _CUT if fence.cut else ""
    return found
