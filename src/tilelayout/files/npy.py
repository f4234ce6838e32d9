"""Numpy's ``.npy`` files, read without pickles and without trust in their headers.

A file is six bytes of magic, a version, the length of the header, the header (a Python literal that says dtype, order
and shape), and the elements. The header is held against the length of the file before anything is allocated.
"""

from __future__ import annotations

import ast
import io
import os
import re
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib import format as numpy_format

from ..doors import checked_array
from ..errors import LayoutError, ShapeError, shown
from ..memory import check_axes
from ..sizes import checked_product, checked_shape
from .atomic import replacing
from .errors import FileError, checked_path
from .source import opened, take

#: Bytes of header that are read at the most; numpy writes about a hundred.
LONGEST_HEADER = 1 << 16

_MAGIC = b"\x93NUMPY"
_LONG = re.compile(r"\b(\d+)L\b")
_PLAIN_DTYPE = re.compile(r"[<>|=][a-zA-Z]\d*(\[\w+\])?")
_OTHER_FORMATS = {
    b"PK": "a zip archive, as .npz is: save its arrays one by one with numpy.save",
    b"\x80": "a pickle, which runs code when it is read: save the array with numpy.save",
}


class Header(NamedTuple):
    """What a ``.npy`` file says of its elements."""

    dtype: np.dtype[Any]
    fortran_order: bool
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return prod(self.shape) * self.dtype.itemsize


def read(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """The array in a ``.npy`` file.

    >>> import pathlib, tempfile, numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "x.npy"
    >>> np.save(path, np.arange(3))
    >>> read(path).tolist()
    [0, 1, 2]

    Narrow types that numpy has no name for come back as numpy saved them: as raw bits, ``|V2`` for bfloat16.
    Raises ``FileError`` for a file that is no such thing, is cut short or goes on, or holds Python objects.
    """
    path = checked_path(path)
    with opened(path) as (file, size):
        header = read_header(file, size, path)
        content = take(file, header.nbytes, path)
    return content.view(header.dtype).reshape(header.shape, order="F" if header.fortran_order else "C")


def write(path: str | os.PathLike[str], array: npt.NDArray[Any]) -> None:
    """Save an array as ``.npy``, whole or not at all; a dtype that the format cannot say is saved as its bits, unsigned.

    >>> import pathlib, tempfile, ml_dtypes, numpy as np
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "x.npy"
    >>> write(path, np.array([1.5], ml_dtypes.bfloat16))
    >>> np.load(path)
    array([16320], dtype=uint16)

    Raises ``FileError`` for a file that cannot be written, and ``LayoutError`` as ``storable`` does.
    """
    stored = storable(array)
    with replacing(path) as file:
        write_header(file, Header(stored.dtype, False, stored.shape))
        file.write(stored.reshape(-1).view(np.uint8).data)


def storable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array in row-major order, as it is or as unsigned integers of its width: whichever ``.npy`` can say.

    >>> import ml_dtypes, numpy as np
    >>> storable(np.array([1.5], ml_dtypes.bfloat16)), storable(np.array([1.5], "float32"))
    (array([16320], dtype=uint16), array([1.5], dtype=float32))

    Raises ``LayoutError`` for objects, records, masked arrays and elements without bytes.
    """
    array = gapless(array)
    return array.view(storable_dtype(array.dtype))


def gapless(array: npt.ArrayLike) -> npt.NDArray[Any]:
    """The array in row-major order; refused where its bytes are not what it holds."""
    given = array if type(array) is np.ndarray else checked_array(array, "what is to be saved")
    if given.dtype.hasobject:
        raise LayoutError(f"an array of dtype {given.dtype} cannot be saved: it holds references; convert it to numbers")
    try:
        return np.asarray(given, order="C")
    except MemoryError:
        raise ShapeError(f"an array of shape {given.shape} is not in row-major order, and does not fit in memory in that order") from None


def storable_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype as it is, or the unsigned integers of its width."""
    if dtype.names is not None:
        raise LayoutError(f"an array of {shown(dtype)} cannot be saved: its elements are records; save its fields one by one")
    if not dtype.itemsize:
        raise LayoutError(f"an array of {shown(dtype)} cannot be saved: its elements have no bytes; convert it to numbers")
    bits = f"u{dtype.itemsize}"
    try:
        write_header(io.BytesIO(), Header(dtype, False, ()))  # refuses names beyond Latin-1, and very many
        said = numpy_format.descr_to_dtype(numpy_format.dtype_to_descr(dtype))
        return dtype if said == dtype else np.dtype(bits)
    except (TypeError, ValueError):
        if dtype.itemsize in (1, 2, 4, 8):
            return np.dtype(bits)  # numpy writes '<f1' for float8_e5m2, and does not read it
        raise LayoutError(f"an array of {shown(dtype)} cannot be saved: a .npy file has no words for it; save its bytes") from None


def begins(file: io.BufferedIOBase) -> bool:
    """Whether a file, open at its beginning and left there, begins as numpy's do."""
    start = file.read(len(_MAGIC))
    file.seek(0)
    return start == _MAGIC


def read_header(file: io.BufferedIOBase, size: int, path: Path) -> Header:
    """The header of a file of so many bytes, held against them; the file is left at the first element."""
    header = _header(file, size, path)
    left = size - file.tell()
    if header.nbytes != left:
        wrong = "is cut short" if left < header.nbytes else "goes on after its array"
        raise FileError(
            f"{os.fspath(path)!r} {wrong}: shape {header.shape} of {header.dtype} takes {header.nbytes} bytes after the header, "
            f"and {left} are there; save the array again with numpy.save"
        )
    return header


def header_of(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Header:
    """The header of a row-major array of that shape; refused where nobody could read it."""
    check_axes(shape)
    return Header(storable_dtype(dtype), False, shape)


def write_header(file: io.BufferedIOBase, header: Header) -> None:
    """Write a header; the elements come next."""
    descr = numpy_format.dtype_to_descr(header.dtype)
    numpy_format.write_array_header_1_0(file, {"descr": descr, "fortran_order": header.fortran_order, "shape": header.shape})


def _header(file: io.BufferedIOBase, size: int, path: Path) -> Header:
    """The header, read and checked; the file is left at the first element."""
    name = repr(os.fspath(path))
    start = file.read(8)
    if start[:6] != _MAGIC:
        raise FileError(f"{name} is no .npy file: it {_beginning(start)}, where {_MAGIC!r} must be")
    version = tuple(start[6:])
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise FileError(f"{name} is a .npy file of version {'.'.join(map(str, version)) or 'unknown'}; 1.0, 2.0 and 3.0 can be read")
    count = file.read(2 if version == (1, 0) else 4)
    length = int.from_bytes(count, "little")
    left = size - file.tell()
    if length > min(left, LONGEST_HEADER) or len(count) < 2:
        raise FileError(f"{name} is cut short or damaged: its header takes {length} of the {left} bytes left, {LONGEST_HEADER} at the most")
    if version == (3, 0):
        return _parsed(file.read(length).decode("utf-8", "replace"), name)
    return _parsed(_LONG.sub(r"\1", file.read(length).decode("latin-1")), name)  # Python 2 wrote sizes as (2L, 3L)


def _beginning(start: bytes) -> str:
    if not start:
        return "is empty"
    other = next((what for magic, what in _OTHER_FORMATS.items() if start.startswith(magic)), None)
    return f"begins with {start[:6]!r}" + (f" ({other})" if other else "")


def _parsed(text: str, name: str) -> Header:
    try:
        fields = ast.literal_eval(text)
        descr, fortran_order, shape = fields["descr"], fields["fortran_order"], fields["shape"]
        if len(fields) != 3 or not isinstance(fortran_order, bool):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        raise FileError(f"{name} has a damaged header: {text[:80]!r} does not say descr, fortran_order and shape") from None
    if not isinstance(shape, tuple) or not all(type(n) is int and n >= 0 for n in shape):
        raise FileError(f"{name} says shape {shown(shape)}, which is no tuple of sizes; such as (3, 5)")
    try:
        header = Header(_dtype(descr), fortran_order, checked_shape(shape))
        checked_product((*header.shape, header.dtype.itemsize), "bytes")
        check_axes(header.shape)
        return header
    except ValueError as error:
        raise FileError(f"{name} cannot be read: {error}") from None


def _dtype(descr: object) -> np.dtype[Any]:
    if isinstance(descr, str) and _PLAIN_DTYPE.fullmatch(descr):
        try:
            dtype = np.dtype(descr)
        except (TypeError, ValueError, DeprecationWarning):  # that of old names, such as 'a8', where warnings are errors
            raise ValueError(f"numpy knows no dtype {shown(descr)}") from None
        if dtype.hasobject:
            raise ValueError("it holds Python objects, which only a pickle can say; convert the array to numbers and save it again")
        if dtype.itemsize:
            return dtype
    raise ValueError(f"dtype {shown(descr)} is no plain type such as '<f4'; save records field by field")
