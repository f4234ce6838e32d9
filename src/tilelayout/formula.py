"""The slot of an element as an expression: to read, and to paste into Python.

``x0``, ``x1``, ... are the coordinates; a sum of digits that other digits read in place of a coordinate is named ``m0``, ``m1``, ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from .radix import Digit, Source, extent

if TYPE_CHECKING:
    from .digits import Layout


class Formula:
    """A layout as expressions.

    >>> import tilelayout as tl
    >>> formula = Formula(tl.layout("f32[3,5]{1,0:T(2,2)}"))
    >>> formula.slot
    '12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)'
    >>> formula = Formula(tl.layout("f32[3,5,7]{2,1,0:T(*,4)}"))
    >>> formula.merged, formula.slot
    ({'m0': '7*x1 + x2'}, '36*x0 + 4*(m0 // 4) + (m0 % 4)')
    """

    def __init__(self, layout: Layout) -> None:
        self.shape = layout.shape
        self.names: dict[Source, str] = {axis: f"x{axis}" for axis in range(layout.ndim)} | {(): "0", None: "1"}
        #: What each merged name stands for; a name is made of names before it.
        self.merged: dict[str, str] = {}
        for source in sources(layout.digits):
            if source not in self.names:
                meaning = self._sum(source)
                name = self.names[source] = f"m{len(self.merged)}"
                self.merged[name] = meaning
        self.slot = self._sum(layout.digits)

    def reading(self, digit: Digit) -> str:
        """What the digit reads, before its stride."""
        above = f" // {digit.divisor}" if digit.divisor > 1 else ""
        below = f" % {digit.radix}" if 0 < digit.divisor * digit.radix < extent(digit.axis, self.shape) else ""
        return f"{self.names[digit.axis]}{above}{below}"

    def _sum(self, digits: Iterable[Digit]) -> str:
        adding = [digit for digit in digits if digit.stride and digit.axis != ()]
        if len(adding) == 1 and adding[0].stride == 1:
            return self.reading(adding[0])
        text = ""
        for digit in adding:
            term = self._term(digit)
            sign = "-" if digit.stride < 0 else "+"
            text = f"{text} {sign} {term}" if text else term if digit.stride > 0 else f"-{term}"
        return text or "0"

    def _term(self, digit: Digit) -> str:
        """The digit times its stride, without the sign."""
        if digit.axis is None:
            return str(abs(digit.stride))
        read = self.reading(digit)
        factor = "" if abs(digit.stride) == 1 else f"{abs(digit.stride)}*"
        return factor + (read if read.isidentifier() else f"({read})")


def sources(digits: Iterable[Digit]) -> Iterator[tuple[Digit, ...]]:
    """The sums that digits read in place of a coordinate, inner ones first."""
    for digit in digits:
        if isinstance(digit.axis, tuple):
            yield from sources(digit.axis)
            yield digit.axis
