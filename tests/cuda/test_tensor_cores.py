"""Fragments: which element of a matrix each register of each thread holds, asked of the tensor cores, ldmatrix and stmatrix."""

import numpy as np
import pytest

import cuda_layouts
import tilelayout as tl
from cuda_kernels import MMAS
from cuda_layouts import ATOMS, LDMATRIX, STMATRIX, offsets

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries


def encoded(x, dtype):
    """Whole numbers as the words of registers; bfloat16 is the upper half of a float."""
    if dtype == "bfloat16":
        return (x.astype("f4").view("u4") >> 16).astype("u2").view("u4")
    return x.astype(dtype).view("u4")


def product(run, name, a, b):
    """What the instruction leaves in D of (runs, thread, value), from words of A and B of as many runs."""
    runs, held = len(a), np.zeros((len(a), 32, 4), "u4")
    run("run_mma", list(MMAS).index(name), runs, a.size // runs // 32, b.size // runs // 32, a, b, out=held)
    return held.view("f4" if ".f32" in name else "i4")


@pytest.mark.parametrize("name", ATOMS)
def test_tensor_cores_multiply_what_the_fragments_say(run, record, name):
    """A one in a single place of A takes a row of B, each of whose elements has a number of its own, to a row of D."""
    _, _, _, dtype, most = ATOMS[name]
    expected = cuda_layouts.multiplied(name)
    runs, places = len(expected), offsets(ATOMS[name].b)
    ones = encoded(np.eye(runs, dtype="i4").reshape(runs, 32, -1), dtype)
    numbers = np.arange(1, places.size + 1).reshape(places.shape)
    seen = np.zeros(expected.shape, "i8")
    for digit in range(1 if places.size < most else 2):
        part = np.broadcast_to(numbers // most**digit % most, (runs, *places.shape))
        seen += product(run, name, ones, encoded(np.ascontiguousarray(part), dtype)).astype("i8") * most**digit
    record("mma", name, seen)
    assert np.array_equal(seen, expected)


@pytest.mark.parametrize("name", ["m16n8k16.f32.f16", "m16n8k32.s32.s8"])
def test_matrices_packed_into_fragments_are_multiplied(run, name):
    """What ``unpack`` takes into registers and ``pack`` out of them: slots are places of the matrix, column by column."""
    *texts, dtype, _ = ATOMS[name]
    in_a, in_b, in_d = (f"cute:{text}" for text in texts)
    rng = np.random.default_rng(1)
    depth = offsets(texts[0]).size // 16
    a, b = rng.integers(-3, 4, (depth, 16)), rng.integers(-3, 4, (depth, 8))  # columns first
    held = product(run, name, *(encoded(tl.unpack(x.ravel(), text)[None], dtype) for x, text in ((a, in_a), (b, in_b))))[0]
    assert np.array_equal(tl.pack(held, in_d), (b.T @ a).ravel())
    assert np.array_equal(held, tl.unpack(np.ascontiguousarray(b.T @ a).ravel(), in_d))


@pytest.mark.parametrize("kind", LDMATRIX)
def test_ldmatrix(run, record, kind):
    count, trans = int(kind[1]), int(kind.endswith("trans"))
    held = run("run_ldmatrix", count, trans, np.arange(256, dtype="u2"), out=np.zeros((32, count), "u4")).view("u2")
    record("mma", f"ldmatrix.{kind}", held)
    cuda_layouts.check_loaded(kind, held)


@pytest.mark.parametrize("kind", STMATRIX)
def test_stmatrix(run, record, kind):
    held = np.arange(256, dtype="u2").reshape(32, 8)
    rows = run("run_stmatrix", int(kind.endswith("trans")), held, out=np.zeros(256, "u2"))
    record("mma", f"stmatrix.{kind}", rows)
    assert np.array_equal(rows, tl.pack(held, f"cute:{STMATRIX[kind]}"))
