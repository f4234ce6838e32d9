"""CuTe's text, read and written: ``((2,2),4):((1,4),8)``, ``S<3,4,3> o 0 o (8,64):(64,1)``, ``<3:4, 8:2>``.

    >>> from tilelayout import cute
    >>> cute.parse("S<3,4,3> o 0 o (8, 64):(64, 1)")(2, 0)
    144
    >>> cute.parse("<3:4, _>"), cute.to_text((cute.Layout(3, 4), None))
    ((cute.Layout(3, 4), None), '[3:4;_]')

What the headers (``print`` of include/cute/), the CuTe DSL and the documentation write is read alike: ``_4`` is 4, ``Sw<...>`` is
``S<...>``, ``<3:4, 8:2>`` and ``(_3:_4,_8:_2)`` are ``[3:4;8:2]``, ``(64,)`` is ``(64)``, and white space may stand between any two
words. In front of ``smem_ptr[16b](unset)``, as C++ prints the atoms of ``wgmma`` and ``tcgen05``, a swizzle counts bytes; what is read
counts elements of that width. Values known only at run time (``?``) are not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

from ..cursor import Cursor
from ..errors import LayoutError
from .algebra.recast import recast_layout
from .basis import ScaledBasis, Stride, as_stride
from .composed import AnyLayout, ComposedLayout
from .coordinates import Coordinate
from .layout import Layout
from .nesting import MOST_NESTED
from .spelling import spelled
from .swizzle import Swizzle
from .tuples import IntTuple, Shaped, as_int_tuple, as_shape, leaves

T = TypeVar("T")

#: The form of a layout: a swizzle, or a nest of integers with a colon behind it.
_FORM = re.compile(r"\s*(Sw?\s*<|[-\d_(?][-\d_(),?\s]*:)")


class Parser(Cursor):
    """The rules of the grammar, each a method that reads what it names."""

    #: A number (``_4`` is CuTe's spelling of a static 4), C++'s word for a pointer, a run of letters, or any other single character.
    WORD = re.compile(r"_?-?[0-9]+|smem_ptr|[A-Za-z]+|\S")
    NUMBER = re.compile(r"_?(-?[0-9]+)")
    HINTS: ClassVar = {
        "?": "a value known only at run time has no place here; write the number",
        "/": "strides are integers, not ratios",
    }
    #: For what a tensor in shared memory prints: ``Sw<3,4,3>_smem_ptr[16b](0x7f0400) o (8,64):(64,1)``.
    OF_TENSORS = (
        "a layout has no address: write Sw<B,M,S> o smem_ptr[16b](unset) o ..., with the tensor's bits, which is that of a tensor whose "
        "address is a multiple of 2**(B + M + |S|)"
    )

    __slots__ = ("depth",)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0

    def nested(self, opening: str, rule: Callable[[], T], separator: str, closing: str) -> tuple[T, ...]:
        """``opening [rule {separator rule}] closing``, nested no deeper than tuples may be; ``(64,)`` is a tuple, as in Python."""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise self.error(f"tuples are nested more than {MOST_NESTED} deep", hint="no deeper nesting is read")
        items = tuple(self.listed(opening, rule, closing, separator, trails=opening == "("))
        self.depth -= 1
        return items

    def expression(self) -> Any:
        """``term {"o" (tuple | pointer) "o" term}``, grouped from the right."""
        begins, terms, offsets = [self.at], [self.term()], []
        while self.word == "o":
            self.advance()
            if self.word == "smem_ptr":
                terms[-1] = self.before_pointer(terms[-1])
                offsets.append(0)
            else:
                offsets.append(self.tree())
            if self.word == ":":
                raise self.expected("'o'", hint="an offset stands between two layouts, as in S<3,3,3> o 0 o (8,8):(8,1)")
            self.expect("o")
            begins.append(self.at)
            terms.append(self.term())
        value = terms.pop()
        while offsets:
            value = self.made(begins[len(terms) - 1], ComposedLayout, terms.pop(), offsets.pop(), value)
        return value

    def value(self) -> Any:
        """``"(" value {"," value} ")" | expression``, the first where layouts are among them, as C++ prints tilers."""
        if self.word == "(" and self.holds_layouts():
            return self.nested("(", self.value, ",", ")")
        return self.expression()

    def anything(self) -> Any:
        """A value; of integers and basis vectors a stride."""
        begin, read = self.at, self.value()
        kinds = set(map(type, leaves(read)))
        return self.numbers(begin, as_stride, read) if ScaledBasis in kinds and kinds <= {ScaledBasis, int} else read

    def holds_layouts(self) -> bool:
        """Whether a colon stands in the parentheses that open here."""
        depth, found = 0, False
        for word in self.words[self.at :]:
            depth += (word == "(") - (word == ")")
            found = found or word == ":"
            if not depth:
                return found
        return False

    def term(self) -> Any:
        """``swizzle | tiler | tuple [":" tuple]``"""
        if self.word in ("S", "Sw"):
            return self.swizzle()
        if self.word == "[":
            return self.nested("[", self.expression, ";", "]")
        if self.word == "<":
            return self.nested("<", self.expression, ",", ">")
        begin, first = self.at, self.tree()
        if self.word != ":":
            return first
        shape = self.numbers(begin, as_shape, first)
        self.advance()
        begin, second = self.at, self.tree()
        return self.made(begin, Layout, shape, self.numbers(begin, as_stride, second))

    def numbers(self, begin: int, make: Callable[[Any], T], read: Any) -> T:
        """What is made of the tuple that was read since ``begin``, with the caret under the first leaf that is none, or the tuple."""
        try:
            return make(read)
        except LayoutError as error:
            said = str(error)
            for at, leaf in zip(self.leaves_since(begin), leaves(read), strict=True):
                try:
                    make(leaf)
                except LayoutError:
                    begin = at
                    said = "'_' is no integer; it has its place in coordinates and tilers" if leaf is None else said
                    break
            raise self.error(said, begin) from None

    def leaves_since(self, begin: int) -> Iterator[int]:
        """The words with which the leaves of the tuple begin that was read since ``begin``."""
        for at in range(begin, self.at):
            if self.words[at] not in ("(", ",", ")", "@") and self.words[at - 1] != "@":
                yield at

    def swizzle(self) -> Swizzle:
        """``("S" | "Sw") "<" INT "," INT "," INT ">"``"""
        begin = self.at
        self.advance()
        numbers = self.nested("<", self.integer, ",", ">")
        if len(numbers) != 3:
            raise self.error(f"a swizzle has three numbers, got {len(numbers)}", begin, hint="bits, base and shift, as in S<3,4,3>")
        if self.word == "_":
            raise self.error("a swizzle and a pointer make a tensor", hint=self.OF_TENSORS)
        return self.made(begin, Swizzle, *numbers)

    def before_pointer(self, swizzle: Any) -> Swizzle:
        """``"smem_ptr" "[" INT "b" "]" "(" "unset" ")"``: the swizzle in front, of bytes, as one of elements of so many bits.

        This is ``as_position_independent_swizzle_layout`` of include/cute/pointer_flagged.hpp.
        """
        if not isinstance(swizzle, Swizzle):
            raise self.error("a pointer stands behind a swizzle of its bytes", hint="here an offset has its place, such as 0")
        self.advance()
        self.expect("[")
        begin, bits = self.at, self.integer("the bits of an element")
        for word in ("b", "]", "("):
            self.expect(word)
        if self.word.isdecimal():
            raise self.expected("'unset'", hint=self.OF_TENSORS)
        for word in ("unset", ")"):
            self.expect(word)
        of_elements: Swizzle = self.made(begin, recast_layout, bits, 8, swizzle)
        return of_elements

    def tree(self) -> Any:
        """``"(" [tuple {"," tuple} [","]] ")" | "_" | INT {"@" INT}``"""
        if self.word == "(":
            return self.nested("(", self.tree, ",", ")")
        if self.word == "_":
            self.advance()
            return None
        begin, value = self.at, self.integer("an integer, '_' or a tuple")
        path: list[int] = []
        while self.word == "@":
            self.advance()
            path.append(self.integer("the number of a mode"))
        return self.made(begin, ScaledBasis, value, tuple(reversed(path))) if path else value


def _read(text: str, rule: Callable[[Parser], Any], what: str, fits: Callable[[Any], bool], *, hint: str | None = None) -> Any:
    """The value of a whole text, which must be of the kind that was asked for."""
    value = Parser.whole(text, rule, "CuTe's text, such as '(4,8):(1,4)'")
    if not fits(value):
        raise Parser(text).error(f"this is no {what}", 0, hint=hint)
    return value


def parse(text: str) -> Any:
    """The value that a text describes: a layout, plain or composed, a swizzle, a tuple, or a tiler as a tuple.

    >>> parse("((2,2),(2,4)):((1,4),(2,8))")
    cute.Layout(((2, 2), (2, 4)), ((1, 4), (2, 8)))
    >>> parse("(_4, (_2, 3))"), parse("S<3,4,3>"), parse("(1@0,1@1)")
    ((4, (2, 3)), cute.Swizzle(3, 4, 3), (cute.ScaledBasis(1, (0,)), cute.ScaledBasis(1, (1,))))
    >>> parse("(4,8):(1,,4)")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: expected an integer, '_' or a tuple, found ','
        (4,8):(1,,4)
                 ^
    """
    return _read(text, Parser.anything, "value", lambda value: True)


def parse_layout(text: str) -> AnyLayout:
    """The layout, plain or composed, that a text describes.

    >>> parse_layout("S<1,0,2> o _0 o (_4,_4):(_1,_4)").size
    16
    >>> print(parse_layout("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"))
    S<3,3,3> o 0 o (8,64):(64,1)
    """
    fits = "layout", lambda value: isinstance(value, AnyLayout)
    return _read(text, Parser.expression, *fits, hint="one is shape:stride, such as (4,8):(1,4)")  # type: ignore[no-any-return]


def parse_swizzle(text: str) -> Swizzle:
    """The swizzle that a text describes.

    >>> parse_swizzle("Sw<3,4,3>")
    cute.Swizzle(3, 4, 3)
    """
    return _read(text, Parser.expression, "swizzle", lambda value: isinstance(value, Swizzle))  # type: ignore[no-any-return]


def parse_int_tuple(text: str) -> IntTuple:
    """The integer, or the nest of integers, that a text describes.

    >>> parse_int_tuple("(1, (2, 3))"), parse_int_tuple("(5)")
    ((1, (2, 3)), (5,))
    """
    fits = "tuple of integers", lambda value: all(isinstance(leaf, int) for leaf in leaves(value))
    return _read(text, Parser.tree, *fits)  # type: ignore[no-any-return]


def parse_coordinate(text: str) -> Coordinate:
    """The coordinate that a text describes, with None for ``_``.

    >>> parse_coordinate("(1, (_, 3))")
    (1, (None, 3))
    """
    fits = "coordinate", lambda value: not any(isinstance(leaf, ScaledBasis) for leaf in leaves(value))
    return _read(text, Parser.tree, *fits)  # type: ignore[no-any-return]


def parse_stride(text: str) -> Stride:
    """The stride that a text describes.

    >>> parse_stride("(16, (32, 4))"), parse_stride("2@1@0")
    ((16, (32, 4)), cute.ScaledBasis(2, (0, 1)))
    """
    return _read(text, lambda parser: parser.numbers(0, as_stride, parser.tree()), "stride", lambda value: True)  # type: ignore[no-any-return]


def parse_tiler(text: str) -> Any:
    """The tiler that a text describes: a layout, an integer, None, or a tuple of tilers.

    >>> parse_tiler("<3:4, [2:1; _]>"), parse_tiler("(4,8)")
    ((cute.Layout(3, 4), (cute.Layout(2, 1), None)), (4, 8))
    """
    return _read(text, Parser.value, "tiler", lambda value: all(isinstance(leaf, AnyLayout | int | None) for leaf in leaves(value)))


def recognizes(text: str) -> bool:
    """Whether the text has the form of a layout, plain or composed.

    >>> recognizes("(4,8):(1,4)"), recognizes("S<3,4,3> o 0 o 8:1"), recognizes("f32[3,5]{1,0}"), recognizes("[1, 0]")
    (True, True, False, False)
    """
    return isinstance(text, str) and _FORM.match(text) is not None


def to_text(value: Any) -> str:
    """The text of a layout, swizzle, tuple, coordinate, stride or tiler; ``parse`` reads it back.

    >>> to_text((1, (None, 3))), to_text(Layout((4, 8))), to_text((Layout(3, 4), (8, None)))
    ('(1,(_,3))', '(4,8):(1,4)', '[3:4;(8,_)]')
    """
    if isinstance(value, tuple) and any(isinstance(leaf, Shaped) for leaf in leaves(value)):
        return f"[{';'.join(map(to_text, value))}]"
    if isinstance(value, Shaped | Swizzle):
        return str(value)
    return spelled(as_int_tuple(value, _as_leaf))


def _as_leaf(value: Any, path: Any) -> Any:
    if value is None or isinstance(value, ScaledBasis):
        return value
    return as_int_tuple(value)
