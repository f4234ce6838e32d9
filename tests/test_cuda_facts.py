"""The library against what GPUs and their libraries did, as ``data/cuda`` has it (see data/README.md); ``make test-cuda`` measures anew."""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

import cuda_layouts
import tilelayout as tl

FACTS = {path.stem: cuda_layouts.read_facts(path.stem) for path in cuda_layouts.FACTS.glob("*.json")}


def test_all_that_is_measured_is_there():
    kinds = [*(f"ldmatrix.{kind}" for kind in cuda_layouts.LDMATRIX), *(f"stmatrix.{kind}" for kind in cuda_layouts.STMATRIX)]
    shared = [f"shared: {name}" for name in cuda_layouts.SHARED]
    assert sorted(FACTS["mma"]) == sorted([*cuda_layouts.ATOMS, *kinds])
    assert sorted(FACTS["wgmma"]) == sorted(["m64n64", *(f"{way}.n{n}.{2 * wide}B" for way, n, wide in cuda_layouts.WARPGROUPS)])
    assert sorted(FACTS["triton"]) == sorted([*REGISTERS, *shared])
    assert sorted(FACTS["jax"]) == sorted([*cuda_layouts.PUT, "int4", "program"])
    assert len(REGISTERS) == 19
    assert len(FACTS) == 6


# --- tensor cores and TMA -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", cuda_layouts.ATOMS)
def test_what_tensor_cores_multiply(name):
    assert np.array_equal(FACTS["mma"][name], cuda_layouts.multiplied(name))


@pytest.mark.parametrize("name", cuda_layouts.ATOMS)
def test_fragments_hold_each_element_once(name):
    """But for A and B, where threads have their elements to themselves too, this is what the products above show."""
    for text in cuda_layouts.ATOMS[name][:3]:
        places = cuda_layouts.offsets(text)
        assert np.array_equal(np.sort(places, axis=None), np.arange(places.size))


@pytest.mark.parametrize("kind", cuda_layouts.LDMATRIX)
def test_ldmatrix(kind):
    cuda_layouts.check_loaded(kind, FACTS["mma"][f"ldmatrix.{kind}"])


@pytest.mark.parametrize("kind", cuda_layouts.STMATRIX)
def test_stmatrix(kind):
    held = np.arange(256).reshape(32, 8)
    assert np.array_equal(FACTS["mma"][f"stmatrix.{kind}"], tl.pack(held, f"cute:{cuda_layouts.STMATRIX[kind]}"))


def test_accumulators_of_a_warpgroup():
    """Each register holds the number 64 * m + n of its element (m, n)."""
    held = FACTS["wgmma"]["m64n64"]
    numbers = np.arange(64 * 64).reshape(64, 64)
    assert np.array_equal(tl.pack(held, f"cute:{cuda_layouts.accumulator(64)}"), numbers.T.ravel())
    assert np.array_equal(tl.unpack(np.ascontiguousarray(numbers.T).ravel(), f"cute:{cuda_layouts.accumulator(64)}"), held)


@pytest.mark.parametrize(("way", "n", "wide"), cuda_layouts.WARPGROUPS)
def test_operands_are_those_that_were_multiplied(way, n, wide):
    """Products came out right with operands packed into these layouts; in each piece, chunks of 16 bytes are swizzled by the row."""
    texts = [cuda_layouts.operand(way, rows, wide) for rows in (64, n)]
    assert FACTS["wgmma"][f"{way}.n{n}.{2 * wide}B"] == texts
    for rows, text in zip((64, n), texts, strict=True):
        row, k = np.indices((rows, 64))
        line, at = (k, row) if way == "columns" else (row, k)  # which lines are swizzled, and what lies along them
        lines = 64 if way == "columns" else rows
        if wide == 8:
            expected = at // 8 * 64 + line // 8 * 512 + line % 8 * 8 + at % 8
        else:
            chunk = at % wide // 8 ^ line * wide // 64 % (wide // 8)
            expected = at // wide * lines * wide + line * wide + chunk * 8 + at % 8
        assert np.array_equal(cuda_layouts.offsets(text), expected)


@pytest.mark.parametrize("wide", [32, 64, 128])
def test_tma_swizzles(wide):
    array, memory, text = cuda_layouts.tile(wide, "u2"), FACTS["tma"][f"{wide}B"].astype("u2"), f"cute:{cuda_layouts.swizzled(wide, 2)}"
    assert np.array_equal(tl.pack(array, text), memory)
    assert np.array_equal(tl.unpack(memory, text), array)
    for dtype in ("u1", "u4"):  # the same bytes as elements of another width
        assert np.array_equal(tl.pack(array.view(dtype), f"cute:{cuda_layouts.swizzled(wide, int(dtype[1]))}"), memory.view(dtype))


# --- Triton -------------------------------------------------------------------------------------------------------------------

REGISTERS = [name for name in FACTS["triton"] if not name.startswith("shared: ")]


@pytest.mark.parametrize("name", REGISTERS)
def test_registers_of_triton(name):
    fact = FACTS["triton"][name]
    cuda_layouts.check_registers(fact["printed"], fact["shape"], fact["held"])


@pytest.mark.parametrize("name", cuda_layouts.SHARED)
def test_shared_memory_of_triton(name):
    fact = FACTS["triton"][f"shared: {name}"]
    assert fact["asked"] == cuda_layouts.SHARED[name][0]
    cuda_layouts.check_shared(name, fact["printed"], fact["held"])


# --- torch and JAX ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [2, 4, 8])
def test_weights_that_torch_packs(inner):
    fact = FACTS["torchao"][f"inner_k_tiles={inner}"]
    cuda_layouts.check_weights(inner, fact["weights"].astype("u1"), fact["packed"])


@pytest.mark.parametrize("text", cuda_layouts.PUT)
def test_memory_of_arrays_of_jax(text):
    """JAX says the layout that was asked for, and the memory is what ``pack`` makes; of large arrays the beginning is kept."""
    fact, layout = FACTS["jax"][text], tl.layout(text)
    memory = tl.pack(cuda_layouts.counted(layout).astype(layout.element.name), layout).view("u1")
    assert tl.layout(fact["format"], shape=layout.shape) == layout
    assert fact["bytes"] == memory.size
    assert np.array_equal(memory[:4096], fact["memory"])


def test_four_bits_of_jax():
    """Two elements share a byte, the first in the low bits, as JAX's layout says."""
    fact, held = FACTS["jax"]["int4"], cuda_layouts.FOUR_BITS.astype(ml_dtypes.int4)
    layout = tl.layout(fact["layout"], shape=held.shape)
    assert np.array_equal(tl.pack(held, layout), fact["memory"])
    described = tl.jax.parse(fact["layout"])
    sharding = SimpleNamespace(shard_shape=lambda shape: shape)
    array = SimpleNamespace(
        shape=held.shape, dtype=held.dtype, sharding=sharding, format=SimpleNamespace(layout=described, sharding=sharding)
    )
    assert tl.jax.from_jax(array).element == tl.Element("int4", 4)
    assert np.array_equal(tl.pack(held, tl.jax.from_jax(array)), fact["memory"])
    assert fact["bytes"] == len(fact["memory"])


def test_a_program_for_a_gpu():
    cuda_layouts.check_program(FACTS["jax"]["program"])
