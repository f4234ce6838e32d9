"""Against the real XLA:TPU compiler, which compiles without a TPU: its choice of tiles, its sizes, its bytes.

Run with ``make test-live``, which installs jax and libtpu.
"""

import os

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore")]

TOPOLOGIES = ["v3:2x2", "v4:2x2x1", "v5e:2x2", "v6e:2x2"]
CASES = [
    ("float32", (3, 5)), ("float32", (20, 130)), ("float32", (7,)), ("float32", (2, 3, 300)), ("bfloat16", (17, 257)),
    ("bfloat16", (2, 1500)), ("int8", (40, 130)), ("int8", (33, 128)), ("uint8", (1, 128)), ("int32", (1, 8, 4)), ("float16", (5, 4, 100)),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _compile_without_a_tpu():
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    os.environ.setdefault("TPU_ACCELERATOR_TYPE", "v5litepod-4")


@pytest.fixture(scope="module", params=TOPOLOGIES)
def sharding(request):
    jax = pytest.importorskip("jax")
    pytest.importorskip("libtpu")
    from jax.experimental import topologies

    topology = topologies.get_topology_desc(platform="tpu", topology_name=request.param)
    return request.param.split(":")[0], jax.sharding.SingleDeviceSharding(topology.devices[0])


def pattern(shape, dtype):
    """An array whose element number i has bits that no other has nearby, and that are no NaN."""
    width = 8 * np.dtype(dtype).itemsize
    with np.errstate(over="ignore"):
        x = (np.arange(1, 1 + int(np.prod(shape)), dtype=np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        x ^= x >> np.uint64(29)
    bits = x.astype(f"u{width // 8}") & np.array(~(1 << width - 2) & (1 << width) - 1, f"u{width // 8}")
    return bits.view(dtype).reshape(shape)


@pytest.mark.parametrize(("dtype", "shape"), CASES, ids=str)
def test_the_compiler_agrees(sharding, dtype, shape):
    import jax
    import jax.numpy as jnp

    generation, placed = sharding
    constant = pattern(shape, jnp.dtype(dtype))
    argument = jax.ShapeDtypeStruct(shape, dtype, sharding=placed)
    compiled = jax.jit(lambda x: (x + x, jnp.asarray(constant)), out_shardings=placed).lower(argument).compile()
    text = compiled.as_text()
    head = text.split("entry_computation_layout={(", 1)[1]
    chosen = tl.xla.parse_shape(head.split(")->(", 1)[0])
    expected = tl.xla.tpu_layout(shape, dtype, generation=generation, minor_to_major=chosen.layout.minor_to_major)
    assert str(chosen.layout) == str(expected)
    assert compiled.memory_analysis().argument_size_in_bytes == chosen.allocation_byte_size
    returned = _second_result(head)
    packed = tl.pack(constant, str(returned))
    padding = tl.layout(str(returned)).is_padding(np.arange(len(packed)))
    program = compiled.runtime_executable().serialize()
    assert _holds(program, packed, padding), f"the bytes of {returned} are not in the compiled program"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "float8_e4m3fn", "int4", "uint2", "int1"])
def test_the_default_layouts_are_these(sharding, dtype):
    generation, placed = sharding
    (device,) = placed.device_set
    sizes = st.sampled_from([0, 1, 2, 3, 5, 8, 9, 16, 17, 31, 32, 64, 100, 128, 129, 192, 256, 513, 768, 1024, 1025, 4097])

    @settings(derandomize=True, database=None, max_examples=300)
    @given(st.lists(sizes, max_size=4).map(tuple))
    def check(dims):
        told = str(device.client.get_default_layout(np.dtype(getattr(ml_dtypes, dtype, dtype)), dims, device))
        order = tl.xla.parse_layout(told).minor_to_major
        assert told == str(tl.xla.tpu_layout(dims, dtype, generation=generation, minor_to_major=order))

    check()


def _second_result(head: str) -> tl.xla.Shape:
    result, depth = head.split(")->", 1)[1], 0
    for end, char in enumerate(result):
        depth += (char in "({") - (char in ")}")
        if not depth:
            return tl.xla.parse_shape(result[: end + 1]).parts[1]
    raise AssertionError(f"{result[:80]} is no tuple")


def _holds(program: bytes, packed: np.ndarray, padding: np.ndarray) -> bool:
    """Whether the packed bytes lie somewhere in the program, whatever its padding holds."""
    raw, unknown = packed.view(np.uint8), np.repeat(padding, packed.itemsize)
    first = int(np.flatnonzero(~unknown)[0])
    run = int(np.argmax(unknown[first:])) if unknown[first:].any() else len(raw) - first
    needle, begin = raw[first : first + run].tobytes(), -1
    haystack = np.frombuffer(program, np.uint8)
    while (begin := program.find(needle, begin + 1)) >= 0:
        there = haystack[begin - first : begin - first + len(raw)]
        if len(there) == len(raw) and (there[~unknown] == raw[~unknown]).all():
            return True
    return False
