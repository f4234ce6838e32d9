from collections.abc import Sequence
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

from ..threads import Stint

LEVELS: tuple[str, ...]

def level() -> str: ...
def set_level(name: str) -> None: ...

@final
class Network:
    def __new__(
        cls,
        axes: int,
        extents: Sequence[int],
        constants: Sequence[int],
        moves: Sequence[Sequence[tuple[int, int, int, int]]],
        quotients: Sequence[Sequence[tuple[int, int, int]]],
        backs: Sequence[Sequence[tuple[int, int, int, int]]],
        parts: Sequence[Sequence[tuple[int, int, int, int]]],
        slots: int,
        is_reversible: bool,
    ) -> Self: ...
    def slot(self, coordinates: tuple[int, ...]) -> int | None: ...
    def slots(self, coordinates: npt.NDArray[Any], out: npt.NDArray[np.int64], stint: Stint | None = None) -> int: ...
    def slots_by_axis(self, axes: Sequence[npt.NDArray[Any]], out: npt.NDArray[np.int64], stint: Stint | None = None) -> int: ...
    def coordinates(
        self,
        slots: npt.NDArray[Any],
        out: npt.NDArray[np.int64] | None,
        holes: npt.NDArray[np.bool_] | None,
        stop_at_hole: bool,
        stint: Stint | None = None,
    ) -> int: ...
    def enumerate(self, begin: int, end: int, out: npt.NDArray[np.int64]) -> None: ...

@disjoint_base
class Queried:
    def __call__(self, *coordinates: int) -> int: ...
    def _few_slots(self, coordinates: object, out: object) -> npt.NDArray[np.int64] | None: ...
    def _few_coordinates(self, slots: object, out: object, padding: object) -> npt.NDArray[np.int64] | None: ...
