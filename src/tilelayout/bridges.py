"""Arrays of other libraries as numpy arrays of the same memory: by ``__array__``, by the buffer protocol, or by DLPack.

numpy's DLPack knows no ``bfloat16`` and none of the floats of a byte or less. Such a tensor is taken over as integers of the same width,
whose dtype is then that of ml_dtypes. The structs and the codes of types are those of dlpack.h, version 1.1.
"""

from __future__ import annotations

import ctypes
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .elements import numpy_dtype
from .errors import LayoutError, type_of

Array = npt.NDArray[Any]


class Tensor(Protocol):
    """What shares its memory by DLPack, as arrays and tensors of most libraries do."""

    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, Any]: ...


#: The narrow floats, by DLPack's code and bits.
_NARROW = {
    (4, 16): "bfloat16",
    (7, 8): "float8_e3m4",
    (8, 8): "float8_e4m3",
    (9, 8): "float8_e4m3b11fnuz",
    (10, 8): "float8_e4m3fn",
    (11, 8): "float8_e4m3fnuz",
    (12, 8): "float8_e5m2",
    (13, 8): "float8_e5m2fnuz",
    (14, 8): "float8_e8m0fnu",
}
_UINT = 1
#: Lists within lists that numpy makes axes of.
MOST_NESTED = 64
#: By what an array shows itself to numpy, but for the buffer protocol.
_WAYS = ("__array__", "__array_interface__", "__array_struct__", "__dlpack__")
#: Devices whose memory the host reads: its own, pinned for CUDA or ROCm, and managed by CUDA.
_HOSTS = (1, 3, 11, 13)
_DEVICES = {2: "CUDA device", 4: "OpenCL device", 7: "Vulkan device", 8: "Metal device", 10: "ROCm device", 14: "oneAPI device"}


class _Tensor(ctypes.Structure):
    """The beginning of ``DLTensor``."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
    )

    @property
    def is_nowhere(self) -> bool:
        """Whether there are elements, and no memory that holds them; numpy would make an array of new memory."""
        return not self.data and 0 not in (self.shape[k] for k in range(self.ndim))


class _Versioned(ctypes.Structure):
    """The beginning of ``DLManagedTensorVersioned``; the older ``DLManagedTensor`` begins with its tensor."""

    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))


class _Exported:
    """A tensor that is exported with its narrow floats as integers; ``narrow`` is then the name of what they are.

    ``is_versioned`` says that it was exported with the word whether it may be written, which numpy asks for from 2.1 on.
    """

    def __init__(self, tensor: Any) -> None:
        self.tensor, self.narrow, self.is_versioned = tensor, "", False

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self.tensor.__dlpack_device__()
        return device

    def __dlpack__(self, **asked: Any) -> Any:
        capsule = self.tensor.__dlpack__(**asked)
        held, self.is_versioned = _tensor_of(capsule), _name(capsule) == b"dltensor_versioned"
        if held is not None and held.is_nowhere:
            raise BufferError("its elements have no memory")
        if held is not None and held.lanes == 1 and (held.code, held.bits) in _NARROW:
            self.narrow, held.code = _NARROW[held.code, held.bits], _UINT
        return capsule


def _tensor_of(capsule: Any) -> _Tensor | None:
    """The tensor in a capsule, if it is of a form that is known here."""
    name = _name(capsule)
    if name == b"dltensor":
        return _Tensor.from_address(_pointer(capsule, name))
    if name != b"dltensor_versioned":
        return None
    managed = _Versioned.from_address(_pointer(capsule, name))
    return managed.tensor if managed.version[0] == 1 else None


def shared(given: Any, what: str) -> Array:
    """What is given as an array of the same memory, wherever its library can tell where that is.

    The library's own ``__array__`` comes first. Where it refuses, a tensor of a type that numpy does not have is taken by DLPack.
    """
    if isinstance(given, bytes | bytearray):
        return np.frombuffer(given, np.uint8)
    if has(given, "__dlpack__") and not has(given, "__array__"):
        return _exchanged(_Exported(given), what)
    refuse_cuda(given, what)
    try:
        if has(given, "data_ptr") and has(given, "numel") and given.numel() and not given.data_ptr():
            raise BufferError("its elements have no memory")  # torch would make an array of new memory
        array = np.asanyarray(given)
    except Exception as error:  # whatever a stranger's __array__ raises
        narrow = _narrow(given)
        if narrow is None:
            raise LayoutError(f"{what} makes no array: {error}{_as_bits(error)}") from None
        return narrow
    if array.dtype == object and array.ndim == 0 and not isinstance(given, np.ndarray | np.generic):
        raise LayoutError(f"{what} is {type_of(given)}, and no array")
    refuse_masked(array, what)
    return np.asarray(array)


def _as_bits(error: Exception) -> str:
    """What to do with a tensor of a type that its library does not share, as a message ends."""
    return "; give its bits, as x.view(torch.uint8) has them" if "ScalarType" in str(error) else ""


def refuse_masked(array: object, what: str) -> None:
    """Refuse an array, or lists of arrays, some of whose elements have no value."""
    within = "a part of " if isinstance(array, list | tuple) else ""
    if _is_masked(array, MOST_NESTED):
        raise LayoutError(
            f"{within}{what} is a masked array, with elements without a value, which no slot can hold; fill them first, with .filled(value)"
        )


def _is_masked(array: object, depth: int) -> bool:
    if not isinstance(array, list | tuple):
        return isinstance(array, np.ma.MaskedArray)
    if not depth or not any(issubclass(kind, list | tuple | np.ma.MaskedArray) for kind in {*map(type, array)}):
        return False
    return any(_is_masked(part, depth - 1) for part in array)


def refuse_cuda(given: object, what: str) -> None:
    """Refuse what says by CUDA's interface where it lies, and shows its memory in no way that the host can read.

    numpy knows nothing of that interface, and would make one element of the object.
    """
    if isinstance(given, np.ndarray | list | tuple) or any(has(given, name) for name in _WAYS):
        return
    if has(given, "__cuda_array_interface__") and not _is_buffer(given):
        raise LayoutError(
            f"{what} lies on a CUDA device, where the host does not read, and shows itself by __cuda_array_interface__ alone; "
            "copy it to the host first, as x.get() in pycuda does"
        )


def has(given: object, name: str) -> bool:
    """Whether a stranger's object has an attribute, whatever its property raises."""
    try:
        return hasattr(given, name)
    except Exception:
        return False


def _is_buffer(given: Any) -> bool:
    try:
        memoryview(given).release()
    except Exception:  # TypeError where it is none, or whatever a stranger's buffer raises
        return False
    return True


def lent(out: Any) -> Any:
    """Where to write: the memory of a tensor that DLPack shares, as an array; anything else as it is.

    What a library refuses to show as an array is not written either: torch's DLPack forgets that a tensor is to be read as negated.
    """
    if out is None or isinstance(out, np.ndarray):
        return out
    if not has(out, "__dlpack__"):
        refuse_cuda(out, "out")
        return out
    shared(out, "out")
    exported = _Exported(out)
    array = _exchanged(exported, "out")
    if not (exported.is_versioned or array.flags.writeable):
        raise LayoutError(
            "out is read-only for all that DLPack says: before its version 1.0, and to numpy before 2.1, it does not say what may be "
            "written; give a numpy array of the same memory, as x.numpy() in torch"
        )
    return array


def _narrow(given: Any) -> Array | None:
    """A tensor of narrow floats by DLPack; None for any other, and where torch is to read it as negated, which DLPack forgets."""
    exported = _Exported(given)
    try:
        bits = np.from_dlpack(exported)
        is_as_it_lies = not (has(given, "is_neg") and given.is_neg())
    except Exception:  # whatever a stranger's __dlpack__ raises
        return None
    return bits.view(numpy_dtype(exported.narrow)) if exported.narrow and is_as_it_lies else None


def _exchanged(exported: _Exported, what: str) -> Array:
    """A tensor as an array of its memory by DLPack, which may be written where its library lets it be."""
    try:
        device, number = exported.__dlpack_device__()
        if device not in _HOSTS:
            raise LayoutError(
                f"{what} lies on {_device(device)} {number}, where the host does not read; copy it to the host first, "
                "as x.cpu() in torch and x.get() in cupy do"
            )
        array = np.from_dlpack(exported)
    except LayoutError:
        raise
    except Exception as error:  # whatever a stranger's __dlpack__ raises
        raise LayoutError(f"{what} is not shared by DLPack: {error}") from None
    return array.view(numpy_dtype(exported.narrow)) if exported.narrow else array


def _device(code: int) -> str:
    return _DEVICES.get(int(code), f"a device of DLPack's type {int(code)}, number")
