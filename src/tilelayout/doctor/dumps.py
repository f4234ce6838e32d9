"""The arrays of a dump or a report that padding costs most, each diagnosed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..errors import each
from ..hlo import Allocation, Array
from ..hlo.arrays import bytes_of
from ..hlo.tables import whole_number
from ..notations.xla import Shape
from .diagnosis import Diagnosis, diagnose

#: Shapes that are held for each that is asked for, until those that waste less are let go.
_HELD = 4


class Finding(NamedTuple):
    """A diagnosis, where the first array that it is of was found, and how many arrays have the same shape and layout."""

    where: str
    arrays: int
    diagnosis: Diagnosis


class _Suspect(NamedTuple):
    where: str
    shape: Shape
    waste: int
    arrays: int


def examine(arrays: Iterable[Array | Allocation], top: int = 5, at_least: int = 0, generation: str = "v5e") -> list[Finding]:
    """Diagnoses of the ``top`` shapes that waste most, of those among the arrays that take ``at_least`` so many bytes.

    >>> from tilelayout import hlo
    >>> found = examine(hlo.read("%a = f32[8,4]{1,0:T(8,128)} copy(%p)\\n%b = f32[8,4]{1,0:T(8,128)} copy(%a)"))
    >>> [(finding.where, finding.arrays, finding.diagnosis.waste) for finding in found]
    [('copy a', 2, 3968)]

    Of a report of ``hlo.oom`` the allocations are taken. Memory is bounded by ``top``: what is let go can never come back among the first.
    """
    top, least = whole_number(top, "top"), whole_number(at_least, "at_least")
    held: dict[str, _Suspect] = {}
    for where, shape, logical, padded in _sized(arrays):
        if padded > logical and padded >= least:
            text = str(shape)
            before = held.get(text) or _Suspect(where, shape, padded - logical, 0)
            held[text] = before._replace(arrays=before.arrays + 1)
            if len(held) > _HELD * (top + 1):
                held = {str(suspect.shape): suspect for suspect in _worst(held.values(), top)}
    return [Finding(suspect.where, suspect.arrays, diagnose(suspect.shape, generation)) for suspect in _worst(held.values(), top)]


def _sized(arrays: Iterable[Array | Allocation]) -> Iterator[tuple[str, Shape, int, int]]:
    """Each array with where it is, the bytes of its elements, and those that it takes."""
    for array in each(arrays, (Array, Allocation), "the arrays of tilelayout.hlo.read or the allocations of hlo.oom"):
        if isinstance(array, Array):
            if array.logical_bytes is not None and array.padded_bytes is not None:
                inside = f" in {array.computation.name}" if array.computation.name else ""
                yield f"{array.opcode} {array.name}{inside}", array.shape, array.logical_bytes, array.padded_bytes
        elif array.shape is not None and array.computed is not None:
            for leaf in filter(lambda leaf: leaf.is_array, array.shape.leaves()):
                yield f"allocation {array.number}", leaf, *bytes_of(leaf)


def _worst(suspects: Iterable[_Suspect], top: int) -> list[_Suspect]:
    return sorted(suspects, key=lambda suspect: -suspect.waste)[:top]
