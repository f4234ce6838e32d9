"""Tensors of torch and arrays and layouts of JAX, in torch and JAX themselves."""

import ctypes
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import tilelayout as tl
from tilelayout import LayoutError
from tilelayout.bridges import shared

pytestmark = pytest.mark.live

TILES = "{1,0:T(8,128)}"
WIDTHS = {"bfloat16": 2, "float8_e4m3fn": 1, "float8_e4m3fnuz": 1, "float8_e5m2": 1, "float8_e5m2fnuz": 1, "float8_e8m0fnu": 1}
#: Two devices are there only if that is said before JAX begins.
SHARDED = """
import jax, numpy as np, tilelayout as tl
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 2)
mesh = jax.sharding.Mesh(np.array(jax.devices()), "x")
put = jax.device_put(np.zeros((6, 5), "float32"), jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x")))
print(tl.jax.from_jax(put) == tl.layout("f32[3,5]{1,0}"))
try:
    tl.jax.from_jax(put, (6, 5))
except tl.ShapeError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def torch():
    import torch

    return torch


@pytest.fixture(scope="module")
def jax():
    import jax

    return jax


def numbers(*shape):
    return (np.arange(np.prod(shape)) % 64 + 1).reshape(shape).astype("float32")


class TestTorch:
    @pytest.mark.parametrize("name", ["float32", "float64", "float16", "int8", "uint16", "int64", "bool", "complex64", *WIDTHS])
    def test_any_strides_of_any_type_without_a_copy(self, torch, name):
        x = torch.from_numpy(numbers(40, 300)).to(getattr(torch, name))
        for given in (x, x.T, x[::3, 5:], x[:1].expand(40, 300), x[3]):
            taken = shared(given, "x")
            assert taken.dtype.name == name
            assert taken.shape == tuple(given.shape)
            assert taken.strides == tuple(step * x.itemsize for step in given.stride())
            assert taken.ctypes.data == given.data_ptr()
            expected = np.array(given.contiguous().view(torch.uint8).tolist(), "uint8").tobytes() if x.itemsize == 1 else None
            assert expected is None or taken.tobytes() == expected

    @pytest.mark.parametrize("name", ["float32", *WIDTHS])
    def test_there_and_back_in_its_own_memory(self, torch, name):
        x = torch.from_numpy(numbers(17, 300)).to(getattr(torch, name))
        packed = torch.empty(24 * 384, dtype=x.dtype)
        tl.pack(x.T.contiguous().T, TILES, out=packed)
        back = torch.zeros(300, 17, dtype=x.dtype).T
        tl.unpack(packed, TILES, shape=(17, 300), out=back)
        assert torch.equal(back.float(), x.float())
        assert shared(packed, "x").tobytes() == tl.pack(shared(x, "x"), TILES).tobytes()

    def test_values_of_bfloat16(self, torch):
        x = torch.tensor([[1.5, -2.25], [3e38, float("nan")]], dtype=torch.bfloat16)
        packed = tl.pack(x, "bf16[2,2]{1,0:T(2,128)(2,1)}", fill=-1)
        assert packed.dtype == ml_dtypes.bfloat16
        assert packed[4] == -1
        assert tl.unpack(packed, "bf16[2,2]{1,0:T(2,128)(2,1)}").astype("f4").tobytes() == x.float().numpy().tobytes()

    @pytest.mark.parametrize("name", WIDTHS)
    def test_narrow_floats_that_do_not_lie_as_they_read(self, torch, name):
        kind = getattr(torch, name)
        with torch._subclasses.fake_tensor.FakeTensorMode():
            fake = torch.empty(3, 5, dtype=kind)
        for given in (fake, torch._efficientzerotensor((3, 5), dtype=kind), torch._neg_view(torch.zeros(3, 5, dtype=kind))):
            with pytest.raises(LayoutError, match="what was given makes no array"):
                tl.pack(given, "{1,0}")
            with pytest.raises(LayoutError, match="out makes no array"):
                tl.pack(np.zeros(15, name), "{0}", out=given)

    def test_what_torch_refuses(self, torch):
        line = torch.zeros(4, dtype=torch.complex64)
        for given, said in [
            (torch.nn.Linear(4, 3).weight, r"requires grad\. Use tensor\.detach\(\)"),
            (torch.nn.Linear(4, 3, dtype=torch.bfloat16).weight, r"requires grad\. Use tensor\.detach\(\)"),
            (line.conj(), "conjugate bit"),
            (line.conj().imag, "negative bit"),
            (torch.empty(4, device="meta"), r"Use Tensor\.cpu\(\)"),
            (torch.eye(3).to_sparse(), r"Use Tensor\.to_dense\(\)"),
        ]:
            with pytest.raises(LayoutError, match=said):
                tl.pack(given, "{1,0}" if given.dim() == 2 else "{0}")
            with pytest.raises(LayoutError, match=said):
                tl.pack(np.zeros(4), "{0}", out=given)
        weight = torch.nn.Linear(4, 3).weight
        assert tl.pack(weight.detach(), "{1,0}").tolist() == weight.flatten().tolist()


class TestJax:
    @pytest.mark.parametrize("name", ["float32", "bfloat16", "float8_e4m3fn", "int8", "bool", "complex64"])
    def test_arrays_without_a_copy(self, jax, name):
        x = jax.numpy.asarray(numbers(17, 300)).astype(name)
        assert shared(x, "x").dtype.name == name
        assert shared(x, "x").ctypes.data == x.unsafe_buffer_pointer()
        assert np.array_equal(tl.unpack(tl.pack(x, TILES), TILES, shape=x.shape), np.asarray(x))

    def test_four_bits(self, jax):
        x = jax.numpy.arange(-8, 8, dtype="int4").reshape(2, 8)
        assert tl.pack(x, "s4[2,8]{1,0:T(2,128)E(4)}").nbytes == 128

    def test_an_array_is_not_written(self, jax):
        with pytest.raises(LayoutError, match="out is read-only"):
            tl.pack(np.zeros(8, "float32"), "{0}", out=jax.numpy.zeros(8))

    def test_what_jax_refuses(self, jax):
        x = jax.numpy.zeros(8)
        x.delete()
        with pytest.raises(LayoutError, match="Array has been deleted"):
            tl.pack(x, "{0}")
        with pytest.raises(LayoutError, match="Tracer"):
            jax.jit(lambda traced: tl.pack(traced, "{0}"))(np.zeros(8))


class TestLayoutsOfJax:
    @pytest.mark.parametrize(
        "text",
        [
            "f32[17,300]{0,1}",
            "f32[17,300]{1,0}",
            "f32[17,300]{1,0:T(8,128)}",
            "bf16[17,300]{1,0:T(8,128)(2,1)}",
            "s8[17,300]{0,1:T(8,128)(4,1)}",
            "f32[3,4,5]{0,2,1}",
            "f32[5]{0:T(128)}",
            "pred[17,300]{1,0}",
        ],
    )
    def test_arrays_put_into_a_layout_say_it(self, jax, text):
        layout = tl.layout(text)
        x = jax.numpy.asarray(numbers(*layout.shape)).astype(layout.element.name if layout.element.name != "bool" else bool)
        wanted = tl.jax.to_jax(layout, x.sharding)
        assert isinstance(wanted, jax.experimental.layout.Format)
        put = jax.device_put(x, wanted)
        assert tl.jax.from_jax(put) == layout
        assert tl.jax.from_jax(put).element == layout.element
        assert put.on_device_size_in_bytes() == layout.slots * x.dtype.itemsize
        kept = jax.jit(lambda held: held[::1], in_shardings=wanted, out_shardings=wanted)(put)
        assert tl.jax.from_jax(kept) == layout
        assert np.array_equal(np.asarray(kept), np.asarray(x))
        again = tl.jax.to_jax(tl.jax.from_jax(put))
        assert again.major_to_minor == put.format.layout.major_to_minor
        assert (again.tiling or ()) == put.format.layout.tiling

    @pytest.mark.parametrize("text", ["f32[17,300]{0,1}", "bf16[3,4,5]{0,2,1}", "s32[3,4,5]{1,2,0}"])
    def test_the_bytes_of_an_array_are_what_pack_makes(self, jax, text):
        layout = tl.layout(text)
        x = numbers(*layout.shape).astype(layout.element.name)
        put = jax.device_put(x, tl.jax.to_jax(layout, jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])))
        held = (ctypes.c_char * (layout.slots * x.itemsize)).from_address(put.unsafe_buffer_pointer())
        assert tl.pack(x, tl.jax.from_jax(put)).tobytes() == bytes(held)

    @pytest.mark.parametrize("text", ["s4[16,30]{1,0}", "s4[16,30]{0,1}", "u4[16,30]{1,0}", "s2[16,32]{1,0}", "f4e2m1fn[16,30]{0,1}"])
    def test_elements_below_a_byte_share_bytes(self, jax, text):
        """Whatever the array's own layout says; in JAX 0.10 there may be more memory behind them, which holds nothing."""
        layout = tl.layout(text)
        x = (np.arange(layout.size) % 2).reshape(layout.shape).astype(getattr(ml_dtypes, layout.element.name))
        device = jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
        put = jax.device_put(x, tl.jax.to_jax(layout, device)).block_until_ready()
        packed = tl.pack(x, tl.jax.from_jax(put))
        assert packed.size == layout.size * layout.element.value_bits // 8 <= put.on_device_size_in_bytes()
        assert packed.tobytes() == bytes((ctypes.c_char * packed.size).from_address(put.unsafe_buffer_pointer()))

    def test_formats_that_the_compiler_chose(self, jax):
        chosen = jax.experimental.layout.Format(jax.experimental.layout.Layout.AUTO)
        compiled = jax.jit(lambda x: x @ x.T, in_shardings=chosen).lower(jax.ShapeDtypeStruct((17, 300), "float32")).compile()
        assert tl.jax.from_jax(compiled.input_formats[0][0], (17, 300)).size == 17 * 300
        with pytest.raises(LayoutError, match="leaves the layout to the compiler"):
            tl.jax.from_jax(chosen, (17, 300))

    def test_a_sharded_array_has_the_layout_of_a_shard(self):
        done = subprocess.run([sys.executable, "-c", SHARDED], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == [
            "True",
            "shape=(6, 5) for an array of shape (6, 5), shards of shape (3, 5); leave the shape out",
        ]

    def test_a_struct_says_its_format(self, jax):
        layout = tl.layout("f32[17,300]{0,1}")
        device = jax.sharding.SingleDeviceSharding(jax.devices("cpu")[0])
        assert tl.jax.from_jax(jax.ShapeDtypeStruct((17, 300), "float32", sharding=tl.jax.to_jax(layout, device))) == layout
