from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt
from typing_extensions import disjoint_base

from ..threads import Stint
from .nests import Nest

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
        nest: Nest,
        sizes: Sequence[int],
        source: int = 0,
        target: int = 0,
        sharing: tuple[int, bool, bool, bool] | None = None,
        order: bytes | None = None,
    ) -> Self: ...
    def run(self, source: npt.NDArray[Any], target: npt.NDArray[Any], fill: bytes | None, stint: Stint | None = None) -> bool: ...
    def run_aside(self, array: npt.NDArray[Any], fill: bytes | None, size: int, stint: Stint) -> None: ...

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
        other: object = None,
    ) -> Self: ...

@disjoint_base
class Calls:
    @property
    def packs(self) -> list[Call]: ...
    @property
    def unpacks(self) -> list[Call]: ...
    @property
    def relayouts(self) -> list[Call]: ...
    def pack(self, array: object, out: object, fill: object) -> npt.NDArray[Any] | None: ...
    def unpack(self, buffer: object, out: object) -> npt.NDArray[Any] | None: ...
    def relayout(self, buffer: object, other: object, out: object, fill: object) -> npt.NDArray[Any] | None: ...
