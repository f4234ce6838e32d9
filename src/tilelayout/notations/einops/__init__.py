"""Patterns of ``einops.rearrange`` as layouts: ``h (a b) -> a h b, b=4``.

    >>> from tilelayout.notations import einops
    >>> pattern = einops.parse("h (a b) -> a h b, b=4")
    >>> pattern.bind((6, 8)).digits
    (Digit(axis=1, divisor=4, radix=2, stride=24), Digit(axis=0, divisor=1, radix=6, stride=4), Digit(axis=1, divisor=1, radix=4, stride=1))

On the left stands the array, on the right its buffer in row-major order: the buffer holds ``einops.rearrange(x, pattern, b=4).ravel()``.
The sizes that einops takes as arguments follow behind commas. The rules are those of einops (its ``parsing.py`` and
``einops.py``, 0.8), in whose patterns an axis is a name and parentheses join axes, the last one fastest.
"""

from .expressing import express
from .layout import Layout
from .parser import parse, recognizes

__all__ = ["Layout", "express", "parse", "recognizes"]
