"""Index queries on a layout: validation at the door, then one kernel call.

Queries come as arrays of any leading shape, integer dtype and strides, and are read in place; only arrays whose leading
axes cannot be walked with one stride, or of foreign byte order, are copied, a bounded piece at a time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import threads as pool
from ._kernels.loops import fall_apart
from .bridges import refuse_cuda, refuse_masked
from .cached import cached_property
from .doors import checked_out, is_same
from .errors import CoordinateError, LayoutError, NotInjective, ShapeError, shown, type_of
from .memory import empty
from .network import Wiring
from .radix import evaluate, unravelled
from .sizes import MOST_SLOTS

if TYPE_CHECKING:
    from ._kernels.index import Network
    from .digits import Layout

Integers: TypeAlias = npt.NDArray[Any]
Slots: TypeAlias = npt.NDArray[np.int64]
#: Slots in use, sorted, and the element in each.
Table: TypeAlias = tuple[Slots, Slots]

#: Queries copied at a time where an array cannot be walked in place, and elements up to which a table is kept.
PIECE = 1 << 20
#: Where many coordinates go, as a message ends.
_ARRAYS = ", and .index takes arrays of them"
#: The same where one was given in place of several, which may be a tuple of them.
_APART = ", each an argument of its own; .index takes arrays of them"


class Ready:
    """A layout made ready for queries; kept by the layout itself."""

    def __init__(self, layout: Layout) -> None:
        self.wiring = Wiring(layout.shape, layout.canonical, layout.slots)
        if not self.wiring.is_reversible:
            self.wiring = next(filter(operator.attrgetter("is_reversible"), _as_written(layout)), self.wiring)
        self.is_reversible = self.wiring.is_reversible
        self.table: Table | None = None

    @cached_property
    def network(self) -> Network:
        """What the kernel runs."""
        return self.wiring.network()


def _as_written(layout: Layout) -> Iterator[Wiring]:
    """Other wirings: digits as they were written may say of a sum what the canonical ones, or its bits, say of an axis."""
    for through in (True, False):
        yield Wiring(layout.shape, layout.digits, layout.slots, through=through)


def slot(layout: Layout, coordinates: tuple[int, ...]) -> int:
    """The slot of one element, from whatever counts as integers."""
    if len(coordinates) != layout.ndim:
        ways = _ARRAYS if layout.ndim == 1 or len(coordinates) != 1 else _APART
        given = f"{len(coordinates)} coordinates" if len(coordinates) != 1 else "one coordinate"
        raise CoordinateError(f"{given}, {shown(coordinates)}, for a layout of shape {layout.shape}; it takes {layout.ndim}{ways}")
    for axis, (x, size) in enumerate(zip(coordinates, layout.shape, strict=True)):
        try:
            inside = 0 <= operator.index(x) < size
        except TypeError:
            raise LayoutError(f"coordinate {shown(x)} on axis {axis} is {type_of(x)}; coordinates are integers{_ARRAYS}") from None
        if not inside:
            raise _outside(coordinates, layout.shape)
    return evaluate(layout.canonical, [operator.index(x) for x in coordinates])


def index(layout: Layout, coordinates: npt.ArrayLike, out: Slots | None, threads: int | None) -> Slots:
    """Slots of shape ``(...)`` for coordinates of shape ``(..., ndim)``."""
    queries = integers(coordinates, "coordinates")
    check_coordinates(queries.shape, layout)
    answer, network = _room(queries.shape[:-1], out, queries, threads), layout.ready.network
    for piece, target in _pieces(queries, answer, 1):
        done = _shared(partial(network.slots, piece, target), len(piece), piece.nbytes + target.nbytes, threads)
        if done < len(piece):
            raise _outside(piece[done].tolist(), layout.shape)
    return _given(answer, out)


def check_coordinates(shape: tuple[int, ...], layout: Layout) -> None:
    """Refuse coordinates of a shape whose last axis is not that of the layout's coordinates."""
    if shape[-1:] != (layout.ndim,):
        raise ShapeError(
            f"coordinates of shape {shape} for a layout of shape {layout.shape}; "
            f"the last axis holds the {layout.ndim} coordinates of an element"
        )


def index_by_axis(layout: Layout, axes: Sequence[Integers], threads: int | None = None) -> Slots:
    """Slots of coordinates in an array for each axis, all of one shape."""
    out = empty(axes[0].shape, np.int64, threads=threads)
    flat, answer, network = [_native(axis).reshape(-1) for axis in axes], out.reshape(-1), layout.ready.network

    size = answer.nbytes + sum(axis.nbytes for axis in flat)
    done = _shared(lambda stint: network.slots_by_axis(flat, answer, stint), answer.size, size, threads)
    if done < answer.size:
        raise _outside([int(axis[done]) for axis in flat], layout.shape)
    return out


def coordinates(layout: Layout, slots: npt.ArrayLike, padding: Literal["error", "mark"], out: Slots | None, threads: int | None) -> Slots:
    """Coordinates of shape ``(..., ndim)`` for slots of shape ``(...)``."""
    if not isinstance(padding, str) or padding not in ("error", "mark"):
        raise LayoutError(
            f"padding={shown(padding)} is neither 'error' (raise on a slot without an element) nor 'mark' (-1 in its coordinates)"
        )
    queries = integers(slots, "slots")
    if not layout.ready.is_reversible:
        pool.count(threads)  # which is refused if it is no number, though one thread looks them up
        found = _search(layout, queries, padding)
        if out is not None:
            checked_out(out, found.shape, found.dtype, queries)
        return _given(found, out)
    network, stop = layout.ready.network, padding == "error"
    answer = _room((*queries.shape, layout.ndim), out, queries, threads)
    for piece, target in _pieces(queries, answer, 0):
        ask = partial(network.coordinates, piece, target, None, stop)
        done = _shared(ask, len(piece), piece.nbytes + target.nbytes, threads)
        if done < len(piece):
            raise _not_held(layout, int(piece[done]))
    return _given(answer, out)


def is_padding(layout: Layout, slots: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """Whether each slot holds no element."""
    queries = integers(slots, "slots")
    if not layout.ready.is_reversible:
        used, _ = _inverse_table(layout)
        return np.isin(_checked_slots(layout, queries), used, invert=True)
    out, network = empty(queries.shape, np.bool_, threads=None), layout.ready.network
    for piece, target in _pieces(queries, out, 0):
        ask = partial(network.coordinates, piece, None, target, False)
        done = _shared(ask, len(piece), piece.nbytes + target.nbytes, None)
        if done < len(piece):
            raise _not_held(layout, int(piece[done]))
    return out


def padding(layout: Layout) -> int:
    """How many slots hold no element."""
    if layout.ready.is_reversible or not layout.size:
        return layout.slots - layout.size
    used, _ = _inverse_table(layout)
    return layout.slots - 1 - int(np.count_nonzero(np.diff(used)))


def shared_slot(layout: Layout) -> int | None:
    """A slot that holds several elements; None where each has one of its own."""
    if fall_apart(layout.digits, layout.shape) or layout.ready.is_reversible:
        return None
    if (along := shared_along_axes(layout)) is not None:
        return along
    if layout.size <= PIECE:
        used, _ = _inverse_table(layout)
    else:
        used = _slots_of(layout, min(layout.size, layout.slots + 1))  # of one more element than there are slots, two share one
        used.sort()
    twice = used[:-1][used[1:] == used[:-1]]
    return int(twice[0]) if twice.size else None


def shared_along_axes(layout: Layout) -> int | None:
    """The slot of the first element, if another element along one axis is found to share it; None where that would take a look at all."""
    first = evaluate(layout.canonical, [0] * layout.ndim)
    along = (evaluate(layout.canonical, [x if k == axis else 0 for k in range(layout.ndim)]) for axis, x in _turns(layout))
    return first if first in along else None


def _turns(layout: Layout) -> Iterator[tuple[int, int]]:
    """Coordinates (axis, x) where digits of an axis alone begin anew: one has the slot of 0, if they leave a part of the axis unread."""
    for axis, size in enumerate(layout.shape):
        ends = {1, *(digit.divisor * digit.radix for digit in layout.canonical if digit.axis == axis)}
        yield from ((axis, x) for x in sorted(ends) if x < size)


def offsets(layout: Layout) -> Slots:
    """The slot of every element, as an array of the layout's shape."""
    out = empty(layout.shape, np.int64)
    layout.ready.network.enumerate(0, layout.size, out)
    return out


def blocks(layout: Layout, size: int = PIECE) -> Iterator[Slots]:
    """The slots of the elements in row-major order, a bounded piece at a time."""
    network = layout.ready.network
    for begin in range(0, layout.size, size):
        out = np.empty(min(size, layout.size - begin), np.int64)
        network.enumerate(begin, begin + len(out), out)
        yield out


def integers(queries: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    """The queries as an array of integers, of whatever width; refused if they are none."""
    refuse_masked(queries, f"the array of {what}")
    refuse_cuda(queries, f"the array of {what}")
    try:
        array = np.asarray(queries)
    except Exception as error:  # whatever a stranger's __array__ raises
        raise LayoutError(f"the {what} make no array: {error}") from None
    if array.dtype.kind in "iu":
        return array
    if array.size == 0 and not isinstance(queries, np.ndarray):
        return array.astype(np.int64)  # an empty list has no dtype of its own
    # Among smaller integers, numpy makes floats of those from 2**63 to 2**64.
    given = array if isinstance(queries, np.ndarray) or array.dtype.kind != "f" else np.asarray(queries, object)
    if given.dtype.kind == "O" and all(isinstance(x, int) for x in given.flat):
        farthest = max(given.flat, key=abs, default=0)
        if abs(farthest) > MOST_SLOTS:
            raise CoordinateError(
                f"the {what} reach to {shown(farthest)}, beyond 64 bits; those of a layout are 0 to 2**63 - 2 at the most"
            )
    raise LayoutError(f"{what} of dtype {array.dtype} are no integers of numpy's; convert them first, as .astype(numpy.int64) does")


def _room(shape: tuple[int, ...], out: Slots | None, queries: Integers, threads: int | None) -> Slots:
    """Where to write answers: ``out`` if it has no gaps."""
    if out is None:
        return empty(shape, np.int64, threads=threads)
    room = checked_out(out, shape, np.dtype(np.int64), queries)
    return room if room.flags.c_contiguous and room.flags.aligned else empty(shape, np.int64)


def _given(answer: Slots, out: Slots | None) -> Slots:
    if out is None or out is answer:
        return answer
    if not is_same(answer, room := np.asarray(out)):
        room[...] = answer
    return out


def _shared(ask: Callable[[pool.Stint], int], number: int, size: int, threads: int | None) -> int:
    """How many of so many queries, which with their answers are so many bytes, were done before the first bad one."""
    for stint in pool.stints(number, size, pool.count(threads, size)):
        done = ask(stint)
        if done < stint.end:
            return done
    return number


def _pieces(queries: npt.NDArray[Any], out: npt.NDArray[Any], inner: int) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """The queries with their leading axes made one, and the part of ``out`` that answers them; ``inner`` trailing axes stay."""
    if queries.ndim == 1 + inner and queries.dtype.isnative:
        yield queries, out
        return
    leading = queries.shape[: queries.ndim - inner]
    walkable = queries.dtype.isnative and _has_one_stride(leading, queries.strides)
    if walkable or out.size <= PIECE or not leading:
        yield _flatten(_native(queries), len(leading)), _flatten(out, len(leading))
        return
    rows = max(1, PIECE * leading[0] // out.size)
    for begin in range(0, leading[0], rows):
        yield from _pieces(_part(queries, begin, rows), _part(out, begin, rows), inner)


def _native(queries: Integers) -> Integers:
    return queries if queries.dtype.isnative else queries.astype(queries.dtype.newbyteorder("="))


def _part(array: npt.NDArray[Any], begin: int, rows: int) -> npt.NDArray[Any]:
    return array[begin : begin + rows] if rows > 1 else array[begin]


def _flatten(array: npt.NDArray[Any], leading: int) -> npt.NDArray[Any]:
    """The array with so many leading axes made one."""
    return array.reshape(prod(array.shape[:leading]), *array.shape[leading:])


def _has_one_stride(shape: Sequence[int], strides: Sequence[int]) -> bool:
    walked = [(n, s) for n, s in zip(shape, strides, strict=False) if n != 1]
    return all(outer == inner * n for (_, outer), (n, inner) in pairwise(walked))


def _search(layout: Layout, queries: npt.NDArray[Any], padding: str) -> Slots:
    queries = _checked_slots(layout, queries)
    used, element = _inverse_table(layout)
    if (repeated := used[:-1][used[1:] == used[:-1]]).size and np.isin(queries, repeated).any():
        shared = int(queries[np.isin(queries, repeated)].flat[0])
        raise NotInjective(f"slot {shared} is shared by several elements of a layout of shape {layout.shape}, so it has no one coordinate")
    place = np.searchsorted(used, queries)
    held = np.isin(queries, used)
    if padding == "error" and not held.all():
        raise _not_held(layout, int(queries[~held].flat[0]))
    found = np.where(held, place, 0)
    flat = element[found] if len(element) else np.zeros(queries.shape, np.int64)
    answer = np.stack(unravelled(flat, layout.shape), axis=-1) if layout.ndim else empty((*queries.shape, 0), np.int64)
    answer[~held] = -1
    return answer


def _checked_slots(layout: Layout, queries: npt.NDArray[Any]) -> Slots:
    """The queries as int64, for numpy compares that with uint64 as floats."""
    outside = (queries < 0) | (queries >= layout.slots)
    if outside.any():
        raise _not_held(layout, int(queries[outside].flat[0]))
    return queries.astype(np.int64)


def _inverse_table(layout: Layout) -> Table:
    """The slots in use, sorted, and the element in each; kept with a layout of moderate size."""
    if (table := layout.ready.table) is None:
        slots = _slots_of(layout, layout.size)
        try:
            order = np.argsort(slots, kind="stable")
            table = slots[order], order
        except MemoryError:
            raise _too_many(layout) from None
        if layout.size <= PIECE:
            layout.ready.table = table
    return table


def _slots_of(layout: Layout, number: int) -> Slots:
    """The slots of the first elements, so many, one after the other."""
    try:
        out = empty((number,), np.int64)
    except ShapeError:
        raise _too_many(layout) from None
    layout.ready.network.enumerate(0, number, out)
    return out


def _too_many(layout: Layout) -> LayoutError:
    return LayoutError(f"a table of {layout.size} slots does not fit in memory; where elements of this layout lie is looked up in one")


def _outside(coordinates: Sequence[int], shape: tuple[int, ...]) -> CoordinateError:
    axis = next(a for a, (x, size) in enumerate(zip(coordinates, shape, strict=True)) if not 0 <= operator.index(x) < size)
    allowed = f"0 to {shape[axis] - 1}" if shape[axis] else "none: it has no elements"
    return CoordinateError(
        f"coordinates {shown(tuple(coordinates))} lie outside shape {shape}: "
        f"{shown(coordinates[axis])} on axis {axis}, where the allowed are {allowed}"
    )


def _not_held(layout: Layout, slot: int) -> CoordinateError:
    if 0 <= slot < layout.slots:
        return CoordinateError(
            f"slot {slot} of a layout of shape {layout.shape} is padding and holds no element; padding='mark' gives -1 for such slots"
        )
    allowed = f" (0 to {layout.slots - 1})" if layout.slots else ""
    return CoordinateError(f"slot {slot} lies outside a buffer of {layout.slots} slots{allowed}")
