from typing import Any

import numpy as np
import numpy.typing as npt

ABOVE: dict[str, int]

def first_misfit(elements: npt.NDArray[np.uint8], bits: int, above: str) -> int: ...
def pack_bits(elements: npt.NDArray[np.uint8], bits: int, above: str, out: npt.NDArray[np.uint8]) -> int: ...
def unpack_bits(packed: npt.NDArray[Any], bits: int, signed: bool, out: npt.NDArray[np.uint8]) -> None: ...
