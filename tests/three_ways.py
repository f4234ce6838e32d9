"""What a layout means, a third time: pads, reshapes and transposes of numpy, from the specifications and none of the library's code.

A layout is told by its *table*: for every slot the number of the element in it, from 1 on in row-major order, and 0 for padding.
``agree`` puts every question to the compiled library, to its plain-Python twin, and to the table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from math import gcd, prod
from typing import Any

import numpy as np

import tilelayout as tl
from tilelayout import reference

#: One for each width that kernels move.
DTYPES = [np.dtype(name) for name in ("u1", "<u2", ">u2", "<f4", "<i8", "<c16")]


def share(ordinary: int) -> tuple[int, int]:
    """The first case of a space to look at, and how many to step on from there; ``ordinary`` is the step of an ordinary run.

    ``THREE_WAYS=all`` in the environment walks every space to its end, ``THREE_WAYS=3/100`` the third hundredth of it.
    """
    asked = os.environ.get("THREE_WAYS")
    if not asked:
        return 0, ordinary
    part, parts = (1, 1) if asked == "all" else map(int, asked.split("/"))
    return part - 1, parts


def walk(space: int, most: int) -> Iterator[int]:
    """Which of the cases of a space to look at: all where there are no more than ``most``, else so many that lie everywhere in it."""
    begin, every = share(-(-space // most))
    scatter = int(space * 0.6180339887) or 1
    while gcd(scatter, space) > 1:
        scatter += 1
    return (k * scatter % space for k in range(begin, space, every))


def numbered(shape: Sequence[int]) -> Any:
    return np.arange(1, 1 + prod(shape), dtype=np.int64).reshape(shape)


def xla(shape: Sequence[int], minor_to_major: Sequence[int], tiles: Sequence[Sequence[int | str]]) -> Any:
    """The table of an XLA layout: the array in physical order, then for each tile what the tiled-layout page says."""
    return tiled(numbered(shape).transpose(tuple(reversed(minor_to_major))), tiles)


def tiled(array: Any, tiles: Sequence[Sequence[int | str]]) -> Any:
    for tile in tiles:
        array = array.reshape((1,) * (len(tile) - array.ndim) + array.shape)
        kept, dims = array.shape[: array.ndim - len(tile)], array.shape[array.ndim - len(tile) :]
        fused, sizes, run = [], [], 1
        for size, dim in zip(tile, dims, strict=True):
            run *= dim
            if size != "*":
                fused.append(run)
                sizes.append(size)
                run = 1
        array = array.reshape(*kept, *fused)
        array = np.pad(array, [(0, 0)] * len(kept) + [(0, -d % t) for d, t in zip(fused, sizes, strict=True)])
        array = array.reshape(*kept, *(n for d, t in zip(fused, sizes, strict=True) for n in (-(-d // t), t)))
        first, last = len(kept), array.ndim
        array = array.transpose(*range(first), *range(first, last, 2), *range(first + 1, last, 2))
    return array.ravel()


Dims = Sequence[tuple[int, str, int]]


def physical(dims: Dims, shape: Sequence[int]) -> list[int] | None:
    """The sizes of Morello's physical dimensions, None where they do not apply to the shape.

    ``dims`` are (logical dimension, "d", "p" or "oe", size), slowest first.
    """
    left = list(shape)
    done, excused, sizes = set(), set(), [0] * len(dims)
    for place in reversed(range(len(dims))):
        dim, kind, size = dims[place]
        rest = left[dim]
        if dim in done:
            return None
        if kind == "d":
            sizes[place], left[dim] = rest, 1
            done.add(dim)
        elif rest >= size:
            if rest % size:
                return None
            sizes[place], left[dim] = size, rest // size
        elif dim in excused or (kind == "oe" and rest != 1):
            return None
        else:
            sizes[place], left[dim] = rest, 1
            excused.add(dim)
    return None if any(n != 1 for n in left) else sizes


def morello(dims: Dims, shape: Sequence[int]) -> Any:
    """The table of a Morello layout that applies: each axis cut into its physical sizes, and those put in order."""
    sizes = physical(dims, shape)
    by_axis = [place for axis in range(len(shape)) for place, entry in enumerate(dims) if entry[0] == axis]
    array = numbered(shape).reshape([sizes[place] for place in by_axis])
    for position, place in enumerate(by_axis):
        if dims[place][1] == "oe" and sizes[place] > 1:
            evens_first = np.arange(sizes[place]).reshape(-1, 2).T.ravel()
            array = array.take(evens_first, axis=position)
    return array.transpose([by_axis.index(place) for place in range(len(dims))]).ravel()


def cute(modes: Sequence[tuple[int, int]], indices: Any) -> Any:
    """The offsets of a CuTe layout of flat modes at 1-D coordinates: colexicographic, and beyond the end the last mode goes on."""
    offsets = np.zeros_like(indices)
    for extent, stride in modes[:-1]:
        offsets += indices % extent * stride
        indices = indices // extent
    return offsets + indices * modes[-1][1]


def agree(layout: tl.Layout, table: Any, shape: tuple[int, ...], case: int) -> None:
    """Every question about a layout has one answer, three ways."""
    agree_compiled(layout, table, shape, case)
    agree_in_python(layout, table, shape, case)


def places(table: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The elements in row-major order, the slot of each, and for each slot the element in it or -1."""
    elements = np.indices(shape).reshape(len(shape), prod(shape)).T
    place = np.zeros(len(elements), np.int64)
    place[table[table > 0] - 1] = np.flatnonzero(table)
    return elements, place, np.where((table > 0)[:, None], elements[table - 1], -1)


def arrays(table: Any, shape: tuple[int, ...], case: int) -> tuple[Any, Any]:
    """An array of that shape, and the buffer that it is packed into where padding is filled with 255."""
    dtype = DTYPES[case % len(DTYPES)]
    values = (1 + np.arange(prod(shape)) % 200).astype(dtype)
    return values.reshape(shape), np.where(table > 0, values[table - 1], dtype.type(255)).astype(dtype)


def agree_compiled(layout: tl.Layout, table: Any, shape: tuple[int, ...], case: int) -> None:
    """What the compiled library says of elements and slots, and makes of an array."""
    elements, place, held = places(table, shape)
    slots = np.arange(len(table))
    assert (layout.shape, layout.size, layout.slots) == (shape, len(elements), len(table)), repr(layout)
    assert np.array_equal(layout.index(elements), place), repr(layout)
    assert np.array_equal(layout.offsets(), place.reshape(shape)), repr(layout)
    assert all(layout(*elements[k].tolist()) == place[k] for k in (0, len(elements) // 2, -1)), repr(layout)
    assert np.array_equal(layout.coordinates(slots, padding="mark"), held), repr(layout)
    assert np.array_equal(layout.is_padding(slots), table == 0), repr(layout)

    array, buffer = arrays(table, shape, case)
    packed = tl.pack(array, layout, fill=255)
    assert packed.dtype == array.dtype, repr(layout)
    assert np.array_equal(packed, buffer), repr(layout)
    assert np.array_equal(tl.unpack(packed, layout), array), repr(layout)


def agree_in_python(layout: tl.Layout, table: Any, shape: tuple[int, ...], case: int) -> None:
    """The same questions to the plain-Python twin."""
    said, digits, slots = repr(layout), layout.digits, len(table)
    _, place, _ = places(table, shape)
    indices = list(reference.indices(shape))
    held = [None if number == 0 else indices[number - 1] for number in table.tolist()]
    assert reference.offsets(shape, digits) == place.tolist(), said
    assert reference.coordinates(shape, digits, range(slots)) == held, said

    array, buffer = arrays(table, shape, case)
    values = array.ravel().tolist()
    assert reference.pack(values, shape, digits, slots, 255) == buffer.tolist(), said
    assert reference.unpack(buffer.tolist(), shape, digits) == values, said
