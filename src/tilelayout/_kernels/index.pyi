from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

@disjoint_base
class Network:
    def __new__(
        cls,
        axes: int,
        extents: Sequence[int],
        constants: Sequence[int],
        wires: Sequence[tuple[int, int, Sequence[tuple[int, int, int]]]],
        parts: Sequence[Sequence[tuple[int, int, int, int]]],
        slots: int,
    ) -> Self: ...
    def tabulate(self, most: int) -> None: ...
    def slots(self, coordinates: npt.NDArray[Any], kind: int, out: npt.NDArray[np.int64]) -> int: ...
    def coordinates(
        self,
        slots: npt.NDArray[Any],
        kind: int,
        out: npt.NDArray[np.int64] | None,
        holes: npt.NDArray[np.bool_] | None,
        stop_at_hole: bool,
    ) -> int: ...
    def enumerate(self, begin: int, end: int, out: npt.NDArray[np.int64]) -> None: ...
