"""The largest of the arrays, in a table."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import Any

from ..errors import LayoutError, each, shown
from ..sizes import integer
from .arrays import Array
from .units import size_text

_UNKNOWN = (-inf, -inf)
_TAKEN = "the arrays of tilelayout.hlo.read"

#: What arrays are sorted by; ``name`` is the only one that begins with the least.
ORDERS: dict[str, Callable[[Array], Any]] = {
    "waste": lambda array: _UNKNOWN if array.waste is None else (array.waste, array.padded_bytes),
    "bytes": lambda array: _UNKNOWN if array.padded_bytes is None else (array.padded_bytes, array.waste),
    "name": lambda array: (array.name, array.instruction.line),
}


def ranked(arrays: Iterable[Array], by: str = "waste", top: int | None = None, at_least: int = 0) -> list[Array]:
    """The first ``top`` of the arrays that take ``at_least`` so many bytes, sorted by what they waste, what they take, or their names.

    >>> from tilelayout import hlo
    >>> module = hlo.read("a = f32[8,4]{1,0:T(8,128)} copy(p)\\nb = f32[16,128]{1,0:T(8,128)} copy(p)\\n")
    >>> [array.name for array in ranked(module)], [array.name for array in ranked(module, by="bytes", top=1)]
    (['a', 'b'], ['b'])

    No more than ``top`` are held at a time. Of two that are alike the earlier comes first. Raises ``LayoutError`` for another order.
    """
    if not isinstance(by, str) or by not in ORDERS:
        raise LayoutError(f"arrays cannot be sorted by {shown(by)}; they are by {', '.join(ORDERS)}")
    least = whole_number(at_least, "at_least")
    large = (array for array in each(arrays, Array, _TAKEN) if (array.padded_bytes or 0) >= least)
    if top is None:
        return sorted(large, key=ORDERS[by], reverse=by != "name")
    first = heapq.nsmallest if by == "name" else heapq.nlargest
    found = first(whole_number(top, "top"), large, key=ORDERS[by])
    deque(large, maxlen=0)  # of which heapq takes none where it is to find none
    return found


def whole_number(value: object, name: str) -> int:
    """An argument that counts, as an int that is not negative."""
    number = integer(value)
    if number is None or number < 0:
        raise LayoutError(f"{name}={shown(value)} is no number to count to; it takes an integer that is 0 or more")
    return number


def rows(arrays: Iterable[Array]) -> list[tuple[str, ...]]:
    """The arrays in words, under a head."""
    head = ("waste", "bytes", "unpadded", "times", "shape", "instruction", "operation", "computation")
    return [head, *map(_row, arrays)]


def aligned(table: Sequence[Sequence[str]], right: int = 4) -> str:
    """Rows in columns, the first so many flush right.

    >>> print(aligned([("size", "name"), ("1.00G", "x")], right=1))
     size  name
    1.00G  x
    """
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    sides = [str.rjust if k < right else str.ljust for k in range(len(widths))]
    lines = ("  ".join(side(cell, width) for cell, width, side in zip(row, widths, sides, strict=True)).rstrip() for row in table)
    return "\n".join(lines)


def _row(array: Array) -> tuple[str, ...]:
    sizes = (array.waste, array.padded_bytes, array.logical_bytes)
    numbers = ("?" if size is None else size_text(size) for size in sizes)
    times = "" if array.expansion is None else f"{array.expansion:.1f}x"
    return (*numbers, times, str(array.shape), array.name, array.opcode, array.computation.name)
