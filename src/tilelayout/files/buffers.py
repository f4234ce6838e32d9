"""Arrays and packed buffers by the name of their file: ``.npy``, or else the raw bytes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import npy
from .atomic import replacing
from .errors import checked_path
from .source import opened, take


def is_npy(path: str | os.PathLike[str]) -> bool:
    """Whether a file of that name is numpy's.

    >>> is_npy("x.npy"), is_npy("x.bin")
    (True, False)
    """
    return checked_path(path).suffix.lower() == ".npy"


def load(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """The array in a ``.npy`` file, or the bytes of any other as ``uint8``."""
    if is_npy(path):
        return npy.read(path)
    path = checked_path(path)
    with opened(path) as (file, size):
        return take(file, size, path)


def save(path: str | os.PathLike[str], array: npt.NDArray[Any]) -> None:
    """Write an array as ``.npy``, or in a file of any other name its bytes alone, in row-major order; whole or not at all."""
    if is_npy(path):
        npy.write(path, array)
        return
    held = npy.gapless(array)
    with replacing(path) as file:
        file.write(held.reshape(-1).view(np.uint8).data)
