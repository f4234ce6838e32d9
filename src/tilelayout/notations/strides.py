"""Strides, one for each axis, as numpy, PyTorch and DLPack have them: ``strides=(128,1), offset=5, slots=1024``.

    >>> import numpy as np
    >>> from tilelayout.notations import strides
    >>> print(strides.of(np.zeros((3, 4), np.float32)[::-1, ::2]))
    strides=(-4,2), offset=8
    >>> strides.parse("strides=(4,1), slots=16").bind((3, 3)).offsets().tolist()
    [[0, 1, 2], [4, 5, 6], [8, 9, 10]]

All numbers count elements, as PyTorch's do; numpy's own count bytes, and ``of`` divides them by the size of an element. The
grammar: ``["strides" "="] "(" [INT {"," INT}] [","] ")" ["," "offset" "=" INT] ["," "slots" "=" INT]``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import digits
from ..bridges import Tensor, shared
from ..cursor import Cursor
from ..errors import LayoutError, NotExpressible, ShapeError, shown, type_of
from ..places import refusal
from ..radix import Digit, constant
from ..sizes import MOST_SLOTS, integer, listed, shape_of_rank
from ..verifying import first_equal

_LANGUAGE = "strides"


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """The slot of an element is ``offset`` plus the sum of its coordinates times the strides.

    >>> Layout((4, 1)), Layout((-1,), offset=3)
    (strides.Layout((4, 1)), strides.Layout((-1,), offset=3))

    Parameters
    ----------
    strides
        How many slots further the next element of each axis lies; below 0 where it lies before, 0 where it is the same.
    offset
        The slot of the first element.
    slots
        How many slots the buffer has; if left out, one more than the last that the layout reaches.
    """

    strides: tuple[int, ...]
    offset: int = 0
    slots: int | None = None

    def __post_init__(self) -> None:
        strides = listed(self.strides)
        if strides is None:
            raise LayoutError(f"strides={shown(self.strides)}: strides are a sequence of integers, one for each axis, such as (128, 1)")
        object.__setattr__(self, "strides", tuple(_integer("strides", stride) for stride in strides))
        object.__setattr__(self, "offset", _integer("offset", self.offset, least=0))
        if self.slots is not None:
            object.__setattr__(self, "slots", _integer("slots", self.slots, least=0))

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape, as digits.

        >>> Layout((-1,), offset=3).bind((4,)).offsets().tolist()
        [3, 2, 1, 0]

        Raises ``ShapeError`` for a shape of another rank, or none, and where an element would lie outside the buffer.
        """
        extents = shape_of_rank(shape, len(self.strides), self)
        steps = list(zip(extents, self.strides, strict=True))
        lowest = self.offset + sum(min(0, stride) * (extent - 1) for extent, stride in steps if extent)
        if 0 not in extents and lowest < 0:
            raise ShapeError(
                f"{self} of shape {shown(extents)} goes {shown(-lowest)} slots below the buffer's first; "
                f"its offset is {shown(self.offset - lowest)} at least"
            )
        moving = [Digit(axis, 1, extent, stride) for axis, (extent, stride) in enumerate(steps) if extent > 1 and stride]
        return digits.Layout(extents, [constant(self.offset), *moving] if self.offset else moving, slots=self.slots)

    def __str__(self) -> str:
        return f"strides=({','.join(map(str, self.strides))}){self._options}"

    def __repr__(self) -> str:
        return f"strides.Layout({self.strides!r}{self._options})"

    @property
    def _options(self) -> str:
        """What is said behind the strides, where it has to be."""
        offset = f", offset={self.offset}" if self.offset else ""
        return offset if self.slots is None else f"{offset}, slots={self.slots}"


class Parser(Cursor):
    """The rules of the grammar."""

    __slots__ = ()

    def layout(self) -> Layout:
        """A whole text."""
        if self.word == "strides":
            self.advance()
            self.expect("=")
        begins = {"strides": self.at}
        fields: dict[str, Any] = {"strides": self.numbers()}
        for name in ("offset", "slots"):
            if self.word == "," and self.words[self.at + 1] == name:
                for _ in range(2):
                    self.advance()
                self.expect("=")
                begins[name] = self.at
                fields[name] = self.integer()
        if self.word:
            raise self.expected("', offset=', ', slots=' or the end of the text")
        return self.made_of(begins, Layout, fields, {"strides": ()})

    def numbers(self) -> tuple[int, ...]:
        """``"(" [INT {"," INT}] [","] ")"``"""
        self.expect("(")
        numbers = []
        while self.word != ")":
            numbers.append(self.integer("a stride or ')'"))
            if self.word != ",":
                break
            self.advance()
        self.expect(")")
        return tuple(numbers)


def parse(text: str) -> Layout:
    """The layout that a text describes; ``strides=`` in front may be left out.

    >>> parse("(128, 1), offset=5")
    strides.Layout((128, 1), offset=5)
    """
    return Parser.whole(text, Parser.layout, "the text of strides, such as 'strides=(128,1)'")


def recognizes(text: str) -> bool:
    """Whether the text begins as strides do.

    >>> recognizes("strides=(128,1)"), recognizes("(128,1)")
    (True, False)
    """
    return isinstance(text, str) and re.match(r"\s*strides\s*=", text) is not None


def of(array: npt.NDArray[Any] | Tensor) -> Layout:
    """The layout of an array's elements in the memory between its first and its last byte.

    ``array`` is one of numpy, or a tensor that shares its memory by DLPack, as torch's and JAX's do.

    >>> import numpy as np
    >>> of(np.zeros((2, 3)).T), of(np.broadcast_to(np.int8(1), (2, 3)))
    (strides.Layout((1, 3)), strides.Layout((0, 0)))

    Raises ``LayoutError`` where a stride is no whole number of elements, as in a field of records.
    """
    if not isinstance(array, np.ndarray):
        if not hasattr(array, "__dlpack__"):
            raise LayoutError(f"{shown(array)} is {type_of(array)}; a numpy array, or a tensor, has the strides that are asked for")
        array = shared(array, "the tensor")
    if not array.size:
        return Layout((0,) * array.ndim)
    # The stride of an axis of one element is never taken.
    steps = [step if extent > 1 else 0 for step, extent in zip(array.strides, array.shape, strict=True)]
    size = array.itemsize
    if any(step % size for step in steps) if size else any(steps):
        raise LayoutError(
            f"strides {array.strides} of an array of {array.dtype} (shape {array.shape}) count bytes, and are not all multiples of "
            f"the {size} bytes of an element; copy the array first"
        )
    strides = [step // size if size else 0 for step in steps]
    before = sum(min(0, stride) * (extent - 1) for stride, extent in zip(strides, array.shape, strict=True))
    return Layout(tuple(strides), offset=-before)


def express(layout: digits.Layout) -> Layout:
    """The layout as one stride for each axis; an axis of one element has stride 0.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("cute:(4,(2,4)):(16,(1,2))")))
    strides=(16,1)

    Raises ``NotExpressible`` where an axis has steps of different lengths, or where the step on one axis depends on another.
    """
    digits.check_layout(layout)
    steps = [0] * layout.ndim
    offset = 0
    if layout.size:
        origin = [0] * layout.ndim
        offset = layout(*origin)
        for axis, extent in enumerate(layout.shape):
            if extent > 1:
                steps[axis] = layout(*origin[:axis], 1, *origin[axis + 1 :]) - offset
    strides = tuple(steps)
    found = first_equal((Layout(strides, offset), Layout(strides, offset, layout.slots)), layout, _LANGUAGE)
    if found is None:
        raise _refused(layout)
    return found


def _refused(layout: digits.Layout) -> NotExpressible:
    """The error for a layout with an axis, or a sum, that has no one stride."""
    summed = next((digit for digit in layout.canonical if isinstance(digit.axis, tuple)), None)
    if summed:
        return refusal(
            _LANGUAGE, layout, "it reads a sum of digits (merged axes, a swizzle, or a tile that does not divide another)", summed
        )
    whole = {(axis, 1, extent) for axis, extent in enumerate(layout.shape)}
    culprit = next(digit for digit in layout.canonical if digit.axis is not None and digit[:3] not in whole)
    return refusal(_LANGUAGE, layout, "a stride is the same all along its axis", culprit)


def _integer(name: str, value: Any, least: int = -MOST_SLOTS) -> int:
    number = integer(value)
    if number is None:
        raise LayoutError(f"{name}={shown(value)} is {type_of(value)}; strides, offset and slots are integers")
    if not least <= number <= MOST_SLOTS:
        raise LayoutError(f"{name}={shown(number)} is out of range; it is {least} to {MOST_SLOTS}")
    return number


__all__ = ["Layout", "express", "of", "parse", "recognizes"]
