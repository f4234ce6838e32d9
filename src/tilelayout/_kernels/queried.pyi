from typing import SupportsIndex

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

@disjoint_base
class Queried:
    def __call__(self, *coordinates: SupportsIndex) -> int: ...
    def _few_slots(self, coordinates: object, out: object, threads: object) -> npt.NDArray[np.int64] | None: ...
    def _few_coordinates(self, slots: object, out: object, padding: object, threads: object) -> npt.NDArray[np.int64] | None: ...
