"""The languages of layouts, and ``layout``, which reads them all.

Each language is a room of its own that turns text into an object with ``bind(shape)``, and that into a ``Layout``.
None knows another; here is only the list of them, and how to tell their texts apart.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from .. import cute
from ..digits import Layout
from ..errors import LayoutError, LayoutSyntaxError, ShapeError, shown
from . import xla


@runtime_checkable
class Notation(Protocol):
    """An object of some language that a shape turns into a ``Layout``."""

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout for arrays of that shape, which may be left out where the object has one."""


class Reader(NamedTuple):
    """How a language reads text: whether a text has its form, and the object that it describes."""

    recognizes: Callable[[str], bool]
    parse: Callable[[str], Notation]


LayoutLike: TypeAlias = str | Layout | Notation

#: The languages by the prefix that forces one.
READERS = {
    "xla": Reader(xla.recognizes, xla.parse),
    "cute": Reader(cute.recognizes, cute.parse_layout),
}


def layout(described: LayoutLike, shape: Sequence[int] | None = None) -> Layout:
    """The layout that is described, in any notation: text, a notation's object, or a ``Layout``, which is returned as it is.

    >>> import tilelayout as tl
    >>> tl.layout("f32[3,5]{1,0:T(2,2)}")(2, 3)
    17
    >>> tl.layout("{1,0:T(2,2)}", shape=(3, 5)) == tl.layout("f32[3,5]{1,0:T(2,2)}")
    True

    ``shape`` is needed where the description has none, and must agree where it has one (else ``ShapeError``).
    Text is told apart by its form: ``{...}`` and ``dtype[...]`` are XLA's, ``shape:stride`` is CuTe's. A prefix such as ``xla:`` forces it.
    Text that is no layout raises ``LayoutSyntaxError``, with a caret where reading stopped.
    """
    extents = None if shape is None else _extents(shape)
    if isinstance(described, str):
        return _read(described, extents)
    if isinstance(described, Layout):
        if extents is not None and extents != described.shape:
            raise ShapeError(f"a layout of shape {described.shape} for an array of shape {extents}; the shapes must be equal")
        return described
    if isinstance(described, Notation) and not isinstance(described, type):
        return described.bind(extents)
    raise LayoutError(
        f"{shown(described)} is a {type(described).__name__}; a layout is text in some notation, a notation's object, or a Layout"
    )


@lru_cache(maxsize=1024)
def _read(text: str, shape: tuple[int, ...] | None) -> Layout:
    name, colon, rest = text.partition(":")
    if colon and name.strip() in READERS:
        return READERS[name.strip()].parse(rest).bind(shape)
    for reader in READERS.values():
        if reader.recognizes(text):
            return reader.parse(text).bind(shape)
    start = len(text) - len(text.lstrip())
    raise LayoutSyntaxError(
        "this is the form of no notation",
        text,
        start,
        "XLA's is dtype[dims]{minor_to_major:properties}, such as f32[3,5]{1,0:T(2,2)}, or the {...} alone with a shape given apart; "
        "CuTe's is shape:stride, such as (4,(2,4)):(2,(1,8))",
    )


def _extents(shape: Sequence[int]) -> tuple[int, ...]:
    try:
        return tuple(operator.index(n) for n in shape)
    except TypeError:
        raise ShapeError(f"shape={shown(shape)} is no shape; it takes a sequence of integers, such as (3, 5)") from None
