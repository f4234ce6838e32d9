from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

KERNELS: dict[str, int]
LEVELS: tuple[str, ...]
MOST_DIMS: int

def level() -> str: ...
def set_level(name: str) -> None: ...

@disjoint_base
class CopyPlan:
    @property
    def iterations(self) -> int: ...
    def __new__(
        cls,
        kernel: str,
        width: int,
        loops: Sequence[tuple[int, int, int, int, int, int, int, int]],
        u: tuple[int, int, int, int, npt.NDArray[np.int64]],
        v: tuple[int, int, int, int, npt.NDArray[np.int64]],
        v_to: int,
        sizes: Sequence[int],
        chain: int = 0,
        ahead: int = 0,
        slice: int = 1,
        near: bool = False,
    ) -> Self: ...
    def run(
        self, source: npt.NDArray[Any], target: npt.NDArray[Any], fill: bytes | None, begin: int, end: int, is_fresh: bool = False
    ) -> None: ...

@disjoint_base
class Call:
    def __new__(
        cls,
        plan: CopyPlan,
        array: npt.NDArray[Any],
        buffer: npt.NDArray[Any],
        start: int,
        packs: bool,
        fill: bytes | None = None,
    ) -> Self: ...
    def again(self, given: object, out: object) -> npt.NDArray[Any] | None: ...
