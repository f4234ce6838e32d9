from collections import deque
from typing import Any, Self, final

import numpy as np
import numpy.typing as npt

from ..threads import Stint

def touch(fresh: npt.NDArray[Any], first: int, step: int, stint: Stint) -> None: ...

@final
class Loan:
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    def __new__(cls, room: npt.NDArray[np.uint8], first: int, size: int, lent: int, kept: deque[npt.NDArray[np.uint8]]) -> Self: ...
