from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

KERNELS: dict[str, int]

class CopyPlan:
    iterations: int
    def __init__(
        self,
        kernel: str,
        width: int,
        loops: Sequence[tuple[int, int, int, int, int, int, int, int]],
        u: tuple[int, int, int, int, Sequence[int]],
        v: tuple[int, int, int, int, Sequence[int]],
        v_to: int,
        sizes: Sequence[int],
    ) -> None: ...
    def run(self, source: npt.NDArray[Any], target: npt.NDArray[Any], fill: bytes | None, begin: int, end: int) -> None: ...
