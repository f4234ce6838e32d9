"""Matrices that a group of four warps multiplies: operands in shared memory, plain and swizzled, and accumulators in registers."""

import numpy as np
import pytest

import tilelayout as tl
from cuda_kernels import Four, Walk
from cuda_layouts import A_64X16, WARPGROUPS, accumulator, offsets, operand

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries


def walked(way, rows, wide):
    """How wgmma finds an operand: bytes from its beginning to each step of 16 along K, and both strides of its descriptor."""
    if way == "columns":
        return [32 * wide * k for k in range(4)], 128 * wide, 16 * wide
    if wide == 8:
        return [256 * k for k in range(4)], 128, 1024
    return [2 * (16 * k // wide * rows * wide + 16 * k % wide) for k in range(4)], 16, 16 * wide


def multiply(run, a, b, way, wide):
    """The accumulators, by thread and register, of halves in matrices of (64, 64) and (n, 64), packed into layouts of shared memory."""
    n, held = len(b), None
    (steps_a, *strides_a), (steps_b, *strides_b) = (walked(way, len(x), wide) for x in (a, b))
    images = [tl.pack(x, f"cute:{operand(way, len(x), wide)}") for x in (a, b)]
    walk = Walk(8192, 128 * n, Four(*steps_a), Four(*steps_b), *strides_a, *strides_b, {8: 0, 16: 3, 32: 2, 64: 1}[wide])
    if way == "registers":  # for each step of 16
        held = np.stack([np.ascontiguousarray(a[:, 16 * k : 16 * k + 16].T).ravel()[offsets(A_64X16)] for k in range(4)], axis=1)
    return run("run_wgmma", n, int(way == "columns"), images[0], held, images[1], walk, out=np.zeros((128, n // 2), "f4"))


@pytest.mark.parametrize(("way", "n", "wide"), WARPGROUPS)
def test_warpgroups_multiply_what_pack_lays_out(run, record, way, n, wide):
    rng = np.random.default_rng(wide)
    a, b = rng.integers(-4, 5, (64, 64)).astype("f2"), rng.integers(-4, 5, (n, 64)).astype("f2")
    product = tl.pack(multiply(run, a, b, way, wide), f"cute:{accumulator(n)}").reshape(n, 64).T
    assert np.array_equal(product, a.astype("i4") @ b.astype("i4").T)
    record("wgmma", f"{way}.n{n}.{2 * wide}B", [operand(way, rows, wide) for rows in (64, n)])


def test_accumulators_of_a_warpgroup(run, record):
    """Which element each register holds: A and B are made so that element (m, n) is the number 64 * m + n."""
    a, b = np.zeros((64, 64), "f2"), np.zeros((64, 64), "f2")
    a[:, 0], a[:, 1], b[:, 0], b[:, 1] = np.arange(64), 1, 64, np.arange(64)
    held = multiply(run, a, b, "memory", 64).astype("i4")
    record("wgmma", "m64n64", held)
    places = offsets(accumulator(64))
    assert np.array_equal(held, places % 64 * 64 + places // 64)
