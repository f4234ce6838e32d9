"""The slot of an element as sums of quotients and remainders, in whatever way a language writes these.

``x0``, ``x1``, ... are the coordinates; a sum of digits that other digits read in place of a coordinate is named ``m0``, ``m1``, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..radix import Digit, Source, extent

if TYPE_CHECKING:
    from ..digits import Layout


class Dialect(NamedTuple):
    """How a language writes the parts of a formula, by default as Python does.

    In the templates ``x`` is what is read, ``d`` what it is divided by, ``r`` what the remainder is of, and ``k`` a factor.
    """

    quotient: str = "{x} // {d}"
    remainder: str = "{x} % {r}"
    both: str = "{x} // {d} % {r}"
    product: str = "{k}*{x}"
    axis: Callable[[int], str] = "x{}".format
    #: The name of a sum that digits read; None where the language names nothing, and sums are written where they are read.
    merged: Callable[[int], str] | None = "m{}".format
    number: Callable[[int], str] = str
    #: Whether a quotient stands in brackets of its own.
    bracketed: bool = False


PYTHON = Dialect()


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

    def __init__(self, layout: Layout, dialect: Dialect = PYTHON) -> None:
        self.shape, self.dialect = layout.shape, dialect
        self.names: dict[Source, str] = {axis: dialect.axis(axis) for axis in range(layout.ndim)} | {(): "0", None: "1"}
        #: What each merged name stands for; a name is made of names before it.
        self.merged: dict[str, str] = {}
        for source in sources(layout.digits):
            if source not in self.names:
                self.names[source] = self._named(self._sum(source))
        self.slot = self._sum(layout.digits)

    def __str__(self) -> str:
        return "\n".join(f"{name} = {meaning}" for name, meaning in (*self.merged.items(), ("slot", self.slot)))

    def reading(self, digit: Digit) -> str:
        """What the digit reads, before its stride."""
        divided, wraps = digit.divisor > 1, self._wraps(digit)
        both, quotient, remainder = self.dialect.both, self.dialect.quotient, self.dialect.remainder
        template = both if divided and wraps else quotient if divided else remainder if wraps else "{x}"
        number = self.dialect.number
        return template.format(x=self.names[digit.axis], d=number(digit.divisor), r=number(digit.radix))

    def _wraps(self, digit: Digit) -> bool:
        """Whether larger values of what the digit reads are folded back."""
        return 0 < digit.divisor * digit.radix < extent(digit.axis, self.shape)

    def _named(self, meaning: str) -> str:
        if self.dialect.merged is None:
            return f"({meaning})"
        name = self.dialect.merged(len(self.merged))
        self.merged[name] = meaning
        return name

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
        factor = self.dialect.number(abs(digit.stride))
        if digit.axis is None:
            return factor
        read = self.reading(digit)
        stands_alone = not self._wraps(digit) and (digit.divisor == 1 or self.dialect.bracketed)
        if not stands_alone:
            read = f"({read})"
        return read if abs(digit.stride) == 1 else self.dialect.product.format(k=factor, x=read)


def sources(digits: Iterable[Digit]) -> Iterator[tuple[Digit, ...]]:
    """The sums that digits read in place of a coordinate, inner ones first."""
    for digit in digits:
        if isinstance(digit.axis, tuple):
            yield from sources(digit.axis)
            yield digit.axis
