"""Slices: what is left of a layout without one of its axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...errors import LayoutError, ShapeError, shown
from ...sizes import integer
from .attribute import MOST_NESTED, Distributed, generations, is_distributed
from .layout import DISTRIBUTED, LinearLayout
from .tiles import Tile, row_major


@dataclass(frozen=True, slots=True)
class Slice(Distributed):
    """``#ttg.slice``: a layout of threads without one of its axes, as a sum over that axis leaves it.

    >>> from tilelayout.notations.triton import Blocked
    >>> layout = Slice(1, Blocked((1, 2), (4, 8), (1, 1), (1, 0)))
    >>> print(layout.linear((8,)))
    #ttg.linear<{register = [[4]], lane = [[0], [0], [0], [1], [2]], warp = [], block = []}>

    Parameters
    ----------
    dim
        The axis of the parent that is left out.
    parent
        A layout of one axis more. Its places that differ in that axis alone hold copies; registers that do are left out.
    """

    _mnemonic: ClassVar = "slice"

    dim: int
    parent: Distributed | LinearLayout

    def __post_init__(self) -> None:
        if generations(self.parent) >= MOST_NESTED:
            raise LayoutError(f"parent = {shown(self.parent)} is {MOST_NESTED} attributes in each other, which are the most that are read")
        dim = integer(self.dim)
        if not is_distributed(self.parent) or self._parent_rank < 2:
            raise LayoutError(f"parent = {shown(self.parent)} is no layout of registers, lanes and warps of 2 axes or more")
        if dim is None or not 0 <= dim < self._parent_rank:
            raise LayoutError(f"dim = {shown(self.dim)} is no axis of a parent that has {self._parent_rank}, from 0 on")
        object.__setattr__(self, "dim", dim)

    @property
    def _parent_rank(self) -> int:
        """The number of axes of the parent, which bases of its own tell."""
        if isinstance(self.parent, LinearLayout):
            return (self.parent.axes or 0) * self.parent.has_bases
        return self.parent.rank

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self._parent_rank - 1

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        whole = (*shape[: self.dim], 1, *shape[self.dim :])
        parent = grown(self.parent, whole) if isinstance(self.parent, LinearLayout) else self.parent.linear(whole)
        left = {kind: tuple((*basis[: self.dim], *basis[self.dim + 1 :]) for basis in bases) for kind, bases in parent.bases}
        left["register"] = tuple(basis for basis in left["register"] if any(basis))
        return LinearLayout(tuple(left.items()), axes=self.rank)


def grown(linear: LinearLayout, shape: tuple[int, ...]) -> LinearLayout:
    """A layout of threads for another shape: where that is larger further registers hold the rest, where it is smaller there are copies.

    Each basis must be a step along one axis, and none may be there twice.
    """
    steps = [basis for _, bases in linear.bases for basis in bases if any(basis)]
    if any(sum(map(int.bit_count, basis)) != 1 for basis in steps) or len(set(steps)) != len(steps):
        raise ShapeError(f"{linear} is for arrays of shape {linear.shape}, and is fitted to {shape} only where its bases are single steps")
    registers = [next(axis for axis, step in enumerate(basis) if step) for basis in linear.bases[0][1] if any(basis)]
    tile = Tile(dict.fromkeys((*registers, *row_major(len(shape)))), DISTRIBUTED)
    for kind, bases in linear.bases:
        for basis in bases:
            tile.hold(kind, basis)
    return tile.fitted(shape)
