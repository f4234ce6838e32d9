"""How copies run, as text: ``data/plans.txt`` holds it, ``python tests/plans.py --write`` renews it.

What is listed is all that a plan chooses. Another choice may well move the same bytes, but more slowly, and no other test would tell.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from math import prod
from pathlib import Path
from unittest.mock import patch

import tilelayout as tl
from tilelayout import flipped, planning, sharing, swizzled, twosteps
from tilelayout._kernels.leaves import Outer, Side
from tilelayout._kernels.loops import Loop
from tilelayout._kernels.machines import set_machine
from tilelayout._kernels.nests import Nest
from tilelayout._kernels.orders import ByteOrder
from tilelayout._kernels.pacing import ahead_of, follows, is_by_lines, is_even, onward_of, piece_of, slice_of, strip_of, sweeps, writes_on
from tilelayout.loops import in_bytes, in_strides

FILE = Path(__file__).parent / "data" / "plans.txt"

#: Machines beside those that fetch rows by themselves, and where copies run as theirs do.
OTHERS = {"storing": "lines that follow are stored", "paired": "lines are pairs of vectors", "sweeping": "rows are not fetched"}

WHOLE, RAGGED, SMALL, ODD = (4096, 8192), (4095, 8189), (256, 512), (13, 130)
#: Shapes, and layouts of elements of so many bytes.
COPIES: tuple[tuple[tuple[int, ...], tuple[int, ...], str], ...] = (
    (WHOLE, (1, 2, 4, 8, 16), "{1,0:T(8,128)}"),
    (WHOLE, (1, 2, 4, 8, 16), "{0,1:T(8,128)}"),
    (WHOLE, (1, 2, 4, 8, 16), "{0,1}"),
    (RAGGED, (1, 2, 4, 8, 16), "{1,0:T(8,128)}"),
    (RAGGED, (1, 2, 4), "{0,1:T(8,128)}"),
    (SMALL, (1, 2, 4, 8, 16), "{1,0:T(8,128)}"),
    (SMALL, (1, 2, 4, 8, 16), "{0,1:T(8,128)}"),
    (SMALL, (1, 2, 4, 8, 16), "{0,1}"),
    (ODD, (1, 2, 4, 8, 16), "{0,1:T(8,128)}"),
    *((shape, (2,), "{1,0:T(8,128)(2,1)}") for shape in (WHOLE, RAGGED, SMALL, ODD)),
    *((shape, (1,), "{1,0:T(8,128)(4,1)}") for shape in (WHOLE, RAGGED, SMALL, ODD)),
    *((shape, (1,), "{1,0:T(32,128)(32,1)}") for shape in (WHOLE, RAGGED, SMALL, ODD)),
    *((shape, (1,), "{0,1:T(32,128)(4,1)}") for shape in (WHOLE, SMALL)),
    *((shape, (1, 4), "{1,0:T(2,16)}") for shape in (WHOLE, SMALL)),
    *((shape, (1, 4), "{1,0:T(16,2)}") for shape in (WHOLE, SMALL)),
    *((shape, (1, 2), "{1,0:T(*,1024)(2,1)}") for shape in (WHOLE, SMALL)),
    ((1 << 24,), (1, 2, 4), "{0:T(1024)(128)(2,1)}"),
    ((1, 1 << 22), (1, 2, 4), "{1,0:T(8,128)(2,1)}"),
    ((1000, 3, 1000), (1, 2), "{2,1,0:T(8,128)(4,1)}"),
    ((2, 5000), (1,), "{1,0:T(8,128)(4,1)}"),
    ((512, 512, 3, 3), (2,), "{1,2,3,0:T(8,128)}"),
    ((512, 512, 3, 3), (4,), "{1,2,0,3:T(4,128)}"),
    ((512, 512, 3, 3), (1, 2, 4), "{0,1,2,3:T(8,128)}"),
    ((512, 512, 3, 3), (2,), "{0,1,2,3:T(8,128)(2,1)}"),
    ((512, 512, 3, 3), (1,), "{0,1,2,3:T(8,128)(4,1)}"),
    ((255, 1023, 65), (1,), "{0,1,2:T(32,128)(4,1)}"),
    ((270600, 31), (1,), "{1,0:T(2,8)}"),
    ((299592, 7), (4,), "{1,0:T(2,2)}"),
    ((100, 3), (1, 4), "{0,1}"),
    ((3, 1 << 22), (1, 2, 4), "{0,1}"),
    ((64, 256, 56, 56), (1, 2, 4), "{3,2,1,0:T(16,1,1)}"),
    ((64, 256, 56, 56), (1, 2, 4), "{1,3,2,0}"),
    ((64, 512, 513), (1, 2, 4), "{2,1,0:T(8,128)}"),
    ((64, 512, 512), (1, 2, 4), "{0,2,1}"),
    ((32, 64, 32, 64), (1, 2, 4), "{2,3,0,1:T(8,16)}"),
    ((2, 3, 17, 33), (1, 2, 4), "{2,3,0,1:T(8,16)}"),
    ((8, 2048, 12, 64), (1, 2), "{1,0,2,3:T(8,128)(2,1)}"),
    ((4, 32, 2048, 128), (1,), "{2,1,0,3:T(8,128)(4,1)}"),
    ((32, 224, 224, 3), (1,), "{1,2,3,0:T(8,128)}"),
    (WHOLE, (2,), "{0,1:T(64,32)(64,2)}"),
    (WHOLE, (2,), "{0,1:T(16,32)(16,2)}"),
    (WHOLE, (1,), "{0,1:T(64,64)(64,4)}"),
    (WHOLE, (1,), "{0,1:T(16,64)(16,4)}"),
    ((1024, 1024, 3, 3), (1, 2, 4), "{1,3,2,0}"),
    ((1000, 1024, 3), (1, 2, 4, 8), "{1,0,2}"),
    ((3, 1000, 1024), (1, 2, 4, 8), "{0,2,1}"),
    ((8192, 4080), (1, 2, 4), "{0,1:T(12,1)}"),
    ((8192, 4096), (2,), "{0,1:T(16,1)}"),
    ((64, 56, 56, 256), (1, 2, 4), "{2,1,3,0:T(16,1,1)}"),
    ((256, 512, 14, 14), (1, 2, 4), "{3,1,2,0}"),
    ((2048, 1024, 3, 3), (1, 2, 4), "{0,1,3,2}"),
    ((2048, 1024, 3, 3), (2, 4), "{1,3,2,0:T(16,1,1,1)}"),
    ((2048, 1024, 3, 3), (4,), "{1,3,2,0:T(8,1,1,1)}"),
    ((3000, 1024, 6), (2,), "{0,1,2}"),
    ((512, 512, 7, 7), (2, 4), "{1,3,2,0:T(16,1,1,1)}"),
    ((512, 512, 7, 7), (2,), "ABcd8b8a"),
    ((512, 512, 7, 7), (1,), "ABcd16b16a"),
    ((512, 512, 7, 7), (2,), "AcdB16b64a"),
    ((4096, 4032), (4,), "{0,1:T(8,96)}"),
    ((256, 256, 28, 28), (1, 2), "{3,1,2,0}"),
    ((4096, 64, 64), (4,), "{2,0,1}"),
    ((1021, 64, 64), (4,), "{2,0,1}"),
    # Kinds of nests that random copies came to and those above do not.
    ((100, 256, 128), (4,), "{0,2,1:T(4,1)}"),
    ((100, 64, 1024), (8,), "{2,1,0:T(8,2)}"),
    ((1000, 1000, 8), (1,), "{0,1,2}"),
    ((1000, 128, 255), (1,), "{0,1,2:T(32)}"),
    ((1000, 128, 255), (1,), "{1,0,2:T(4,32)}"),
    ((1000, 128, 31), (8,), "{0,1,2}"),
    ((1000, 4096), (4,), "{0,1}"),
    ((1000, 4096), (4,), "{1,0:T(2,1)}"),
    ((1024, 4096), (2,), "{1,0:T(4)(128)}"),
    ((1024, 4096), (4,), "{0,1:T(16)(2,128)}"),
    ((1024, 512, 16), (2,), "{1,2,0:T(2)(2,4)}"),
    ((128, 100, 1024), (2,), "{1,2,0}"),
    ((255, 1000, 256), (2,), "{0,1,2}"),
    ((255, 255, 64), (1,), "{0,1,2:T(2,2)}"),
    ((255, 256, 100), (2,), "{1,2,0:T(8,1)}"),
    ((255, 31, 2, 4096), (1,), "{0,2,1,3}"),
    ((256, 16, 1024), (2,), "{0,2,1:T(128,4)}"),
    ((3, 1000, 1024), (8,), "{0,1,2}"),
    ((31, 100, 1000), (1,), "{1,0,2:T(8)}"),
    ((31, 1024, 128), (4,), "{0,1,2}"),
    ((4, 512, 4096), (1,), "{0,1,2:T(128,128)}"),
    ((4096, 1024), (8,), "{1,0:T(32)(32,128)}"),
    ((4096, 2, 512), (1,), "{1,2,0:T(128,32)}"),
    ((4096, 256, 16), (8,), "{2,1,0:T(128,2)}"),
    ((4096, 256, 8), (4,), "{2,0,1}"),
    ((4096, 31, 4, 16), (1,), "{3,0,1,2}"),
    ((4096, 4096), (4,), "{0,1:T(2,4)}"),
    ((4096, 4096), (8,), "{0,1:T(2)(2,32)}"),
    ((512, 1024, 8), (4,), "{0,1,2:T(8,4)}"),
    ((512, 256, 31), (8,), "{0,1,2:T(2)}"),
    ((64, 1000, 255), (8,), "{2,1,0:T(4,128)}"),
    ((2048, 2048, 3), (1, 2, 4), "{2,0,1}"),
    ((100, 90, 7), (1, 2), "{2,0,1:T(8,128,7)}"),
    ((100, 100, 2048), (1, 2), "{0,1,2:T(8,128)(2,1)}"),
    ((64, 128, 4096), (4,), "{2,0,1}"),
    ((8, 3, 256, 4096), (1,), "{0,2,3,1:T(2,4)(2)}"),
    # Padding in the way of long rows.
    ((1 << 20, 3), (1, 2, 4), "{1,0:T(1,4)}"),
    ((100_000, 30), (1,), "{1,0:T(1,32)}"),
    ((3000, 300, 30), (1,), "{2,1,0:T(8,32)(4,1)}"),
    ((64, 224, 224, 3), (2,), "{0,3,2,1:T(4,128)(2,1)}"),
    ((128, 224, 224, 3), (1,), "{0,3,2,1:T(4,128)(4,1)}"),
    ((1000, 4096, 3), (2,), "{0,1,2:T(8,128)(2,1)}"),
    ((2048, 1024, 3, 3), (1,), "{2,3,0,1}"),
    ((512, 31, 1000), (1,), "{1,0,2:T(64,32)(64,2)}"),
    ((4, 1000, 8, 255), (4,), "{1,2,3,0:T(8,128)(2,1)}"),
    # Axes that end among groups of elements.
    ((54, 16, 100, 384), (1,), "{2,0,3,1:T(32,128)(4,1)}"),
    ((87, 1500, 256), (1,), "{0,1,2:T(8,128)(4,1)}"),
    ((10, 768, 1024), (4,), "{1,0,2:T(4,128)}"),
    ((1702, 77, 256), (1,), "{0,1,2:T(32,128)}"),
    ((3072, 910, 12), (1,), "{1,2,0:T(32,128)(4,1)}"),
    # Short rows that end within a block.
    ((98304, 300), (1,), "{1,0:T(8,128)(4,1)}"),
    ((104857, 160), (2,), "{1,0:T(4,128)(2,1)}"),
    ((65536, 576), (1,), "{1,0:T(8,128)(4,1)}"),
    ((160000, 200), (1, 2), "{1,0:T(8,128)}"),
    ((512, 425, 76), (2,), "{0,2,1:T(8,128)(2,1)}"),
    ((512, 425, 150), (1,), "{0,2,1:T(8,128)}"),
    # Bits that are XORed.
    ((4096, 4096), (2,), "S<3,3,3> o 0 o ((8,512),(64,64)):((64,32768),(1,512))"),
    ((4096, 4096), (4,), "S<3,2,3> o 0 o (4096,4096):(4096,1)"),
    ((4096, 4096), (2,), "S<1,3,3> o 0 o ((8,512),(16,256)):((16,32768),(1,128))"),
    ((4096, 4096), (2,), "S<3,3,3> o 0 o ((64,64),(8,512)):((1,262144),(64,512))"),
    # Copies that wrong choices (tests/mutation) would run otherwise.
    ((2, 8, 4096, 512), (4,), "{0,3,1,2:T(16,2)}"),
    ((31, 512, 8), (2,), "{2,0,1:T(2)(128,1)}"),
    ((1024, 1000, 8, 4), (2,), "{2,0,1,3:T(32,128)}"),
    ((128, 256, 255), (2,), "{0,2,1:T(8,32)}"),
    ((255, 8, 128, 3), (8,), "{0,1,2,3:T(1)}"),
    ((1000, 64, 512), (8,), "{1,2,0:T(32,2)}"),
    ((5, 64, 4096), (4,), "{2,0,1:T(16,32)}"),
    ((1024, 64, 16), (4,), "{2,0,1:T(16,128)}"),
    ((64, 5, 16), (4,), "{0,2,1:T(2,2)}"),
    ((6, 512), (4,), "{0,1:T(128,4)}"),
    ((64, 707 * 128), (1,), "{1,0:T(32,128)}"),
    ((64, 808 * 128), (1,), "{1,0:T(32,128)}"),
    ((4, 3, 2048, 300), (1,), "{2,0,3,1}"),
    ((100, 10_000, 64), (1, 2), "{0,1,2}"),
    ((92, 200_000), (1, 2, 4), "{0,1}"),
    ((600, 20_000), (1,), "{0,1}"),
    ((301, 20_000), (4,), "{0,1}"),
    ((10, 12, 4001, 80), (1, 2), "{0,1,2,3}"),
    ((100, 2621, 64), (4,), "{0,1,2}"),
    ((3, 2048, 16, 128), (1,), "{0,2,1,3}"),
    ((28, 224, 224, 3), (4,), "{0,2,1,3}"),
    ((111, 224, 224, 3), (1,), "{0,3,1,2}"),
    ((3567, 14, 14, 24), (1,), "{0,1,3,2:T(4,128)(4,1)}"),
    ((3, 2, 3, 2, 3, 512, 1000), (1,), "{5,6,0,1,2,3,4}"),
    # Long loops that end with a few elements, short blocks that follow one another, and rows that begin anywhere.
    ((512, 256, 14, 14), (2, 4), "{3,2,1,0:T(16,1,1)}"),
    ((8192, 8192), (1,), "{1,0:T(8,128)(2,1)}"),
    *(((262144, columns), (2,), "{1,0:T(8,128)(2,1)}") for columns in (64, 80)),
    ((5000, 3333), (2, 4, 8), "{0,1}"),
    # Short rows side by side, and a few channels of those that a block has room for.
    ((3511, 7, 512), (1,), "{1,2,0}"),
    ((167, 3, 224, 224), (1,), "{3,2,1,0:T(16,1,1)}"),
    ((21, 3, 224, 224), (2, 4), "{3,2,1,0:T(4,1,1)}"),
    ((42, 3, 224, 224), (2,), "{3,2,1,0:T(8,1,1)}"),
    # Blocks in one piece on both sides, in pages that take turns.
    *(((512, 1000, *block), (1, 4), "{2,3,0,1}") for block in ((2, 16), (4, 32), (4, 128))),
    *(((1009, 503, *block), (1, 4), "{2,3,0,1}") for block in ((2, 16), (4, 32), (4, 128))),
    # Batches of small matrices that are transposed, and those whose batches are too.
    *(((1 << 17, *matrix), (1, 2, 4, 8), "{1,2,0}") for matrix in ((3, 3), (4, 7), (9, 5))),
    *(((1009, 503, *matrix), (1, 2, 4), "{2,3,0,1}") for matrix in ((3, 3), (4, 7))),
    ((100, 7, 4), (4,), "{1,2,0}"),
    # A few rows that are blended.
    ((64, 5, 512, 400), (1, 2, 4, 8), "{1,3,2,0}"),
    *(((256, rows, 4096), (1, 2, 4), "{1,2,0}") for rows in (7, 8, 9, 12)),
    # Axes that end within a block, of many and of few.
    ((1365, 256, 3, 3), (4,), "ABcd4b16a4b"),
    ((251, 512, 7, 7), (2,), "ABcd16a16b"),
    ((9769, 23, 7, 2), (4,), "ABcd16b16a"),
    # Parts of lines that lie whole pages apart, in a cache: few at a time, and first what goes on with them.
    ((512, 127, 8), (2,), "{2,0,1:T(16)}"),
    ((64, 255, 16), (4,), "{0,2,1:T(32,1)}"),
    ((128, 1, 8, 1000), (1,), "{2,0,1,3:T(32,32)}"),
    ((512, 2, 2, 100), (4,), "{2,0,3,1:T(8,8)}"),
    # Rows so short that lines would be written in part, and what shares lines of the source or places in the scratch.
    ((1024, 2048, 24), (1,), "{0,1,2:T(32,128)(4,1)}"),
    ((1024, 2048, 12), (2,), "{0,1,2:T(8,128)(2,1)}"),
    ((2048, 512, 56), (1,), "{0,2,1:T(32,128)(32,1)}"),
    ((1152, 4096, 3), (4,), "{0,2,1:T(2,128)}"),
    ((768, 3072, 12), (2,), "{0,2,1:T(8,128)(2,1)}"),
    ((768, 768, 4, 8), (1,), "{1,0,2,3:T(32,128)(32,1)}"),
    ((64, 256, 256, 8), (1,), "{1,2,0,3:T(32,128)(4,1)}"),
    ((768, 5, 197, 20), (1,), "{2,0,3,1:T(8,128)(4,1)}"),
    # Copies in two steps that are read over, that others promise less than, and that are worth it beside nests of great merit.
    ((128, 256, 256, 3), (2,), "{0,3,2,1:T(4,128)(2,1)}"),
    ((256, 256, 256, 3), (1,), "{0,3,2,1:T(4,128)(4,1)}"),
    ((4096, 24, 24, 4), (1,), "{0,2,1,3:T(16,128)(4,1)}"),
    ((384, 4096, 7), (1,), "{0,1,2:T(64,64)(64,4)}"),
    ((4096, 768, 5), (2,), "{0,1,2:T(4,128)(2,1)}"),
    ((224, 2048, 12), (4,), "{0,2,1:T(16,2)}"),
    ((197, 768, 3, 7), (4,), "{3,2,1,0:T(4,4)}"),
    ((1, 256, 96, 128), (4,), "{1,0,2,3:T(2,2)}"),
    # Rows of a half or a quarter of a line that lie pages apart.
    ((56, 256, 2048), (1,), "{1,0,2:T(32,128)(32,1)}"),
    ((384, 12, 2048), (2,), "{0,1,2:T(8,8)}"),
    # Short rows on both sides, by way of a scratch: square tiles that are turned, and fragments of tensor cores.
    *((shape, (1, 2, 4), "{0,1:T(2,2)}") for shape in (WHOLE, RAGGED, SMALL, ODD)),
    (WHOLE, (1, 2, 4, 8), "{0,1:T(4,4)}"),
    (WHOLE, (1, 2), "{0,1:T(8,8)}"),
    ((4096, 8192), (2,), "((8,2,256),(2,4,2,512)):((32,2,131072),(1,8,4,256))"),
    ((4096, 8192), (4,), "((8,2,256),(4,2,1024)):((16,1,131072),(4,2,128))"),
    # Rows that end early and follow each other in the source alone, and short ones beside a long axis that ends within a tile.
    ((655, 512, 100), (1, 2, 4), "{2,0,1:T(8,128)}"),
    ((5349, 224, 14), (2,), "{0,2,1:T(4,128)(2,1)}"),
    # What runs backwards: rows, columns, a few elements in each pixel, blocks.
    (WHOLE, (1, 2, 4), "strides=(8192,-1), offset=8191"),
    ((4096, 8189), (1, 4), "strides=(-8189,-1), offset=33542143"),
    ((1024, 1024, 3), (1, 4), "strides=(3072,3,-1), offset=2"),
    ((1024, 1021, 3), (1,), "strides=(3063,-3,1), offset=3060"),
    (WHOLE, (1, 4), "strides=(-1,4096), offset=4095"),
    ((1000, 9), (1, 4), "strides=(-9,1), offset=8991"),
)
#: Of how many bits the elements are, shapes, and layouts in which they share bytes.
SHARED: tuple[tuple[int, tuple[int, ...], str], ...] = (
    *(
        (bits, shape, text)
        for shape in (WHOLE, SMALL)
        for bits, text in (
            (4, "{1,0}"),
            (4, "{0,1}"),
            (4, "{1,0:T(8,128)}"),
            (4, "{1,0:T(64,128)(8,1)}"),
            (4, "{1,0:T(8,128)(2,1)}"),
            (4, "{0,1:T(32,128)(4,1)}"),
            (2, "{1,0:T(16,128)}"),
            (2, "{1,0:T(64,128)(16,1)}"),
            (2, "{1,0:T(32,128)(4,1)}"),
            (1, "{1,0:T(32,128)(32,1)}"),
        )
    ),
    (4, (4096, 64, 128), "{2,1,0:T(64,128)(8,1)}"),
    (4, (16, 1024, 512), "{1,2,0}"),
    (4, (4096, 100, 255), "{0,2,1:T(64,8)}"),
    (2, (4096, 4096), "{1,0:T(8,64)(2,4)}"),
    (4, (100, 4, 128), "{0,1,2}"),
    (2, (100, 256, 512), "{1,2,0:T(2,128)(2,128)}"),
    (2, (4096, 64, 128), "{2,0,1}"),
    (4, (4096, 32), "{0,1:T(4,4)}"),
    (4, (256, 500), "{0,1:T(64,128)(8,1)}"),
    (4, (16, 36), "{0,1:T(64,128)(8,1)}"),
)
#: Pairs of layouts of elements of so many bytes.
MOVES: tuple[tuple[tuple[int, ...], int, str, str], ...] = (
    *(
        (shape, width, source, target)
        for shape in (WHOLE, SMALL)
        for width in (1, 2, 4)
        for source, target in (
            ("{1,0:T(8,128)}", "{0,1:T(8,128)}"),
            ("{1,0:T(8,128)}", "{1,0:T(16,16)}"),
            ("{1,0:T(8,128)(2,1)}", "{1,0:T(8,128)}"),
            ("{1,0:T(8,128)(4,1)}", "{0,1:T(8,128)(4,1)}"),
            ("{0,1:T(32,128)}", "{1,0:T(128,32)}"),
        )
    ),
    ((8191, 8189), 1, "{1,0:T(32,128)(32,1)}", "{0,1}"),
    # Slices of arrays, packed and unpacked: every other column, channels of pixels, some columns of rows, elements far apart.
    *(
        (shape, width, *sides)
        for shape, widths, strides, order in (
            ((4096, 4096), (1, 2, 4, 8), (8192, 2), "{1,0}"),
            ((5_000_000, 3), (1, 2, 4), (4, 1), "{1,0}"),
            ((1_400_000, 12), (1, 4), (40, 1), "{1,0}"),
            ((1_400_000, 3), (1, 4), (33, 1), "{1,0}"),
            ((1024, 2048), (1, 4, 16), (32768, 16), "{1,0}"),
            ((2048, 512), (1, 2), (1024, 2), "{1,0:T(4)(128)}"),
        )
        for width in widths
        for sides in permutations((f"strides={strides}", order))
    ),
    # Into wider arrays, whose rows have gaps behind them: whole lines that are made in registers, of which few are streamed, and others.
    *(
        ((100_000, columns), width, source, f"strides=({columns + gap // width},1)")
        for columns, width, source in (
            (64, 1, "{0,1}"),
            (128, 1, "{0,1}"),
            (32, 4, "{0,1}"),
            (48, 4, "{0,1}"),
            (40, 4, "{0,1}"),
            (96, 4, "{0,1}"),
            (256, 1, "{1,0:T(8,128)(4,1)}"),
            (48, 4, "{1,0}"),
        )
        for gap in (64, 16)
    ),
    # Elements that stay together in another order.
    *(
        (shape, width, source, target)
        for shape in (WHOLE, RAGGED, SMALL, ODD)
        for width, source, target in (
            (2, "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)(2,1)}"),
            (1, "{0,1:T(8,128)(4,1)}", "{1,0:T(8,128)(2,1)}"),
            (1, "{1,0:T(4,4)}", "{0,1:T(4,4)}"),
        )
    ),
    ((3, 8189), 1, "{1,0:T(4,4)}", "{0,1:T(4,4)}"),
    # Small blocks that follow one another in the target, and those that are far apart in the source.
    (WHOLE, 1, "{1,0:T(8,128)(4,1)}", "{0,1:T(32,128)(32,1)}"),
    *((shape, 1, "{1,0:T(32,128)(4,1)}", "{1,0:T(8,128)}") for shape in (WHOLE, RAGGED)),
)


def described() -> list[str]:
    """The lines of all of them: as they run where the machine fetches rows by itself, and, if that differs, on other machines."""
    before = set_machine("fetching")
    try:
        usual = _described()
        others = {}
        for machine, which in OTHERS.items():
            set_machine(machine)
            others[which] = _described()
    finally:
        set_machine(before)
    lines = []
    for k, (name, plans) in enumerate(usual):
        lines += [name, *("  " + each for each in plans)]
        for which, other in others.items():
            if other[k][1] != plans:
                lines += [f"  or, where {which}:", *("  " + each for each in other[k][1])]
    return lines


def _described() -> list[tuple[str, list[str]]]:
    """What each copy is called, and its plans."""
    plans: list[str] = []

    def kept(
        nest: Nest,
        sizes: object,
        source: int = 0,
        target: int = 0,
        sharing: tuple[int, bool, bool, bool] | None = None,
        *,
        order: ByteOrder | None = None,
        flips: list[int] | None = None,
        is_fetched: bool | None = None,
    ) -> object:
        fetched = nest.is_large if is_fetched is None else is_fetched
        said = told(nest, 8 // sharing[0] if sharing and sharing[2] else 1, order, is_fetched=fetched)
        moves_rows = is_fetched is None and sharing is None and order is None and flips is None
        said += f", onward {onward_of(nest)}" if moves_rows and onward_of(nest) else ""
        plans.append(said if flips is None else f"{said}; flipped by {' '.join(map(str, flips))}")
        return nest

    def in_steps(
        steps: list[tuple[object, bool, bool]],
        held: int,
        blocks: list[tuple[int, int, int, int]],
        *starts: int,
        reading: tuple[int, int, list[tuple[int, int]]] = (0, 0, []),
    ) -> object:
        around = "; ".join(f"{per} of {n}x({from_},{to})" for n, per, from_, to in blocks)
        size, begin, loops = reading
        pieces = " by ".join(["", *(f"{n}x{step}" for n, step in loops)])
        read_over = f"; {size} bytes are read over from {begin} on{pieces}" if size else ""
        plans.append(f"{f'both by way of {held} bytes' if held else 'in turns'}; {around or 'at once'}{read_over}")
        return steps

    found = []
    with (
        patch.object(planning, "CopyPlan", kept),
        patch.object(flipped, "CopyPlan", kept),
        patch.object(sharing, "CopyPlan", kept),
        patch.object(twosteps, "CopyPlan", kept),
        patch.object(twosteps, "CopyInSteps", in_steps),
        patch.object(flipped, "CopyInSteps", in_steps),
        patch.object(swizzled, "CopyInSteps", in_steps),
    ):
        for name, plan in _plans():
            plans.clear()
            plan()
            found.append((name, list(plans)))
    return found


def told(nest: Nest, per_byte: int, order: ByteOrder | None = None, *, is_fetched: bool) -> str:
    leaf = nest.leaf
    manner = ["streamed" if nest.is_streamed else "large" if nest.is_large else "small", *(["even"] if is_even(nest) else [])]
    ahead = ahead_of(nest) if is_fetched else 0
    manner += ["stored"] if nest.is_streamed and nest.machine.stores and writes_on(nest) else []
    manner += ["by lines"] if is_by_lines(nest, ahead) else []
    manner += ["row by row"] if ahead and sweeps(nest) else []
    manner += ["on from loop to loop"] if ahead and sweeps(nest) and (nest.rounds or follows(nest, ahead)) else []
    strip = strip_of(nest, per_byte)
    piece = piece_of(nest, per_byte, ahead, strip)
    numbers = {
        "series": nest.series,
        **({"rounds": nest.rounds} if nest.rounds else {}),
        "chain": f"{nest.chain}{f' by {nest.hop}' if nest.hop > 1 else ''}{f' to {nest.link}' if nest.link else ''}",
        "banks": nest.banks(),
        "strip": f"{strip}{'' if piece == strip else f' by {piece}'}",
        "slice": slice_of(nest),
        "ahead": ahead,
    }
    in_order = ""
    if order is not None:
        at = " ".join(map(str, order.at[: min(leaf.width, 16)]))
        in_order = f" in order {at}{' and on' if leaf.width > 16 else ''}{f' from {order.begin} on' if order.begin else ''}"
    said = [f"{leaf.kernel} of {leaf.width}{in_order}", f"u {_side(leaf.u)}", f"v {_side(leaf.v)}", *map(_outer, nest.outer)]
    return "; ".join([*said, ", ".join([*manner, *(f"{name} {value}" for name, value in numbers.items())])])


def _loop(loop: Loop) -> str:
    along = "" if loop.axis < 0 else f" on {loop.axis} by {loop.divisor}"
    return f"{loop.n}x({loop.source},{loop.target}){along}{' clipped' if loop.clipped else ''}"


def _side(side: Side) -> str:
    steps = "".join(f" {n}x{step}" for n, step in side.steps)
    return f"{_loop(side.loop)} in{steps or ' a row'}" + (f", {side.unit} of {_loop(side.cut)}" if side.cut else "")


def _outer(outer: Outer) -> str:
    return _loop(outer.loop) + (f" {('u', 'v', 'inside')[outer.cuts - 1]} {outer.per} of {outer.total}" if outer.cuts else "")


def _plans() -> Iterator[tuple[str, Callable[[], object]]]:
    """What each copy is called, and what plans it."""
    for shape, widths, text in COPIES:
        for width in widths:
            yield from _both_ways(f"{width} {list(shape)}{text}", tl.layout(text) if ":(" in text else tl.layout(text, shape), width)
    for bits, shape, text in SHARED:
        yield from _both_ways(f"bits {bits} {list(shape)}{text}", tl.layout(text, shape), 1, bits)
    for shape, width, source, target in MOVES:
        one, other = tl.layout(source, shape), tl.layout(target, shape)
        sides = in_bytes(one.digits, width), in_bytes(other.digits, width)
        yield f"relayout {width} {list(shape)}{source} to {target}", partial(planning.plan, shape, *sides, width, other.slots)


def _both_ways(name: str, layout: tl.Layout, width: int, bits: int | None = None) -> Iterator[tuple[str, Callable[[], object]]]:
    """Between rows and the layout."""
    shape = layout.shape
    rows, slots = in_strides(shape, [width * prod(shape[k + 1 :]) for k in range(len(shape))]), in_bytes(layout.digits, width)
    joins, spreads = (bits and sharing.Sharing(bits, joins, sign=True) for joins in (True, False))
    yield f"pack {name}", partial(planning.plan, shape, rows, slots, width, layout.slots, sharing=joins)
    yield f"unpack {name}", partial(planning.plan, shape, slots, rows, width, read=layout.slots, sharing=spreads)


def written() -> list[str]:
    return FILE.read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    lines = described()
    if "--write" in sys.argv:
        FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        print(*lines, sep="\n")
