"""What is to be reached, and why a row does not reach it where it does not.

Ratios are to a plain copy of the bytes written with as many threads, both warm, in 64 MiB; packing with elements that share bytes
is measured against reading the source. Some targets hang on another row's measurement: they are given those that there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from workloads import Workload

#: Measured ratios by name, element, direction and number of threads.
Measured: TypeAlias = Mapping[tuple[str, str, str, int], float]

#: Ratio to a plain copy of packing into each layout; by element where elements differ.
PACK: dict[str, float | dict[str, float]] = {
    "A": 1.00,
    "B": 1.00,
    "C": 0.95,
    "C32": 1.10,
    "D": (transposed := {"f32": 1.15, "bf16": 1.25, "s8": 1.45}),
    "DP": transposed,
    "E": 1.00,
    "F": 1.00,
    "G": (plain := {"f32": 1.30, "bf16": 1.40, "s8": 1.50}),
    "GP": plain,
    "G100": plain,
    "H": 1.00,
    "I": transposed,
    "JT": 1.50,
    "JS": 0.95,
    "S": 1.10,
    "SH": 1.10,
}

#: Layouts with padded edges that may take so much more than the same without.
PADDED = {"CP": "C", "C32P": "C32", "C32by4P": "C32by4"}
FOR_PADDING = 0.05
#: How much more unpacking may take than packing.
FOR_UNPACKING = 0.10

#: The same in a cache, 256 KiB.
IN_CACHE: dict[str, float | dict[str, float]] = {
    "A": 1.0,
    "C": 1.0,
    "D": {"f32": 1.3, "bf16": 2.0, "s8": 2.5},
}

#: From one layout to another, over the slower of the two packs.
RELAYOUT = 1.2
#: A new array, over ``numpy.copy`` or over a first touch by two threads.
FRESH = {1: 1.1, 2: 1.2}
#: A call for one tile in microseconds: with a layout, with its text.
CALL = {"layout": 1.0, "text": 2.0}
#: Index queries over a copy of the same traffic, inverse ones, and a single one in nanoseconds.
QUERY = {"index": 1.1, "inverse": 2.2}
SCALAR = 300.0
#: How many times as fast as numpy's formula.
OVER_NUMPY = 15.0
#: One thread's time over that of two.
TWO_THREADS = 1.8
#: The time of a byte over that of a byte of 64 MiB: flat.
FLAT = 1.1
#: A plan in microseconds.
PLAN = 20.0
#: Peak memory over input and output.
PEAK = 1.0
#: CuTe's operations in microseconds, and a batch of coordinates with two modes in nanoseconds each.
ALGEBRA = {
    "Layout((128,128), (128,1))": 1.0,
    "L(77)": 0.2,
    "composition": 3.0,
    "complement": 2.0,
    "logical_divide": 8.0,
}
BATCH = 20.0

#: Why a row misses its target or is behind a peer, by its job or the beginning of it.
REASONS: dict[str, str] = {
    "unpack": "rows of the target are carried on a few lines at a time, tile after tile",
    "unpack D": "a line or two are written in each of 64 to 128 rows at a time",
    "unpack I": "a line or two are written in each of 128 rows at a time",
    "unpack F": "a fifth of what is read is padding, and each row ends within a line",
    "unpack G": "two lines of a row at a time are made of 32 to 128 rows, by way of the second cache",
    "unpack E": "sixteen rows are written a line at a time, each 3 to 12 KiB from the next",
    "pack D": "lines of the target are made of 16 to 128 rows of the source, of narrow elements by way of the second cache",
    "pack I": "lines of the target are made of 16 to 128 rows of the source, of narrow elements by way of the second cache",
    "pack G": "two lines of a row at a time are made of 32 to 128 rows, by way of the second cache",
    "pack G100": "rows of the target end within a line, and some of them at a time go by way of the second cache",
    "pack U": "rows of the target end within a line, and are carried on from one column of pictures to the next",
    "pack A": "a few lines of each row go to each of its tiles",
    "pack B": "a few lines of each row go to each of its tiles",
    "pack C": "a few lines of rows that are interleaved go to each tile",
    "pack JS": "a few lines of rows that are interleaved go to each tile",
    "pack H": "three planes are written a line at a time",
    "unpack H": "three planes are read a line at a time",
    "pack K": "each line is blended from nine lines of tuples, and nine rows are written in turn",
    "unpack K": "each line is blended from nine rows, which are read in turn",
    "pack E": "sixteen rows are read, each 3 to 12 KiB from the next",
    "pack F": "the last tile of each row has one column, and padding",
    "pack M": "padding is filled in a scratch, from which a transpose reads",
    "unpack M": "a third more is read than is written, by way of a scratch",
    "unpack X": "a third more is read than is written",
    "pack JE": "twice as much is read as is written",
    "unpack JE": "every line is read and written again, though only half of it changes",
    "pack JA": "a third more is read than is written",
    "unpack JA": "every line is read and written again, though a quarter of it stays",
    "pack Y": "rows of 128 to 512 bytes are made of 128 rows of the source, each 2 to 8 KiB from the next",
    "unpack Y": "rows of 128 to 512 bytes are made of 128 rows of the source, which lie far apart",
    "pack JT": "two or four narrow elements travel as one of four bytes, and a transpose it is still",
    "unpack N": "rows of 80 to 320 bytes share the lines at their ends with those beside them",
    "pack S": "half as many bytes as are read are written too, which a read does not",
    "unpack S": "eight short rows of the target are written at a time",
    "pack SG": "two rows are joined as they are read, and two lines of a row at a time are made of 256 such",
    "unpack SG": "two lines of a row at a time are made of 128 rows, by way of the second cache",
    "DP to CP": "no stretch of either buffer is a stretch of the other, and padding is filled in a pass of its own",
    "plan": "made once for each layout, strides and width; a second one where elements share bytes",
    "pack one": "a Python function that is empty takes a tenth of a microsecond, and a check of all arguments as much",
    "unpack one": "a Python function that is empty takes a tenth of a microsecond, and a check of all arguments as much",
    "index Q-1e4": "a call takes 0.2 microseconds before its first query, which is a tenth of the copy",
    "inverse Q-1e4": "in cache the kernel is bound by its instructions",
    "index Q-1e7-int64-by-axis": "two streams are read instead of one",
    "E to NHWC": "sixteen channels of a block become sixteen of a row, a line at a time",
    "index Q5-1e6-int32-by-axis": "five streams are read instead of one, and one axis is multiplied",
    "index Q5": "rows of forty bytes are taken apart by blends and permutes, and one axis is multiplied",
    "inverse Q5": "eight digits are taken apart one after the other, and rows of forty bytes put together by permutes",
    "C to turned": "a transpose, of pairs of which each has its bytes put in order",
    "turned C": "a transpose, of elements of which each has its bytes put in order",
    "C32by4 to A": "each page of rows is taken apart to four places",
    "C to A": "rows are taken apart, a tile's at a time",
    "D to A": "a transpose, with a tile of each on either side",
    "A to I": "a transpose, with a tile of each on either side",
    "index Qlong": "slots beyond 32 bits: half as many queries at a time",
    "inverse Qlong": "slots beyond 32 bits: half as many queries at a time",
    "inverse Qodd": "a tile that is no power of two takes two multiplications for each quotient",
    "index Qodd": "a tile that is no power of two takes two multiplications for each quotient",
    "memory": "the interpreter's own",
}


def reason(job: str, note: str | None = None) -> str | None:
    """What is known about a row, and what was noted when it was measured; the longest beginning of its job counts."""
    known = REASONS.get(max((start for start in REASONS if job.startswith(start)), key=len, default=""))
    return "; ".join(filter(None, (note, known))) or None


def of_copy(workload: Workload, direction: str, threads: int, measured: Measured) -> float | None:
    """The ratio that packing or unpacking is to reach; None where none was set."""
    name, element = workload.name, workload.element
    if direction == "unpack" and workload.bits:  # measured against another yardstick than its pack
        pack = of(PACK, name, element)
        return None if pack is None else pack + FOR_UNPACKING
    if direction == "unpack":
        pack = measured.get((name, element, "pack", threads))
        return None if pack is None else pack + FOR_UNPACKING
    if name in PADDED:
        whole = measured.get((PADDED[name], element, "pack", threads))
        return None if whole is None else whole + FOR_PADDING
    return of(PACK, name, element)


def of(ratios: dict[str, float | dict[str, float]], name: str, element: str) -> float | None:
    """The ratio of a layout and an element."""
    found = ratios.get(name)
    return found[element] if isinstance(found, dict) else found
