"""Arrays of other libraries: taken without a copy, written in place, or refused in words."""

import array
import ctypes
import subprocess
import sys
from importlib import import_module

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given

import strategies
import tilelayout as tl
from tilelayout import LayoutError, ShapeError, storage
from tilelayout.bridges import lent, shared
from tilelayout.extras import needed

TILES = "{1,0:T(8,128)}"
X = np.arange(15, dtype="float32").reshape(3, 5)
#: Codes of DLPack (dlpack.h, version 1.1).
CODES = {"bfloat16": 4, "float8_e3m4": 7, "float8_e4m3": 8, "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10}
CODES |= {"float8_e4m3fnuz": 11, "float8_e5m2": 12, "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14}

#: Tests of tensors that are written, of which numpy says by DLPack that they may be, and asks of others, from 2.1 on.
says_what_may_be_written = pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this numpy knows DLPack before 1.0")

_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class Tensor:
    """A tensor of some library: it is shared by DLPack, and by nothing else."""

    def __init__(self, held, device=(1, 0), code=None, versioned=True):
        self.held, self.device, self.code, self.versioned = held, device, code, versioned

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **asked):
        if not self.versioned and asked:
            raise TypeError("no arguments are known here")
        capsule = self.held.__dlpack__(**asked)
        if self.code is not None:
            name = _name(capsule)
            code_at = 20 if name == b"dltensor" else 20 + 32
            ctypes.c_uint8.from_address(_pointer(capsule, name) + code_at).value = self.code
        return capsule


class Refusing(Tensor):
    """A tensor whose library makes no arrays of it."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("use tensor.detach() first")


class Arrayed:
    """What has ``__array__`` alone."""

    def __init__(self, held):
        self.held = held

    def __array__(self, dtype=None, copy=None):
        return self.held


class OnCuda:
    """What shows itself by CUDA's interface alone, as arrays of pycuda do; an element that is asked for is copied from the device."""

    def __init__(self, *shape):
        self.shape, self.__cuda_array_interface__ = shape, {"shape": shape, "typestr": "<f4", "data": (1 << 44, False), "version": 3}

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        raise AssertionError(f"element {index} is copied")


@given(strategies.shapes.flatmap(strategies.arrays).filter(lambda x: isinstance(x, np.ndarray) and x.dtype.isnative))
def test_dlpack_shares_any_strides(x):
    taken = shared(Tensor(x), "x")
    assert taken.dtype == x.dtype
    assert np.array_equal(taken, x)
    assert taken.size == 0 or taken.ctypes.data == x.ctypes.data


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("kind", [Tensor, Refusing])
@pytest.mark.parametrize("name", CODES)
def test_narrow_floats_that_numpy_does_not_know(name, kind, versioned):
    x = np.arange(1, 13).reshape(3, 4).astype(name)
    bits = x.view(f"u{x.itemsize}")[:, ::2]
    given = kind(bits, code=CODES[name], versioned=versioned)
    taken = shared(given, "x")
    assert taken.dtype == name
    assert taken.strides == bits.strides
    assert np.shares_memory(taken.view(bits.dtype), x.view(bits.dtype))
    assert tl.pack(given, TILES).tobytes() == tl.pack(x[:, ::2], TILES).tobytes()


@pytest.mark.parametrize("given", [Tensor(X), Arrayed(X), memoryview(X)], ids=lambda given: type(given).__name__)
def test_pack_takes_what_shares_its_memory(given):
    assert np.shares_memory(shared(given, "x"), X)
    assert tl.pack(given, TILES).tobytes() == tl.pack(X, TILES).tobytes()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda held: array.array("B", held)])
def test_pack_takes_bytes(kind):
    assert tl.pack(kind(b"abcd"), "{0:T(8)}").tobytes() == b"abcd\0\0\0\0"


@pytest.mark.parametrize("kind", [Tensor, Arrayed, memoryview])
def test_unpack_and_relayout_take_the_same(kind):
    packed = tl.pack(X, TILES)
    assert np.array_equal(tl.unpack(kind(packed), f"f32[3,5]{TILES}"), X)
    assert np.array_equal(tl.relayout(kind(packed), f"f32[3,5]{TILES}", "{1,0}"), X.ravel())


def test_infer_takes_the_same():
    assert tl.infer(Tensor(X), Tensor(tl.pack(X, "{1,0:T(2,2)}"))) == tl.layout("{1,0:T(2,2)}", (3, 5))


class TestOut:
    @says_what_may_be_written
    def test_is_written_in_place(self):
        room = np.zeros(8 * 128, "float32")
        assert np.shares_memory(tl.pack(X, TILES, out=Tensor(room)), room)
        assert room.tobytes() == tl.pack(X, TILES).tobytes()
        back = np.zeros((5, 3), "float32").T
        tl.unpack(room, TILES, shape=(3, 5), out=Tensor(back))
        assert np.array_equal(back, X)

    @says_what_may_be_written
    def test_a_region_of_it(self):
        room = tl.pack(X, "{1,0:T(2,2)}")
        tl.pack(np.float32([70, 80]), "f32[3,5]{1,0:T(2,2)}", out=Tensor(room), region=np.s_[1, 2:4])
        assert tl.unpack(room, "f32[3,5]{1,0:T(2,2)}")[1].tolist() == [5, 6, 70, 80, 9]

    @says_what_may_be_written
    def test_relayout_in_its_own_memory(self):
        room = tl.pack(X, "{1,0:T(2,2)}")
        tl.relayout(Tensor(room), "f32[3,5]{1,0:T(2,2)}", "{0,1:T(2,2)}", out=Tensor(room))
        assert np.array_equal(tl.unpack(room, "f32[3,5]{0,1:T(2,2)}"), X)

    @says_what_may_be_written
    def test_narrow_floats(self):
        x, room = X.astype(ml_dtypes.bfloat16), np.zeros(8 * 128, "uint16")
        tl.pack(x, TILES, out=Tensor(room, code=CODES["bfloat16"]))
        assert room.tobytes() == tl.pack(x, TILES).tobytes()

    @says_what_may_be_written
    def test_must_fit(self):
        with pytest.raises(ShapeError, match=r"out has shape \(4,\) and dtype float32; it takes shape \(1024,\)"):
            tl.pack(X, TILES, out=Tensor(np.zeros(4, "float32")))
        with pytest.raises(LayoutError, match="shares memory with the input"):
            tl.unpack(X.reshape(15), "{1,0}", shape=(3, 5), out=Tensor(X))

    @says_what_may_be_written
    def test_may_be_read_only(self):
        room = np.zeros(8 * 128, "float32")
        with pytest.raises(LayoutError, match=r"out is read-only for all that DLPack says: .* give a numpy array of the same memory"):
            tl.pack(X, TILES, out=Tensor(room, versioned=False))
        room.flags.writeable = False
        with pytest.raises(LayoutError, match="out is read-only; it takes an array that may be written"):
            tl.pack(X, TILES, out=Tensor(room))

    def test_what_its_library_hides_is_not_written(self):
        with pytest.raises(LayoutError, match=r"out makes no array: use tensor\.detach\(\) first"):
            tl.pack(X, TILES, out=Refusing(np.zeros(8 * 128, "float32")))

    def test_a_copy_is_no_place_to_write(self):
        with pytest.raises(LayoutError, match="out is an Arrayed; it takes a numpy array"):
            tl.pack(X, TILES, out=Arrayed(np.zeros(8 * 128, "float32")))

    def test_others_pass(self):
        room = np.zeros(3)
        assert lent(room) is room
        assert lent(None) is None


#: What may be asked with an array, and how the refusal calls it.
ON_CUDA = {
    "pack": ("what was given", lambda x: tl.pack(x, TILES)),
    "pack, no shape that fits": ("what was given", lambda x: tl.pack(x, "{0}")),
    "pack, fill": ("what was given", lambda x: tl.pack(x, TILES, fill=1)),
    "pack, region": ("what was given", lambda x: tl.pack(x, "f32[3,5]{1,0}", out=np.zeros(15, "f4"), region=np.s_[1])),
    "pack, out": ("out", lambda x: tl.pack(X, TILES, out=x)),
    "pack, out, region": ("out", lambda x: tl.pack(X[1], "f32[3,5]{1,0}", out=x, region=np.s_[1])),
    "unpack": ("the buffer", lambda x: tl.unpack(x, TILES, shape=(3, 5))),
    "unpack, region": ("the buffer", lambda x: tl.unpack(x, TILES, shape=(3, 5), region=np.s_[1])),
    "unpack, out": ("out", lambda x: tl.unpack(np.zeros(1024, "f4"), TILES, shape=(3, 5), out=x)),
    "unpack, out, no shape": ("out", lambda x: tl.unpack(np.zeros(1024, "f4"), TILES, out=x)),
    "relayout": ("the buffer", lambda x: tl.relayout(x, TILES, "{1,0}", shape=(3, 5))),
    "relayout, out": ("out", lambda x: tl.relayout(np.zeros(1024, "f4"), TILES, "{1,0}", shape=(3, 5), out=x)),
    "infer, before": ("before", lambda x: tl.infer(x, X.ravel())),
    "infer, after": ("after", lambda x: tl.infer(X, x)),
    "index": ("the array of coordinates", lambda x: tl.layout("f32[3,5]").index(x)),
    "index, out": ("out", lambda x: tl.layout("f32[3,5]").index(np.zeros((2, 2), "i8"), out=x)),
    "coordinates": ("the array of slots", lambda x: tl.layout("f32[3,5]").coordinates(x)),
    "coordinates, out": ("out", lambda x: tl.layout("f32[3,5]").coordinates(np.zeros(2, "i8"), out=x)),
    "is_padding": ("the array of slots", lambda x: tl.layout("f32[3,5]").is_padding(x)),
    "save": ("what is to be saved", lambda x: tl.files.save("x.npy", x)),
}


class TestRefusals:
    @pytest.mark.parametrize(
        ("device", "said"),
        [((2, 1), "CUDA device 1"), ((10, 0), "ROCm device 0"), ((99, 3), "a device of DLPack's type 99, number 3")],
    )
    def test_other_devices(self, device, said):
        with pytest.raises(LayoutError, match=rf"what was given lies on {said}, .*copy it to the host first, as x\.cpu\(\) in torch"):
            tl.pack(Tensor(X, device), TILES)

    @pytest.mark.parametrize("asked", ON_CUDA)
    def test_cudas_interface_alone(self, asked):
        what, ask = ON_CUDA[asked]
        with pytest.raises(LayoutError, match=rf"^{what} lies on a CUDA device, .*; copy it to the host first, as x\.get\(\) in pycuda"):
            ask(OnCuda(3, 5))

    def test_a_stranger_whose_attributes_raise_is_no_array(self):
        class Stranger:
            def __getattr__(self, name):
                raise KeyError(name)

        with pytest.raises(LayoutError, match="coordinates"):
            tl.layout("f32[3,5]").index(Stranger())

    @says_what_may_be_written
    def test_cudas_interface_beside_others(self):
        """Memory that the host reads too shows itself to the host."""

        class Arrayed(OnCuda):
            def __array__(self, dtype=None, copy=None):
                return X

        class Shared(Tensor):
            __cuda_array_interface__ = OnCuda(3, 5).__cuda_array_interface__

        class Buffer(bytearray):
            __cuda_array_interface__ = OnCuda(60).__cuda_array_interface__

        room = np.zeros(8 * 128, "f4")
        for x in (Arrayed(3, 5), Shared(X)):
            assert tl.pack(x, TILES).tobytes() == tl.pack(X, TILES).tobytes()
        assert tl.pack(X, TILES, out=Shared(room)).tobytes() == tl.pack(X, TILES).tobytes()
        assert tl.unpack(Buffer(X.tobytes()), "f32[3,5]{1,0}").tolist() == X.tolist()

    def test_what_its_library_says(self):
        with pytest.raises(LayoutError, match=r"what was given makes no array: use tensor\.detach\(\) first"):
            tl.pack(Refusing(X), TILES)

    @pytest.mark.parametrize("capsule", [None, 3, "x"])
    def test_what_is_no_capsule(self, capsule):
        class Broken(Tensor):
            def __dlpack__(self, **asked):
                return capsule

        with pytest.raises(LayoutError, match="what was given is not shared by DLPack"):
            tl.pack(Broken(X), TILES)

    def test_types_that_are_unknown(self):
        with pytest.raises(LayoutError, match="what was given is not shared by DLPack"):
            tl.pack(Tensor(X.view("u4"), code=77), TILES)

    @pytest.mark.parametrize("versioned", [True, False])
    @pytest.mark.parametrize("kind", [Tensor, Refusing])
    def test_elements_without_memory(self, kind, versioned):
        """As torch exports its fake tensors, and those that are all zeros; of such numpy makes arrays of whatever new memory holds."""

        class Nowhere(kind):
            def __dlpack__(self, **asked):
                capsule = super().__dlpack__(**asked)
                name = _name(capsule)
                ctypes.c_void_p.from_address(_pointer(capsule, name) + (0 if name == b"dltensor" else 32)).value = None
                return capsule

        def nowhere(held):
            return Nowhere(held.astype("bfloat16").view("u2"), code=CODES["bfloat16"], versioned=versioned)

        given = nowhere(X)
        refused = pytest.raises(LayoutError, match=r"use tensor\.detach\(\) first" if kind is Refusing else "its elements have no memory")
        with refused:
            tl.pack(given, TILES)
        with refused:
            tl.unpack(np.zeros(8 * 128, "bfloat16"), TILES, out=given)
        assert tl.pack(nowhere(X[:0]), "{1,0}").size == 0

    def test_narrow_floats_that_are_to_be_read_as_negated(self):
        class Negated(Refusing):
            def is_neg(self):
                return True

        with pytest.raises(LayoutError, match=r"use tensor\.detach\(\) first"):
            tl.pack(Negated(X.astype("bfloat16").view("u2"), code=CODES["bfloat16"]), TILES)

    def test_strangers_that_raise(self):
        class Stranger:
            def __array__(self, dtype=None, copy=None):
                raise KeyError("gone")

        with pytest.raises(LayoutError, match="makes no array: 'gone'"):
            tl.pack(Stranger(), TILES)

    @pytest.mark.parametrize("error", [RuntimeError, KeyError])
    def test_strangers_that_raise_whatever_is_asked(self, error):
        class Stranger:
            @property
            def __dlpack__(self):
                raise error("gone")

        with pytest.raises(LayoutError, match=r"makes no array|is a Stranger, and no array"):
            tl.unpack(Stranger(), "f32[3,5]{1,0}")
        with pytest.raises(LayoutError, match="out is a Stranger; it takes a numpy array"):
            tl.pack(X, TILES, out=Stranger())

    def test_released_memory(self):
        view = memoryview(bytearray(4))
        view.release()
        with pytest.raises(LayoutError, match="released"):
            tl.unpack(view, "u8[4]{0}")


NAMES = {
    "bf16": "bfloat16",
    "bfloat16": "bfloat16",
    "f8e4m3fn": "float8_e4m3fn",
    "s4": "int4",
    "int4": "int4",
    "u16": "uint16",
    "pred": "bool",
}


@pytest.mark.parametrize(("name", "known"), NAMES.items())
def test_dtypes_by_name(name, known):
    kind = np.dtype(getattr(ml_dtypes, known, known))
    packed = tl.pack(np.ones((3, 5), kind), "{1,0:T(2,2)}").view("u1")
    back = tl.unpack(packed, "{1,0:T(2,2)}", shape=(3, 5), dtype=name)
    assert back.dtype == kind
    assert np.array_equal(back, np.ones((3, 5), kind))
    assert tl.relayout(packed, "{1,0:T(2,2)}", "{1,0}", shape=(3, 5), dtype=name).dtype == kind


def test_a_dtype_of_no_name():
    with pytest.raises(LayoutError, match="no element type is called 'bf61'"):
        tl.unpack(bytes(48), "{1,0:T(2,2)}", shape=(3, 5), dtype="bf61")


def test_ml_dtypes_is_imported_where_a_dtype_of_it_is_asked_for():
    code = (
        "import sys, tilelayout as tl; text = 'bf16[3,5]{1,0:T(2,2)}'; b = tl.unpack(bytes(48), text, dtype='uint16'); "
        "tl.pack(b, text); tl.xla.tpu_layout((3, 5), 'bfloat16'); print('ml_dtypes' in sys.modules); "
        "print(tl.unpack(bytes(48), text).dtype, 'ml_dtypes' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "bfloat16", "True"]


class TestExtras:
    """What is missing is named, with the extra that installs it."""

    def refused(self, monkeypatch, module, asked):
        monkeypatch.setitem(sys.modules, module, None)
        storage._result_dtype.cache_clear()  # of a dtype that another test asked for
        with pytest.raises(LayoutError) as caught:
            asked()
        return str(caught.value)

    def test_dtypes(self, monkeypatch):
        said = self.refused(monkeypatch, "ml_dtypes", lambda: tl.unpack(bytes(48), "bf16[3,5]{1,0:T(2,2)}"))
        assert said == (
            "bfloat16, which numpy has not, needs ml_dtypes, which is not installed: pip install 'tilelayout[dtypes]', "
            "or take the raw bits, as uint16"
        )

    def test_dtypes_of_a_tensor(self, monkeypatch):
        given = Tensor(X.astype("u2"), code=CODES["bfloat16"])
        assert "tilelayout[dtypes]" in self.refused(monkeypatch, "ml_dtypes", lambda: tl.pack(given, TILES))

    def test_jax(self, monkeypatch):
        said = self.refused(monkeypatch, "jax.experimental.layout", lambda: tl.jax.to_jax(tl.layout("f32[3,5]{1,0}")))
        assert "tilelayout[jax]" in said

    def test_viz(self, monkeypatch, tmp_path):
        drawing = tl.draw("f32[3,5]{1,0:T(2,2)}")
        assert "tilelayout[viz]" in self.refused(monkeypatch, "cairosvg", lambda: drawing.save(tmp_path / "x.png"))

    def test_zarr(self, monkeypatch):
        monkeypatch.delitem(sys.modules, "tilelayout.zarr", raising=False)
        said = self.refused(monkeypatch, "zarr", lambda: import_module("tilelayout.zarr"))
        assert said == "tilelayout.zarr needs zarr, which is not installed: pip install 'tilelayout[zarr]'"
        with pytest.raises(ImportError):
            import_module("tilelayout.zarr")

    @pytest.mark.parametrize(
        "ask",
        [
            lambda dask: dask.suggest_chunks("f32[64,256]{1,0:T(8,128)}"),
            lambda dask: dask.suggest_chunks("f32[64,256]{1,0:T(8,128)}", limit="16KiB"),
            lambda dask: dask.pack(X, TILES),
            lambda dask: dask.unpack(X.reshape(-1), "{1,0}", shape=(3, 5)),
            lambda dask: dask.index(np.zeros((1, 2), int), "f32[3,5]{1,0}"),
            lambda dask: dask.coordinates(np.zeros(1, int), "f32[3,5]{1,0}"),
            lambda dask: dask.save(X.reshape(-1), "x.npy"),
        ],
    )
    def test_dask(self, monkeypatch, ask):
        for module in [name for name in sys.modules if name.partition(".")[0] == "dask"]:
            monkeypatch.setitem(sys.modules, module, None)
        said = self.refused(monkeypatch, "dask", lambda: ask(import_module("tilelayout.dask")))
        assert said == "tilelayout.dask needs dask, which is not installed: pip install 'tilelayout[dask]'"

    def test_one_that_is_too_old(self):
        with pytest.raises(
            LayoutError, match=r"that needs numpy, and the one that is installed has no tomorrow: pip install --upgrade numpy"
        ):
            needed("x", "numpy", "that", name="tomorrow")

    def test_one_that_is_broken(self, tmp_path, monkeypatch):
        (tmp_path / "broken_package.py").write_text("import no_such_package_at_all")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(LayoutError, match=r"which cannot be imported \(No module named 'no_such_package_at_all'\)"):
            needed("x", "broken_package", "that")


class TestWhatHasNoElements:
    @pytest.mark.parametrize("given", [{1, 2}, {}, iter([1]), object()])
    def test_what_is_no_array_is_said_to_be_none(self, given):
        with pytest.raises(LayoutError, match=f"what was given is an? {type(given).__name__}, and no array"):
            tl.pack(given, "{0}")

    def test_masks_within_lists_are_found(self):
        masked = np.ma.array([1, 2], mask=[0, 1])

        class Stranger:
            def __array__(self, dtype=None, copy=None):
                return masked

        for ask in (
            lambda: tl.pack([masked, masked], "{1,0}"),
            lambda: tl.unpack([masked], "{1,0}", shape=(1, 2)),
            lambda: tl.pack([1.0, np.ma.masked], "{0}"),
            lambda: tl.pack(Stranger(), "{0}"),
            lambda: tl.layout("{1,0}", (3, 5)).index([masked]),
            lambda: tl.infer([masked, masked], np.array([1, 2, 1, 2])),
        ):
            with pytest.raises(LayoutError, match="is a masked array"):
                ask()

    def test_a_tensor_without_memory(self):
        class Tensor:
            def numel(self):
                return 15

            def data_ptr(self):
                return 0

            def __array__(self, dtype=None, copy=None):
                return np.empty((3, 5), np.float32)

        with pytest.raises(LayoutError, match="its elements have no memory"):
            tl.pack(Tensor(), TILES)


def test_views_of_memory_are_read_as_what_they_say():
    assert tl.unpack(memoryview(np.array([-1, 2], "i1")), "{0}", shape=(2,)).tolist() == [-1, 2]
    assert tl.relayout(memoryview(np.array([-1, 2], "i1")), "{0}", "{0}", shape=(2,)).dtype == np.int8
    assert tl.unpack(memoryview(np.arange(12, dtype="u1"))[::2], "{0}", shape=(6,)).tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("dtype", ["<i4", ">i4", "i1", "u8", "u2"])
def test_words_that_hold_elements_below_a_byte(dtype):
    """As checkpoints hold them: AWQ's and GPTQ's are int32."""
    weights = np.random.default_rng(0).integers(0, 16, (128, 64)).astype(np.uint8)
    packed = tl.pack(weights, "preset:awq_int4")
    words = packed.view(np.dtype(dtype).newbyteorder("<")).reshape(128, -1).astype(dtype)
    assert np.array_equal(tl.unpack(words, "preset:awq_int4", shape=weights.shape), weights)
    rows = "u4[128,64]{1,0:E(4)}"
    assert np.array_equal(tl.relayout(words, "preset:awq_int4", rows), tl.pack(weights, rows))


@pytest.mark.parametrize(
    ("array", "text"), [(np.array([13, -3], "i1"), "s4[2]{0}"), (np.array([13, 200], "u1"), "u4[2]{0}"), (np.array([2], "i1"), "s2[1]{0}")]
)
def test_integers_below_a_byte_fit_in_their_bits_where_each_has_a_byte(array, text):
    with pytest.raises(LayoutError, match=r"does not fit in [24] bits of u?int[24]"):
        tl.pack(array, text)


def test_a_function_is_pointed_to_probe():
    with pytest.raises(LayoutError, match=r"tilelayout\.probe finds it"):
        tl.layout(lambda i, j: [i, j], (3, 4))


def test_bits_are_offered_where_they_are_as_wide():
    with pytest.raises(LayoutError, match=r"does, or give its bits as uint32$"):
        tl.pack(np.zeros((3, 5), "i4"), "f32[3,5]{1,0}")
    with pytest.raises(LayoutError, match=r"convert it, as numpy.asarray\(x, dtype\) does$"):
        tl.pack(np.zeros((3, 5)), "f32[3,5]{1,0}")
