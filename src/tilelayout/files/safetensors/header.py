"""The header of a safetensors file, read without trust and written as the format's own library writes it.

A file is eight bytes, the length of the header; the header, JSON that gives the dtype, the shape and the place of each tensor;
and the tensors, one after the other without gaps. Source: the section Format of the README of huggingface/safetensors, and the checks
of its tensor.rs, which are made here as well: tensors fill the file, overlap nowhere, and take the bytes that shape and dtype say.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping
from io import BufferedIOBase
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import LayoutError, shown
from ...sizes import MOST_SLOTS, checked_shape
from ..errors import FileError
from .dtypes import NAMES, stored_bits

#: The longest header that the format allows.
LONGEST = 100_000_000
#: The entry of a header that is text about the file.
METADATA = "__metadata__"

_OTHER_FORMATS = {
    b"version ": "what git-lfs has in a file's place: fetch the file with git lfs pull",
    b"{": "JSON, as the index of a checkpoint in several files is: give each of those files",
    b"GGUF": "a GGUF file, whose tensors are in blocks: take the checkpoint that it was made from",
    b"PK": "a zip archive, as torch.save writes: save the tensors with safetensors.torch.save_file",
    b"\x80": "a pickle, which runs code when it is read: save the tensors with safetensors.torch.save_file",
}


class Tensor(NamedTuple):
    """A tensor in a file: its dtype as the format names it, its shape, and its first byte, counted from the end of the header."""

    tag: str
    shape: tuple[int, ...]
    begin: int = 0

    @property
    def nbytes(self) -> int:
        """The bytes that it takes."""
        return -(-prod(self.shape) * stored_bits(self.tag) // 8)


class Header(NamedTuple):
    """The tensors of a file by name, in the order of their places, what is said of the file, and where the first tensor begins."""

    tensors: dict[str, Tensor]
    metadata: dict[str, str]
    begin: int = 0


def read(file: BufferedIOBase, size: int, path: Path) -> Header:
    """The header of a file of so many bytes; what else entries say is skipped, as the format's own library does."""
    name = repr(os.fspath(path))
    if sys.byteorder != "little":
        raise FileError(
            f"{name} holds its numbers in little-endian bytes, and this machine has them the other way round; use another machine"
        )
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > min(LONGEST, size - 8):
        if other := next((what for begin, what in _OTHER_FORMATS.items() if length > LONGEST and start.startswith(begin)), None):
            raise FileError(f"{name} is no safetensors file, but {other}")
        raise FileError(
            f"{name} is no safetensors file, or cut short: its first 8 bytes say that the header has {length} bytes, "
            f"where {max(0, size - 8)} are left and {LONGEST} allowed"
        )
    entries = _entries(file.read(length), name)
    metadata = entries.pop(METADATA, {})
    metadata = {} if metadata is None else metadata
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise FileError(f"{name} has {METADATA} {shown(metadata)}, which maps no text to text")
    tensors = {tensor: _tensor(entry, f"tensor {shown(tensor)} of {name}") for tensor, entry in entries.items()}
    placed = dict(sorted(tensors.items(), key=lambda item: (item[1].begin, item[1].nbytes)))
    _check_places(placed, size - 8 - length, name)
    return Header(placed, metadata, 8 + length)


def placed(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors one after the other, those of the widest elements first, so that each begins at a multiple of its element's width."""
    order = sorted(tensors, key=lambda name: -stored_bits(tensors[name].tag))
    begin, result = 0, {}
    for name in order:
        result[name] = tensors[name]._replace(begin=begin)
        begin += tensors[name].nbytes
    return result


def write(file: BufferedIOBase, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write a header for tensors that have their places."""
    entries: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    for name, tensor in tensors.items():
        entries[name] = {"dtype": tensor.tag, "shape": tensor.shape, "data_offsets": (tensor.begin, tensor.begin + tensor.nbytes)}
    text = json.dumps(entries, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LONGEST:
        raise FileError(f"a header of {len(text)} bytes is longer than the {LONGEST} that the format allows; write fewer tensors to a file")
    file.write(len(text).to_bytes(8, "little") + text)


def _number(digits: str) -> float:
    """A whole number, but for ``-0``, which the format's own library takes for a fraction."""
    return -0.0 if digits == "-0" else int(digits)


def parsed(text: str, part: str) -> Any:
    """What JSON says, refused where a name comes twice in an object; ``part`` is that of the file. Otherwise raises what ``json`` does."""

    def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        "".join([text for pair in pairs for text in pair if isinstance(text, str)]).encode()  # half a character is none that can be written
        if len(entries) != len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise LayoutError(f"has {shown(twice)} twice in {part}; each name comes once")
        return entries

    return json.loads(text, object_pairs_hook=each_once, parse_int=_number)


def _entries(text: bytes, name: str) -> dict[str, Any]:
    try:
        entries = parsed(text.decode(), "its header")
    except LayoutError as error:
        raise FileError(f"{name} {error}") from None
    except (ValueError, RecursionError):
        raise FileError(f"{name} has a damaged header: {shown(text[:60])} begins no JSON that can be read") from None
    if not isinstance(entries, dict):
        raise FileError(
            f"{name} has a header that is no dict: {shown(entries)}; it maps the names of tensors to their dtypes, shapes and places"
        )
    return entries


def _tensor(entry: Any, what: str) -> Tensor:
    if not isinstance(entry, dict) or not entry.keys() >= {"dtype", "shape", "data_offsets"}:
        raise FileError(f"{what} is described by {shown(entry)}; it takes dtype, shape and data_offsets")
    tag, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(tag, str) or tag not in NAMES:
        raise FileError(f"{what} has dtype {shown(tag)}; known are {', '.join(NAMES)}")
    if not isinstance(shape, list) or not all(type(n) is int and 0 <= n <= MOST_SLOTS for n in shape):
        raise FileError(f"{what} has shape {shown(shape)}, which is no list of sizes")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(type(n) is int and 0 <= n <= MOST_SLOTS for n in offsets):
        raise FileError(f"{what} has data_offsets {shown(offsets)}; they are its first byte and the one after its last")
    try:
        tensor = Tensor(tag, checked_shape(shape), offsets[0])
    except ValueError as error:
        raise FileError(f"{what} cannot be read: {error}") from None
    bits = prod(tensor.shape) * stored_bits(tag)
    if offsets[1] - offsets[0] != tensor.nbytes or bits % 8:
        raise FileError(f"{what} has data_offsets {offsets}, where shape {shape} of {tag} takes {bits} bits")
    return tensor


def _check_places(tensors: Mapping[str, Tensor], size: int, name: str) -> None:
    reached = 0
    for tensor, entry in tensors.items():
        if entry.begin != reached:
            wrong = "overlaps the one before it" if entry.begin < reached else "leaves a gap"
            raise FileError(
                f"tensor {shown(tensor)} of {name} begins at byte {entry.begin}, which {wrong}; it has to begin at byte {reached}"
            )
        reached += entry.nbytes
    if reached != size:
        wrong = "is cut short" if size < reached else "goes on after its tensors"
        raise FileError(f"{name} {wrong}: its tensors take {reached} bytes after the header, and {size} are there")
