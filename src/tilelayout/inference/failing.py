"""Why slots that are known make no layout: how far the explanation goes, and the first element that breaks it."""

from __future__ import annotations

import numpy as np

from .. import moves
from ..radix import unravelled
from .explaining import along, line, spread_sum
from .result import NotInferred
from .steps import Values, first_flaw


def refusal(slots: Values) -> NotInferred:
    """The error for slots, one for each element, that no digits explain."""
    values = slots - slots.reshape(-1)[0]
    lines = [line(values, axis) for axis in range(values.ndim)]
    dims = moves.axes(values.shape)
    good = [axis for axis, each in enumerate(lines) if along(each, dims[axis]) is not None]
    message = "the buffer holds every element once, but no layout that inference knows of puts them there"
    if good:
        message += f"; the steps along {_named(good)} are digits"
    bad = [axis for axis in range(values.ndim) if axis not in good]
    if bad:
        flaw = _first_flaw(lines[bad[0]])
        where = tuple(flaw if axis == bad[0] else 0 for axis in range(values.ndim))
        message += f", those along {_named(bad)} are not" if good else f"; the steps along {_named(bad)} are no digits"
    else:
        together = np.broadcast_to(spread_sum(lines), values.shape)
        where = unravelled(int((values != together).argmax()), values.shape)
        message += ", but the axes do not add up, and neither merging them nor folding bits by XOR mends that"
    message += f": the first element that breaks it is {where}, in slot {int(slots[where])}"
    return NotInferred(message, element=where, placed=values.size, axes=good)


def _first_flaw(values: Values) -> int:
    """Where the function leaves the digits that its first change of steps begins."""
    cut = int((np.diff(values) != values[1]).argmax()) + 1
    flaw = first_flaw(values, cut)
    return cut * _first_flaw(values[::cut]) if flaw is None else flaw


def _named(axes: list[int]) -> str:
    listed = ", ".join(map(str, axes[:-1]))
    return f"axes {listed} and {axes[-1]}" if listed else f"axis {axes[0]}"
