"""The arrays in an instruction's shape, with what they take in memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..errors import LayoutError, ShapeError
from ..notations.xla import Layout, Shape, parse_shape
from .problems import Problems
from .scanning import Computation, Instruction

#: Instructions that make no array but pass on what others made.
PASSING = frozenset(("get-tuple-element", "tuple", "bitcast", "while", "conditional", "call", "opt-barrier", "add-dependency", "domain"))
#: So do those that go on with what another began, and end it.
_GOING_ON = ("-update", "-done")
#: Of those that begin it, the element of their tuple that is what they were given, by XLA's HloDataflowAnalysis; {0} if they are not here,
#: and wherever {0} is a tuple itself, as it is of all operations that are begun as ``async-start`` begins them.
_OPERANDS = {"copy-start": 1, "send": 0, "all-reduce-start": None}
#: What is begun so has its result, {1}, from elsewhere: ``async-start`` from the computation that it calls.
_BEGUN_ELSEWHERE = PASSING | {"async"}

#: Texts of shapes whose sizes are remembered.
_REMEMBERED = 1 << 14
_OPAQUE = ("token", "opaque")


class Array(NamedTuple):
    """An array of a module: what an instruction makes, or one element of the tuple that it makes.

    ``shape_index`` is the place in that tuple, ``()`` where there is none. Sizes are in bytes, as ``xla.Shape`` has them: of an array that
    is cut (``SC``) they are those of the largest piece. They are None where a dimension is unbounded.
    """

    instruction: Instruction
    shape_index: tuple[int, ...]
    shape: Shape
    logical_bytes: int | None
    padded_bytes: int | None

    @property
    def waste(self) -> int | None:
        """Bytes beyond those of the elements; fewer than none where elements are packed, such as four bits each."""
        return None if self.padded_bytes is None or self.logical_bytes is None else self.padded_bytes - self.logical_bytes

    @property
    def expansion(self) -> float | None:
        """How many times the bytes of the elements the array takes."""
        return self.padded_bytes / self.logical_bytes if self.padded_bytes is not None and self.logical_bytes else None

    @property
    def name(self) -> str:
        """The name of the instruction, and the place in its tuple: ``fusion.3{1}``."""
        return self.instruction.name + (f"{{{','.join(map(str, self.shape_index))}}}" if self.shape_index else "")

    @property
    def opcode(self) -> str:
        """The operation of the instruction."""
        return self.instruction.opcode

    @property
    def computation(self) -> Computation:
        """The computation that the instruction is in."""
        return self.instruction.computation

    @property
    def layout(self) -> Layout:
        """The array's layout."""
        assert self.shape.layout is not None
        return self.shape.layout

    @property
    def memory_space(self) -> int:
        """The memory space ``S`` of the layout."""
        return self.layout.memory_space

    @property
    def is_argument(self) -> bool:
        """Whether the array is an argument of the program: of a parameter of the entry computation."""
        return self.opcode == "parameter" and self.computation.is_entry

    @property
    def is_passed_on(self) -> bool:
        """Whether another instruction made the array, as for the elements of a tuple, or the parameter of a loop's body."""
        if self.opcode == "parameter":
            return self.computation.line > 0 and not self.computation.is_entry
        if self.opcode in PASSING or self.opcode.endswith(_GOING_ON):
            return True
        return bool(self.shape_index) and self._begins_with(self.shape_index[0])

    def _begins_with(self, element: int) -> bool:
        """Whether an element of the tuple that begins an asynchronous operation was there before."""
        begun = self.opcode.removesuffix("-start")
        if begun in _BEGUN_ELSEWHERE:
            return element < 2
        if begun == self.opcode:
            return element == _OPERANDS.get(self.opcode)
        is_wrapped = self.instruction.leaves[0][0] != (0,)
        return element == (0 if is_wrapped else _OPERANDS.get(self.opcode, 0))


def arrays_of(instruction: Instruction, problems: Problems) -> Iterator[Array]:
    """The arrays that an instruction makes; tokens and opaque values are none."""
    for index, text in instruction.leaves:
        try:
            shape, logical, padded = _measured(text)
        except LayoutError as error:
            first = str(error).partition("\n")[0]
            problems.note(instruction.line, f"{instruction.name!r} has the shape {text[:120]!r}: {first}")
            continue
        if shape.element_type not in _OPAQUE:
            yield Array(instruction, index, shape, logical, padded)


def bytes_of(array: Shape) -> tuple[int, int]:
    """The bytes of an array's elements, and those that it takes; of its largest piece where it is cut."""
    return array.largest_piece.logical_byte_size, array.allocation_byte_size


@lru_cache(_REMEMBERED)
def _measured(text: str) -> tuple[Shape, int | None, int | None]:
    """The array that a text says, and the bytes of its elements and of all."""
    shape = parse_shape(text)
    if shape.element_type in _OPAQUE:
        return shape, 0, 0
    array = shape.parts[0] if shape.element_type == "buffer" else shape
    if None in array.dims:
        return array, None, None
    try:
        return array, *bytes_of(array)
    except ShapeError as error:
        raise LayoutError(str(error)) from None
