"""What stands in the cells of the grid instead of slots: words with quotients in braces, such as ``T{slot%32} V{slot//32}``."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..digits import Layout
from ..errors import LayoutError, shown
from .quotients import Numbers, Quotient, quotient

_BRACES = re.compile(r"\{([^{}]*)\}")


class Labels(NamedTuple):
    """The words before, between and after quotients, and the quotients."""

    says: str
    words: tuple[str, ...]
    quotients: tuple[Quotient, ...]

    def of(self, coordinates: Numbers) -> list[str]:
        """The label of each element; coordinates are of shape ``(n, ndim)``."""
        columns = [told.values(coordinates).tolist() for told in self.quotients]
        first, *others = self.words
        rows = zip(*columns, strict=True) if columns else [()] * len(coordinates)
        return [first + "".join(f"{value}{word}" for value, word in zip(row, others, strict=True)) for row in rows]


def labels(layout: Layout, text: str) -> Labels:
    """Read the words and the quotients in braces.

    >>> import numpy as np, tilelayout as tl
    >>> labels(tl.layout("u8[2,2]"), "T{slot%2} V{slot//2}").of(np.array([[0, 1], [1, 0]]))
    ['T1 V0', 'T0 V1']
    """
    if not isinstance(text, str):
        raise LayoutError(f"label={shown(text)} is no label; it is text with what to tell in braces, such as 'T{{slot%32}} V{{slot//32}}'")
    words = _BRACES.split("".join(c if c.isprintable() else " " for c in text))
    if any(brace in word for word in words[::2] for brace in "{}"):
        raise LayoutError(f"label={shown(text)} has a brace without its other; a quotient stands between two, as in 'T{{slot%32}}'")
    return Labels(text, tuple(words[::2]), tuple(quotient(layout, word) for word in words[1::2]))
