"""From digits to MLIR's notation: the simplest form that says the layout exactly.

A blocked layout with a tile for some dimensions, one each, is the attributes of a ``linalg.pack``; any other blocked layout is an
affine map with a result for each dimension of its buffer; whatever else is the affine map of its slot. ``slot mod n`` says a buffer of
``n`` slots where the slot alone would say fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...digits import Layout, check_layout
from ...errors import NotExpressible
from ...places import refusal
from ...radix import Digit, Source, extent
from ...verifying import first_equal
from .. import blocked
from .affine import AffineMap
from .linear import Linear, bounds, dim, quotient, remainder, scaled, total
from .pack import Pack

_LANGUAGE = "MLIR's notation"


def express(layout: Layout) -> Pack | AffineMap:
    """The layout as the attributes of a ``linalg.pack`` or as an affine map.

    >>> import tilelayout as tl
    >>> print(express(tl.layout("{1,0:T(8,128)}", (20, 300))))
    inner_dims_pos = [0, 1] inner_tiles = [8, 128]
    >>> print(express(tl.layout("{0,1}", (20, 300))))
    affine_map<(d0, d1) -> (d1, d0)>
    >>> print(express(tl.layout("((2,4)):((4,1))")))
    affine_map<(d0) -> ((d0 mod 2) * 4 + d0 floordiv 2)>

    Raises ``NotExpressible`` for slots behind the last of an array without dimensions, which no map has.
    """
    check_layout(layout)
    found = first_equal((*_by_blocks(layout), _by_slot(layout)), layout, _LANGUAGE)
    if found is None:
        raise refusal(_LANGUAGE, layout, "without dimensions a map has one slot, and those in front of it")
    return found


def _by_blocks(layout: Layout) -> Iterable[Pack | AffineMap]:
    try:
        found = blocked.express(layout, _LANGUAGE)
    except NotExpressible:
        return
    positions = [axis for axis, _ in found.inner]
    if positions and len(set(positions)) == len(positions):
        order = () if list(found.outer) == sorted(found.outer) else found.outer
        yield Pack(tuple(positions), tuple(size for _, size in found.inner), order)
    whole, results = [dim(axis) for axis in range(layout.ndim)], list[Linear]()
    for axis, size in reversed(found.inner):
        results.insert(0, remainder(whole[axis], size))
        whole[axis] = quotient(whole[axis], size)
    yield AffineMap(layout.ndim, (*(whole[axis] for axis in found.outer), *results))


def _by_slot(layout: Layout) -> AffineMap:
    slot = _sum(layout.canonical, layout.shape) if layout.size else dim(layout.shape.index(0))
    span = bounds(slot, layout.shape)
    if layout.slots > (0 if span is None else span[1] + 1):
        if layout.ndim and not slot.terms:  # a number mod another is a number, with no room behind it
            slot = total([quotient(dim(0), layout.shape[0]), slot])
        slot = remainder(slot, layout.slots)
    return AffineMap(layout.ndim, (slot,))


def _sum(digits: Iterable[Digit], shape: Sequence[int]) -> Linear:
    return total(scaled(_read(digit, shape), digit.stride) for digit in digits)


def _read(digit: Digit, shape: Sequence[int]) -> Linear:
    """What a digit reads, before its stride."""
    value = quotient(_source(digit.axis, shape), digit.divisor)
    return value if digit.divisor * digit.radix >= extent(digit.axis, shape) else remainder(value, digit.radix)


def _source(source: Source, shape: Sequence[int]) -> Linear:
    if source is None:
        return Linear(1)
    return dim(source) if isinstance(source, int) else _sum(source, shape)
