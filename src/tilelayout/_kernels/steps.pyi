from collections.abc import Sequence
from typing import Any, Self

import numpy.typing as npt
from typing_extensions import disjoint_base

from ..threads import Stint
from .calls import Copier
from .copy import CopyPlan

@disjoint_base
class CopyInSteps(Copier):
    @property
    def iterations(self) -> int: ...
    def __new__(
        cls,
        steps: list[tuple[CopyPlan, bool, bool]],
        held: int,
        blocks: list[tuple[int, int, int, int]],
        source: int = 0,
        target: int = 0,
        reading: tuple[int, int, Sequence[tuple[int, int]]] = (0, 0, ()),
    ) -> Self: ...
    def run(self, source: npt.NDArray[Any], target: npt.NDArray[Any], fill: bytes | None, stint: Stint | None = None) -> bool: ...
