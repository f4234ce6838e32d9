"""Morello's layouts once more, from the formulas alone: plain integers, and none of the library's code.

A layout is a list of (dimension, kind, size), slowest first, with kind "d", "p" or "oe" and size None for "d".
"""

from itertools import product
from math import prod


def physical(dims, shape):
    """The physical shape, or None where the layout does not apply."""
    left, used, done, sizes = dict(enumerate(shape)), set(), set(), []
    for dim, kind, n in dims[::-1]:
        r = left[dim]
        if dim in done:
            return None
        if kind == "d":
            sizes.insert(0, r)
            left[dim] = 1
            done.add(dim)
        elif r >= n:
            if r % n:
                return None
            sizes.insert(0, n)
            left[dim] = r // n
        elif dim in used or (kind == "oe" and r > 1):
            return None
        else:
            sizes.insert(0, r)
            left[dim] = 1
            used.add(dim)
    return sizes if set(left.values()) <= {1} else None


def slot(dims, shape, x):
    """The offset of the element at x: the sum over physical dimensions of alpha_j * digit_j."""
    sizes = physical(dims, shape)
    total = 0
    for j, (dim, kind, _) in enumerate(dims):
        alpha = prod(sizes[j + 1 :])
        v = prod(p for p, (other, _, _) in zip(sizes[j + 1 :], dims[j + 1 :], strict=True) if other == dim)
        digit = x[dim] // v % sizes[j]
        if kind == "oe" and sizes[j] > 1:
            digit = digit // 2 + digit % 2 * (sizes[j] // 2)
        total += alpha * digit
    return total


def offsets(dims, shape):
    """The offsets of all elements, row-major."""
    return tuple(slot(dims, shape, x) for x in product(*map(range, shape)))


def every_list(shape, most, sizes=None):
    """All lists of up to ``most`` dimensions that apply to the shape and that Morello defines.

    Without ``sizes`` those of packs are the divisors of their dimension, and 2: larger packs take no more than what is left.
    """
    kinds = {}
    for dim, extent in enumerate(shape):
        packs = sizes or [n for n in range(2, max(3, extent + 1)) if n == 2 or extent % n == 0]
        kinds[dim] = [("d", None), *(("p", n) for n in packs), *(("oe", n) for n in packs if n % 2 == 0)]

    def grow(dims):
        if physical(dims, shape) is not None:
            yield dims
        if len(dims) == most:
            return
        for dim in range(len(shape)):
            if (dim, "d", None) not in dims:
                for kind, n in kinds[dim]:
                    if kind == "oe" and dims and dims[0][:2] == (dim, "oe"):
                        continue
                    mine = [entry for entry in dims if entry[0] == dim]
                    rest = [] if kind == "d" else [(dim, "d", None)]
                    others = [(other, "d", None) for other in range(len(shape)) if other != dim]
                    if physical([*rest, (dim, kind, n), *mine, *others], shape) is not None:
                        yield from grow([(dim, kind, n), *dims])

    return grow([])


def runs(dims, parent, tile):
    """How many of the fastest dimensions form one run in the parent's buffer, in every aligned tile, by looking at every element."""
    sizes = physical(dims, tile)
    corners = list(product(*(range(0, p, t) for p, t in zip(parent, tile, strict=True))))
    for count in range(len(dims), 0, -1):
        block = prod(sizes[len(dims) - count :])
        if all(_in_runs(dims, parent, tile, corner, block) for corner in corners):
            return count
    return 0


def _in_runs(dims, parent, tile, corner, block):
    groups = {}
    for y in product(*map(range, tile)):
        x = [a + b for a, b in zip(corner, y, strict=True)]
        if all(a < p for a, p in zip(x, parent, strict=True)):
            at = slot(dims, tile, y)
            groups.setdefault(at // block, []).append((at, slot(dims, parent, x)))
    for group in groups.values():
        found = [there for _, there in sorted(group)]
        if found != list(range(found[0], found[0] + len(found))):
            return False
    return True
