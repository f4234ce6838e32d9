"""Elements whose slots follow no nest of digits, looked up and moved a few at a time, by the blocks of bytes that they lie in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import queries
from ..bridges import Array
from ..digits import Layout
from ..elements import Element
from ..packing import pack, unpack
from .sides import Side, Terms

#: Bytes that are read and written together.
BLOCK = 512
#: Bytes of memory for an element apart from its block: slots and places, on both sides.
BESIDE = 128
#: Elements that are moved together however little memory there may be.
LEAST = 16

Integers = npt.NDArray[np.int64]


def move(source: Side, target: Side, terms: Terms) -> None:
    """Move every element; what is padding is left alone."""
    most = max(LEAST, terms.memory // (_cost(source) + _cost(target) + BESIDE))
    done = 0
    for here, there in zip(queries.blocks(source.layout, most), queries.blocks(target.layout, most), strict=True):
        before, after = (Layout((len(here),), ((0, 1, len(here), 1),), element=side.layout.element) for side in (source, target))
        _put(target, there, terms.lay_out(_take(source, here), before, after))
        done += len(here)
        terms.tell(done, source)


def _cost(side: Side) -> int:
    return BLOCK * (2 + 2 * max(1, 8 // side.bits))


def _take(side: Side, slots: Integers) -> Array:
    """The elements in these slots, as a buffer of their own."""
    blocks, within = _blocks(side, slots)
    taken = _apart(_read(side, blocks), side)[within]
    return (pack(taken, _narrow(len(taken), side.bits)) if side.bits < 8 else taken).view(side.dtype)


def _put(side: Side, slots: Integers, elements: Array) -> None:
    """Write a buffer of elements to these slots."""
    blocks, within = _blocks(side, slots)
    held = _read(side, blocks)
    apart = _apart(held, side)
    apart[within] = _apart(elements, side)[: len(slots)]
    data = pack(apart, _narrow(len(apart), side.bits)) if side.bits < 8 else apart.view(np.uint8)
    for at, begin, end in _spans(side, blocks):
        side.put(at, data[begin:end])


def _apart(data: Array, side: Side) -> Array:
    """Bytes as slots, one an element."""
    if side.bits >= 8:
        return data.view(f"V{side.bits // 8}")
    return unpack(data.view(np.uint8), _narrow(data.nbytes * 8 // side.bits, side.bits))


def _narrow(count: int, bits: int) -> Layout:
    return Layout((count,), ((0, 1, count, 1),), element=Element(f"uint{bits}", bits))


def _blocks(side: Side, slots: Integers) -> tuple[Integers, Integers]:
    """The blocks that hold these slots, each once and rising, and where each slot is among the slots of those blocks."""
    per_block = BLOCK * 8 // side.bits
    blocks, which = np.unique(slots // per_block, return_inverse=True)
    return blocks, which * per_block + slots % per_block


def _read(side: Side, blocks: Integers) -> npt.NDArray[np.uint8]:
    held = np.zeros(len(blocks) * BLOCK, np.uint8)
    for at, begin, end in _spans(side, blocks):
        side.store.read(at, held[begin:end])
    return held


def _spans(side: Side, blocks: Integers) -> list[tuple[int, int, int]]:
    """Neighbouring blocks together: where they are in the store, and where they begin and end among the blocks that are held."""
    edges = np.flatnonzero(np.diff(blocks, prepend=-2, append=np.iinfo(np.int64).max) != 1)
    firsts, ends = edges[:-1], edges[1:]
    starts = blocks[firsts] * BLOCK
    lengths = np.minimum((ends - firsts) * BLOCK, side.nbytes - starts)
    return [*zip(starts.tolist(), (firsts * BLOCK).tolist(), (firsts * BLOCK + lengths).tolist(), strict=True)]
