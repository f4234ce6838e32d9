"""The errors of the library: one root, and what a caller may want to tell apart.

Every message has three parts: what was asked, what is wrong with its numbers, and what would be right.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

Value = TypeVar("Value")


class LayoutError(ValueError):
    """A layout, array or query that cannot be served as asked."""


class LayoutSyntaxError(LayoutError):
    """Text that is not a layout; ``str`` shows the text with a caret under ``position``.

    >>> print(LayoutSyntaxError("expected a digit", "f32[x]", 4))
    expected a digit
        f32[x]
            ^
    """

    #: Characters of context shown on either side of the caret.
    WINDOW = 60

    def __init__(self, message: str, text: str, position: int, hint: str | None = None) -> None:
        self.message, self.text, self.position, self.hint = message, text, position, hint
        super().__init__(message, text, position, hint)

    def __str__(self) -> str:
        begin = max(0, self.position - self.WINDOW)
        end = self.position + self.WINDOW
        left = ("..." if begin else "") + _one_line(self.text[begin : self.position])
        right = _one_line(self.text[self.position : end]) + ("..." if end < len(self.text) else "")
        lines = [self.message, f"    {left}{right}", " " * (4 + len(left)) + "^"]
        if self.hint:
            lines += map(_one_line, self.hint.split("\n"))
        return "\n".join(lines)


class ShapeError(LayoutError):
    """A shape that a layout does not apply to, or that does not fit in 64 bits."""


class SizesMissing(ShapeError):  # noqa: N818 - as the other names of what is missing
    """A layout that says nothing of sizes, where no shape is given apart."""


class CoordinateError(LayoutError, IndexError):
    """A coordinate or slot outside its layout."""


class NotExpressible(LayoutError):  # noqa: N818 - a public name that users know
    """A layout that the target notation has no words for."""


class NotInjective(LayoutError):  # noqa: N818 - a public name that users know
    """A layout that sends two elements to one slot, where that cannot be."""


def shown(value: object) -> str:
    """A value as a message repeats it: as ``repr`` has it, on one line, cut short where that is long.

    >>> import numpy as np
    >>> shown((3, "x")), shown((10**5000, 4)), shown(np.eye(2, dtype=int))
    ("(3, 'x')", '(a very large int, 4)', 'array([[1, 0], [0, 1]])')
    """
    try:
        return _BREAK.sub(" ", _REPR.repr(value))
    except Exception:  # whatever a stranger's repr raises, the message is about something else
        return type_of(value)


def type_of(value: object) -> str:
    """The name of a value's type, with its article.

    >>> type_of(3), type_of("x")
    ('an int', 'a str')
    """
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in ('a', 'e', 'i', 'o') else 'a'} {name}"


def expect(value: object, kind: type | tuple[type, ...], what: str) -> None:
    """Refuse a value that is not of a kind; ``what`` says what is taken instead.

    >>> expect(None, str, "the text of a module")
    Traceback (most recent call last):
    tilelayout.errors.LayoutError: None is a NoneType; it takes the text of a module
    """
    if not isinstance(value, kind):
        raise LayoutError(f"{shown(value)} is {type_of(value)}; it takes {what}")


def each(values: Iterable[Value], kind: type | tuple[type, ...], what: str) -> Iterator[Value]:
    """The values one by one, refused where they are none, or one is not of a kind; ``what`` says what is taken instead."""
    try:
        found = iter(values)
    except TypeError:
        raise LayoutError(f"{shown(values)} is {type_of(values)}; it takes {what}") from None
    for value in found:
        expect(value, kind, what)
        yield value


class _Repr(reprlib.Repr):
    """Python's own, but for integers that Python refuses to write, or does not write alike in all its versions."""

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if x.bit_length() <= _MOST_BITS else "a very large int"


#: Bits of an integer that is written, however few digits Python is told to allow.
_MOST_BITS = 2048
_BREAK = re.compile(r"\s*\n\s*")
_REPR = _Repr()
_REPR.maxtuple = _REPR.maxlist = 16
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 200


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
