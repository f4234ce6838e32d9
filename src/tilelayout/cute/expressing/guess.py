"""Guesses at what a layout is, from the slots of a few of its elements: plain, or one swizzle of a plain layout.

A swizzle undoes itself. So where a layout is ``S o offset o L``, the swizzle ``S`` of its slots is ``offset + L``, and the modes of
``L`` are found where its axes gain: at divisors of the extent.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ... import digits
from ...bitwise import rows
from ...radix import divisors
from ...sizes import MOST_SLOTS
from ...verifying import MOST_COMPARED
from ..composed import ComposedLayout
from ..swizzle import MOST_BITS, Swizzle, applied
from .modes import Modes, modes_of
from .structure import Said, layout_of

#: Elements at which an axis must add to the slot what it adds along its edge, before more is done about a swizzle.
SAMPLES = 64

Slots = npt.NDArray[np.int64]


def plain_guesses(layout: digits.Layout) -> Iterator[Said]:
    """The plain layout that the elements looked at allow, if any; none for very large layouts."""
    if _is_checkable(layout):
        edges = _Edges(layout)
        if modes := edges.modes(edges.slots):
            yield Said(int(edges.slots[0]), layout_of(modes))


def swizzled_guesses(layout: digits.Layout) -> Iterator[Said]:
    """The swizzled layouts that the elements looked at allow, those of few bits first; none for very large layouts."""
    if not _is_checkable(layout):
        return
    edges = _Edges(layout)
    for swizzle in _swizzles(min(MOST_BITS, (layout.slots - 1).bit_length())):
        before = applied(swizzle, edges.slots)
        if modes := edges.modes(before):
            yield Said(0, ComposedLayout(swizzle, int(before[0]), layout_of(modes)))


def _is_checkable(layout: digits.Layout) -> bool:
    """Whether a guess can be compared with the layout, at each of its elements where bits do not tell."""
    return layout.size <= MOST_COMPARED or rows(layout) is not None


def _swizzles(width: int) -> Iterator[Swizzle]:
    """The swizzles of so many bits that do something, those of few bits first."""
    for bits in range(1, width // 2 + 1):
        for shift in range(bits, width - bits + 1):
            for base in range(width - bits - shift + 1):
                yield Swizzle(bits, base, shift)
                yield Swizzle(bits, base, -shift)


class _Edges:
    """The slots of the first element, of those at divisors of each extent and just before, and of a sample with its projections."""

    def __init__(self, layout: digits.Layout) -> None:
        self.shape = layout.shape
        self.divisors = {axis: divisors(size)[:-1] for axis, size in enumerate(self.shape) if size > 1}
        ndim = layout.ndim
        points = [np.zeros((1, ndim), np.int64)]
        for axis, cuts in self.divisors.items():
            along = np.zeros((2, len(cuts), ndim), np.int64)
            along[:, :, axis] = cuts
            along[1, :, axis] -= 1
            points.append(along.reshape(-1, ndim))
        self.sample = np.random.default_rng(0).integers(0, self.shape, (SAMPLES, ndim))
        points += [self.sample, *(np.where(np.arange(ndim) == axis, self.sample, 0) for axis in self.divisors)]
        self.slots = layout.index(np.concatenate(points))

    def modes(self, slots: Slots) -> list[Modes] | None:
        """The modes of each axis of a layout with these slots, if it can be plain."""
        sampled, *projected = slots[-SAMPLES * (1 + len(self.divisors)) :].reshape(-1, SAMPLES) - slots[0]
        if np.any(sampled != sum(projected)):
            return None
        found: list[Modes] = [((1, 0),)] * len(self.shape)
        at = 1
        for (axis, cuts), along in zip(self.divisors.items(), projected, strict=True):
            count = len(cuts)
            gains = _gains(cuts, (slots[at : at + count] - slots[at + count : at + 2 * count]).tolist())
            if gains is None:
                return None
            at += 2 * count
            found[axis] = modes_of(gains, sorted({1, *gains}), self.shape[axis])
            if not _lead(found[axis], self.sample[:, axis], along):
                return None
        return found


def _lead(modes: Modes, coordinates: Slots, offsets: Slots) -> bool:
    """Whether the modes of an axis lead from these coordinates to these offsets, modulo 2**64."""
    for size, stride in modes:
        if abs(stride) > MOST_SLOTS:
            return False
        offsets = offsets - coordinates % size * stride
        coordinates = coordinates // size
    return not offsets.any()


def _gains(divisors: list[int], steps: list[int]) -> dict[int, int] | None:
    """The gains at cuts among the divisors, from the steps up to each: a step has the gains of all cuts that divide its end.

    None where a cut is no multiple of the one below it, so that no modes make them.
    """
    gains: dict[int, int] = {}
    below = 1
    for divisor, step in zip(divisors, steps, strict=True):
        if gain := step - sum(gains[cut] for cut in gains if divisor % cut == 0):
            if divisor % below:
                return None
            gains[divisor], below = gain, divisor
    return gains
