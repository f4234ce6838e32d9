from collections.abc import Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

from ..threads import Stint
from .registers import Registers

LEVELS: tuple[str, ...]

def level() -> str: ...
def set_level(name: str) -> None: ...

@final
class Network(Registers):
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
