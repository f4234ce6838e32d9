"""The core: a layout is a short list of digits.

A digit reads ``(x // divisor) % radix`` of an axis's coordinate ``x`` and adds ``stride`` times that to the slot.
Every language is a way to write such a list, and everything the library does is done on it.

    f32[3,5]{1,0:T(2,2)}:  slot(r, c) = 12 * (r // 2) + 4 * (c // 2 % 3) + 2 * (r % 2) + 1 * (c % 2)

Where a digit belongs to no axis (tiles that do not divide each other, merged axes), its place is taken by a tuple
of digits, whose weighted sum is read instead: the same list again, one level down. The empty tuple is always 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import FrozenInstanceError
from math import prod
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from . import bitwise, queries, runs
from ._kernels.calls import Calls, are_usual
from ._kernels.queried import Queried
from .cached import cached_property
from .elements import Element, checked_element
from .errors import LayoutError, ShapeError, shown, type_of
from .joining import Gains, canonical, gains_of
from .radix import Digit, Source, as_digits, evaluate, extent, plain, reach
from .regions import RegionLike
from .sizes import MOST_SLOTS, checked_shape, integer


class Layout(Queried):
    """A map from the coordinates of an array to the slots of a one-dimensional buffer.

    >>> layout = Layout((3, 5), [(0, 2, 2, 12), (1, 2, 3, 4), (0, 1, 2, 2), (1, 1, 2, 1)], slots=24)
    >>> layout(2, 3)
    17
    >>> layout.coordinates([17]).tolist()
    [[2, 3]]

    A call gives the slot of one element, and raises ``CoordinateError`` for one outside the shape.

    Parameters
    ----------
    shape
        The extents of the logical array.
    digits
        The digits, slowest first, as ``Digit`` or as plain tuples of the same fields.
    slots
        How many slots the buffer has, padding included: no fewer than one more than where the digits lead when each is at its greatest,
        whether or not an element is there, and by default as many.
    element
        What lies in a slot, where the notation says it.

    Two layouts are equal when they have the same shape and number of slots and send every element to the same slot;
    what lies in a slot, and the language they were written in, do not matter. A layout never changes, so all who ask for the same text
    may share one.
    """

    __slots__ = ("__dict__", "calls", "digits", "element", "shape", "slots")

    shape: tuple[int, ...]
    digits: tuple[Digit, ...]
    slots: int
    element: Element | None
    #: Calls of ``pack``, ``unpack`` and ``relayout`` that need no checks but of memory, kept here by ``calls``.
    calls: Calls

    def __init__(
        self,
        shape: Sequence[int],
        digits: Iterable[Sequence[Any]],
        *,
        slots: int | None = None,
        element: Element | tuple[str, int] | None = None,
    ) -> None:
        shape = checked_shape(shape)
        digits = as_digits(digits, shape)
        element = None if element is None else checked_element(element)
        low, high = reach(digits, shape)
        _check_sums(digits, shape)
        used = 0 if 0 in shape else high + 1
        self._settle(shape=shape, digits=digits, slots=used if slots is None else _number_of_slots(slots), element=element, calls=Calls())
        if self.slots > MOST_SLOTS:
            raise ShapeError(f"{shown(self.slots)} slots are more than the {MOST_SLOTS} that a signed 64-bit slot number can reach")
        if low < 0 or used > self.slots:
            room = f" (0 to {self.slots - 1})" if self.slots > 0 else ""
            raise ShapeError(f"digits that reach from slot {low} to slot {high} do not fit in a buffer of {shown(self.slots)} slots{room}")

    def _settle(self, **fields: Any) -> None:
        """Give fields their values, once and for all: what is kept of a layout, its calls and copies, holds for these."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}: a layout does not change; make another")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}: a layout does not change; make another")

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @cached_property
    def size(self) -> int:
        """The number of elements of the logical array."""
        return prod(self.shape)

    @property
    def padding(self) -> int:
        """The number of slots that hold no element.

        >>> Layout((3,), [(0, 1, 3, 1)], slots=4).padding
        1

        Where elements may share slots (strides of 0, say), those that hold any are counted, which takes time and memory.
        """
        return queries.padding(self)

    def _called(self, coordinates: tuple[int, ...]) -> int:
        """The slot of one element whose coordinates are not plain ints, or not in bounds."""
        return queries.slot(self, coordinates)

    def index(
        self, coordinates: npt.ArrayLike, *, out: npt.NDArray[np.int64] | None = None, threads: int | None = None
    ) -> npt.NDArray[np.int64]:
        """The slots of many elements: coordinates of shape ``(..., ndim)`` give slots of shape ``(...)``.

        >>> Layout((2, 3), [(0, 1, 2, 3), (1, 1, 3, 1)]).index([[0, 1], [1, 2]])
        array([1, 5])

        Any integer dtype, byte order and strides are read as they are, without a copy of the whole. ``out`` is an array of int64 to
        write to; new memory costs the system as much time as the answers. Many queries go through several threads.
        Raises ``CoordinateError`` for a coordinate outside the shape, and ``LayoutError`` for what is not an integer array; ``out`` then
        holds no answer.
        """
        few = self._few_slots(coordinates, out, threads) if are_usual(threads) else None
        return queries.index(self, coordinates, out, threads) if few is None else few

    def coordinates(
        self,
        slots: npt.ArrayLike,
        *,
        padding: Literal["error", "mark"] = "error",
        out: npt.NDArray[np.int64] | None = None,
        threads: int | None = None,
    ) -> npt.NDArray[np.int64]:
        """The inverse of ``index``: slots of shape ``(...)`` give coordinates of shape ``(..., ndim)``.

        >>> Layout((2, 3), [(0, 1, 2, 3), (1, 1, 3, 1)]).coordinates(5)
        array([1, 2])

        A slot that holds no element raises ``CoordinateError``, or reads -1 in every coordinate with ``padding="mark"``.
        ``out`` and ``threads`` are those of ``index``; where a query raises, ``out`` holds no answer.
        A slot outside the buffer always raises; a slot that two elements share raises ``NotInjective``.
        """
        few = self._few_coordinates(slots, out, padding, threads) if are_usual(threads) else None
        return queries.coordinates(self, slots, padding, out, threads) if few is None else few

    def is_padding(self, slots: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each slot holds no element.

        >>> Layout((3,), [(0, 1, 3, 1)], slots=4).is_padding([0, 2, 3])
        array([False, False,  True])
        """
        return queries.is_padding(self, slots)

    def offsets(self) -> npt.NDArray[np.int64]:
        """The slot of every element, as an array of the layout's shape.

        >>> Layout((2, 2), [(1, 1, 2, 2), (0, 1, 2, 1)]).offsets()
        array([[0, 2],
               [1, 3]])
        """
        return queries.offsets(self)

    def runs(self, region: RegionLike | None = None, *, bits: int | None = None) -> npt.NDArray[np.int64]:
        """The runs of consecutive slots that hold a region and nothing else, as an array of (first slot, length) in rising order.

        >>> import tilelayout as tl
        >>> tl.layout("f32[16,256]{1,0:T(8,128)}").runs(np.s_[0:2, 120:136])
        array([[ 120,    8],
               [ 248,    8],
               [1024,    8],
               [1152,    8]])

        ``region`` is a box as numpy indexes it, without it the whole array. The runs are as few as there can be; elements that share a
        slot share it here. With ``bits``, the width of a slot, they are (first byte, bytes), and a run that begins or ends
        within a byte is refused. The cost is that of the runs, not of the elements, unless axes are merged. Raises ``LayoutError``
        for more than 16,777,216 of them.
        """
        return runs.runs(self, region, bits)

    def widest_vector(self, tile: Sequence[int]) -> int:
        """The widest vector, in elements and a power of two, in which every tile of that shape can be moved whole and alone.

        >>> import tilelayout as tl
        >>> layout = tl.layout("f32[16,256]{1,0:T(8,128)}")
        >>> layout.widest_vector((8, 128)), layout.widest_vector((16, 8)), layout.widest_vector((16, 12))
        (1024, 8, 4)

        Tiles lie side by side from the first element on; those at the ends of the axes are cut short there. The answer divides the first
        slot and the length of each run of each tile, so aligned vectors of it hold elements of one tile and no padding; those
        need not be neighbours in the array. The cost grows with the kinds of tiles there are, and where axes are merged with the slots.
        """
        return runs.widest_vector(self, tile)

    def to(self, notation: str) -> str:
        """The layout as text in another notation, which ``tl.layout`` reads back as an equal layout (of the shape, if the text has none).

        >>> import tilelayout as tl
        >>> tl.layout("cute:(4,(2,4)):(2,(1,8))").to("xla")
        '{1,0:T(4,2)}'

        ``notation`` is one of the prefixes that ``tl.layout`` knows. Raises ``NotExpressible`` where it has no words for the layout.
        """
        from .notations import LANGUAGES  # noqa: PLC0415 - a room above this one, imported where it is asked

        if not isinstance(notation, str) or notation not in LANGUAGES:
            meant = notation.casefold() if isinstance(notation, str) else ""
            hint = f"did you mean {meant}?" if meant in LANGUAGES else f"known are {', '.join(sorted(LANGUAGES))}"
            raise LayoutError(f"{shown(notation)} is no notation; {hint}")
        return str(LANGUAGES[notation].express(self))

    def explain(self, *coordinates: int) -> str:
        """What the layout does, in plain words and with its own numbers, and an element's way to its slot, digit by digit.

        >>> import tilelayout as tl
        >>> print(tl.layout("f32[3,5]{1,0:T(2,2)}").explain(2, 3))  # doctest: +ELLIPSIS
        shape   3,5 (15 elements of float32, 32 bits each)
        slots   24, of which 9 are padding (37.5%)
        ...
        axis 0 is cut into 2 blocks of 2; for these it is filled up from 3 to 4
        axis 1 is cut into 3 blocks of 2; for these it is filled up from 5 to 6
        this makes 2 x 3 = 6 tiles of 2,2, each of 4 slots side by side
        ...
        element 2,3, digit by digit:
          x0 // 2 = 2 // 2 = 1   times 12   is 12
          x1 // 2 = 3 // 2 = 1   times 4    is 4
          x0 % 2  = 2 % 2  = 0   times 2    is 0
          x1 % 2  = 3 % 2  = 1   times 1    is 1
        12 + 4 + 0 + 1 = 17, its slot: bytes 68 to 71 of the buffer
        it lies in tile 1,1, and there at 0,1
        ...

        ``coordinates`` choose the element; without them it is one in the midst of the array. Raises ``CoordinateError`` for one outside.
        """
        from .describe import explain  # noqa: PLC0415 - a room above this one, imported where it is asked

        return explain(self, coordinates=coordinates or None)

    @cached_property
    def is_separable(self) -> bool:
        """Whether the slot is a sum of one function for each axis, as it is unless axes are merged."""
        return all(len(digit.axes) <= 1 for digit in self.digits)

    @cached_property
    def canonical(self) -> tuple[Digit, ...]:
        """The digits in one agreed form: neighbours joined, what adds nothing left out, sorted by axis and divisor.

        Two layouts of one shape whose digits are all of axes, and read no part of an axis twice, send every element to the same
        slot exactly when these are equal.
        """
        return canonical(self.digits, self.shape)

    @cached_property
    def _gains(self) -> dict[Source, Gains]:
        """What the digits gain together, by what they read; layouts of one shape with equal gains send every element to the same slot.

        Where none of two layouts reads a sum, no others do.
        """
        read: dict[Source, list[Digit]] = {}
        for digit in self.canonical:
            read.setdefault(digit.axis, []).append(digit)
        gains = {source: gains_of(listed, extent(source, self.shape)) for source, listed in read.items()}
        return {source: gained for source, gained in gains.items() if gained}

    @cached_property
    def ready(self) -> queries.Ready:
        """The layout made ready for index queries."""
        return queries.Ready(self)

    @cached_property
    def shared_slot(self) -> int | None:
        """A slot that holds several elements, or None where each has a slot of its own, as those that are packed must.

        >>> import tilelayout as tl
        >>> tl.layout("strides=(0,1), offset=4", shape=(2, 3)).shared_slot, tl.layout("strides=(-3,1), offset=3", shape=(2, 3)).shared_slot
        (4, None)
        """
        return queries.shared_slot(self)

    @cached_property
    def plans(self) -> dict[Any, Any]:
        """Copies to and from buffers of this layout, kept here by who made them."""
        return {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        found = told(self, other)
        return all(pieces_agree(self, other)) if found is None else found

    @cached_property
    def _hash(self) -> int:
        # Equal layouts may be written with different digits, so only what they answer is hashed: the far corner of each axis, and all.
        corner = [n - 1 for n in self.shape]
        probes = [[c if axis == k else 0 for k, c in enumerate(corner)] for axis in range(self.ndim)]
        return hash((self.shape, self.slots, *(evaluate(self.digits, p) for p in (*probes, corner) if self.size)))

    def __hash__(self) -> int:
        return self._hash

    def _repr_svg_(self) -> str:
        """The drawing that notebooks show."""
        from .drawing import draw  # noqa: PLC0415 - a room above this one, imported where it is asked

        return draw(self).svg

    def __repr__(self) -> str:
        digits = ", ".join(repr(plain(d)) for d in self.digits)
        element = "" if self.element is None else f", element={tuple(self.element)!r}"
        return f"Layout({self.shape}, [{digits}], slots={self.slots}{element})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.shape, tuple(plain(d) for d in self.digits), self.slots, self.element and tuple(self.element))


def told(layout: Layout, other: Layout) -> bool | None:
    """Whether two layouts are equal, or None where that takes a look at every element.

    >>> told(Layout((8,), [(0, 1, 8, 1)]), Layout((8,), [(0, 4, 2, 4), (0, 1, 4, 1)]))
    True
    """
    if layout is other:
        return True
    if (layout.shape, layout.slots) != (other.shape, other.slots):
        return False
    if layout.canonical == other.canonical or not layout.size or layout._gains == other._gains:
        return True
    if not any(isinstance(digit.axis, tuple) for digit in layout.canonical + other.canonical) or hash(layout) != hash(other):
        return False
    found = bitwise.rows(layout), bitwise.rows(other)
    return None if None in found else found[0] == found[1]


def pieces_agree(layout: Layout, other: Layout) -> Iterator[bool]:
    """Whether the elements of two layouts of one shape lie in the same slots, one bounded piece after another."""
    return (np.array_equal(a, b) for a, b in zip(queries.blocks(layout), queries.blocks(other), strict=True))


def check_layout(layout: object) -> None:
    """Refuse what is no ``Layout``, where one is to be written in some language."""
    if not isinstance(layout, Layout):
        raise LayoutError(f"{shown(layout)} is {type_of(layout)}, no Layout, which tilelayout.layout makes of every description")


def _number_of_slots(slots: Any) -> int:
    number = integer(slots)
    if number is None:
        raise LayoutError(f"slots={shown(slots)} is no number of slots; it takes an integer")
    return number


def _check_sums(digits: Iterable[Digit], shape: Sequence[int]) -> None:
    """Refuse digits that read a sum beyond 64 bits, or one that may be negative: quotients and remainders of those are not agreed on."""
    for digit in digits:
        if isinstance(digit.axis, tuple):
            _check_sums(digit.axis, shape)
            low, high = reach(digit.axis, shape)
            if low < 0:
                raise LayoutError(f"digit {plain(digit)} reads a sum that goes down to {low}; sums that digits read are 0 or more")
            if high >= MOST_SLOTS:
                raise ShapeError(f"digit {plain(digit)} reads a sum that goes up to {high}; sums that digits read stay below {MOST_SLOTS}")


def _restore(shape: tuple[int, ...], digits: Any, slots: int, element: Any) -> Layout:
    return Layout(shape, digits, slots=slots, element=element)
