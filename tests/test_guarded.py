"""Copies between arrays with nothing before them and nothing behind: what reads or writes a byte too far ends the process."""

import mmap
import subprocess
import sys

import pytest

from engines import ENGINES

SCRIPT = """
import ctypes, mmap, random
import numpy as np
import tilelayout as tl
from tilelayout import parts, twosteps
from tilelayout._kernels import calls, copy, machines
from tilelayout.notations import read

twosteps.READ_OVER = 64
libc = ctypes.CDLL(None)
PAGE, NONE = mmap.PAGESIZE, 0


class Guarded:
    # Memory between two pages that nobody may touch.

    def __init__(self, size):
        self.pages = -(-size // PAGE)
        self.memory = mmap.mmap(-1, (self.pages + 2) * PAGE)
        self.all = np.frombuffer(self.memory, np.uint8)
        for page in (0, self.pages + 1):
            assert libc.mprotect(ctypes.c_void_p(self.all.ctypes.data + page * PAGE), ctypes.c_size_t(PAGE), NONE) == 0

    def array(self, shape, dtype, gap):
        # So many bytes before the end, or where there is nothing before it.
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        begin = PAGE if gap is None else (self.pages + 1) * PAGE - size - gap
        return self.all[begin : begin + size].view(dtype).reshape(shape)


def mixed(chance, shape):
    # Digits in any order, some of them backwards, with holes between them.
    digits = []
    for axis, n in enumerate(shape):
        divisor = 1
        while divisor < n:
            digits.append((axis, divisor, chance.choice((2, 4, 8, 32, -(-n // divisor), -(-n // divisor)))))
            divisor *= digits[-1][2]
    chance.shuffle(digits)
    stride, start, placed = 1, chance.choice((0, 0, 5)), []
    for axis, divisor, radix in digits:
        stride += chance.choice((0, 0, 0, 0, 0, 1, 3, 8))
        is_backwards = chance.random() < 0.1
        placed.append((axis, divisor, radix, -stride if is_backwards else stride))
        start += is_backwards * stride * (radix - 1)
        stride *= radix
    return tl.Layout(shape, [*placed, (None, 1, 2, start)], slots=stride + start)


one, other = Guarded((1 << 19) + PAGE), Guarded((1 << 19) + PAGE)
for level, parts.LARGE, machine, _ in ENGINES:
    copy.set_level(level)
    machines.set_machine(machine)
    calls.forget()
    read.cache_clear()
    for text in TEXTS:
        for shape in ((256, 192), (251, 187), (301, 9), (9, 301)):
            for dtype in ("u1",) if "E" in text else ("u1", "u2", "u4", "u8"):
                layout = tl.layout(f"xla:{text}", shape)
                values = (np.arange(layout.size) % 8).astype(dtype).reshape(shape)
                expected = tl.pack(values, layout)
                for gaps in ((None, None), (0, 0), (0, 16), (16, 0)):
                    source, target = one.array(shape, dtype, gaps[0]), other.array(expected.shape, expected.dtype, gaps[1])
                    for rows in (source, source[::-1]):
                        rows[...] = values
                        tl.pack(rows, layout, out=target, threads=1)
                        assert (target == expected).all(), (level, parts.LARGE, text, shape, dtype, gaps)
                        rows[...] = 0
                        tl.unpack(target, layout, out=rows, threads=1)
                        assert (rows == values).all(), (level, parts.LARGE, text, shape, dtype, gaps)
    # A part of each row, where the rest of the last one is not there.
    for there, together in ((1, 2), (1, 16), (1, 40), (3, 4), (2, 3), (5, 8), (3, 40), (3, 3), (7, 7), (5, 9)):
        for dtype in ("u1", "u2", "u4", "u8"):
            width = np.dtype(dtype).itemsize
            flat = one.array((300 * together - together + there,), dtype, 0)
            flat[...] = np.arange(flat.size) % 251
            values = np.lib.stride_tricks.as_strided(flat, (300, there), (together * width, width))
            whole = flat.copy()
            tiled = [f"{{0,1:T({together},128)}}", f"{{1,0:T(4,{together})}}", f"{{0,1:T(8,128)({together},1)}}"]
            for text in ("{1,0}", "{0,1}", "{1,0:T(1,11)}", *tiled):
                layout = tl.layout(text, values.shape)
                packed = tl.pack(values, layout, threads=1)
                assert (packed[layout.offsets()] == values).all(), (level, parts.LARGE, text, there, dtype)
                values[...] = 0
                tl.unpack(packed, layout, out=values, threads=1)
                assert (flat == whole).all(), (level, parts.LARGE, text, there, dtype)
    # Rows of four bytes at distances that are uneven: 128 of them, the last one where the array ends.
    layout = tl.Layout((512, 64), [(1, 1, 2, 1), (1, 2, 32, 3), (0, 4, 128, 96), (0, 1, 4, 12_289)])
    values = np.arange(layout.size, dtype="u2").reshape(layout.shape)
    packed = one.array((layout.slots,), "u2", 0)
    tl.pack(values, layout, out=packed, threads=1)
    assert (tl.unpack(packed, layout, threads=1) == values).all(), (level, parts.LARGE)
    # Batches of small matrices.
    for shape in ((500, 3, 3), (101, 5, 7), (67, 15, 17), (40, 9, 2, 3), (301, 4, 4), (33, 40, 2, 3)):
        for dtype in ("u1", "u2", "u4", "u8", "c16"):
            for text in ("{1,2,0}",) if len(shape) == 3 else ("{2,3,1,0}", "{2,3,0,1}"):
                layout = tl.layout(f"xla:{text}", shape)
                values = (np.arange(layout.size) % 251).astype(dtype).reshape(shape)
                expected = tl.pack(values, layout, threads=1)
                assert (expected[layout.offsets()] == values).all(), (level, parts.LARGE, text, shape, dtype)
                for gap in (None, 0, 16):
                    source, target = one.array(shape, dtype, gap), other.array(expected.shape, dtype, gap)
                    source[...], target[...] = values, 0
                    tl.pack(source, layout, out=target, threads=1)
                    assert (target == expected).all(), (level, parts.LARGE, text, shape, dtype, gap)
                    source[...] = 0
                    tl.unpack(target, layout, out=source, threads=1)
                    assert (source == values).all(), (level, parts.LARGE, text, shape, dtype, gap)
    chance = random.Random(SEED)
    for _ in range(NUMBER):
        shape = chance.choice(((96, 130), (1000, 24), (33, 64, 12), (64, 8, 32), (512, 64), (2048, 16)))
        dtype = chance.choice(("u1", "u2", "u4", "u8"))
        layout = mixed(chance, shape)
        if layout.slots * np.dtype(dtype).itemsize > 1 << 19:
            continue
        values = (np.arange(layout.size) % 251).astype(dtype).reshape(shape)
        expected = np.full(layout.slots, 7, dtype)
        expected[layout.offsets()] = values
        for gap in (0, 16):
            source, target = one.array(shape, dtype, 0), other.array(expected.shape, dtype, gap)
            source[...], target[...] = values, 0
            tl.pack(source, layout, out=target, fill=7, threads=1)
            assert (target == expected).all(), (level, parts.LARGE, layout, dtype, gap)
            source[...] = 0
            tl.unpack(target, layout, out=source, threads=1)
            assert (source == values).all(), (level, parts.LARGE, layout, dtype, gap)
print("all is well")
"""
TEXTS = [
    "{1,0}", "{0,1}", "{1,0:T(8,128)}", "{0,1:T(8,128)}", "{0,1:T(64,64)}", "{1,0:T(8,128)(2,1)}", "{1,0:T(8,128)(4,1)}", "{0,1:T(16,2)}",
    "{0,1:T(16,32)(16,2)}", "{0,1:T(16,9)}", "{1,0:T(7,3)}", "{1,0:T(16,1)}", "{0,1:T(8,128)(4,1)}",
    "{1,0:T(32,128)(32,1)}", "{1,0:T(64,128)(8,1)E(4)}", "{0,1:T(8,128)E(4)}",
    "{0,1:T(16,1)}", "{0,1:T(5,1)}", "{0,1:T(47,1)}",
]  # fmt: skip


@pytest.mark.skipif(not hasattr(mmap, "PROT_READ"), reason="pages are guarded otherwise there")
@pytest.mark.parametrize("number", [200, pytest.param(10_000, marks=pytest.mark.slow)])
def test_nothing_is_touched_beyond_arrays(number):
    """Of layouts with digits in any order, ten thousand find a chain that does not begin with a line where another does."""
    script = SCRIPT
    for name, value in {"TEXTS": TEXTS, "ENGINES": ENGINES, "SEED": 1, "NUMBER": number}.items():
        script = script.replace(name, repr(value))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=900)
    assert (done.returncode, done.stdout) == (0, "all is well\n"), done.stderr
