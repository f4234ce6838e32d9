"""What a page is told of a layout, as plain values that JSON can say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..digits import Layout
from ..elements import Element
from ..errors import ShapeError, shown
from ..notations.xla.types import NUMPY_NAMES, xla_element
from ..radix import Digit, fitting_radix, plain

#: The largest number that a page counts to: the numbers of JavaScript are exact so far.
MOST_EXACT = 2**53 - 1


def facts(layout: Layout, title: str) -> dict[str, Any]:
    """A layout for the page.

    >>> import tilelayout as tl
    >>> told = facts(tl.layout("u8[6]{0:T(4)}"), "u8[6]{0:T(4)}")
    >>> told["digits"], told["slots"], told["element"]
    ([(0, 4, 2, 4), (0, 1, 4, 1)], 8, {'name': 'uint8', 'bits': 8})

    Raises ``ShapeError`` for numbers that JavaScript has not.
    """
    _check_exact(layout)
    element = layout.element
    return {
        "title": title,
        "shape": layout.shape,
        "digits": [plain(digit) for digit in layout.digits],
        "slots": layout.slots,
        "element": None if element is None else {"name": element.name, "bits": element.bits},
    }


def element_types() -> dict[str, Element]:
    """What lies in a slot by XLA's names of element types.

    >>> element_types()["bf16"]
    Element(name='bfloat16', bits=16)
    """
    return {name: xla_element(name) for name in NUMPY_NAMES}


def _check_exact(layout: Layout) -> None:
    largest = max([layout.size, layout.slots, *_numbers(layout.digits, layout.shape)])
    if largest > MOST_EXACT:
        raise ShapeError(f"a layout with the number {shown(largest)} is not explored: a page counts exactly up to {MOST_EXACT}")


def _numbers(digits: Iterable[Digit], shape: tuple[int, ...]) -> Iterable[int]:
    """The numbers of digits, and of the sums they make, which bound all that is computed with them."""
    total = 0
    for digit in digits:
        yield from (digit.divisor, digit.radix, abs(digit.stride))
        total += abs(digit.stride) * max(0, fitting_radix(digit, shape) - 1)
        if isinstance(digit.axis, tuple):
            yield from _numbers(digit.axis, shape)
    yield total
