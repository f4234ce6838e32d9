"""Composition by trying everything, an oracle that shares no idea with the library; and a switch for the library's compiled half."""

from itertools import product

from tilelayout._kernels import modes as kernel


def factorizations(size):
    """All ways to write a size as an ordered product of factors above 1; of 1 there is the empty one."""
    if size == 1:
        yield ()
    for first in range(2, size + 1):
        if size % first == 0:
            for rest in factorizations(size // first):
                yield (first, *rest)


def natural(index, extents):
    digits = []
    for extent in extents:
        index, digit = divmod(index, extent)
        digits.append(digit)
    return digits


def agreement(function, size, extents):
    """How many integers from 0 on a layout of these flat extents can agree with the function on, given the best strides."""
    strides = {}
    for index in range(size):
        digits = natural(index, extents)
        moving = [k for k, digit in enumerate(digits) if digit]
        if len(moving) == 1 and digits[moving[0]] == 1:
            strides[moving[0]] = function(index)
        elif sum(digits[k] * strides[k] for k in moving) != function(index):
            return index
    return size


def best_agreement(a, b):
    """On how many coordinates of B from the first on some layout with B's leaves, each split further at will, equals A after B."""
    leaves = [extent for extent, _ in b.flat]
    splits = product(*(tuple(factorizations(extent)) for extent in leaves))
    return max(agreement(lambda i: a.extended(b(i)), b.size, [extent for split in choice for extent in split]) for choice in splits)


def without_kernel(monkeypatch):
    """Leave every operation to Python."""
    for name in ("coalesce", "composition", "complement", "divide"):
        monkeypatch.setattr(kernel, name, lambda *_: None)
