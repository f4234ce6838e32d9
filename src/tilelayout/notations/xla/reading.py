"""Reading text: shapes, layouts, or whichever it is.

A text is read as a whole; anything left over is an error. An error without a hint gets one, if a usual slip explains it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ...errors import LayoutSyntaxError
from . import hints
from .cursor import Cursor
from .layout import Layout
from .parser import Parser
from .proto_reading import from_proto, is_message
from .shape import Shape
from .types import NUMPY_NAMES, OPAQUE_TYPES

T = TypeVar("T")


def parse_shape(text: str) -> Shape:
    """The shape that a text in XLA's notation says, its layout included.

    >>> print(parse_shape("f32[3, 5] {1,0 : T(2,2)}"))
    f32[3,5]{1,0:T(2,2)}
    >>> print(parse_shape("(f32[2,3], token[], s32[<=4,?])"))
    (f32[2,3]{1,0}, token[], s32[<=4,?]{1,0})
    >>> parse_shape("f32[3,5]{1,0:(2,2)}")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: expected a property (T L # * E S SC P M) or '}', found '('
        f32[3,5]{1,0:(2,2)}
                     ^
    did you mean {1,0:T(2,2)}?

    Raises ``LayoutSyntaxError`` for text that is no shape, and ``ShapeError`` for a layout that does not fit its array.
    """
    return _whole(text, Parser.shape)


def parse_layout(text: str) -> Layout:
    """The layout that a text in XLA's notation says, without a shape.

    >>> parse_layout("{1,0:T(8,128)(2,1)}")
    xla.Layout((1, 0), tiles=((8, 128), (2, 1)))
    >>> parse_layout("{1,0:T(8,128)(2,1)}").bind((16, 256)).slots
    4096
    """
    return _whole(text, Parser.layout)


def parse(text: str) -> Shape | Layout:
    """The shape that a text says, or the layout, if it begins with a brace.

    >>> parse("f32[3,5]{0,1}"), parse("{0,1}")
    (xla.Shape('f32', (3, 5), layout=xla.Layout((0, 1))), xla.Layout((0, 1)))

    A ``LayoutProto`` or ``ShapeProto`` in JSON or protobuf's text is read too, as by ``from_proto``.
    """
    if isinstance(text, str) and is_message(text):
        return from_proto(text)
    return _whole(text, Parser.shape_or_layout)


def recognizes(text: str) -> bool:
    """Whether the text has the form of XLA's notation, right or wrong: a brace, or a name with brackets, in a tuple or not.

    >>> recognizes("{1,0}"), recognizes("F32[3]"), recognizes("((s8[2], s8[3]))"), recognizes("(4,2):(2,1)"), recognizes("[1, 0]")
    (True, True, True, False, False)
    """
    if not isinstance(text, str):
        return False
    first, second = [*(word for word in Cursor.words_of(text) if word not in ("(", "b")), "", ""][:2]
    return first in ("{", *NUMPY_NAMES, *OPAQUE_TYPES) or (first.isidentifier() and second in ("[", "{")) or is_message(text)


def _whole(text: str, rule: Callable[[Parser], T]) -> T:
    what = "XLA's text, such as 'f32[3,5]{1,0}'"
    try:
        return Parser.whole(text, rule, what)
    except LayoutSyntaxError as error:
        hint = error.hint or hints.correction(text, error.position, lambda corrected: Parser.whole(corrected, rule, what))
        raise LayoutSyntaxError(error.message, text, error.position, hint) from None
