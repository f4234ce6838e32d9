from typing import Any

import numpy.typing as npt

def touch(fresh: npt.NDArray[Any], first: int, step: int, begin: int, end: int) -> None: ...
