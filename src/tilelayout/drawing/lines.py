"""Lines of a terminal, put below and beside each other; their colours take no columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

from .cells import Cell
from .palette import terminal_color

#: The most columns in which drawings, panels and rows of slots stand side by side, where it is not said.
WIDEST = 110
BETWEEN = 4
#: Light and heavy lines.
ACROSS, DOWN = "─━", "│┃"


class Line(NamedTuple):
    """A line as it is printed, and how many columns it takes."""

    text: str
    columns: int


Block = list[Line]
#: Paints a label in the colours of its cell, or leaves it plain.
Painter = Callable[[str, Cell], str]
BLANK = Line("", 0)


def line(words: str) -> Line:
    """A line without colours."""
    return Line(words.rstrip(), len(words.rstrip()))


def beside(blocks: Sequence[Block], widest: int = WIDEST) -> Block:
    """Blocks next to each other, as many as there is room for, and the others below them.

    >>> for text, _ in beside([[line("a"), line("b")], [line("c")]]):
    ...     print(text)
    a    c
    b
    """
    if not blocks:
        return []
    widths = [max((each.columns for each in block), default=0) for block in blocks]
    fit = max(1, sum(reach - BETWEEN <= widest for reach in accumulate(width + BETWEEN for width in widths)))
    lines = []
    for row in zip_longest(*blocks[:fit], fillvalue=BLANK):
        text, columns = "", 0
        for each, width in zip(row, widths, strict=False):
            text, columns = text + each.text + " " * (width - each.columns + BETWEEN), columns + width + BETWEEN
        lines.append(Line(text.rstrip(), columns - BETWEEN))
    return [*lines, *([BLANK, *beside(blocks[fit:], widest)] if blocks[fit:] else [])]


def plain(label: str, _: Cell) -> str:
    """The label as it is."""
    return label


def painted(label: str, cell: Cell) -> str:
    """The label on the fill of its cell, bold if it has moved; padding is dim, and what is not looked at has no fill."""
    if cell.fill is None or cell.outside:
        return f"\x1b[2m{label}\x1b[0m"
    bold = "1;" if cell.before is not None else ""
    return f"\x1b[{bold}38;5;16;48;5;{terminal_color(cell.fill)}m{label}\x1b[0m"
