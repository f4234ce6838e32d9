"""The layouts of AMD's matrix cores with 32 lanes: the results of ``wmma``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import LayoutError, shown
from ...sizes import listed
from .attribute import Distributed, written
from .fields import among, powers, steps, truth
from .layout import Basis, LinearLayout
from .tiles import Tile, row_major

#: What an instruction computes, by version.
_SIZES = {
    1: ((16, 16, 16),),
    2: ((16, 16, 16), (16, 16, 32)),
    3: ((16, 16, 4), (16, 16, 32), (16, 16, 64), (16, 16, 128), (32, 16, 64), (32, 16, 128)),
}
_KINDS = ("register", "warp")


@dataclass(frozen=True, slots=True)
class AmdWmma(Distributed):
    """``#ttg.amd_wmma``: the result of the matrix instructions of AMD's processors whose warps have 32 lanes.

    >>> layout = AmdWmma(version=2, isTranspose=False, ctaLayout=(("warp", ((0, 1),)),))
    >>> print(layout)
    #ttg.amd_wmma<{version = 2, isTranspose = false, ctaLayout = {warp = [[0, 1]]}}>
    >>> layout.linear((16, 32)).bases[1:3]
    (('lane', ((0, 1), (0, 2), (0, 4), (0, 8), (8, 0))), ('warp', ((0, 16),)))

    Parameters
    ----------
    version
        Which matrix cores: 1, 2 or 3. In version 1 a lane has every other element along a column, else neighbours.
    isTranspose
        Whether that is along a row.
    ctaLayout
        The bases of further registers and of warps, counted in instructions: pairs of ``register`` or ``warp`` and its bases.
    CGALayout
        Bases of the blocks among which an array is shared out, counted in blocks.
    instrShape
        What an instruction computes: m, n and k.
    """

    _mnemonic: ClassVar = "amd_wmma"

    version: int
    isTranspose: bool
    ctaLayout: tuple[tuple[str, tuple[Basis, ...]], ...]
    CGALayout: tuple[Basis, ...] = ()
    instrShape: tuple[int, ...] = (16, 16, 16)

    def __post_init__(self) -> None:
        version, sizes = among("version", self.version, tuple(_SIZES)), powers("instrShape", self.instrShape)
        truth("isTranspose", self.isTranspose)
        if sizes not in _SIZES[version]:
            known = ", ".join(map(written, _SIZES[version]))
            raise LayoutError(f"instrShape = {list(sizes)} is none of version {version}, which are {known}")
        try:
            places = LinearLayout(self.ctaLayout)
        except LayoutError as error:
            raise LayoutError(f"ctaLayout = {shown(self.ctaLayout)} is no list of places and their bases: {error}") from None
        held = dict(places.bases)
        if unknown := next((kind for kind in held if kind not in _KINDS), None):
            raise LayoutError(f"ctaLayout = {shown(self.ctaLayout)} has bases of {unknown}; it is for {' and '.join(_KINDS)}")
        blocks = listed(self.CGALayout)
        rank = (places.axes if places.has_bases else len(listed(blocks[0]) or ()) if blocks else None) or 0
        if rank not in (2, 3):
            raise LayoutError(f"ctaLayout = {shown(self.ctaLayout)} has bases of {rank} axes; there are 2 or 3, which bases must tell")
        steps("ctaLayout", [basis for bases in held.values() for basis in bases], rank)
        object.__setattr__(self, "version", version)
        object.__setattr__(self, "ctaLayout", tuple((kind, held[kind]) for kind in _KINDS if held.get(kind)))
        object.__setattr__(self, "CGALayout", steps("CGALayout", self.CGALayout, rank))
        object.__setattr__(self, "instrShape", sizes)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len((*(basis for _, bases in self.ctaLayout for basis in bases), *self.CGALayout)[0])

    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""
        rows, columns = self.rank - 2, self.rank - 1
        along, across = (columns, rows) if self.isTranspose else (rows, columns)
        tile = Tile(row_major(self.rank))
        if self.version == 1:
            tile.along("lane", across, 16).along("lane", along, 2).along("register", along, 8)
        else:
            tile.along("register", along, 8).along("lane", across, 16).along("lane", along, 2)
            tile.along("register", along, self.instrShape[0] // 16)
        return repeated(tile, self).fitted(shape, self.CGALayout)

    def _told(self) -> Iterator[tuple[str, Any]]:
        """The fields that the text has."""
        places = ", ".join(f"{kind} = {written(bases)}" for kind, bases in self.ctaLayout)
        return ((name, f"{{{places}}}" if name == "ctaLayout" else value) for name, value in super(AmdWmma, self)._told())


def repeated(tile: Tile, layout: AmdWmma, copied: int | None = None) -> Tile:
    """The tile of an instruction in each of the places of ``ctaLayout``; warps that differ in the axis ``copied`` hold the same."""
    sizes = [0 if axis == copied else size for axis, size in enumerate(tile.sizes)]
    for kind, bases in layout.ctaLayout:
        for basis in bases:
            if kind == "warp" or copied is None or not basis[copied]:
                tile.hold(kind, tuple(step * size for step, size in zip(basis, sizes, strict=True)))
    return tile
