"""Linear algebra over bits: vectors are integers, and sums are XOR."""

from __future__ import annotations

from collections.abc import Sequence


def inverse(columns: Sequence[int]) -> list[int] | None:
    """The columns of the inverse of a square matrix, given by its columns; None where it has none.

    >>> inverse([0b10, 0b11])
    [3, 1]
    >>> inverse([0b10, 0b10])
    """
    #: By highest bit: a combination of columns, and which columns it is made of.
    reduced: dict[int, tuple[int, int]] = {}
    for number, column in enumerate(columns):
        made_of = 1 << number
        while column and (pivot := column.bit_length() - 1) in reduced:
            column, made_of = column ^ reduced[pivot][0], made_of ^ reduced[pivot][1]  # noqa: PLW2901 - it is being reduced
        if not column:
            return None
        reduced[column.bit_length() - 1] = column, made_of
    solved: list[int] = []
    for pivot in range(len(columns)):
        if pivot not in reduced:
            return None
        rest, made_of = reduced[pivot]
        for bit in bits_of(rest ^ 1 << pivot):
            made_of ^= solved[bit]
        solved.append(made_of)
    return solved


def transposed(columns: Sequence[int], rows: int) -> list[int]:
    """The rows of a matrix that is given by its columns.

    >>> transposed([0b01, 0b11], 2)
    [3, 2]
    """
    return [sum((column >> row & 1) << number for number, column in enumerate(columns)) for row in range(rows)]


def bits_of(vector: int) -> list[int]:
    """The numbers of the bits that are set, lowest first.

    >>> bits_of(0b1010)
    [1, 3]
    """
    return [bit for bit in range(vector.bit_length()) if vector >> bit & 1]
