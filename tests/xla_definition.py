"""The definition of XLA's tiling, one index at a time, written as the tiled-layout page says it and with no digits.

What the library computes by moves on digits is compared with this.
"""

from math import prod


def linear_index(index, dims):
    """Row-major position of an index in an array of these dims."""
    position = 0
    for e, d in zip(index, dims, strict=True):
        position = position * d + e
    return position


def tiled_once(index, dims, tile):
    """The index and dims after one tile: stars folded, then (which tile, where in it)."""
    missing = max(0, len(tile) - len(dims))
    index, dims = [0] * missing + list(index), [1] * missing + list(dims)
    begin = len(dims) - len(tile)
    suffix, carry_e, carry_d = [], 0, 1
    for e, d, t in zip(index[begin:], dims[begin:], tile, strict=True):
        carry_e, carry_d = carry_e * d + e, carry_d * d
        if t != "*":
            suffix.append((carry_e, carry_d, t))
            carry_e, carry_d = 0, 1
    index = index[:begin] + [e // t for e, _, t in suffix] + [e % t for e, _, t in suffix]
    dims = dims[:begin] + [-(-d // t) for _, d, t in suffix] + [t for _, _, t in suffix]
    return index, dims


def nested(index, shape, minor_to_major, tiles):
    """The slot of an index, and how many slots there are."""
    order = list(reversed(minor_to_major))
    index, dims = [index[axis] for axis in order], [shape[axis] for axis in order]
    for tile in tiles:
        index, dims = tiled_once(index, dims, tile)
    return linear_index(index, dims), prod(dims)
