"""TVM's layout strings, such as ``NCHW16c``, and pairs of them, such as ``HW->WH4w``.

    >>> from tilelayout.notations import tvm
    >>> tvm.parse("NCHW16c").bind((1, 17, 2, 2)).slots
    128
    >>> print(tvm.parse("NHWC"))
    NCHW->NHWC

An upper-case letter is a primal axis; a number and the lower-case letter is a block of it, a subordinate axis. They stand in the order of
memory, slowest first, in any order: a block's step is the product of the same letter's blocks to its right, and the primal axis counts
what all of them leave, rounded up. Brackets fuse blocks to one dimension of the buffer, which moves nothing. The string before the arrow
is the logical array. Where there is none, it is ``NCDHW`` or ``GOIDHW`` without the letters that are missing, if one of them has
them all, and else the primal axes in the order in which they stand.

Source: ``SLayout`` and ``SBijectiveLayout`` in src/s_tir/data_layout.cc, and ``Layout`` in src/tir/ir/data_layout.cc before. The older one
had no brackets and took several blocks of a letter, as in ``OHWI16i64o2i``, which the newer one refuses; both are read here.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, TypeAlias

from .. import cursor, moves, sizes
from ..digits import Layout, check_layout
from ..errors import LayoutError, ShapeError, shown
from ..places import refusal
from . import blocked
from .blocked import Block, Blocked

#: The letter of each axis, and the size of a block; a primal axis has none.
Axes: TypeAlias = tuple[tuple[str, int | None], ...]

#: The largest block: TVM keeps factors in 32 bits.
MOST_FACTOR = 2**31 - 1
#: The logical orders that are assumed where no array is named.
CUSTOMARY = ("NCDHW", "GOIDHW")
#: The letters of arrays that have none of their own, by rank; beyond, they are those of the alphabet.
LETTERS = ("", "W", "HW", "NCW", "NCHW", "NCDHW")

_LANGUAGE = "TVM's layout strings"
_SIDE = re.compile(r"(?:\[(?:[0-9]*[a-z])*\]|[0-9]*[a-z])*[A-Z](?:[A-Z]|\[(?:[0-9]*[a-z])*\]|[0-9]*[a-z])*")

#: One whose blocks all have sizes: there it may be a letter that is wrong.
_SIZED = re.compile(r"(?:[A-Z]|[0-9]++[A-Za-z])++")


@dataclass(frozen=True, slots=True)
class Bijection:
    """The layouts of a logical array and of its buffer, as TVM's ``bijective_layout`` takes them.

    >>> print(Bijection((("H", None), ("W", None)), (("W", None), ("H", None), ("W", 4))))
    HW->WH4w
    """

    source: Axes
    target: Axes

    def __post_init__(self) -> None:
        for name in ("source", "target"):
            object.__setattr__(self, name, _checked(name, getattr(self, name)))
        theirs, ours = ({letter for letter, _ in side} for side in (self.source, self.target))
        if theirs != ours:
            raise LayoutError(f"the axes {_listed(theirs)} are laid out as {_listed(ours)}; both sides have the same letters")

    def bind(self, shape: Sequence[int] | None = None) -> Layout:
        """The layout of an array of this shape, which has a dimension for each axis before the arrow.

        >>> parse("NCHW16c->NCHW8c").bind((1, 2, 1, 1, 16)).slots
        32

        Raises ``ShapeError`` for a shape of another rank, or none, and where a block is longer or shorter than it says.
        """
        extents = sizes.shape_of_rank(shape, len(self.source), self)
        for extent, (letter, size) in zip(extents, self.source, strict=True):
            if size not in (None, extent):
                raise ShapeError(f"{self} has {size} places on axis {letter.lower()!r}, and shape {extents} has {extent}")
        primal = [letter for letter, size in self.source if size is None]
        blocks = Blocked(tuple(Block(primal.index(letter), size) for letter, size in self.target))
        return moves.compact(extents, blocks.dims(tuple(self._whole(letter, moves.axes(extents)) for letter in primal)))

    def _whole(self, letter: str, dims: moves.Dims) -> moves.Dim:
        """An axis, put together from its number of blocks and its blocks."""
        pieces = [(size is not None, dim) for (name, size), dim in zip(self.source, dims, strict=True) if name == letter]
        return moves.merge(tuple(dim for _, dim in sorted(pieces, key=lambda piece: piece[0])), 0, len(pieces))[0]

    def __str__(self) -> str:
        return f"{_spelt(self.source)}->{_spelt(self.target)}"


def _checked(name: str, axes: Any) -> Axes:
    """The axes of one side, as tuples: each letter once without a size, and its blocks."""
    try:
        pairs = tuple((letter, None if size is None else operator.index(size)) for letter, size in sizes.items_of(axes))
        valid = all(letter in tuple(ascii_uppercase) and (size is None or 1 <= size <= MOST_FACTOR) for letter, size in pairs)
    except (TypeError, ValueError):
        valid = False
    primal = [letter for letter, size in pairs if size is None] if valid else []
    if not valid or len(set(primal)) < len(primal) or {letter for letter, _ in pairs} != set(primal):
        raise LayoutError(
            f"{name}={shown(axes)} is no layout string: it takes pairs of an upper-case letter and None, each letter once, and of such a "
            f"letter and the size of a block, 1 to {MOST_FACTOR}, as in (('H', None), ('W', None), ('W', 4))"
        )
    return pairs


def _spelt(axes: Axes) -> str:
    return "".join(letter if size is None else f"{size}{letter.lower()}" for letter, size in axes)


def express(layout: Layout) -> Bijection:
    """The layout string of a layout, after the arrow; the array has ``LETTERS``, or ``A``, ``B``, ``C`` ... from six axes up.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("{1,0:T(8,128)(2,1)}", (32, 256))))
    HW->HW4h128w2h
    """
    check_layout(layout)
    if layout.ndim > len(ascii_uppercase):
        raise refusal(_LANGUAGE, layout, f"there are {len(ascii_uppercase)} letters for its {layout.ndim} axes")
    found = blocked.express(layout, _LANGUAGE, outer_first=False, most=MOST_FACTOR)
    if max((size for _, size in found.inner), default=0) > MOST_FACTOR:
        raise refusal(_LANGUAGE, layout, f"blocks have up to {MOST_FACTOR} elements, and it takes {max(size for _, size in found.inner)}")
    letters = LETTERS[layout.ndim] if layout.ndim < len(LETTERS) else ascii_uppercase[: layout.ndim]
    return Bijection(tuple((letter, None) for letter in letters), tuple((letters[axis], size) for axis, size in found.blocks))


def recognizes(text: str) -> bool:
    """Whether a text has the form of a layout string, or of two with an arrow, right or wrong.

    >>> recognizes("NCHW16c"), recognizes("HW -> WH4w"), recognizes("NCHWc"), recognizes("nchw"), recognizes("Hello")
    (True, True, True, False, False)
    """
    sides = [side.strip() for side in text.split("->")] if isinstance(text, str) else [""]
    return len(sides) <= 2 and all(_SIZED.fullmatch(side) or (_SIDE.fullmatch(side) and _has_axes(side)) for side in sides)


def _has_axes(side: str) -> bool:
    """Whether the axis of each block is there."""
    return set(re.sub("[^a-z]", "", side).upper()) <= set(side)


def parse(text: str) -> Bijection:
    """What a layout string says, or two with an arrow between them; the empty string is a scalar's.

    >>> print(parse("OI -> IO[4i8o]"))
    OI->IO4i8o
    >>> parse("NCHWc")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: block 'c' has no size
        NCHWc
            ^
    its size stands in front of it, as in 16c

    Raises ``LayoutSyntaxError`` for other text.
    """
    return Parser.whole(text, Parser.bijection, "the text of a layout string, such as 'NCHW16c'")


class Parser(cursor.Cursor):
    """The grammar of layout strings; white space may stand around them, not inside."""

    WORD = re.compile(r"->|[0-9]+|\s+|\S")

    __slots__ = ()

    def bijection(self) -> Bijection:
        """``[axes "->"] axes``"""
        first, begin = self._axes(), self.at
        if self.word != "->":
            return Bijection(_assumed(first), first)
        self.advance()
        target = self._axes()
        self.finish()  # a third side is said before the letters of two
        return self.made(begin, Bijection, first, target)

    def _axes(self) -> Axes:
        self.blank()
        axes: list[tuple[str, int | None]] = []
        begins: list[int] = []
        fused: list[int] | None = None
        while self.word not in ("", "->") and not self.word.isspace():
            if self.word == "[" and fused is None:
                fused = [self.at, len(axes)]
            elif self.word == "]" and fused is not None:
                if len(axes) - fused[1] < 2:
                    raise self.error("brackets fuse two blocks or more", fused[0])
                fused = None
            else:
                axis = self._axis()
                if fused is not None and axis[1] is None:
                    raise self.error(f"{axis[0]!r} is no block, and brackets fuse blocks", hint="primal axes stand outside")
                begins.append(self.at)
                axes.append(axis)
            self.advance()
        if fused is not None:
            raise self.expected("']'")
        self._check(axes, begins)
        self.blank()
        return tuple(axes)

    def _axis(self) -> tuple[str, int | None]:
        """``upper | size lower``; the letter is not yet passed."""
        if "A" <= self.word <= "Z":
            return self.word, None
        if "a" <= self.word <= "z":
            raise self.error(f"block {self.word!r} has no size", hint=f"its size stands in front of it, as in 16{self.word}")
        size = self.integer("an upper-case letter, or a size with a lower-case one")
        if not 1 <= size <= MOST_FACTOR:
            raise self.error(f"a block of {size}; blocks have 1 to {MOST_FACTOR} elements", self.at - 1)
        if not "a" <= self.word <= "z":
            hint = f"did you mean {size}{self.word.lower()}?" if "A" <= self.word <= "Z" else None
            raise self.expected("the lower-case letter of the axis that the block is of", hint=hint)
        return self.word.upper(), size

    def _check(self, axes: list[tuple[str, int | None]], begins: list[int]) -> None:
        primal = [letter for letter, size in axes if size is None]
        for k, (letter, size) in enumerate(axes):
            if size is None and (letter, None) in axes[:k]:
                raise self.error(f"axis {letter!r} is named twice", begins[k], hint="each primal axis stands there once")
            if letter not in primal:
                raise self.error(
                    f"a block of axis {letter!r}, which is missing", begins[k], hint=f"the primal axis {letter} counts the blocks"
                )


def _assumed(target: Axes) -> Axes:
    """The logical array when none is named."""
    primal = [letter for letter, size in target if size is None]
    order = next((order for order in CUSTOMARY if set(primal) <= set(order)), "".join(primal))
    return tuple((letter, None) for letter in order if letter in primal)


def _listed(letters: set[str]) -> str:
    return "".join(sorted(letters)) or "of a scalar"


__all__ = ["Axes", "Bijection", "express", "parse", "recognizes"]
