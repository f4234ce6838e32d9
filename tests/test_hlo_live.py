"""Against the real compilers: the size of a program's arguments as they report it, and as it follows from their HLO.

Run with ``make test-live``, which installs jax and libtpu.
"""

import os

import pytest

from tilelayout import doctor, hlo

pytestmark = [pytest.mark.live, pytest.mark.filterwarnings("ignore")]

#: For each platform the topologies that are compiled for; the CPU has none.
PLACES = ["cpu", "v3:2x2", "v4:2x2x1", "v5e:2x2", "v6e:2x2"]
SHAPES = [
    ("float32", (3, 5)), ("bfloat16", (17, 257)), ("int8", (40, 130)), ("int32", (1, 8, 4)), ("float16", (5, 4, 100)), ("bool", (7, 3)),
    ("bfloat16", (1500,)), ("float32", ()), ("uint8", (2, 33, 128)), ("float32", (2, 3, 4, 5)),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _compile_without_a_tpu():
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    os.environ.setdefault("TPU_ACCELERATOR_TYPE", "v5litepod-4")


@pytest.fixture(scope="module", params=PLACES)
def placed(request):
    """The generation, and a sharding that puts arrays there."""
    jax = pytest.importorskip("jax")
    if request.param == "cpu":
        return "cpu", jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
    pytest.importorskip("libtpu")
    from jax.experimental import topologies

    topology = topologies.get_topology_desc(platform="tpu", topology_name=request.param)
    return request.param.split(":")[0], jax.sharding.SingleDeviceSharding(topology.devices[0])


@pytest.fixture(scope="module")
def compiled(placed):
    """A program with a loop, fusions and a reduction over arrays of every kind."""
    import jax
    import jax.numpy as jnp

    def program(arrays, weights):
        def layer(state, weight):
            return jax.nn.gelu(state @ weight) + state, None

        state, _ = jax.lax.scan(layer, jnp.ones((50, 150), weights.dtype), weights)
        return [jnp.sort(array.reshape(-1)).astype(jnp.float32).sum() for array in arrays], jnp.tanh(state[:, :3])

    arguments = [jax.ShapeDtypeStruct(shape, dtype, sharding=placed[1]) for dtype, shape in SHAPES]
    weights = jax.ShapeDtypeStruct((3, 150, 150), "bfloat16", sharding=placed[1])
    return jax.jit(program).lower(arguments, weights).compile()


def test_arguments_take_what_the_compiler_says(compiled):
    module = hlo.read(compiled.as_text())
    arguments = [array for array in module if array.is_argument]
    assert len(arguments) == len(SHAPES) + 1
    assert sum(array.padded_bytes for array in arguments) == compiled.memory_analysis().argument_size_in_bytes
    assert module.problems == ()


def test_arguments_in_the_memory_of_the_host_are_counted_apart(placed):
    import jax

    if placed[0] == "cpu":
        pytest.skip("a CPU has one memory")
    (device,) = placed[1].device_set
    host = jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
    arguments = [jax.ShapeDtypeStruct((7, 3), "float32", sharding=sharding) for sharding in (host, placed[1])]
    compiled = jax.jit(lambda x, y: jax.device_put(x, placed[1]) + y).lower(*arguments).compile()
    found = sorted((array.memory_space, array.padded_bytes) for array in hlo.read(compiled.as_text()) if array.is_argument)
    told = compiled.memory_analysis()
    assert found == [(0, told.argument_size_in_bytes), (5, told.host_argument_size_in_bytes)]


def test_every_instruction_is_read(compiled):
    text = compiled.as_text()
    found = [instruction.line for instruction in hlo.read(text).instructions()]
    written = [k for k, line in enumerate(text.splitlines(), 1) if line.startswith(("  %", "  ROOT %"))]
    assert found == written
    assert len(found) > 50


def test_the_doctor_diagnoses_the_dump(compiled, placed):
    findings = doctor.examine(hlo.read(compiled.as_text()).buffers(), 100, generation="v5e" if placed[0] == "cpu" else placed[0])
    assert all(sum(cause.bytes for cause in found.diagnosis.causes) == found.diagnosis.waste for found in findings)
    assert bool(findings) == (placed[0] != "cpu")


def test_a_program_that_does_not_fit_is_reported(placed):
    import jax
    import jax.numpy as jnp

    if placed[0] == "cpu":
        pytest.skip("the CPU's compiler takes programs of any size")

    def program(x):
        rows = x.reshape(-1, 10)
        return jnp.cumsum(rows, 0), jnp.cumsum(rows[:, ::-1] * 2, 0), rows.reshape(-1, 2) * 3.0

    argument = jax.ShapeDtypeStruct(((1 << 30) // 10 * 10,), "float32", sharding=placed[1])
    with pytest.raises(jax.errors.JaxRuntimeError) as refused:
        jax.jit(program).lower(argument).compile()
    report = hlo.oom(f"{refused.value}\n")
    assert report.memory == "hbm"
    assert hlo.read_size(report.used) > hlo.read_size(report.capacity) > 2**30
