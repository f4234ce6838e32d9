"""A text of HLO as a value: its instructions and arrays, read anew each time they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..cached import cached_property
from .arrays import Array, arrays_of
from .configs import Configured, configs_of
from .fusions import fused_computations
from .lines import Lines, Numbered, Source, whole
from .problems import Problem, Problems
from .scanning import Instruction, instructions


def read(source: Source) -> Module:
    """The HLO in a text.

    >>> module = read('''HloModule m
    ... ENTRY %e (x: f32[3,5]) -> f32[3,5] {
    ...   %x = f32[3,5]{1,0:T(8,128)} parameter(0)
    ...   ROOT %y = f32[3,5]{1,0:T(8,128)S(1)} negate(%x), metadata={op_name="jit(f)/neg"}
    ... }
    ... ''')
    >>> for array in module:
    ...     print(array.name, array.shape, array.logical_bytes, array.padded_bytes, array.memory_space)
    x f32[3,5]{1,0:T(8,128)} 60 4096 0
    y f32[3,5]{1,0:T(8,128)S(1)} 60 4096 1

    ``source`` is the path of a file, as ``--xla_dump_to`` writes them, the text itself (a string that has a line break or
    ``" = "`` in it), or its lines. Nothing is read before it is asked for, and a line at a time. What cannot be read is noted in
    ``problems``, and reading goes on. Raises ``FileError`` for a file that cannot be read or is no text.
    """
    return Module(source)


class Module:
    """The instructions and arrays of HLO text, in order; iterating reads the text. It may hold several modules, or pieces of one."""

    def __init__(self, source: Source, watch: Callable[[Numbered], Numbered] | None = None) -> None:
        self._lines = Lines(source)
        self._watch = watch
        self._problems = Problems()

    def __repr__(self) -> str:
        return f"<Module of {self._lines}>"

    def __iter__(self) -> Iterator[Array]:
        return self.arrays()

    def arrays(self) -> Iterator[Array]:
        """Every array that an instruction makes, tuple elements each."""
        for instruction in self.instructions():
            yield from arrays_of(instruction, self._problems)

    def buffers(self) -> Iterator[Array]:
        """The arrays but for those that another instruction made, and those in what is fused or applied to elements, which lie nowhere."""
        fused = self.fused
        for instruction in self.instructions():
            if instruction.computation.line not in fused:
                yield from (array for array in arrays_of(instruction, self._problems) if not array.is_passed_on)

    def instructions(self) -> Iterator[Instruction]:
        """Every instruction."""
        self._problems = Problems()
        lines: Numbered = iter(self._lines)
        return instructions(whole(self._watch(lines) if self._watch else lines), self._problems)

    def configs(self) -> Iterator[Configured]:
        """Every layout and shape in the ``backend_config`` of an instruction."""
        for instruction in self.instructions():
            yield from configs_of(instruction, self._problems)

    @cached_property
    def fused(self) -> frozenset[int]:
        """The lines on which fused computations begin; asking reads the text."""
        return fused_computations(instructions(whole(iter(self._lines)), Problems()))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What could not be read when the text was read last, the first hundred."""
        return tuple(self._problems.first)

    @property
    def problem_count(self) -> int:
        """How many problems there were, those that are not kept included."""
        return self._problems.count
