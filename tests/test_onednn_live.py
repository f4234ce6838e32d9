"""Against oneDNN itself: the bytes of its reorders, and the sizes of its memory descriptors.

Run with ``make test-live``, which installs onednn-cpu-gomp.
"""

import ctypes
import sys
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl
from tilelayout.notations import onednn

pytestmark = pytest.mark.live

F32, CPU, IN_ORDER, SRC, DST = 3, 1, 1, 1, 17
CASES = [
    ("nhwc", (2, 3, 4, 5)), ("nChw16c", (2, 17, 3, 3)), ("nChw8c", (1, 3, 2, 2)), ("OIhw4i16o4i", (20, 9, 1, 2)),
    ("OIhw4i16o4i", (3, 1, 1, 1)), ("BA16a64b4a", (70, 100)), ("AB16b64a2b", (65, 33)), ("gOIhw4o4i", (2, 5, 6, 1, 3)),
    ("OhwI24o", (25, 3, 2, 2)), ("gIOhw2i8o16i2o", (1, 17, 33, 1, 1)), ("hwio", (4, 3, 2, 2)), ("ldOI32o2i", (1, 1, 3, 33)),
    ("AB2a16b4a", (3, 40)), ("a", (7,)), ("Ab3a", (4, 2)), ("bAC5c2a", (3, 2, 7)), ("aBcde16b", (1, 1, 1, 1, 1)),
]  # fmt: skip


@pytest.fixture(scope="module")
def dnnl():
    path = Path(sys.prefix) / "lib" / "libdnnl.so.3"
    if not path.exists():
        pytest.skip("onednn-cpu-gomp is not installed")
    library = ctypes.CDLL(str(path))
    library.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
    return library


def made(function, *arguments):
    """The object that a function of the library makes through its first argument."""
    result = ctypes.c_void_p()
    assert function(ctypes.byref(result), *arguments) == 0, f"{function.__name__} refuses"
    return result


def dims(values):
    return (ctypes.c_int64 * 12)(*values)


def described(dnnl, shape, tag):
    return made(dnnl.dnnl_memory_desc_create_with_string_tag, len(shape), dims(shape), F32, tag.encode())


@pytest.mark.parametrize(("tag", "shape"), CASES, ids=str)
def test_a_reorder_gives_the_same_bytes(dnnl, tag, shape):
    parsed = onednn.parse(tag)
    values = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    plain, target = described(dnnl, shape, onednn.ALPHABETS[len(shape) - 1]), described(dnnl, shape, str(parsed))
    engine = made(dnnl.dnnl_engine_create, CPU, ctypes.c_size_t(0))
    stream = made(dnnl.dnnl_stream_create, engine, IN_ORDER)
    result = np.full(dnnl.dnnl_memory_desc_get_size(target) // 4, np.nan, np.float32)
    memories = [
        made(dnnl.dnnl_memory_create, desc, engine, array.ctypes.data_as(ctypes.c_void_p))
        for desc, array in ((plain, values), (target, result))
    ]
    primitive = made(dnnl.dnnl_primitive_create, made(dnnl.dnnl_reorder_primitive_desc_create, plain, engine, target, engine, None))

    class Argument(ctypes.Structure):
        _fields_ = (("arg", ctypes.c_int), ("memory", ctypes.c_void_p))

    arguments = (Argument * 2)(*((kind, memory.value) for kind, memory in zip((SRC, DST), memories, strict=True)))
    assert dnnl.dnnl_primitive_execute(primitive, stream, 2, arguments) == 0
    assert dnnl.dnnl_stream_wait(stream) == 0
    np.testing.assert_array_equal(tl.pack(values, parsed.bind(shape)), result)


@pytest.mark.parametrize(
    ("shape", "strides"), [((2, 3), (10, 1)), ((2, 3), (1, 2)), ((1, 3), (100, 2)), ((4, 3), (0, 1)), ((2, 0), (5, 1))], ids=str
)
def test_strides_give_the_same_size(dnnl, shape, strides):
    desc = made(dnnl.dnnl_memory_desc_create_with_strides, 2, dims(shape), F32, dims(strides))
    text = f"f32::blocked:ab:{'x'.join(map(str, strides))}:f0"
    assert 4 * onednn.parse(text).bind(shape).slots == dnnl.dnnl_memory_desc_get_size(desc)
