"""Arrays and packed buffers by the name of their file: ``.npy``, or else the raw bytes."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import shown
from . import npy
from .atomic import replacing
from .errors import FileError, checked_path
from .source import opened, take


def is_npy(path: str | os.PathLike[str]) -> bool:
    """Whether a file of that name is numpy's.

    >>> is_npy("x.npy"), is_npy("x.bin")
    (True, False)
    """
    return checked_path(path).suffix.lower() == ".npy"


#: What files with these endings are taken for, by whoever reads them.
_OTHERS = {
    ".npz": "an archive of numpy",
    ".safetensors": "a checkpoint, which tilelayout.files.safetensors writes",
    **dict.fromkeys((".pt", ".pth", ".ckpt"), "a checkpoint of PyTorch"),
    **dict.fromkeys((".h5", ".hdf5", ".zarr", ".gguf", ".onnx", ".parquet", ".tfrecord"), "a file of another format"),
}


def is_npy_to_write(path: str | os.PathLike[str]) -> bool:
    """Whether a file of that name is written as numpy's, and not as raw bytes; refused where whoever reads it would take it for another.

    >>> is_npy_to_write("x.npz")
    Traceback (most recent call last):
    tilelayout.files.errors.FileError: 'x.npz' would be taken for an archive of numpy; what is written is .npy, or raw bytes, as x.bin
    """
    named = checked_path(path)
    other = _OTHERS.get(named.suffix.lower())
    if other is not None:
        raise FileError(f"{shown(os.fspath(path))} would be taken for {other}; what is written is .npy, or raw bytes, as {named.stem}.bin")
    return is_npy(path)


def load(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """The array in a ``.npy`` file, or the bytes of any other as ``uint8``."""
    if is_npy(path):
        return npy.read(path)
    path = checked_path(path)
    with opened(path) as (file, size):
        return take(file, size, path)


def save(path: str | os.PathLike[str], array: npt.NDArray[Any]) -> None:
    """Write an array as ``.npy``, or in a file of any other name its bytes alone, in row-major order; whole or not at all."""
    if is_npy_to_write(path):
        npy.write(path, array)
        return
    held = npy.gapless(array)
    with replacing(path) as file:
        file.write(held.reshape(-1).view(np.uint8).data)
