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
_TAKEN_FOR = {
    ".npy": "an array of numpy",
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
    check_ending(path, ".npy")
    return is_npy(path)


def check_ending(path: str | os.PathLike[str], own: str) -> None:
    """Refuse the name of a file to write whose ending says another format than its own, ``.npy`` (or raw bytes) or ``.safetensors``."""
    named = checked_path(path)
    ending = named.suffix.lower()
    if ending in _TAKEN_FOR and ending != own:
        right = f".npy, or raw bytes, as {named.stem}.bin" if own == ".npy" else f"a checkpoint, as {named.stem}{own}"
        raise FileError(f"{shown(os.fspath(path))} would be taken for {_TAKEN_FOR[ending]}; what is written is {right}")


def load(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """The array in a ``.npy`` file, or the bytes of any other as ``uint8``.

    >>> import pathlib, tempfile, numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "x.bin"
    >>> save(path, np.array([1, 2], "<u2"))
    >>> load(path)
    array([1, 0, 2, 0], dtype=uint8)

    Raises ``FileError`` for a file that cannot be read, and for a ``.npy`` file as ``read`` does.
    """
    if is_npy(path):
        return npy.read(path)
    path = checked_path(path)
    with opened(path) as (file, size):
        return take(file, size, path)


def save(path: str | os.PathLike[str], array: npt.NDArray[Any]) -> None:
    """Write an array as ``.npy``, or in a file of any other name its bytes alone, in row-major order; whole or not at all.

    >>> import pathlib, tempfile, numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "x.npy"
    >>> save(path, np.array([[1, 2], [3, 4]]))
    >>> load(path).tolist()
    [[1, 2], [3, 4]]

    Raises ``FileError`` for a file that cannot be written, and for a name that says another format, such as ``x.npz``; ``LayoutError`` for
    what is no array of numbers, and in a ``.npy`` file as ``storable`` does.
    """
    if is_npy_to_write(path):
        npy.write(path, array)
        return
    held = npy.gapless(array)
    with replacing(path) as file:
        file.write(held.reshape(-1).view(np.uint8).data)
