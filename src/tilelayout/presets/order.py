"""The order of a buffer as its dimensions, slowest first: ``M/128 K/4 M%32 M/32%4 K%4``.

Each word is a digit of the core; strides are those of a row-major array without gaps.

==========  ====================================================================================
``M``       the coordinate on axis M
``M/128``   its quotient by 128; the axis is rounded up to a multiple: here padding is born
``M%32``    its remainder by 32
``M/32%4``  its quotient by 32, modulo 4
``N%half``  its remainder by half the extent of the axis; ``N/half`` is the quotient
``16..``    sixteen slots of something else, in front of the dimensions that follow
``..8``     eight slots of something else, behind the dimensions that follow, or each element
==========  ====================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from ..digits import Layout
from ..elements import Element
from ..radix import Digit, constant
from ..sizes import checked_product

_WORD = re.compile(r"(?P<front>\d+)\.\.|\.\.(?P<behind>\d+)|(?P<axis>[A-Z]\w*)(?:/(?P<divisor>\d+|half))?(?:%(?P<radix>\d+|half))?")


@dataclass(frozen=True, slots=True)
class Order:
    """An order as text, over axes by name.

    >>> order = Order(("M", "K"), "M/2 K M%2")
    >>> order.bind((3, 4), None).offsets().tolist()
    [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14]]
    >>> str(order), order.blocks
    ('M/2 K M%2', {'M': 2})
    """

    axes: tuple[str, ...]
    text: str

    def bind(self, shape: Sequence[int], element: Element | None) -> Layout:
        """The layout of an array of this shape, with an extent for each axis."""
        digits, stride, offset = [], 1, 0
        for word in reversed(list(self._words())):
            if word["axis"] is None:
                offset += int(word["front"] or 0)
                stride += int(word["front"] or word["behind"])
                continue
            axis = self.axes.index(word["axis"])
            size = shape[axis]
            divisor = _number(word["divisor"], size) or 1
            radix = _number(word["radix"], size) or -(-size // divisor)
            digits.append(Digit(axis, divisor, radix, stride))
            stride = checked_product((stride, radix), "slots")
        digits += [constant(offset)] if offset else []
        return Layout(shape, reversed(digits), slots=stride, element=element)

    @property
    def blocks(self) -> Mapping[str, int]:
        """What the extent of each axis is rounded up to a multiple of, for the axes that are cut by a number."""
        inner = [(word["axis"], int(word["radix"])) for word in self._words() if word["radix"] not in (None, "half")]
        return {axis: block for axis in self.axes if (block := prod(radix for name, radix in inner if name == axis)) > 1}

    def _words(self) -> Iterator[re.Match[str]]:
        for word in self.text.split():
            match = _WORD.fullmatch(word)
            assert match, word
            yield match

    def __str__(self) -> str:
        return self.text


def _number(text: str | None, size: int) -> int | None:
    """The number that a word says: for ``half`` that of the axis, at least 1."""
    if text is None:
        return None
    return max(1, size // 2) if text == "half" else int(text)
