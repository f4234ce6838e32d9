"""Small layouts as tables of text: the slot of every element, and what every slot holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .digits import Layout

#: The longest side of a grid, and the most slots of a strip.
LONGEST_SIDE, MOST_SLOTS = 16, 256
#: What stands for a slot that holds no element.
PADDING = ".."

_LONGEST_LINE = 100


def grid(layout: Layout) -> str | None:
    """The slots of a small array of one or two dimensions, laid out like the array itself; None for any other.

    >>> import tilelayout as tl
    >>> print(grid(tl.layout("f32[3,5]{1,0:T(2,2)}")))
         0   1   2   3   4
    0    0   1   4   5   8
    1    2   3   6   7  10
    2   12  13  16  17  20
    """
    if layout.ndim not in (1, 2) or layout.size == 0 or max(layout.shape) > LONGEST_SIDE:
        return None
    rows = layout.offsets().reshape(-1, layout.shape[-1]).tolist()
    labels = ["", *map(str, range(len(rows)))] if layout.ndim == 2 else ["x0", "slot"]
    head = [str(column) for column in range(layout.shape[-1])]
    return _table(labels, [head, *([str(slot) for slot in row] for row in rows)], right=True)


def strip(layout: Layout) -> str | None:
    """What lies in the slots of a small buffer, in order; None for a large one, or where elements share slots.

    >>> import tilelayout as tl
    >>> print(strip(tl.layout("f32[3,5]{1,0:T(2,2)}")))
     0   0,0  0,1  1,0  1,1  0,2  0,3  1,2  1,3  0,4  ..   1,4  ..
    12   2,0  2,1  ..   ..   2,2  2,3  ..   ..   2,4  ..   ..   ..
    """
    if not 0 < layout.slots <= MOST_SLOTS or not layout.ready.is_reversible:
        return None
    held = [coordinate_text(x) for x in contents(layout, range(layout.slots))]
    most = max(1, min(LONGEST_SIDE, _LONGEST_LINE // (max(map(len, held)) + 2)))
    width = period(layout, most)
    begins = range(0, len(held), width)
    return _table([str(begin) for begin in begins], [held[begin : begin + width] for begin in begins], right=False)


def contents(layout: Layout, slots: Sequence[int]) -> list[list[int] | None]:
    """The coordinates of what slots hold, None for padding.

    >>> import tilelayout as tl
    >>> contents(tl.layout("f32[]{:T(2)}"), [0, 1])
    [[], None]
    """
    padding, held = layout.is_padding(slots).tolist(), layout.coordinates(slots, padding="mark").tolist()
    return [None if nothing else x for nothing, x in zip(padding, held, strict=True)]


def coordinate_text(coordinates: Sequence[int] | None) -> str:
    """Coordinates as they are typed: ``2,3``; of an array without axes, ``()``."""
    if coordinates is None:
        return PADDING
    return ",".join(map(str, coordinates)) or "()"


def period(layout: Layout, most: int) -> int:
    """The slots that go on a line: whole turns of a digit, and as many as divide the turn of the next slower one."""
    turns = sorted({abs(digit.stride) for digit in layout.digits if digit.axis is not None and abs(digit.stride) > 2} | {layout.slots})
    width = max((turn for turn in turns if turn <= most), default=0)
    if not width:
        return most
    slower = next((turn for turn in turns if turn > width), width)
    return max(k * width for k in range(1, most // width + 1) if slower % (k * width) == 0 or k == 1)


def _table(labels: list[str], rows: list[list[str]], *, right: bool) -> str:
    side = max(map(len, labels))
    width = max(len(cell) for row in rows for cell in row)
    lines = []
    for label, row in zip(labels, rows, strict=True):
        cells = (cell.rjust(width) if right else cell.ljust(width) for cell in row)
        lines.append(f"{label.rjust(side)}   {'  '.join(cells)}".rstrip())
    return "\n".join(lines)
