"""What one would write by hand with numpy: pad, reshape, transpose, assign; and shifts and masks for the slot of an element.

Written from the order and the tiles alone, without the library, and tested against it. Each is given what speed numpy has:
splitting axes and permuting them are views, so the only copies are the last one and, for ragged edges, the padded array;
powers of two are shifts and masks; elements that numpy knows no fast copy for travel as unsigned integers. A later tile has to
divide the one before it, as all the workloads' tiles do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from workloads import Workload

Array = npt.NDArray[Any]


def raw(array: Array) -> Array:
    """The bits of an array's elements."""
    return array.view(f"u{array.dtype.itemsize}")


def route(workload: Workload, direction: str, array: Array, buffer: Array) -> list[tuple[Array, Array]]:
    """Views such that copying each second one into the first, one after the other, packs the array or unpacks the buffer.

    Ragged edges go through a padded array whose padding is zero from the start. For elements of whole bytes.
    """
    physical = raw(array).transpose(workload.minor_to_major[::-1])
    whole = _padded_shape(physical.shape, workload.tiles)
    padded = physical if whole == physical.shape else np.zeros(whole, physical.dtype)
    tiled = _tiled(padded, workload.tiles)
    packed = raw(buffer).reshape(tiled.shape)
    edges = [] if padded is physical else [(padded[_corner(physical.shape)], physical)]
    if direction == "pack":
        return [*edges, (packed, tiled)]
    return [(tiled, packed), *((source, target) for target, source in edges)]


def pack_nibbles(workload: Workload, array: Array, buffer: Array) -> None:
    """Write elements of four bits, one in each byte, into a buffer where two share one; for whole tiles."""
    flat = _tiled(raw(array).transpose(workload.minor_to_major[::-1]), workload.tiles).reshape(-1)
    np.bitwise_or(flat[0::2] & 15, flat[1::2] << 4, out=buffer)


def unpack_nibbles(workload: Workload, buffer: Array, array: Array) -> None:
    """The way back."""
    tiled = _tiled(raw(array).transpose(workload.minor_to_major[::-1]), workload.tiles)
    np.copyto(tiled, _nibbles(buffer).reshape(tiled.shape))


def fresh_pack(workload: Workload, array: Array) -> Array:
    """The buffer as a new array, for whole tiles of whole bytes: the one-liner."""
    return np.ascontiguousarray(_tiled(array.transpose(workload.minor_to_major[::-1]), workload.tiles)).reshape(-1)


def slots(workload: Workload, coordinates: Array) -> Array:
    """The slot of each element: shifts, masks and one multiply-add for each digit."""
    digits, extents = _digits(workload, coordinates)
    place = digits[0]
    for digit, extent in zip(digits[1:], extents[1:], strict=True):
        place = place * extent + digit
    return place


def slots_by_ravel(workload: Workload, coordinates: Array) -> Array:
    """The same, with ``numpy.ravel_multi_index`` for the last step."""
    digits, extents = _digits(workload, coordinates)
    return np.ravel_multi_index(tuple(digits), tuple(extents))


def coordinates(workload: Workload, places: Array) -> Array:
    """The coordinates of each slot: ``numpy.unravel_index`` and one multiply-add for each split."""
    shape = [workload.shape[axis] for axis in reversed(workload.minor_to_major)]
    ranks = []
    for tile in workload.tiles:
        ranks.append(len(shape))
        shape = _split_extents(shape, tile)
    values = list(np.unravel_index(places, shape))
    for tile, rank in zip(reversed(workload.tiles), reversed(ranks), strict=True):
        kept = rank - len(tile)
        which, inside = values[kept:rank], values[rank:]
        values = values[:kept] + [w if t == 1 else w * t + k for t, w, k in zip(tile, which, inside, strict=True)]
    out = np.empty((*np.shape(places), len(workload.shape)), np.int64)
    for axis, value in zip(reversed(workload.minor_to_major), values, strict=True):
        out[..., axis] = value
    return out


def _padded_shape(shape: Sequence[int], tiles: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shape with its last axes rounded up to whole first tiles."""
    if not tiles:
        return tuple(shape)
    kept = len(shape) - len(tiles[0])
    return (*shape[:kept], *(-(-n // t) * t for n, t in zip(shape[kept:], tiles[0], strict=True)))


def _corner(shape: Sequence[int]) -> tuple[slice, ...]:
    return tuple(slice(n) for n in shape)


def _tiled(array: Array, tiles: Sequence[Sequence[int]]) -> Array:
    """A view in the order of the buffer: each tile splits the last axes in two and takes the inner halves to the end."""
    for tile in tiles:
        kept = array.ndim - len(tile)
        halves = [half for n, t in zip(array.shape[kept:], tile, strict=True) for half in (n // t, t)]
        which = range(kept, array.ndim + len(tile), 2)
        inside = range(kept + 1, array.ndim + len(tile), 2)
        array = array.reshape(*array.shape[:kept], *halves).transpose(*range(kept), *which, *inside)
    return array


def _nibbles(buffer: Array) -> Array:
    """Signed elements of four bits, one in each byte."""
    out = np.empty(2 * len(buffer), np.uint8)
    signed = buffer.view(np.int8)
    np.right_shift(signed << 4, 4, out=out[0::2].view(np.int8))
    np.right_shift(signed, 4, out=out[1::2].view(np.int8))
    return out


def _split_extents(shape: list[int], tile: Sequence[int]) -> list[int]:
    kept = len(shape) - len(tile)
    return shape[:kept] + [-(-n // t) for n, t in zip(shape[kept:], tile, strict=True)] + list(tile)


def _digits(workload: Workload, coordinates: Array) -> tuple[list[Array], list[int]]:
    """What each element's place counts, slowest first, and how far each count goes; counts of one are left out."""
    order = workload.minor_to_major[::-1]
    digits: list[Array | None] = [coordinates[..., axis] for axis in order]
    extents = [workload.shape[axis] for axis in order]
    for tile in workload.tiles:
        kept = len(digits) - len(tile)
        pairs = list(zip(digits[kept:], tile, strict=True))
        which = [digit if digit is None or t == 1 else _quotient(digit, t) for digit, t in pairs]
        inside = [None if digit is None or t == 1 else _remainder(digit, t) for digit, t in pairs]
        digits = digits[:kept] + which + inside
        extents = _split_extents(extents, tile)
    counted = [(digit, n) for digit, n in zip(digits, extents, strict=True) if digit is not None]
    return [digit for digit, _ in counted], [n for _, n in counted]


def _quotient(digit: Array, t: int) -> Array:
    return digit // t if t & t - 1 else digit >> t.bit_length() - 1


def _remainder(digit: Array, t: int) -> Array:
    return digit % t if t & t - 1 else digit & t - 1
