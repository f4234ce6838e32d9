"""Triton's blocked layout: a thread has neighbours, a warp has threads side by side, and a block has warps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .attribute import Distributed
from .fields import axes_in_order, powers, steps
from .layout import Basis, LinearLayout
from .tiles import Tile


@dataclass(frozen=True, slots=True)
class Blocked(Distributed):
    """``#ttg.blocked``: elements of each thread, threads of each warp and warps of each block, side by side on every axis.

    >>> layout = Blocked(sizePerThread=(1, 2), threadsPerWarp=(4, 8), warpsPerCTA=(1, 1), order=(1, 0))
    >>> print(layout)
    #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 8], warpsPerCTA = [1, 1], order = [1, 0]}>
    >>> print(layout.linear((8, 16)))
    #ttg.linear<{register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [1, 0], [2, 0]], warp = [], block = []}>

    Parameters
    ----------
    sizePerThread, threadsPerWarp, warpsPerCTA
        How many there are on each axis, powers of two.
    order
        The axes, fastest first: in each of the three, and where a larger array goes on in further registers.
    CGALayout
        Bases of the blocks among which an array is shared out, counted in blocks.
    """

    _mnemonic: ClassVar = "blocked"

    sizePerThread: tuple[int, ...]
    threadsPerWarp: tuple[int, ...]
    warpsPerCTA: tuple[int, ...]
    order: tuple[int, ...]
    CGALayout: tuple[Basis, ...] = ()

    def __post_init__(self) -> None:
        sizes = powers("sizePerThread", self.sizePerThread)
        object.__setattr__(self, "sizePerThread", sizes)
        for name in ("threadsPerWarp", "warpsPerCTA"):
            object.__setattr__(self, name, powers(name, getattr(self, name), len(sizes)))
        object.__setattr__(self, "order", axes_in_order("order", self.order, len(sizes)))
        object.__setattr__(self, "CGALayout", steps("CGALayout", self.CGALayout, len(sizes)))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.order)

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        tile = Tile(self.order).spread("register", self.sizePerThread, self.order)
        tile.spread("lane", self.threadsPerWarp, self.order).spread("warp", self.warpsPerCTA, self.order)
        return tile.fitted(shape, self.CGALayout, spare=False)
