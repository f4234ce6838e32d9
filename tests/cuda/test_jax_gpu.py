"""Arrays of JAX on a GPU: what they say of their layout, what their memory holds, and what a program compiled for a GPU says."""

import ctypes
import os
import re

import numpy as np
import pytest

import cuda_layouts
import tilelayout as tl
from tilelayout import LayoutError

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries

TILES = "{1,0:T(8,128)}"
PLAIN = np.arange(16 * 128, dtype="f4").reshape(16, 128)


@pytest.fixture(scope="module")
def jax():
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    return jax


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "bool", "float8_e4m3fn", "complex64"])
def test_arrays_of_jax_are_copied_to_the_host(jax, dtype):
    """JAX's own ``__array__`` does that."""
    x = jax.numpy.asarray(PLAIN % 8).astype(dtype)
    packed = tl.pack(x, TILES)
    assert packed.dtype.name == dtype
    assert np.array_equal(packed, tl.pack(np.asarray(x), TILES))
    assert np.array_equal(tl.unpack(jax.numpy.asarray(packed), TILES, shape=(16, 128)), np.asarray(x))
    with pytest.raises(LayoutError):
        tl.pack(PLAIN, TILES, out=jax.numpy.zeros(2048, "float32"))


def memory(run, array):
    """The bytes on the device."""
    size = array.on_device_size_in_bytes()
    return run("read_device", ctypes.c_void_p(array.unsafe_buffer_pointer()), ctypes.c_size_t(size), out=np.zeros(size, "u1"))


@pytest.mark.parametrize("text", cuda_layouts.PUT)
def test_the_memory_of_an_array_of_jax_is_what_pack_makes(jax, run, record, text):
    """``from_jax`` reads the layout that the array says it has."""
    layout = tl.layout(text)
    x = jax.numpy.asarray(cuda_layouts.counted(layout)).astype(layout.element.name)
    put = jax.device_put(x, tl.jax.to_jax(layout, jax.sharding.SingleDeviceSharding(jax.devices()[0]))).block_until_ready()
    said, held = tl.jax.from_jax(put), memory(run, put)
    record("jax", text, {"format": str(put.format), "bytes": held.size, "memory": held[:4096]})
    assert said == layout
    assert tl.layout(str(put.format.layout), shape=layout.shape).canonical == said.canonical
    assert tl.pack(np.asarray(put), said).tobytes() == held.tobytes()


def test_four_bits_of_jax(jax, run, record):
    """Two elements share a byte, the first in the low bits."""
    x = jax.numpy.asarray(cuda_layouts.FOUR_BITS).astype("int4").block_until_ready()
    said, held = tl.jax.from_jax(x), memory(run, x)
    record("jax", "int4", {"layout": str(x.format.layout), "bytes": held.size, "memory": held})
    assert said.element == tl.Element("int4", 4)
    packed = tl.pack(np.asarray(x), said).tobytes()
    assert held.tobytes()[: len(packed)] == packed == tl.pack(np.asarray(x), "s4[16,30]{1,0:E(4)}").tobytes()


def test_a_program_compiled_for_a_gpu(jax, record):
    """Its text has layouts behind every instruction."""
    compiled = jax.jit(lambda x, y: (x @ y).T + 1).lower(np.zeros((17, 300), "f4"), np.zeros((300, 65), "f4")).compile()
    text = compiled.as_text()
    record("jax", "program", re.sub(r'"/[^"]*/', '"', text))  # without the folders of the files that are named there
    cuda_layouts.check_program(text)
    assert tl.jax.from_jax(compiled.input_formats[0][0], (17, 300)).size == 17 * 300
