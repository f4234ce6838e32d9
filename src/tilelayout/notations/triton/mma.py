"""The layouts of NVIDIA's tensor cores: the results of ``mma`` and ``wgmma``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ...errors import LayoutError, shown
from ...sizes import integer
from .attribute import Distributed
from .fields import among, powers, steps
from .layout import Basis, LinearLayout
from .tiles import Tile, row_major


@dataclass(frozen=True, slots=True)
class NvidiaMma(Distributed):
    """``#ttg.nvidia_mma``: the result of matrix instructions, of ``mma`` in version 2 and ``wgmma`` in version 3.

    >>> layout = NvidiaMma(versionMajor=2, versionMinor=0, warpsPerCTA=(1, 1), instrShape=(16, 8))
    >>> print(layout)
    #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>
    >>> print(layout.linear((16, 8)))
    #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>

    Parameters
    ----------
    versionMajor, versionMinor
        Which tensor cores. The minor version has no part in the layout.
    warpsPerCTA
        The warps on each axis; those of version 3 are counted along rows first, the others along columns.
    instrShape
        What an instruction computes: m and n, in version 2 behind a 1 where there is an axis of batches, in version 3 also k.
    CGALayout
        Bases of the blocks among which an array is shared out, counted in blocks.
    """

    _mnemonic: ClassVar = "nvidia_mma"

    versionMajor: int
    versionMinor: int
    warpsPerCTA: tuple[int, ...]
    CGALayout: tuple[Basis, ...] = field(default=(), kw_only=True)
    instrShape: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "versionMajor", among("versionMajor", self.versionMajor, (2, 3)))
        minor = integer(self.versionMinor)
        if minor is None or minor < 0:
            raise LayoutError(f"versionMinor = {shown(self.versionMinor)} is no integer of 0 or more")
        object.__setattr__(self, "versionMinor", minor)
        warps, sizes = powers("warpsPerCTA", self.warpsPerCTA), powers("instrShape", self.instrShape)
        ranks = (2,) if self.versionMajor == 3 else (2, 3)
        if len(warps) not in ranks:
            raise LayoutError(
                f"warpsPerCTA = {list(warps)} has {len(warps)} numbers; in version {self.versionMajor} there are "
                f"{' or '.join(map(str, ranks))} axes"
            )
        batch, (m, n) = sizes[: len(warps) - 2], (*sizes[len(warps) - 2 :], 0, 0)[:2]
        if len(sizes) not in ((2, 3) if self.versionMajor == 3 else (len(warps),)) or set(batch) > {1} or m % 8 or n % 8:
            raise LayoutError(
                f"instrShape = {list(sizes)} is no shape that the layout has for {len(warps)} axes: m and n are multiples of 8, "
                "behind a 1 where there are 3 axes; k may stand behind them in version 3"
            )
        object.__setattr__(self, "warpsPerCTA", warps)
        object.__setattr__(self, "instrShape", sizes)
        object.__setattr__(self, "CGALayout", steps("CGALayout", self.CGALayout, len(warps)))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.warpsPerCTA)

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        m, n = self.instrShape[self.rank - 2 :][:2]
        tile = fragment(Tile(row_major(self.rank)), (self.rank - 1, n), (self.rank - 2, m), 2)
        return tile.spread("warp", self.warpsPerCTA, warp_order(self)).fitted(shape, self.CGALayout)


def fragment(tile: Tile, inner: tuple[int, int], outer: tuple[int, int], width: int) -> Tile:
    """What a warp has of a matrix: 8 rows, in each 4 lanes with so many neighbours, and registers for as many again as there are.

    The two axes come with their sizes: that along which lanes have neighbours, and the other.
    """
    along, columns = inner
    across, rows = outer
    tile.along("register", along, width).along("lane", along, 4).along("lane", across, 8)
    return tile.along("register", across, rows // 8).along("register", along, columns // (4 * width))


def warp_order(layout: NvidiaMma) -> tuple[int, ...]:
    """The axes as warps are counted, fastest first."""
    return row_major(layout.rank) if layout.versionMajor == 2 else tuple(range(layout.rank))
