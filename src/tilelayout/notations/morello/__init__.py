"""Morello's layouts: ``[1, 0, 1 p(4)]``, physical dimensions from the slowest to the fastest.

    >>> from tilelayout.notations import morello
    >>> layout = morello.parse("[1, 0, 1 p(4)]")
    >>> layout.physical_shape((6, 8)), layout.bind((6, 8))(2, 5)
    ((2, 6, 4), 33)

The text is what Morello prints; its meaning is that of the chapter "Data Layouts" of Morello's book and of morello/src/layout.rs.
"""

from .expressing import express
from .kinds import PhysDim
from .layout import Layout
from .making import batched_col_major, candidates, col_major, nhwc, row_major
from .parser import parse, recognizes

__all__ = [
    "Layout",
    "PhysDim",
    "batched_col_major",
    "candidates",
    "col_major",
    "express",
    "nhwc",
    "parse",
    "recognizes",
    "row_major",
]
