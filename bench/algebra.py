"""CuTe's algebra, one operation at a time: ours beside Meta's tensor-layouts, where that is installed.

The layouts are those that a tiled copy or a matrix multiplication works with: 128 x 128 values, and 32 threads with 8 each.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from measure import Work
from tilelayout import cute

PEER = "tensor-layouts"

MATRIX = ((128, 128), (128, 1))
TILE = ((4, 8), (1, 16))
THREADS = ((4, 8), (8, 1))
VALUES = ((4, 8), (2, 2, 2)), ((32, 1), (16, 8, 128))

#: Coordinates of a batch.
MANY = 10_000_000


def operations() -> dict[str, dict[str, Work]]:
    """Each operation by name, in all the ways there are to do it."""
    jobs = {name: {"tilelayout": work} for name, work in _ours().items()}
    if find_spec("tensor_layouts"):
        for name, work in _peers().items():
            jobs[name][PEER] = work
    for name, works in jobs.items():
        answers = {way: str(work()).replace(" ", "") for way, work in works.items()}
        if len(set(answers.values())) > 1:
            raise AssertionError(f"{name}: {answers}")
    return jobs


def batches() -> dict[str, Work]:
    """Layouts evaluated at many coordinates in one call."""
    rng = np.random.default_rng(0)
    matrix, swizzled = cute.Layout((1024, 1024), (1024, 1)), cute.parse("S<3,4,3> o 0 o (8,64):(64,1)")
    flat, places = rng.integers(0, 1 << 20, MANY), rng.integers(0, 1024, (2, MANY))
    inside = rng.integers(0, 512, MANY)
    return {
        "(1024,1024):(1024,1) at 1-D coordinates": lambda: matrix(flat),
        "(1024,1024):(1024,1) at pairs": lambda: matrix(*places),
        "S<3,4,3> o 0 o (8,64):(64,1)": lambda: swizzled(inside),
    }


def _ours() -> dict[str, Work]:
    matrix, tile, threads, values = (cute.Layout(*each) for each in (MATRIX, TILE, THREADS, VALUES))
    return {
        "Layout((128,128), (128,1))": lambda: cute.Layout(*MATRIX),
        "L(77)": lambda: matrix(77),
        "L(3, 5)": lambda: matrix(3, 5),
        "coalesce": lambda: cute.coalesce(values),
        "composition": lambda: cute.composition(matrix, tile),
        "complement": lambda: cute.complement(threads, 16384),
        "logical_divide": lambda: cute.logical_divide(matrix, tile),
        "right_inverse": lambda: cute.right_inverse(values),
    }


def _peers() -> dict[str, Work]:
    import tensor_layouts as peer  # noqa: PLC0415 - an extra

    matrix, tile, threads, values = (_layout(peer, each) for each in (MATRIX, TILE, THREADS, VALUES))
    return {
        "Layout((128,128), (128,1))": lambda: peer.Layout(*MATRIX),
        "L(77)": lambda: matrix(77),
        "L(3, 5)": lambda: matrix(3, 5),
        "coalesce": lambda: peer.coalesce(values),
        "composition": lambda: peer.compose(matrix, tile),
        "complement": lambda: peer.complement(threads, 16384),
        "logical_divide": lambda: peer.logical_divide(matrix, tile),
        "right_inverse": lambda: peer.right_inverse(values),
    }


def _layout(peer: Any, pair: tuple[Any, Any]) -> Any:
    return peer.Layout(*pair)
