"""Against the bytes that the real TPU compiler laid out (tests/data/tpu_truth.jsonl, see tests/data/README.md)."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl
from tilelayout.elements import BITS
from tilelayout.notations.xla.types import NUMPY_NAMES

LINES = [json.loads(line) for line in (Path(__file__).parent / "data" / "tpu_truth.jsonl").read_text().splitlines()]


def constant(dtype, dims):
    """The array that the compiler was asked to return: element number i has these bits, and no two neighbours are alike."""
    width = BITS[NUMPY_NAMES[dtype]]
    x = np.arange(1, 1 + int(np.prod(dims)), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x ^= x >> np.uint64(29)
    x &= np.uint64((1 << width) - 1)
    if width >= 8:
        x &= ~np.uint64(1 << width - 2)
    return x.astype(f"u{max(width, 8) // 8}").reshape(dims)


@pytest.mark.parametrize("line", [line for line in LINES if line["sha256"]], ids=lambda line: f"{line['topology']}-{line['layout']}")
def test_the_bytes_are_the_compilers(line):
    bits = constant(line["dtype"], line["dims"])
    packed = tl.pack(bits, line["layout"])
    assert hashlib.sha256(packed.tobytes()).hexdigest() == line["sha256"]
    again = tl.unpack(packed, line["layout"]).view(bits.dtype)
    assert (again & bits.dtype.type((1 << BITS[NUMPY_NAMES[line["dtype"]]]) - 1) == bits).all()  # s4 comes back with its sign repeated


def test_there_are_many():
    assert sum(bool(line["sha256"]) for line in LINES) > 200
