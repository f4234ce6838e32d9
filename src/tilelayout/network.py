"""A layout as a network of registers: what the index kernel runs, forwards to slots and backwards to coordinates.

The registers are the array's axes, then every sum that a digit reads in place of an axis, then the slot. Forwards a sum begins
at its constant and adds terms of other registers, each a weight times a quotient. Backwards each register, from the slot
down, is taken apart by falling stride.
"""

from __future__ import annotations

from collections import Counter
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


class Term(NamedTuple):
    """What the way there adds to a register: ``weight * ((source & mask) // divisor)``, or without a mask where that is 0."""

    source: int
    target: int
    mask: int
    divisor: int
    weight: int


#: A power of two that no coordinate reaches.
BEYOND = 2**63


class Wiring:
    """The registers of a layout and their parts, in plain Python."""

    def __init__(self, shape: Sequence[int], digits: tuple[Digit, ...]) -> None:
        self.shape = shape
        self.number: dict[Source, int] = {axis: axis for axis in range(len(shape))}
        self.parts: list[list[Part]] = [[] for _ in shape]
        self.extents: list[int] = list(shape)
        self.constants: list[int] = [0] * len(shape)
        if 0 in shape:
            digits = ()
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
        terms = [term for target in range(len(self.parts)) for term in self._terms(target)]
        parts = self.parts if self.is_reversible else [()] * len(self.parts)
        return Network(len(self.shape), self.extents, self.constants, terms, parts, slots)

    def _terms(self, target: int) -> list[Term]:
        """A register's digits as terms: in place if they are bits, or else as quotients.

        Quotients need no remainders, for ``x // d % r`` is ``x // d - r * (x // (d * r))``. Neighbouring digits share them, and one
        beyond the source's extent is 0.
        """
        bits: list[Term] = []
        weights: Counter[tuple[int, int]] = Counter()
        for source, divisor, radix, stride in self.parts[target]:
            end = divisor * radix
            if end >= self.extents[source]:
                end = BEYOND
            if stride >= divisor and all(map(_is_power_of_two, (divisor, end, stride))):
                bits.append(Term(source, target, end - divisor, 1, stride // divisor))
            else:
                weights[source, divisor] += stride
                weights[source, end] -= stride * radix
        quotients = (
            Term(source, target, 0, divisor, weight)
            for (source, divisor), weight in sorted(weights.items())
            if weight and divisor != BEYOND
        )
        return [*bits, *quotients]


def _falls_apart(parts: Sequence[Part]) -> bool:
    below = 0
    for part in reversed(parts):
        if part.stride <= below:
            return False
        below += part.stride * (part.radix - 1)
    return True


def _is_power_of_two(x: int) -> bool:
    return x & (x - 1) == 0
