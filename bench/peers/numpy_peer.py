"""numpy: copies between views that are made before; with two threads, each copies half of the view."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import idioms
from measure import Work
from peers import Threaded
from workloads import Workload
from yardsticks import at_once

Array = npt.NDArray[Any]

VERSION = np.__version__


def transfer(workload: Workload, direction: str, array: Array, buffer: Array) -> Threaded | None:
    """The views of ``idioms.route``, copied one after the other."""
    if workload.bits:
        by_hand = idioms.pack_nibbles if direction == "pack" else idioms.unpack_nibbles
        arrays = (array, buffer) if direction == "pack" else (buffer, array)
        return lambda threads: partial(by_hand, workload, *arrays)
    steps = idioms.route(workload, direction, array, buffer)

    def prepared(threads: int) -> Work:
        if threads == 1 and len(steps) == 1:
            return partial(np.copyto, *steps[0])
        return partial(_copy_all, [parts(step, threads) for step in steps])

    return prepared


def parts(step: tuple[Array, Array], threads: int) -> list[tuple[Array, Array]]:
    """The two views of a copy, cut along their longest axis, one part for each thread."""
    target, source = step
    axis = int(np.argmax(target.shape))
    cuts = [np.array_split(view, threads, axis) for view in (target, source)]
    return list(zip(*cuts, strict=True))


def _copy_all(steps: list[list[tuple[Array, Array]]]) -> None:
    for step in steps:
        at_once(np.copyto, step)
