"""The layouts that XLA:TPU gives to arrays, as a model.

XLA:TPU is closed source, so nothing here is XLA's own word. The rule for tiles is the one that was public in JAX's Mosaic
compiler (jaxlib/mosaic/dialect/tpu/transforms/infer_memref_layout.cc, up to November 2025); its defaults are set to what
the compilers in libtpu 0.0.51 and 0.0.52 chose for arrays of many shapes and types, for TPU v2 to TPU7x.

A vector register holds 8 sublanes of 128 lanes of 32 bits, so an array is tiled by (8,128). Narrower elements share the
32 bits of a lane: as many rows as there are elements in 32 bits are interleaved by a second tile, (2,1) for 16 bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ...elements import BITS
from ...errors import LayoutError, shown
from ...sizes import checked_shape
from .layout import Layout
from .tiling import Tile
from .types import NUMPY_NAMES, element_type, xla_element
from .validation import check_for_shape

LANES, WORD_BITS = 128, 32
_SUBLANES = 8

#: The generations of TPU by name, and the number that orders them.
GENERATIONS: Final[Mapping[str, int]] = MappingProxyType({"v2": 2, "v3": 3, "v4": 4, "v5e": 5, "v5p": 5, "v6e": 6, "tpu7x": 7, "v7x": 7})

#: The generation from which tiles of a single sublane, tall tiles and packed 4-bit elements are in use.
_FIRST_MODERN = 4

#: Bits in a column of a tall tile, which is taken where the rows of an array are a multiple of its rows.
_TALL_BITS = _SUBLANES * WORD_BITS

#: The widest elements whose tall tiles the compiler takes of its own accord, from v4 on.
_TALL_BY_DEFAULT = 8

#: The formats that XLA's tiled-layout page names, as tiles.
FORMATS: Final[Mapping[str, tuple[Tile, ...]]] = MappingProxyType(
    {
        "untiled": (),
        "8x128": ((8, 128),),
        "4x128": ((4, 128),),
        "2x128": ((2, 128),),
        "16-bit": ((8, 128), (2, 1)),
        "8-bit": ((8, 128), (4, 1)),
        "1-bit": ((32, 128), (32, 1)),
    }
)


def format_layout(name: str, rank: int) -> Layout:
    """A format of the tiled-layout page, as the row-major layout of an array of some rank.

    >>> print(format_layout("16-bit", 3))
    {2,1,0:T(8,128)(2,1)}
    >>> print(Layout((0, 1), tiles=FORMATS["2x128"]))
    {0,1:T(2,128)}

    The names are those of ``xla.FORMATS``. ``2x128`` and ``4x128`` are the small formats, for arrays of few rows; the page
    has the 1-bit format as one that TPUs could use, while ``pred`` takes a byte.
    """
    if not isinstance(name, str) or name not in FORMATS:
        raise LayoutError(f"no format is called {shown(name)}; there are {', '.join(FORMATS)}")
    return replace(Layout.descending(rank), tiles=FORMATS[name])


def tpu_layout(
    shape: Sequence[int],
    dtype: object,
    *,
    generation: str = "v5e",
    minor_to_major: Sequence[int] | None = None,
    large_second_minor: bool | None = None,
) -> Layout:
    """The layout that XLA:TPU gives an array: a model of a compiler whose source is closed.

    >>> print(tpu_layout((100, 300), "f32"), tpu_layout((100, 300), "bf16"), tpu_layout((96, 300), "s8"))
    {1,0:T(8,128)} {1,0:T(8,128)(2,1)} {1,0:T(32,128)(4,1)}
    >>> print(tpu_layout((2, 300), "f32"), tpu_layout((300,), "f32"), tpu_layout((), "f32"))
    {1,0:T(2,128)} {0:T(512)} {:T(128)}
    >>> print(tpu_layout((64, 128), "int4"), tpu_layout((64, 128), "int4", generation="v3"))
    {1,0:T(64,128)(8,1)E(4)} {1,0:T(8,128)(4,1)}

    An array without elements has no tiles.

    It agrees with what libtpu 0.0.51 chose by default in some 800 compilations, and with the default that libtpu 0.0.52 says
    for 340,000 arrays of all generations and types but those of 6 bits. Which dimension the compiler makes the minor one is not
    modelled.

    Parameters
    ----------
    shape
        The extents.
    dtype
        XLA's or numpy's name, or a dtype object; at most 32 bits wide, as wider elements are taken apart before they are laid out.
    generation
        One of ``xla.GENERATIONS``.
    minor_to_major
        The order of dimensions, fastest first; row-major if left out.
    large_second_minor
        Whether tall tiles are taken where the rows are a multiple of them: (16,128) for 16 bits, (32,128) for 8, (64,128)
        for 4, (128,128) for 2, (256,128) for 1. None leaves it to the compiler's defaults: all but the 16-bit ones, from v4 on.
    """
    extents = checked_shape(shape)
    if not isinstance(generation, str) or generation not in GENERATIONS:
        raise LayoutError(f"no TPU generation is called {shown(generation)}; there are {', '.join(GENERATIONS)}")
    age = GENERATIONS[generation]
    bits, own = _bits(element_type(dtype), age)
    if not isinstance(large_second_minor, bool | None):
        raise LayoutError(f"large_second_minor={shown(large_second_minor)} is neither True, False nor None")
    tall = (bits <= _TALL_BY_DEFAULT and age >= _FIRST_MODERN) if large_second_minor is None else large_second_minor
    layout = Layout.descending(len(extents)) if minor_to_major is None else Layout(minor_to_major)  # type: ignore[arg-type]  # it takes any sequence
    check_for_shape(layout, extents)
    minor_sizes = [extents[axis] for axis in layout.minor_to_major[:2]]
    tiles = () if 0 in extents else _tiles(minor_sizes, bits, own, age, tall)
    return replace(layout, tiles=tiles, element_size_in_bits=bits if bits < 8 else 0)


def _bits(name: str, age: int) -> tuple[int, int]:
    """The bits that the compiler stores an element in, and those that it takes the type for."""
    whole = xla_element(name).bits
    own = whole if name == "pred" else BITS[NUMPY_NAMES[name]]
    if own > WORD_BITS:
        raise LayoutError(
            f"{name} lies on a TPU in {own // WORD_BITS} arrays of its 32-bit parts, though XLA prints the tiles of f32 for it; "
            f"lay each out as f32, s32 or u32"
        )
    return own if age >= _FIRST_MODERN else whole, own


def _tiles(minor_sizes: Sequence[int], bits: int, own: int, age: int, tall: bool) -> tuple[Tile, ...]:
    """The tiles of an array whose most minor one or two dimensions have these sizes, the most minor first."""
    packing, shared = WORD_BITS // bits, WORD_BITS // own
    least = packing * (1 if age >= _FIRST_MODERN else 2)
    normal = max(_SUBLANES, shared)
    if not minor_sizes:
        return ((LANES * least,),)
    if len(minor_sizes) == 1:
        return tiles_of(_rows(-(-minor_sizes[0] // LANES), normal, least, normal), packing, is_flat=True)
    return tiles_of(_rows(minor_sizes[1], _TALL_BITS // bits if tall else normal, max(least, shared), normal), packing)


def tiles_of(rows: int, packing: int, *, is_flat: bool = False) -> tuple[Tile, ...]:
    """The tile of so many rows, and the second that interleaves as many as share a lane; ``is_flat`` in an array of one dimension."""
    interleaved = ((packing, 1),) if packing > 1 else ()
    if not is_flat:
        return ((rows, LANES), *interleaved)
    return ((rows * LANES,), *(((LANES,), *interleaved) if interleaved else ()))


def _rows(size: int, tall: int, least: int, normal: int) -> int:
    """The rows of the first tile for an array of ``size`` rows: few rows get the smallest tile that holds them."""
    full = normal if size % tall else tall
    if full <= size:
        return full
    rows = least
    while rows < min(size, normal):
        rows *= 2
    return rows
