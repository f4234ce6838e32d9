from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt
from typing_extensions import disjoint_base

from ..threads import Stint
from .calls import Copier
from .nests import Nest
from .orders import ByteOrder

KERNELS: dict[str, int]
LEVELS: tuple[str, ...]

def level() -> str: ...
def picks_bytes() -> bool: ...
def set_level(name: str) -> None: ...

@disjoint_base
class CopyPlan(Copier):
    @property
    def blocks(self) -> int: ...
    @property
    def iterations(self) -> int: ...
    def __new__(
        cls,
        nest: Nest,
        sizes: Sequence[int],
        source: int = 0,
        target: int = 0,
        sharing: tuple[int, bool, bool, bool] | None = None,
        order: ByteOrder | None = None,
        flips: Sequence[int] | None = None,
        is_fetched: bool | None = None,
    ) -> Self: ...
    def run(self, source: npt.NDArray[Any], target: npt.NDArray[Any], fill: bytes | None, stint: Stint | None = None) -> bool: ...
    def run_aside(self, array: npt.NDArray[Any], fill: bytes | None, size: int, stint: Stint) -> None: ...
