"""A layout as registers and wires: what the index kernel runs, forwards to slots and backwards to coordinates.

The registers are the array's axes, then every sum that a digit reads in place of an axis, then the slot. Forwards a sum begins
at its constant and wires add digits of other registers. Backwards each register, from the slot down, is taken apart by
falling stride.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ._kernels.index import Network
from .radix import Digit, Source, extent


class Part(NamedTuple):
    """A digit as the way back sees it: what one ``stride`` of the target is worth in the register ``source``."""

    source: int
    divisor: int
    radix: int
    stride: int


class Wiring:
    """The registers of a layout and their parts, in plain Python."""

    def __init__(self, shape: Sequence[int], digits: tuple[Digit, ...]) -> None:
        self.shape = shape
        self.number: dict[Source, int] = {axis: axis for axis in range(len(shape))}
        self.parts: list[list[Part]] = [[] for _ in shape]
        self.extents: list[int] = list(shape)
        self.constants: list[int] = [0] * len(shape)
        for source in self._inner_first(digits):
            if source not in self.number:
                self.number[source] = self._add(source)
        self.slot = self._add(digits)

    def _inner_first(self, digits: tuple[Digit, ...]) -> Iterator[tuple[Digit, ...]]:
        for digit in digits:
            if isinstance(digit.axis, tuple):
                yield from self._inner_first(digit.axis)
                yield digit.axis

    def _add(self, source: tuple[Digit, ...]) -> int:
        parts = [Part(self.number[d.axis], d.divisor, d.radix, d.stride) for d in source if d.axis is not None]
        self.constants.append(sum(d.stride for d in source if d.axis is None))
        self.parts.append(sorted(parts, key=lambda part: -part.stride))
        self.extents.append(extent(source, self.shape))
        return len(self.extents) - 1

    @property
    def is_reversible(self) -> bool:
        """Whether a slot can be taken apart digit by digit: it gives every digit, and the digits give every coordinate."""
        if 0 in self.shape:
            return True
        registers = [register for register, size in enumerate(self.extents[: self.slot]) if size > 1]
        return all(map(_falls_apart, self.parts)) and all(map(self._is_covered, registers))

    def _is_covered(self, register: int) -> bool:
        reached = 1
        for part in sorted((p for parts in self.parts for p in parts if p.source == register), key=lambda p: p.divisor):
            if part.divisor != reached:
                return False
            reached *= part.radix
        return reached >= self.extents[register]

    def network(self, slots: int) -> Network:
        """The compiled form; ``parts`` are left out of it where the way back is not digit by digit."""
        wires = [
            (source, target, tuple(part[1:] for part in parts if part.source == source))
            for target, parts in enumerate(self.parts)
            for source in sorted({part.source for part in parts})
        ]
        return Network(len(self.shape), self.extents, self.constants, wires, self.parts, slots)


def _falls_apart(parts: Sequence[Part]) -> bool:
    below = 0
    for part in reversed(parts):
        if part.stride <= below:
            return False
        below += part.stride * (part.radix - 1)
    return True
