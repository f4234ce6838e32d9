"""The ends of a move, each a store with bytes and the layout that they are in, and the terms on which elements go from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..bridges import Array
from ..digits import Layout
from ..relayouts import relayout
from .stores import Bytes, Store
from .windows import Window

#: What is told of a move: bytes of the array that are done, and all of them.
Progress: TypeAlias = Callable[[int, int], object]

#: Buffers of each end: one that is moved and one that is read or written, with as much again for what is set aside on the way.
BUFFERS = 3


class Side(NamedTuple):
    """A store, the layout of its slots, and the dtype as which its bytes are taken.

    ``keeps_rest`` says that bits of the last byte that belong to no slot stay as they were read; else they are zeros.
    """

    store: Store
    layout: Layout
    dtype: np.dtype[Any]
    keeps_rest: bool = False

    @property
    def bits(self) -> int:
        """Bits of a slot."""
        return self.dtype.itemsize * 8 if self.layout.element is None else self.layout.element.bits

    @property
    def nbytes(self) -> int:
        """Bytes of all slots."""
        return self.bytes_of(self.layout.slots)

    def bytes_of(self, slots: int) -> int:
        """The bytes that so many slots take."""
        return -(-slots * self.bits // 8)

    def cost(self, slots: int) -> int:
        """The memory that a piece of so many slots takes."""
        return BUFFERS * slots * -(-self.bits // 8)

    def read(self, window: Window, first: int, room: Bytes) -> Array:
        """The stretches of a window from that slot on, put one behind the other in ``room``."""
        held = room[: self.bytes_of(window.layout.slots)]
        for at, begin, end in self._spans(window, first):
            self.store.read(at, held[begin:end])
        return held.view(self.dtype)

    def write(self, window: Window, first: int, held: Array) -> None:
        """The same stretches, written from there."""
        data = held.view(np.uint8)
        for at, begin, end in self._spans(window, first):
            self.put(at, data[begin:end])

    def put(self, at: int, data: Bytes) -> None:
        """Write these bytes."""
        spare = self.nbytes * 8 - self.layout.slots * self.bits
        if spare and not self.keeps_rest and at + data.size == self.nbytes:
            data[-1] &= 0xFF >> spare
        self.store.write(at, data)

    def _spans(self, window: Window, first: int) -> Iterator[tuple[int, int, int]]:
        """Where each stretch is in the store, and where it begins and ends in a piece; what lies beyond the store is left out."""
        length = self.bytes_of(window.stretches.length)
        for k, (slot, _) in enumerate(window.stretches.listed().tolist()):
            at = (first + slot) * self.bits // 8
            yield at, k * length, k * length + min(length, self.nbytes - at)


@dataclass(frozen=True, slots=True)
class Terms:
    """How to move: ``memory`` bounds the bytes that pieces take, and the rest is as ``relayout`` takes it.

    ``is_fresh`` says that the target is new and holds zeros; ``convert`` is what becomes of each piece after it is read.
    """

    memory: int
    fill: Any = 0
    dtype: npt.DTypeLike | None = None
    threads: int | None = None
    progress: Progress | None = None
    is_fresh: bool = True
    convert: Callable[[Array], Array] | None = None

    @property
    def leaves_padding(self) -> bool:
        """Whether padding is as it shall be before anything is written."""
        return self.fill is None or (self.is_fresh and type(self.fill) is int and self.fill == 0)

    def lay_out(self, held: Array, before: Layout, after: Layout, out: Array | None = None) -> Array:
        """A piece, converted and laid out anew."""
        if self.convert is not None:
            held = self.convert(held)
        return relayout(held, before, after, out=out, fill=self.fill, dtype=self.dtype, threads=self.threads)

    def check(self, given: np.dtype[Any], before: Layout, after: Layout) -> np.dtype[Any]:
        """The dtype of what comes of slots of that dtype; refused is all that ``relayout`` refuses of types, fill and threads."""
        none_before, none_after = (Layout((0,), (), element=layout.element) for layout in (before, after))
        return self.lay_out(np.empty(0, given), none_before, none_after).dtype

    def tell(self, elements: int, source: Side) -> None:
        """Say how many elements are done."""
        if self.progress is not None:
            self.progress(elements * source.bits // 8, source.layout.size * source.bits // 8)
