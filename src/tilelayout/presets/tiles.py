"""Tiles of whole arrays, of any rank: those of TPUs and of Tenstorrent's chips, in XLA's notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..digits import Layout
from ..elements import Element, element
from ..notations import xla
from ..notations.xla.tiling import tile_text
from .preset import Preset


@dataclass(frozen=True, slots=True)
class AnyRank:
    """A recipe for arrays of any rank, whose padding the layout alone knows."""

    @property
    def axes(self) -> tuple[str, ...]:
        """No names: any rank is taken."""
        return ()

    @property
    def blocks(self) -> Mapping[str, int]:
        """No names, so no multiples."""
        return {}


@dataclass(frozen=True, slots=True)
class Tiled(AnyRank):
    """XLA's tiles on a row-major array.

    >>> print(Tiled(((8, 128), (2, 1))), Tiled(((8, 128),)).bind((3, 5), None).slots)
    T(8,128)(2,1) 1024
    """

    tiles: tuple[tuple[int, ...], ...]

    def bind(self, shape: Sequence[int], element: Element | None) -> Layout:
        """The layout of an array of this shape."""
        return replace(xla.Layout.descending(len(shape)), tiles=self.tiles).bind(shape, element and element.name)

    def __str__(self) -> str:
        return f"T{''.join(map(tile_text, self.tiles))}" if self.tiles else "row-major"


@dataclass(frozen=True, slots=True)
class ChosenByTpu(AnyRank):
    """What the model of XLA:TPU's choice, ``xla.tpu_layout``, gives arrays of a type.

    >>> ChosenByTpu("bf16").bind((2, 300), None).slots
    768
    """

    dtype: str

    def bind(self, shape: Sequence[int], element: Element | None) -> Layout:
        """The layout of an array of this shape."""
        return xla.tpu_layout(shape, self.dtype).bind(shape, self.dtype)

    def __str__(self) -> str:
        return f'xla.tpu_layout(shape, "{self.dtype}")'


_PAGE = "XLA, the page *Tiled layout* (xla.FORMATS)"
_CHOICE = "libtpu 0.0.51, as observed, and JAX, infer_memref_layout.cc (xla.tpu_layout)"

PRESETS = (
    *(Preset(f"tpu_{name}", f"The TPU format {name}", _PAGE, Tiled(tiles), (5, 300)) for name, tiles in xla.FORMATS.items()),
    *(
        Preset(f"tpu_{dtype}", f"What XLA:TPU gives arrays of {dtype} on a TPU v5e", _CHOICE, ChosenByTpu(dtype), (70, 300), element=held)
        for dtype, held in {"f32": element("float32"), "bf16": element("bfloat16"), "s8": element("int8"), "s4": element("int4", 4)}.items()
    ),
    Preset(
        "tenstorrent_tile",
        "ttnn.TILE_LAYOUT: tiles of 32x32 elements, each of four 16x16 faces",
        "tenstorrent/tt-metal 0570a01b, tensor_layouts.md, section 3.2; last two axes padded: tt-xla#4761",
        Tiled(((32, 32), (16, 16))),
        (2, 40, 70),
    ),
)
