from typing import Any

import numpy.typing as npt

from ..threads import Stint

def touch(fresh: npt.NDArray[Any], first: int, step: int, stint: Stint) -> None: ...
def lend(unused: npt.NDArray[Any]) -> bool: ...
