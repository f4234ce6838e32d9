"""The layouts of AMD's matrix cores with 64 lanes: the results of ``mfma``."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from ...errors import LayoutError
from ...sizes import listed
from .attribute import Distributed
from .fields import among, powers, steps, truth
from .layout import Basis, LinearLayout
from .tiles import Tile, row_major

#: The lanes of a warp.
LANES = 64
#: What an instruction computes.
_SIZES = ((32, 32), (16, 16), (64, 4), (4, 64))


@dataclass(frozen=True, slots=True)
class AmdMfma(Distributed):
    """``#ttg.amd_mfma``: the result of the matrix instructions of AMD's CDNA processors.

    >>> layout = AmdMfma(version=3, warpsPerCTA=(1, 1), instrShape=(16, 16, 16), isTransposed=True)
    >>> print(layout)
    #ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [16, 16, 16], isTransposed = true}>
    >>> layout.linear((16, 16)).bases[1]
    ('lane', ((1, 0), (2, 0), (4, 0), (8, 0), (0, 4), (0, 8)))

    Parameters
    ----------
    version
        Which matrix cores, 0 to 4. It has no part in the layout.
    warpsPerCTA
        The warps on each axis.
    instrShape
        What an instruction computes: m, n and, in newer texts, k, which has no part in the layout.
    isTransposed
        Whether each lane has neighbours along a row, not along a column.
    CGALayout
        Bases of the blocks among which an array is shared out, counted in blocks.
    tilesPerWarp
        How many instructions a warp has side by side on each axis; nothing where it is one.
    elementBitWidth
        The bits of an element: 32 or 64.
    """

    _mnemonic: ClassVar = "amd_mfma"

    version: int
    warpsPerCTA: tuple[int, ...]
    instrShape: tuple[int, ...]
    isTransposed: bool
    CGALayout: tuple[Basis, ...] = ()
    tilesPerWarp: tuple[int, ...] = ()
    elementBitWidth: int = 32

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", among("version", self.version, range(5)))
        warps, sizes = powers("warpsPerCTA", self.warpsPerCTA), powers("instrShape", self.instrShape)
        if len(warps) not in (2, 3):
            raise LayoutError(f"warpsPerCTA = {list(warps)} has {len(warps)} numbers; there are 2 or 3 axes")
        transposed = truth("isTransposed", self.isTransposed)
        if len(sizes) not in (2, 3) or sizes[:2] not in _SIZES or (sizes[:2] == (64, 4) and not transposed):
            known = ", ".join(f"[{m}, {n}]" for m, n in _SIZES)
            raise LayoutError(
                f"instrShape = {list(sizes)} does not begin with m and n of an instruction: {known}, where [64, 4] is transposed"
            )
        tiles = () if listed(self.tilesPerWarp) == () else powers("tilesPerWarp", self.tilesPerWarp, len(warps))
        object.__setattr__(self, "warpsPerCTA", warps)
        object.__setattr__(self, "instrShape", sizes)
        object.__setattr__(self, "CGALayout", steps("CGALayout", self.CGALayout, len(warps)))
        object.__setattr__(self, "tilesPerWarp", tiles if prod(tiles) > 1 else ())
        object.__setattr__(self, "elementBitWidth", among("elementBitWidth", self.elementBitWidth, (32, 64)))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.warpsPerCTA)

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        rows, columns = self.rank - 2, self.rank - 1
        (m, n), neighbours = self.instrShape[:2], 1 if self.elementBitWidth == 64 else 4
        along, across, lanes = (columns, rows, m) if self.isTransposed else (rows, columns, n)
        tile = Tile(row_major(self.rank)).along("register", along, neighbours)
        tile.along("lane", across, lanes).along("lane", along, LANES // lanes).along("register", along, m * n // (LANES * neighbours))
        tile.along("register", columns, tiles_of(self, columns)).along("warp", columns, self.warpsPerCTA[columns])
        tile.along("register", columns, shape[columns] // tile.sizes[columns])
        tile.along("register", rows, tiles_of(self, rows)).along("warp", rows, self.warpsPerCTA[rows])
        if self.rank > 2:
            tile.along("warp", 0, self.warpsPerCTA[0])
        return tile.fitted(shape, self.CGALayout)


def tiles_of(layout: AmdMfma, axis: int) -> int:
    """How many instructions a warp has side by side on an axis."""
    return layout.tilesPerWarp[axis] if layout.tilesPerWarp else 1
