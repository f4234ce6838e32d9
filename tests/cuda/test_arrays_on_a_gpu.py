"""Arrays of torch and CuPy in the memory of a GPU, which are refused in words, and in memory that the host reads too, which are taken."""

import re

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import LayoutError

pytestmark = [pytest.mark.cuda, pytest.mark.filterwarnings("default")]  # the warnings of other libraries

TILES = "{1,0:T(8,128)}"
#: What may be asked with an array x, whose shape is (16, 128): each entry takes x and a plain array.
ASKED = {
    "pack": lambda x, plain: tl.pack(x, TILES),
    "pack out": lambda x, plain: tl.pack(plain, TILES, out=x.reshape(-1)),
    "unpack": lambda x, plain: tl.unpack(x.reshape(-1), TILES, shape=(16, 128)),
    "unpack out": lambda x, plain: tl.unpack(plain.reshape(-1), TILES, shape=(16, 128), out=x),
    "relayout": lambda x, plain: tl.relayout(x.reshape(-1), TILES, "{0,1}", shape=(16, 128)),
    "relayout out": lambda x, plain: tl.relayout(plain.reshape(-1), TILES, "{0,1}", shape=(16, 128), out=x.reshape(-1)),
    "infer": lambda x, plain: tl.infer(x, plain.reshape(-1)),
}
IDS = {
    "index": lambda x: tl.layout(TILES, shape=(16, 128)).index(x.reshape(-1, 2)),
    "coordinates": lambda x: tl.layout(TILES, shape=(16, 128)).coordinates(x.reshape(-1)),
    "is_padding": lambda x: tl.layout(TILES, shape=(16, 128)).is_padding(x.reshape(-1)),
}
PLAIN = np.arange(16 * 128, dtype="f4").reshape(16, 128)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e4m3fn", "int8"])
def test_torch_tensors_on_a_gpu_are_refused(torch, asked, dtype):
    x = torch.from_numpy(PLAIN % 8).to(getattr(torch, dtype)).cuda()
    with pytest.raises(LayoutError) as caught:
        ASKED[asked](x, PLAIN)
    assert re.search(r"cuda|CUDA", str(caught.value))
    assert re.search(r"\.cpu\(\)", str(caught.value))


@pytest.mark.parametrize("asked", IDS)
def test_queries_in_torch_tensors_on_a_gpu_are_refused(torch, asked):
    with pytest.raises(LayoutError) as caught:
        IDS[asked](torch.zeros(16, dtype=torch.int64, device="cuda"))
    assert "cpu()" in str(caught.value)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64"])
def test_torch_tensors_in_pinned_memory_are_taken(torch, dtype):
    x = torch.from_numpy(PLAIN % 8).to(getattr(torch, dtype)).pin_memory()
    packed, back = torch.empty(2048, dtype=x.dtype, pin_memory=True), torch.empty_like(x, pin_memory=True)
    tl.pack(x, TILES, out=packed)
    tl.unpack(packed, TILES, shape=(16, 128), out=back)
    assert torch.equal(back, x)
    assert torch.equal(packed.cuda().cpu().float(), torch.from_numpy(tl.pack(PLAIN % 8, TILES)))


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("memory", ["device", "managed"])
def test_arrays_of_cupy_are_refused(cupy, asked, memory):
    with cupy.cuda.using_allocator(cupy.cuda.malloc_managed if memory == "managed" else None):
        x = cupy.asarray(PLAIN)
    with pytest.raises(LayoutError) as caught:
        ASKED[asked](x, PLAIN)
    assert re.search(r"\.get\(\)", str(caught.value))
    assert np.array_equal(cupy.asnumpy(x), PLAIN)


@pytest.mark.parametrize("asked", IDS)
def test_queries_in_arrays_of_cupy_are_refused(cupy, asked):
    with pytest.raises(LayoutError, match=r"\.get\(\)"):
        IDS[asked](cupy.zeros(16, "i8"))


class OnlyDlpack:
    """An array that shows itself by DLPack alone."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **asked):
        return self.held.__dlpack__(**asked)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


@pytest.mark.parametrize("library", ["torch", "cupy"])
def test_dlpack_alone_says_which_device(library):
    module = pytest.importorskip(library)
    x = module.zeros(8, device="cuda") if library == "torch" else module.zeros(8)
    for ask in (lambda given: tl.pack(given, "{0}"), lambda given: tl.pack(np.zeros(8), "{0}", out=given)):
        with pytest.raises(LayoutError, match=r"lies on CUDA device 0, where the host does not read; copy it to the host first"):
            ask(OnlyDlpack(x))


def test_managed_memory_is_read_and_written_by_dlpack_alone(cupy):
    """The host reads it; what is written there is in the array."""
    with cupy.cuda.using_allocator(cupy.cuda.malloc_managed):
        x, packed = cupy.asarray(PLAIN), cupy.zeros(2048, "f4")
    cupy.cuda.Device().synchronize()
    assert np.array_equal(tl.pack(OnlyDlpack(x), TILES, out=OnlyDlpack(packed)), tl.pack(PLAIN, TILES))
    assert np.array_equal(cupy.asnumpy(packed), tl.pack(PLAIN, TILES))


class OnlyInterface:
    """An array that shows itself by CUDA's interface alone, as those of pycuda do."""

    def __init__(self, held):
        self.held, self.__cuda_array_interface__ = held, held.__cuda_array_interface__

    def reshape(self, *shape):
        return OnlyInterface(self.held.reshape(*shape))


@pytest.mark.parametrize("asked", [*ASKED, *IDS])
def test_cudas_interface_alone_is_refused(torch, asked):
    x = OnlyInterface(torch.from_numpy(PLAIN).cuda())
    with pytest.raises(LayoutError, match=r"lies on a CUDA device, .*; copy it to the host first"):
        ASKED[asked](x, PLAIN) if asked in ASKED else IDS[asked](x)
