"""torch: ``copy_`` between tensors that are strided views of the same memory, made before."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy.typing as npt
import torch

import idioms
from measure import Work
from peers import Threaded
from workloads import Workload

Array = npt.NDArray[Any]

VERSION = str(torch.__version__)


def transfer(workload: Workload, direction: str, array: Array, buffer: Array) -> Threaded | None:
    """The views of ``idioms.route`` as tensors, copied one after the other; nothing narrower than a byte, nor what runs backwards."""
    if workload.bits or min(array.strides) < 0:
        return None
    steps = [(tensor(target), tensor(source)) for target, source in idioms.route(workload, direction, array, buffer)]

    def copy_all() -> None:
        for target, source in steps:
            target.copy_(source)

    def only() -> None:
        steps[0][0].copy_(steps[0][1])

    return lambda threads: with_threads(only if len(steps) == 1 else copy_all, threads)


def slots(workload: Workload, coordinates: Array, _: Array | None) -> Threaded:
    """numpy's formula on tensors; the answer is new each time."""
    return partial(with_threads, partial(idioms.slots, workload, torch.from_numpy(coordinates)))


def with_threads(work: Work, threads: int) -> Work:
    """The work, by so many of torch's threads."""

    def run() -> Any:
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)
        return work()

    return run


def tensor(view: Array) -> torch.Tensor:
    """The same memory and strides as a tensor of signed integers, which torch has for every width."""
    return torch.from_numpy(view.view(f"i{view.itemsize}"))
