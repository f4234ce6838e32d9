"""numba: the loop nest of the buffer with every size and stride as a literal, compiled for this workload alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from textwrap import indent
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

import idioms
from measure import Work
from nests import Dim, nest, outer, slot_terms
from peers import Threaded
from workloads import Workload

Array = npt.NDArray[Any]

VERSION = numba.__version__


def transfer(workload: Workload, direction: str, array: Array, buffer: Array) -> Threaded | None:
    """The loops in the order of the buffer, the outermost of them parallel; tiles that are whole are not checked."""
    if workload.bits:
        return None
    base = array if array.base is None else array.base
    strides = [stride // array.itemsize for stride in array.strides]
    start = (array.ctypes.data - base.ctypes.data) // array.itemsize
    compiled = compiled_source(_source(workload, strides, start, direction))
    flat = idioms.raw(base).ravel(order="K")
    if not np.shares_memory(flat, array):
        raise AssertionError(f"{workload.key}: the array is no plain piece of memory")
    return lambda threads: with_threads(partial(compiled, flat, idioms.raw(buffer)), threads)


def slots(workload: Workload, coordinates: Array, out: Array | None) -> Threaded:
    """The slot's formula for one element after another, with literal sizes, without bounds checks."""
    terms = [_times(_digit(workload, dim), stride) for dim, stride in slot_terms(nest(workload))]
    text = f"def run(c, out):\n    for k in prange(len(c)):\n        out[k] = {' + '.join(terms)}"
    compiled = compiled_source(text)

    def run() -> Array:
        answer = np.empty(len(coordinates), np.int64) if out is None else out
        compiled(coordinates, answer)
        return answer

    return partial(with_threads, run)


def with_threads(work: Work, threads: int) -> Work:
    """The work, by so many of numba's threads."""

    def run() -> Any:
        if numba.get_num_threads() != threads:
            numba.set_num_threads(threads)
        return work()

    return run


@cache
def compiled_source(source: str) -> Any:
    """The function ``run`` of a source text, compiled at its first call."""
    names: dict[str, Any] = {"prange": numba.prange, "np": np}
    exec(source, names)
    return numba.njit(parallel=True, nogil=True)(names["run"])


def _digit(workload: Workload, dim: Dim) -> str:
    """What a dimension counts, as shifts and masks where its numbers are powers of two; the axis's slowest has no end."""
    text = f"np.int64(c[k, {dim.axis}])"
    if dim.divisor != 1:
        text = f"({text} // {dim.divisor})" if dim.divisor & dim.divisor - 1 else f"({text} >> {dim.divisor.bit_length() - 1})"
    if dim in outer(nest(workload)):
        return text
    return f"({text} % {dim.extent})" if dim.extent & dim.extent - 1 else f"({text} & {dim.extent - 1})"


def _times(text: str, factor: int) -> str:
    return text if factor == 1 else f"{text} * {factor}"


def _source(workload: Workload, strides: Sequence[int], start: int, direction: str) -> str:
    dims = nest(workload)
    around = [k for k, dim in enumerate(dims) if dim in outer(dims)]
    within = [k for k, dim in enumerate(dims) if dim not in outer(dims)]
    slot = _sum((f"i{k}", stride) for k, (_, stride) in enumerate(slot_terms(dims)))
    place = f"{start} + {_sum((f'i{k}', dim.divisor * strides[dim.axis]) for k, dim in enumerate(dims))}"
    move = f"packed[{slot}] = plain[{place}]" if direction == "pack" else f"plain[{place}] = packed[{slot}]"
    body = _loops(dims, within, move)
    ragged = [k for k in around if dims[k].divisor * dims[k].extent > workload.shape[dims[k].axis]]
    if ragged:
        whole = " and ".join(f"(i{k} + 1) * {dims[k].divisor} <= {workload.shape[dims[k].axis]}" for k in ragged)
        inside = " and ".join(f"{_coordinate(dims, dims[k].axis)} < {workload.shape[dims[k].axis]}" for k in ragged)
        checked = f"if {inside}:\n    {move}" + (f"\nelse:\n    packed[{slot}] = 0" if direction == "pack" else "")
        body = f"if {whole}:\n{indent(body, '    ')}\nelse:\n{indent(_loops(dims, within, checked), '    ')}"
    return "def run(plain, packed):\n" + indent(_loops(dims, around, body, "prange"), "    ")


def _coordinate(dims: Sequence[Dim], axis: int) -> str:
    return _sum((f"i{k}", dim.divisor) for k, dim in enumerate(dims) if dim.axis == axis)


def _loops(dims: Sequence[Dim], which: Sequence[int], body: str, outermost: str = "range") -> str:
    for k in reversed(which):
        call = outermost if k == which[0] else "range"
        body = f"for i{k} in {call}({dims[k].extent}):\n{indent(body, '    ')}"
    return body


def _sum(terms: Iterable[tuple[str, int]]) -> str:
    return " + ".join(_times(name, factor) for name, factor in terms)
