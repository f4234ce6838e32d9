"""The named workloads: which arrays are packed into which layouts, and which layouts are asked for slots.

A layout is held as XLA's own parts, the minor-to-major order and the tiles, so that a baseline can be written from them
without a word of the library. The letters are those of the table that ``report.py`` prints:

    A tiles that fit          B the same, edges padded    C a second tile interleaves rows    D the other order, tiled
    E channels in blocks      F three axes, padded        G a plain transpose                 H pictures, to three planes
    I column-major blocks, as CuTe                        K weights of 3 x 3 kernels, to NHWC's
    G100 a plain transpose of a hundred long rows         U a hundred pictures of 64 channels, the hundred innermost
    L channels last, to E's blocks
    M pictures of three channels, the pictures innermost, as XLA has them for convolutions   X three columns, padded to four
    N attention heads of 80, in tiles of 128 columns: A's for f32, else C's
    Y heads of 128, positions innermost and then heads, in the same tiles
    W weights of matrices, in pairs or fours, as processors multiply them
    T square tiles of 4, turned                                              R a batch of 3 x 3 matrices, each transposed
    JT C from x.T             JS C from x[:, 3:]          V one axis                          S elements of four bits
    SH heads of 128 of these, in the same tiles           SG a plain transpose of them
    JB plain rows from x[:, ::-1]                         JC three channels from x[..., ::-1], as of BGR to RGB
    JE plain rows from x[:, ::2]                          JA three channels from x[..., :3], as of RGBA to RGB
    a P at the end: edges padded, or in GP rows of odd lengths
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import ml_dtypes
import numpy as np
import numpy.typing as npt

import tilelayout as tl

Array = npt.NDArray[Any]

DTYPES: dict[str, npt.DTypeLike] = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "s8": np.int8, "s4": np.int8}


@dataclass(frozen=True)
class Workload:
    """An array and the XLA layout to pack it into.

    ``small`` is a shape with the same kind of edges for what is too slow for the whole, ``bits`` the width of an element
    below a byte (0: whole bytes), and ``source`` says how the array lies in memory: row-major, with its first axis fastest,
    as all but the first three columns of a wider one, with columns or channels from the last to the first, as every other column, or as
    three channels of four. ``cute`` asks for the same layout in CuTe's words.
    """

    name: str
    element: str
    shape: tuple[int, ...]
    small: tuple[int, ...]
    minor_to_major: tuple[int, ...]
    tiles: tuple[tuple[int, ...], ...] = ()
    bits: int = 0
    source: Literal["x", "x.T", "x[:, 3:]", "x[:, ::-1]", "x[..., ::-1]", "x[:, ::2]", "x[..., :3]"] = "x"
    cute: bool = False

    @property
    def key(self) -> str:
        """The name of this workload among all."""
        return f"{self.name}-{self.element}"

    @property
    def text(self) -> str:
        """The layout without its shape, as XLA writes it."""
        tiles = "".join(f"({','.join(map(str, tile))})" for tile in self.tiles)
        properties = (f"T{tiles}" if tiles else "") + (f"E({self.bits})" if self.bits else "")
        return f"{{{','.join(map(str, self.minor_to_major))}{':' if properties else ''}{properties}}}"

    @property
    def array_text(self) -> str:
        """The element type and shape, as XLA writes them."""
        return f"{self.element}[{','.join(map(str, self.shape))}]"

    def layout(self) -> tl.Layout:
        """The layout itself."""
        return tl.layout(self.cute_text if self.cute else self.array_text + self.text)

    @property
    def cute_text(self) -> str:
        """Column-major blocks, one below the other, column after column of them."""
        (tile,) = self.tiles
        rows, columns = (n // t for n, t in zip(self.shape, tile, strict=True))
        block = tile[0] * tile[1]
        return f"(({tile[0]},{rows}),({tile[1]},{columns})):((1,{block}),({tile[0]},{block * rows}))"

    def array(self) -> Array:
        """An array of random bits of the shape and dtype, the same every time; values of ``bits`` bits where those are set.

        Those of bf16 are all normal numbers: without AVX-512 oneDNN computes with them, so that NaNs change and tiny ones become zero.
        """
        dtype = np.dtype(DTYPES[self.element])
        array = self.room(dtype)
        size = array.size
        words = np.random.default_rng(1).integers(0, 2**64, -(-size * dtype.itemsize // 8), dtype=np.uint64)
        values = words.view(np.uint8)[: size * dtype.itemsize].view(dtype)
        if self.bits:
            values >>= 8 - self.bits
        if self.element == "bf16":
            bits = values.view(np.uint16)
            bits &= 0xDFFF
            bits |= 0x4000
        array[...] = values.reshape(self.shape)
        return array

    def room(self, dtype: npt.DTypeLike | None = None) -> Array:
        """An array of the workload's shape, in memory as the source is, with nothing in it yet."""
        dtype = DTYPES[self.element] if dtype is None else dtype
        if self.source == "x.T":
            return np.empty(self.shape[::-1], dtype).T
        if self.source == "x[:, 3:]":
            return np.empty((self.shape[0], self.shape[1] + 3), dtype)[:, 3:]
        if self.source in ("x[:, ::-1]", "x[..., ::-1]"):
            return np.empty(self.shape, dtype)[..., ::-1]
        if self.source == "x[:, ::2]":
            return np.empty((self.shape[0], 2 * self.shape[1]), dtype)[:, ::2]
        if self.source == "x[..., :3]":
            return np.empty((*self.shape[:-1], 4), dtype)[..., :3]
        return np.empty(self.shape, dtype)

    def scaled(self) -> Workload:
        """The same on a small array."""
        return replace(self, shape=self.small)


WHOLE = {"f32": (4096, 4096), "bf16": (4096, 8192), "s8": (8192, 8192)}
RAGGED = {"f32": (4095, 4093), "bf16": (4095, 8189), "s8": (8191, 8189)}


def _matrices(name: str, elements: str, tiles: tuple[tuple[int, ...], ...], order: tuple[int, int] = (1, 0)) -> list[Workload]:
    """Matrices of 64 MiB, one for each element type; ragged ones where the name ends in P (and in B)."""
    ragged = name.endswith("P") or name == "B"
    shapes, small = (RAGGED, (125, 253)) if ragged else (WHOLE, (128, 256))
    return [Workload(name, element, shapes[element], small, order, tiles) for element in elements.split()]


T8 = (8, 128)
T32 = (32, 128)

#: Images with their channels last but one, as convolutions have them.
IMAGES, FEW_IMAGES = (64, 256, 56, 56), (2, 32, 16, 16)

COPIES: tuple[Workload, ...] = (
    *_matrices("A", "f32 bf16 s8", (T8,)),
    *_matrices("B", "f32 bf16 s8", (T8,)),
    *_matrices("C", "bf16", (T8, (2, 1))),
    *_matrices("C", "s8", (T8, (4, 1))),
    *_matrices("C32", "s8", (T32, (32, 1))),
    *_matrices("C32by4", "s8", (T32, (4, 1))),
    *_matrices("CP", "bf16", (T8, (2, 1))),
    *_matrices("CP", "s8", (T8, (4, 1))),
    *_matrices("C32P", "s8", (T32, (32, 1))),
    *_matrices("C32by4P", "s8", (T32, (4, 1))),
    *_matrices("D", "f32 bf16 s8", (T8,), (0, 1)),
    *_matrices("DP", "f32 bf16 s8", (T8,), (0, 1)),
    *(Workload("E", element, IMAGES, FEW_IMAGES, (3, 2, 1, 0), ((16, 1, 1),)) for element in ("f32", "bf16", "s8")),
    Workload("F", "f32", (64, 512, 513), (3, 64, 129), (2, 1, 0), (T8,)),
    *_matrices("G", "f32 bf16 s8", (), (0, 1)),
    *_matrices("GP", "f32 bf16 s8", (), (0, 1)),
    *(Workload("G100", element, (100, n), (100, 257), (0, 1)) for element, n in (("f32", 167_773), ("bf16", 335_545), ("s8", 671_089))),
    *(Workload("U", element, (100, n, 64), (100, 17, 64), (0, 1, 2)) for element, n in (("f32", 2621), ("bf16", 5243), ("s8", 10_487))),
    Workload("H", "s8", (4096, 5504, 3), (64, 43, 3), (1, 0, 2)),
    Workload("H", "f32", (2048, 2752, 3), (32, 43, 3), (1, 0, 2)),
    *(replace(each, cute=True) for each in _matrices("I", "f32 bf16 s8", ((128, 128),), (0, 1))),
    Workload("K", "f32", (1365, 1365, 3, 3), (32, 32, 3, 3), (1, 3, 2, 0)),
    Workload("K", "bf16", (1930, 1930, 3, 3), (32, 32, 3, 3), (1, 3, 2, 0)),
    Workload("K", "s8", (2730, 2730, 3, 3), (32, 32, 3, 3), (1, 3, 2, 0)),
    *(Workload("L", element, (64, 56, 56, 256), (2, 16, 16, 32), (2, 1, 3, 0), ((16, 1, 1),)) for element in ("f32", "bf16", "s8")),
    *(
        Workload("N", element, (1 << 19 - narrow, 80), (64, 80), (1, 0), tiles)
        for element, narrow, tiles in (("f32", 2, (T8,)), ("bf16", 1, (T8, (2, 1))), ("s8", 0, (T8, (4, 1))))
    ),
    *(
        Workload("M", element, (images, 256, columns, 3), (128, 5, 7, 3), (0, 3, 2, 1), tiles)
        for element, images, columns, tiles in (
            ("f32", 128, 128, ((4, 128),)),
            ("bf16", 128, 256, ((4, 128), (2, 1))),
            ("s8", 256, 256, ((4, 128), (4, 1))),
        )
    ),
    *(
        Workload("Y", element, (batch, 2048, 16, 128), (2, 128, 8, 32), (1, 2, 3, 0), tiles)
        for element, batch, tiles in (("f32", 4, (T8,)), ("bf16", 8, (T8, (2, 1))), ("s8", 16, (T8, (4, 1))))
    ),
    *(Workload("X", element, (1 << bits, 3), (100, 3), (1, 0), ((1, 4),)) for element, bits in (("f32", 22), ("bf16", 23), ("s8", 24))),
    *_matrices("W", "bf16", ((64, 32), (64, 2)), (0, 1)),
    *_matrices("W", "s8", ((64, 64), (64, 4)), (0, 1)),
    *_matrices("W16", "bf16", ((16, 32), (16, 2)), (0, 1)),
    *_matrices("T", "bf16 s8", ((4, 4),), (0, 1)),
    *(
        Workload("R", element, (matrices, 3, 3), (1001, 3, 3), (1, 2, 0))
        for element, matrices in (("f32", 1_864_135), ("bf16", 3_728_270), ("s8", 7_456_540))
    ),
    *(replace(each, source="x.T") for each in _matrices("JT", "bf16", (T8, (2, 1)))),
    *(replace(each, source="x.T") for each in _matrices("JT", "s8", (T8, (4, 1)))),
    *(replace(each, source="x[:, 3:]") for each in _matrices("JS", "bf16", (T8, (2, 1)))),
    *(replace(each, source="x[:, 3:]") for each in _matrices("JS", "s8", (T8, (4, 1)))),
    *(replace(each, source="x[:, ::-1]") for each in _matrices("JB", "f32 bf16 s8", ())),
    Workload("JC", "f32", (2048, 2752, 3), (32, 43, 3), (2, 1, 0), source="x[..., ::-1]"),
    Workload("JC", "s8", (4096, 5504, 3), (64, 43, 3), (2, 1, 0), source="x[..., ::-1]"),
    *(replace(each, source="x[:, ::2]") for each in _matrices("JE", "f32 bf16 s8", ())),
    Workload("JA", "f32", (2048, 2752, 3), (32, 43, 3), (2, 1, 0), source="x[..., :3]"),
    Workload("JA", "s8", (4096, 5504, 3), (64, 43, 3), (2, 1, 0), source="x[..., :3]"),
    Workload("V", "f32", (1 << 24,), (1 << 14,), (0,), ((1024,),)),
    Workload("V", "bf16", (1 << 25,), (1 << 14,), (0,), ((1024,), (128,), (2, 1))),
    Workload("S", "s4", WHOLE["s8"], (128, 256), (1, 0), ((64, 128), (8, 1)), bits=4),
    Workload("SH", "s4", (8192, 64, 128), (2, 64, 128), (2, 1, 0), ((64, 128), (8, 1)), bits=4),
    Workload("SG", "s4", WHOLE["s8"], (128, 256), (0, 1), bits=4),
)

CACHED = {"f32": (256, 256), "bf16": (256, 512), "s8": (512, 512)}


def _cached(workload: Workload) -> Workload:
    """The same on 256 KiB, which stay in a cache, with the same ends."""
    sizes = zip(CACHED[workload.element], WHOLE[workload.element], workload.shape, strict=True)
    return replace(workload, shape=tuple(small - (whole - n) for small, whole, n in sizes))


SMALL = tuple(_cached(workload) for workload in COPIES if workload.name in ("A", "B", "C", "CP", "C32", "D", "DP"))

#: One tile each: what a call costs.
TILES: tuple[Workload, ...] = (
    Workload("tile", "f32", (8, 128), (8, 128), (1, 0), (T8,)),
    Workload("tile", "bf16", (8, 128), (8, 128), (1, 0), (T8, (2, 1))),
)


@dataclass(frozen=True)
class Query:
    """How many random elements of a workload's layout are asked for, in which integers, and whether each axis has an array of its own."""

    workload: Workload
    count: int
    dtype: type[np.integer[Any]]
    by_axis: bool = False

    @property
    def key(self) -> str:
        """The name of this query among all."""
        kind = "-by-axis" if self.by_axis else ""
        return f"{self.workload.name}-{self.count:.0e}-{np.dtype(self.dtype)}{kind}".replace("e+0", "e")

    def coordinates(self) -> Array:
        """Random coordinates of shape ``(count, ndim)``, the same every time; by axis, each column lies in one piece."""
        shape = self.workload.shape
        rows = np.random.default_rng(2).integers(0, shape, (self.count, len(shape))).astype(self.dtype)
        return np.asfortranarray(rows) if self.by_axis else rows


_PLANE = Workload("Q", "bf16", (4095, 4093), (125, 253), (1, 0), (T8, (2, 1)))
_LINE = Workload("Q1", "f32", (4194303,), (4093,), (0,), ((1024,),))
_FIVE = Workload("Q5", "bf16", (3, 7, 16, 127, 253), (2, 3, 4, 15, 130), (4, 3, 2, 1, 0), (T8, (2, 1)))
_LONG = Workload("Qlong", "bf16", (1 << 22, 1 << 19), (1 << 10, 1 << 9), (1, 0), (T8, (2, 1)))
_ODD = Workload("Qodd", "bf16", (4095, 4093), (125, 253), (1, 0), ((6, 96), (3, 1)))

QUERIES: tuple[Query, ...] = (
    Query(_PLANE, 10**7, np.int64),
    Query(_PLANE, 10**7, np.int64, by_axis=True),
    Query(_PLANE, 10**7, np.int32),
    Query(_PLANE, 10**4, np.int64),
    Query(_PLANE, 10**4, np.int32),
    Query(_LINE, 10**7, np.int64),
    Query(_FIVE, 10**6, np.int64),
    Query(_FIVE, 10**6, np.int32, by_axis=True),
    Query(_LONG, 10**7, np.int64),
    Query(_ODD, 10**7, np.int64),
)
