"""A layout in plain words, and as facts that JSON can say.

Everything is read from the digits, so it serves every language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import tables
from .formulas.sums import Formula, sources
from .radix import Digit, Source, extent

if TYPE_CHECKING:
    from .digits import Layout

#: Elements up to which shared slots are counted one by one.
COUNTABLE = 1 << 20
#: Slots whose content is told for a layout of any size.
FIRST_SLOTS = 8


def facts(layout: Layout) -> dict[str, Any]:
    """What there is to know of a layout, as plain values; what cannot be known is None.

    >>> import tilelayout as tl
    >>> known = facts(tl.layout("f32[3,5]{1,0:T(2,2)}"))
    >>> known["slots"], known["padding"], known["padding_percent"], known["buffer_bytes"]
    (24, 9, 37.5, 96)
    """
    padding = padding_slots(layout)
    element = layout.element
    formula = Formula(layout)
    return {
        "shape": list(layout.shape),
        "elements": layout.size,
        "slots": layout.slots,
        "padding": padding,
        "padding_percent": None if padding is None else percent(padding, layout.slots),
        "element": None if element is None else {"name": element.name or None, "bits": element.bits},
        "element_bytes": None if element is None else -(-layout.size * element.bits // 8),
        "buffer_bytes": None if element is None else -(-layout.slots * element.bits // 8),
        "formula": formula.slot,
        "merged": formula.merged,
        "digits": [_digit_facts(digit) for digit in layout.digits],
        "first_slots": tables.contents(layout, min(layout.slots, FIRST_SLOTS)) if layout.ready.is_reversible else None,
        "offsets": layout.offsets().tolist() if layout.size <= tables.MOST_SLOTS else None,
    }


def explain(layout: Layout, title: str) -> str:
    """The layout in plain words, with its own numbers; small ones with tables.

    >>> import tilelayout as tl
    >>> print(explain(tl.layout("u8[6]{0:T(4)}"), "u8[6]{0:T(4)}"))
    u8[6]{0:T(4)}
    <BLANKLINE>
    shape   6 (6 elements of uint8, 8 bits each)
    slots   8, of which 2 are padding (25%)
    bytes   8, of which 6 are elements
    <BLANKLINE>
    slot = 4*(x0 // 4) + (x0 % 4)
    <BLANKLINE>
    digit by digit, the slowest first:
      x0 // 4   2 values   stride 4   which block of 4 along axis 0
      x0 % 4    4 values   stride 1   where in its block of 4 along axis 0
    axis 0 is filled up from 6 to 8
    <BLANKLINE>
    slot of each element:
      x0   0  1  2  3  4  5
    slot   0  1  2  3  4  5
    <BLANKLINE>
    slots in order (.. is padding):
    0   0   1   2   3   4   5   ..  ..
    """
    grid, strip = tables.grid(layout), tables.strip(layout)
    parts = ["\n".join(_sizes(layout)), str(Formula(layout)), "\n".join(_steps(layout))]
    if grid:
        parts.append("slot of each element" + (" (rows: axis 0, columns: axis 1)" if layout.ndim == 2 else "") + f":\n{grid}")
    if strip:
        parts.append(f"slots in order ({tables.PADDING} is padding):\n{strip}")
    elif layout.ready.is_reversible and layout.slots:
        held = map(tables.coordinate_text, tables.contents(layout, min(layout.slots, FIRST_SLOTS)))
        parts.append(f"the first slots hold ({tables.PADDING} is padding): {'  '.join(held)}")
    return "\n\n".join([title, *(part for part in parts if part)])


def padding_slots(layout: Layout) -> int | None:
    """How many slots hold no element; None where elements may share slots and are too many to count."""
    if layout.ready.is_reversible or layout.size == 0:
        return layout.padding
    return layout.slots - len(np.unique(layout.offsets())) if layout.size <= COUNTABLE else None


def percent(part: int, whole: int) -> float:
    """The part in hundredths of the whole, to two places.

    >>> percent(9, 24), percent(0, 0)
    (37.5, 0.0)
    """
    return round(100 * part / whole, 2) if whole else 0.0


def counted(number: int, noun: str) -> str:
    """A number and what it counts.

    >>> counted(1, "slot"), counted(3, "slot")
    ('1 slot', '3 slots')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def padding_words(padding: int, slots: int) -> str:
    """How much of a buffer is padding.

    >>> padding_words(9, 24), padding_words(0, 15)
    ('of which 9 are padding (37.5%)', 'none of them padding')
    """
    if not padding:
        return "none of them padding"
    return f"of which {padding} {'is' if padding == 1 else 'are'} padding ({percent(padding, slots):g}%)"


def _digit_facts(digit: Digit) -> dict[str, Any]:
    axis = [_digit_facts(inner) for inner in digit.axis] if isinstance(digit.axis, tuple) else digit.axis
    return {"axis": axis, "divisor": digit.divisor, "radix": digit.radix, "stride": digit.stride}


def _sizes(layout: Layout) -> Iterator[str]:
    element = layout.element
    of_type = f"{element.name and ' of '}{element.name}, {counted(element.bits, 'bit')} each" if element else ""
    yield f"shape   {tables.coordinate_text(layout.shape)} ({counted(layout.size, 'element')}{of_type})"
    padding = padding_slots(layout)
    shared = "" if padding is None or layout.slots - padding == layout.size else ", and elements share slots"
    yield f"slots   {layout.slots}" + ("" if padding is None else f", {padding_words(padding, layout.slots)}{shared}")
    if element:
        yield f"bytes   {-(-layout.slots * element.bits // 8)}, of which {-(-layout.size * element.bits // 8)} are elements"


def _steps(layout: Layout) -> Iterator[str]:
    formula = Formula(layout)
    rows = [(formula.reading(d), counted(d.radix, "value"), f"stride {d.stride}", _role(d, formula)) for d in layout.digits]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if rows:
        yield "digit by digit, the slowest first:"
    for row in rows:
        yield "  " + "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if layout.size == 0:
        return
    filled = list(_filled(layout, formula))
    if filled:
        yield "; ".join(filled)
    beyond = layout.slots - 1 - sum(max(0, d.stride * (d.radix - 1)) for d in layout.digits)
    if beyond > 0:
        yield f"{counted(beyond, 'slot')} at the end {'is' if beyond == 1 else 'are'} beyond every digit"


def _role(digit: Digit, formula: Formula) -> str:
    if digit.axis == ():
        return "always 0: the other values are padding"
    if digit.axis is None:
        return "a constant"
    along = _called(digit.axis, formula)
    block = digit.divisor * digit.radix
    inside = "%" in formula.reading(digit)
    if digit.divisor == 1:
        return f"where in its block of {block} along {along}" if inside else f"the place along {along}"
    return f"which block of {digit.divisor}" + (f" in its block of {block}" if inside else "") + f" along {along}"


def _filled(layout: Layout, formula: Formula) -> Iterator[str]:
    """The axes and merged axes that digits count beyond their ends."""
    ends: dict[Source, int] = {}
    for digit in (*layout.digits, *(inner for source in sources(layout.digits) for inner in source)):
        if digit.axis not in ((), None):
            ends[digit.axis] = max(ends.get(digit.axis, 0), digit.divisor * digit.radix)
    for source, end in ends.items():
        if end > extent(source, layout.shape):
            yield f"{_called(source, formula)} is filled up from {extent(source, layout.shape)} to {end}"


def _called(source: Source, formula: Formula) -> str:
    return f"axis {source}" if isinstance(source, int) else formula.names[source]
