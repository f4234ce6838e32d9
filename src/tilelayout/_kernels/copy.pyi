from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt
from typing_extensions import disjoint_base

KERNELS: dict[str, int]

@disjoint_base
class CopyPlan:
    @property
    def iterations(self) -> int: ...
    def __new__(
        cls,
        kernel: str,
        width: int,
        loops: Sequence[tuple[int, int, int, int, int, int, int, int]],
        u: tuple[int, int, int, int, Sequence[int]],
        v: tuple[int, int, int, int, Sequence[int]],
        v_to: int,
        sizes: Sequence[int],
    ) -> Self: ...
    def run(self, source: npt.NDArray[Any], target: npt.NDArray[Any], fill: bytes | None, begin: int, end: int) -> None: ...
