"""Tiles for any dimensions of a buffer, not the fewest: every source is cut into digits, and these are put in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count, dropwhile, pairwise, takewhile

from ...radix import extent
from .dims import Cut, Dim, Dims, Step, fused

#: What becomes of a dimension that is in reach of a tile, and stays where it is.
_STAYS = Cut(1, 1, True, False)


def constructed(dims: Dims, shape: Sequence[int], *, ascending: bool = False) -> tuple[tuple[int, ...], tuple[Step, ...]] | None:
    """The order of axes, major first, and steps that make the dimensions; None where they read sums that are no fusion of dimensions.

    With ``ascending`` the axes, of which alone the dimensions are then, are in row-major order.

    >>> order, steps = constructed((Dim(0, 1, 2, 2, 2), Dim(0, 2, 4, 4, 4)), (8,))
    >>> order, [[cut.size for cut in step] for step in steps]
    ((0,), [[2], [4, 1]])
    """
    sources = dict.fromkeys(dim.source for dim in dims if dim.source != ())
    groups: list[list[Dim]] = []
    for source in sorted(sources, key=lambda source: source if ascending and isinstance(source, int) else 0):
        digits = sorted((dim for dim in dims if dim.source == source), key=lambda dim: -dim.divisor)
        groups += [digits] if _read_all(digits, shape) else [[dim] for dim in digits]
    cuts, now = _cuts(groups)
    steps = (*cuts, *_moves(now, dims))
    before = [_whole(group, shape) for group in groups]
    if all(isinstance(dim.source, int) and dim.low == shape[dim.source] for dim in before):
        return tuple(dim.source for dim in before if isinstance(dim.source, int)), steps
    parts = [fused(dim, shape) for dim in before]
    begin = next((k for k, part in enumerate(parts) if part != (before[k],)), None)
    if begin is None:
        return None
    way = constructed((*before[:begin], *chain.from_iterable(parts[begin:])), shape)
    fusing = tuple(Cut(len(part), dim.high, False, True) for part, dim in zip(parts[begin:], before[begin:], strict=True))
    return way and (way[0], (*way[1], fusing, *steps))


def _read_all(digits: Sequence[Dim], shape: Sequence[int]) -> bool:
    """Whether the digits of a source, the highest first, read all of it once."""
    reached = 1
    for dim in reversed(digits):
        if dim.divisor != reached:
            return False
        reached *= dim.radix
    return reached >= extent(digits[0].source, shape)


def _whole(group: Sequence[Dim], shape: Sequence[int]) -> Dim:
    """The dimension that is cut into these digits, the highest first."""
    top, last = group[0], group[-1]
    radix = -(-extent(top.source, shape) // last.divisor) if _read_all(group, shape) else top.radix
    return Dim(top.source, last.divisor, radix, radix, radix if isinstance(top.source, int) else top.high * top.divisor // last.divisor)


def _cuts(digits: Sequence[Sequence[Dim]]) -> tuple[list[Step], list[Dim]]:
    """Steps that cut each source into its digits, the highest first, and the dimensions that they leave."""
    steps: list[Step] = []
    left: list[Dim] = []
    for level in count(1):
        left += [listed[level - 1] for listed in digits]
        cuts = [Cut(1, listed[level - 1].divisor, True, True) if len(listed) > level else _STAYS for listed in digits]
        digits = [listed for listed in digits if len(listed) > level]
        if not digits:
            break
        steps.append(tuple(dropwhile(_STAYS.__eq__, cuts)))
    return steps, left


def _moves(now: list[Dim], wanted: Dims) -> Iterator[Step]:
    """Steps that put the dimensions in the order that is wanted, each with its room: what comes next stays, the others go inside.

    Those that stayed are out of reach of the next tile, so the sizes of 1 that tiles leave behind do not pile up.
    """
    roomy = False
    done = 0
    while done < len(wanted):
        inside = tuple(Cut(1, dim.high, False, True) for dim in now)
        if wanted[done].source == ():
            if now:
                yield inside
            yield (Cut(0, wanted[done].high, False, True), *inside)
            roomy, done = True, done + 1
            continue
        places = [now.index(dim) for dim in takewhile(lambda dim: dim.source != (), wanted[done:])]
        next_ones = places[: 1 + sum(1 for _ in takewhile(lambda pair: pair[0] < pair[1], pairwise(places)))]
        if not roomy and any(now[k].radix < now[k].high for k in next_ones):
            yield inside
        else:
            if len(next_ones) < len(now):
                yield tuple(dropwhile(_STAYS.__eq__, (_STAYS if k in next_ones else cut for k, cut in enumerate(inside))))
            now, done = [dim for k, dim in enumerate(now) if k not in next_ones], done + len(next_ones)
        roomy = True
