"""A layout in plain words, and as facts that JSON can say.

Everything is read from the digits, so it serves every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import tables
from .cuts import called, told
from .formulas.sums import Formula
from .memory import MOST_AXES
from .radix import Digit
from .worked import example, worked

if TYPE_CHECKING:
    from .digits import Layout

#: Elements up to which shared slots are counted one by one, and slots among which padding is looked for.
COUNTABLE = 1 << 20
#: Slots whose content is told for a layout of any size.
FIRST_SLOTS = 8
#: Runs of padding that are told.
FIRST_RUNS = 6


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
    is_listed = layout.ndim <= MOST_AXES and max((layout.size, *layout.shape)) <= tables.MOST_SLOTS
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
        "first_slots": tables.contents(layout, range(layout.slots)[:FIRST_SLOTS]) if layout.ready.is_reversible else None,
        "offsets": layout.offsets().tolist() if is_listed else None,
    }


def explain(layout: Layout, title: str = "", coordinates: Sequence[int] | None = None) -> str:
    """The layout in plain words, with its own numbers and one element as an example; small ones with tables.

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
    axis 0 is cut into 2 blocks of 4; for these it is filled up from 6 to 8
    this makes 2 tiles of 4, each of 4 slots side by side
    <BLANKLINE>
    digit by digit, the slowest first:
      x0 // 4   2 values   stride 4   which block of 4 along axis 0
      x0 % 4    4 values   stride 1   where in its block of 4 along axis 0
    <BLANKLINE>
    element 4, digit by digit:
      x0 // 4 = 4 // 4 = 1   times 4   is 4
      x0 % 4  = 4 % 4  = 0   times 1   is 0
    4 + 0 = 4, its slot: byte 4 of the buffer
    it lies in tile 1, and there at 0
    <BLANKLINE>
    padding lies in slots 6 to 7
    <BLANKLINE>
    slot of each element:
      x0   0  1  2  3  4  5
    slot   0  1  2  3  4  5
    <BLANKLINE>
    slots in order (.. is padding):
    0   0   1   2   3   4   5   ..  ..
    """
    formula = Formula(layout)
    element = example(layout) if coordinates is None and layout.size else coordinates
    parts = [
        [title],
        _sizes(layout),
        [str(formula)],
        told(layout, formula) if layout.size else (),
        _steps(layout, formula),
        () if element is None else worked(layout, element, formula),
        _where_padding_lies(layout),
        *([table] for table in _tables(layout)),
    ]
    return "\n\n".join(filter(None, ("\n".join(lines) for lines in parts)))


def padding_slots(layout: Layout) -> int | None:
    """How many slots hold no element; None where elements may share slots and are too many to count."""
    return layout.padding if layout.ready.is_reversible or layout.size <= COUNTABLE else None


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

    >>> padding_words(9, 24), padding_words(0, 15), padding_words(1, 100_000)
    ('of which 9 are padding (37.5%)', 'none of them padding', 'of which 1 is padding (less than 0.01%)')
    """
    if not padding:
        return "none of them padding"
    part = percent(padding, slots)
    words = "less than 0.01" if not part else "more than 99.99" if part == 100 and padding < slots else f"{part:g}"
    return f"of which {padding} {'is' if padding == 1 else 'are'} padding ({words}%)"


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
        held = "" if padding is None else f", of which {-(-(layout.slots - padding) * element.bits // 8)} are elements"
        yield f"bytes   {-(-layout.slots * element.bits // 8)}{held}"


def _steps(layout: Layout, formula: Formula) -> Iterator[str]:
    values = [counted(1 if digit.axis is None else digit.radix, "value") for digit in layout.digits]
    rows = [(formula.reading(d), n, f"stride {d.stride}", _role(d, formula)) for d, n in zip(layout.digits, values, strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    strides = [digit.stride for digit in layout.digits]
    if rows:
        yield "digit by digit" + (", the slowest first:" if strides == sorted(strides, reverse=True) else ":")
    for row in rows:
        yield "  " + "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    beyond = layout.slots - 1 - sum(max(0, d.stride * (d.radix - 1)) for d in layout.digits)
    if layout.size and beyond > 0:
        yield f"{counted(beyond, 'slot')} at the end {'is' if beyond == 1 else 'are'} beyond every digit"


def _role(digit: Digit, formula: Formula) -> str:
    if digit.axis == ():
        return "always 0: the other values are padding"
    if digit.axis is None:
        return "a constant"
    along = called(digit.axis, formula)
    idle = "" if digit.stride or digit.radix == 1 else ", which adds nothing"
    block = digit.divisor * digit.radix
    inside = "%" in formula.reading(digit)
    if _is_parity(digit):
        return f"whether {along} is odd: the exclusive or of the bits that it adds{idle}"
    if digit.divisor == 1:
        return (f"where in its block of {block} along {along}" if inside else f"the place along {along}") + idle
    return f"which block of {digit.divisor}" + (f" in its block of {block}" if inside else "") + f" along {along}{idle}"


def _is_parity(digit: Digit) -> bool:
    """Whether the digit reads the lowest bit of a sum of bits."""
    added = digit.axis if isinstance(digit.axis, tuple) else ()
    return (digit.divisor, digit.radix) == (1, 2) and len(added) > 1 and all(bit.radix == 2 and bit.stride == 1 for bit in added)


def _where_padding_lies(layout: Layout) -> Iterator[str]:
    """The first runs of slots that hold nothing; of layouts in which elements share slots nothing is said."""
    if not layout.ready.is_reversible or not layout.padding or not layout.size:
        return
    seen = min(layout.slots, COUNTABLE)
    steps = np.diff(layout.is_padding(np.arange(seen)).astype(np.int8), prepend=0, append=0)
    runs = list(zip(np.flatnonzero(steps > 0).tolist(), (np.flatnonzero(steps < 0) - 1).tolist(), strict=True))
    if runs:
        listed = ", ".join(
            str(first) if first == last else f"{first} on" if last + 1 == seen < layout.slots else f"{first} to {last}"
            for first, last in runs[:FIRST_RUNS]
        )
        whole = len(runs) <= FIRST_RUNS and seen == layout.slots
        yield f"padding lies in slots {listed}{'' if whole else ', ...'}"
    else:
        yield f"the first {seen} slots hold no padding"


def _tables(layout: Layout) -> Iterator[str]:
    if grid := tables.grid(layout):
        yield "slot of each element" + (" (rows: axis 0, columns: axis 1)" if layout.ndim == 2 else "") + f":\n{grid}"
    if strip := tables.strip(layout):
        yield f"slots in order{_legend(strip)}:\n{strip}"
    elif layout.ready.is_reversible and layout.slots:
        held = "  ".join(map(tables.coordinate_text, tables.contents(layout, range(layout.slots)[:FIRST_SLOTS])))
        yield f"the first slots hold{_legend(held)}: {held}"


def _legend(held: str) -> str:
    """What stands for padding, where there is some."""
    return f" ({tables.PADDING} is padding)" if tables.PADDING in held else ""
