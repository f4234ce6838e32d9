"""oneDNN: a reorder between two memory descriptors, through its C interface; it fills padding with zeros.

The library is the one of the package onednn-cpu-gomp (version 3). Its tags spell a blocked layout: ``AB8a128b`` is ``T(8,128)``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy.typing as npt

from measure import Work
from nests import tag
from peers import ONEDNN, Threaded
from workloads import Workload

Array = npt.NDArray[Any]

CPU, IN_ORDER, FROM, TO = 1, 1, 1, 17
DATA_TYPES = {"f32": 3, "bf16": 2, "s8": 5}

_library = ctypes.CDLL(str(ONEDNN))
_library.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
_openmp = ctypes.CDLL("libgomp.so.1")


class _Argument(ctypes.Structure):
    _fields_ = (("index", ctypes.c_int), ("memory", ctypes.c_void_p))


class _Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int))


def _version() -> str:
    _library.dnnl_version.restype = ctypes.POINTER(_Version)
    version = _library.dnnl_version().contents
    return f"{version.major}.{version.minor}.{version.patch}"


VERSION = _version()


def transfer(workload: Workload, direction: str, array: Array, buffer: Array) -> Threaded | None:
    """A reorder between the array's strides and the workload's tag."""
    if not can_say(workload) or min(array.strides) < 0:
        return None
    sides = (plain(workload, array), array), (blocked(workload), buffer)
    return reorder(*(sides if direction == "pack" else sides[::-1]))


def can_say(workload: Workload) -> bool:
    """Whether it has a tag for the layout and a type for the elements."""
    return workload.element in DATA_TYPES and tag(workload) is not None


def blocked(workload: Workload) -> ctypes.c_void_p:
    """The descriptor of a workload's buffer."""
    rank, shape, element = len(workload.shape), _dims(workload.shape), DATA_TYPES[workload.element]
    return _made(_library.dnnl_memory_desc_create_with_string_tag, rank, shape, element, tag(workload).encode())


def plain(workload: Workload, array: Array) -> ctypes.c_void_p:
    """The descriptor of an array with any strides."""
    strides, element = _dims([stride // array.itemsize for stride in array.strides]), DATA_TYPES[workload.element]
    return _made(_library.dnnl_memory_desc_create_with_strides, array.ndim, _dims(array.shape), element, strides)


def reorder(source: tuple[ctypes.c_void_p, Array], target: tuple[ctypes.c_void_p, Array]) -> Threaded:
    """The reorder from one descriptor and memory to another; it is made for a number of threads, and run by as many."""
    engine, stream = _engine()
    memories = [_made(_library.dnnl_memory_create, form, engine, ctypes.c_void_p(array.ctypes.data)) for form, array in (source, target)]
    arguments = (_Argument * 2)(_Argument(FROM, memories[0]), _Argument(TO, memories[1]))
    held = source[1], target[1]  # the memory must outlive the reorder

    def prepared(threads: int) -> Work:
        _openmp.omp_set_num_threads(threads)
        descriptor = _made(_library.dnnl_reorder_primitive_desc_create, source[0], engine, target[0], engine, None)
        primitive = _made(_library.dnnl_primitive_create, descriptor)

        def run() -> None:
            _openmp.omp_set_num_threads(threads)
            if _library.dnnl_primitive_execute(primitive, stream, 2, arguments) or not held:
                raise RuntimeError("oneDNN refuses to run a reorder")

        return run

    return prepared


@cache
def _engine() -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
    engine = _made(_library.dnnl_engine_create, CPU, ctypes.c_size_t(0))
    return engine, _made(_library.dnnl_stream_create, engine, IN_ORDER)


def _made(function: Any, *arguments: Any) -> ctypes.c_void_p:
    """The object that a function of the library makes through its first argument."""
    result = ctypes.c_void_p()
    if status := function(ctypes.byref(result), *arguments):
        raise RuntimeError(f"{function.__name__} refuses, status {status}")
    return result


def _dims(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * 12)(*values)
