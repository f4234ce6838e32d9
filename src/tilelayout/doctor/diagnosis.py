"""The padding of an array in plain words: what it costs, what is guilty, and what else the array could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from ..errors import LayoutError, expect, shown
from ..hlo import Array, size_text
from ..hlo.tables import aligned
from ..notations.xla import Layout, Shape, parse, tpu_layout
from .causes import Cause, causes
from .remedies import Remedy, remedies, tiled_as

#: Remedies of each kind that are printed.
MOST_SHOWN = 2
#: Types whose tiles elements have that the text gives so many bits.
_STORED = {8: "u8", 16: "u16", 32: "u32"}
_SAME_ELEMENTS = ("order", "tiles", "merge")


class Diagnosis(NamedTuple):
    """What padding does to an array.

    Sizes are in bytes. ``causes`` add up to the difference between ``padded_bytes`` and ``logical_bytes``; ``remedies`` are sorted
    by what they take. ``generation`` is the TPU whose tiles the remedies have, and the array too where it has none of its own: then
    ``is_assumed`` is true.
    """

    shape: Shape
    logical_bytes: int
    padded_bytes: int
    causes: tuple[Cause, ...]
    remedies: tuple[Remedy, ...]
    generation: str
    is_assumed: bool

    @property
    def waste(self) -> int:
        """Bytes beyond those of the elements; fewer than none where elements are packed."""
        return self.padded_bytes - self.logical_bytes

    @property
    def expansion(self) -> float:
        """How many times the bytes of the elements the array takes; 1 for an array of none."""
        return self.padded_bytes / self.logical_bytes if self.logical_bytes else 1.0

    @property
    def best(self) -> Remedy | None:
        """The order or shape for the same elements that takes least, if it is less than the array takes."""
        return next((remedy for remedy in self.remedies if remedy.kind in _SAME_ELEMENTS and remedy.bytes < self.padded_bytes), None)

    @property
    def _is_padded(self) -> bool:
        return any(cause.kind != "width" for cause in self.causes)

    def __str__(self) -> str:
        return "\n".join([str(self.shape), *self._costs(), *self._guilty(), *self._others(), *self._sizes()])

    def _costs(self) -> list[str]:
        said = [f"the text gives no tiles; these are those of a TPU {self.generation}"] if self.is_assumed else []
        sizes = f"elements take {size_text(self.logical_bytes)}, memory {size_text(self.padded_bytes)} ({self.expansion:.1f}x)"
        if self.waste > 0:
            return [*said, f"{sizes}: {size_text(self.waste)} more"]
        return [*said, f"{sizes}: padded, and packed" if self._is_padded else f"{sizes}: nothing is wasted"]

    def _guilty(self) -> list[str]:
        if not self.causes:
            return []
        rows = [(_signed(cause.bytes), f"{cause.factor:.2f}x", str(cause)) for cause in self.causes]
        return ["", "what makes it so:", _indented(rows)]

    def _others(self) -> list[str]:
        tried = [remedy for remedy in self.remedies if remedy.kind in _SAME_ELEMENTS]
        better = [remedy for remedy in tried if remedy.bytes < self.padded_bytes]
        if not tried or not (self.waste > 0 or self._is_padded):
            return []
        if not better:
            return ["", f"none of {len(tried)} other orders and shapes of the same elements takes less"]
        kinds = [[remedy for remedy in better if remedy.kind == kind][:MOST_SHOWN] for kind in _SAME_ELEMENTS]
        first = sorted(chain.from_iterable(kinds), key=better.index)
        return ["", f"the same elements for less ({len(better)} of {len(tried)} that were tried):", self._listed(first)]

    def _sizes(self) -> list[str]:
        resized = [remedy for remedy in self.remedies if remedy.kind not in _SAME_ELEMENTS]
        return ["", "other sizes:", self._listed(resized)] if resized else []

    def _listed(self, listed: Sequence[Remedy]) -> str:
        rows = [(size_text(r.bytes), _signed(r.bytes - self.padded_bytes), str(r.shape), self._does(r)) for r in listed]
        return _indented(rows)

    def _does(self, remedy: Remedy) -> str:
        if remedy.kind == "order":
            return "another order of dimensions, the same tiles"
        if remedy.kind == "tiles":
            return f"tiles of a TPU {self.generation}" + ("" if self._same_order(remedy) else ", another order of dimensions")
        if remedy.kind == "merge":
            return "dimensions merged"
        return "more elements" if remedy.kind == "grow" else "fewer elements"

    def _same_order(self, remedy: Remedy) -> bool:
        ours, theirs = self.shape.layout, remedy.shape.layout
        return ours is not None and theirs is not None and ours.minor_to_major == theirs.minor_to_major


def diagnose(shape: str | Shape | Array, generation: str = "v5e") -> Diagnosis:
    """What padding costs an array, which dimension and which tile is guilty, and what other orders and shapes would cost.

    >>> found = diagnose("s32[8388608,8,4]{2,1,0:T(8,128)}")
    >>> found.logical_bytes, found.padded_bytes, found.expansion
    (1073741824, 34359738368, 32.0)
    >>> print(found.causes[0])
    dim 2 (4) is filled up to 128 by tile (8,128)
    >>> print(found.best.kind, found.best.shape, found.best.bytes)
    order s32[8388608,8,4]{0,1,2:T(8,128)} 1073741824

    ``shape`` is XLA's text of an array, its ``ShapeProto`` as JSON, an ``xla.Shape``, or an array of ``tl.hlo``. An array without tiles is
    taken to have those that a TPU of the ``generation`` chooses for its order of dimensions (see ``xla.tpu_layout``); types of 64 bits
    and more have those of f32. Of an array that is cut (``SC``) the largest piece is diagnosed. Raises ``LayoutError`` for what is no array
    or has no size.
    """
    given = shape.shape if isinstance(shape, Array) else parse(shape) if isinstance(shape, str) else shape
    if isinstance(given, Layout):
        sizes = ",".join(["100"] * len(given.minor_to_major))
        raise LayoutError(f"{given} is a layout without an array; write the array's type and sizes in front, as in f32[{sizes}]{given}")
    if not isinstance(given, Shape):
        raise LayoutError(f"{shown(shape)} is no array; it takes text such as 'f32[100,10]{{1,0:T(8,128)}}', or an xla.Shape")
    array = given.parts[0] if given.element_type == "buffer" else given
    if array.layout is None:
        first = next((leaf for leaf in given.leaves() if leaf.is_array), None)
        raise LayoutError(f"{given} is no array" + (f"; give one of its arrays at a time, such as {first}" if first else ""))
    tpu_layout((), "f32", generation=generation)  # refuses a generation that there is not
    tiled = _with_tiles(array, generation)
    piece = tiled.largest_piece
    return Diagnosis(
        piece,
        piece.logical_byte_size,
        piece.allocation_byte_size,
        causes(piece),
        tuple(sorted(remedies(piece, generation), key=lambda remedy: remedy.bytes)),
        generation,
        tiled != array,
    )


def facts(found: Diagnosis) -> dict[str, Any]:
    """A diagnosis as plain values.

    >>> facts(diagnose("f32[5,128]{1,0:T(8,128)}"))["waste"]
    1536
    """
    expect(found, Diagnosis, "a Diagnosis, which diagnose gives")
    return {
        "shape": str(found.shape),
        "logical_bytes": found.logical_bytes,
        "padded_bytes": found.padded_bytes,
        "waste": found.waste,
        "expansion": found.expansion,
        "generation": found.generation,
        "is_assumed": found.is_assumed,
        "causes": [{**cause._asdict(), "words": str(cause)} for cause in found.causes],
        "remedies": [{**remedy._asdict(), "shape": str(remedy.shape)} for remedy in found.remedies],
    }


def _with_tiles(array: Shape, generation: str) -> Shape:
    """The array; where it has no tiles, with those that a TPU would give it."""
    layout = array.layout
    if layout is None or layout.tiles:
        return array
    stored = _STORED.get(layout.element_size_in_bits) or tiled_as(array.element_type)
    chosen = tpu_layout(array.bounds, stored, generation=generation, minor_to_major=layout.minor_to_major)
    bits = layout.element_size_in_bits or chosen.element_size_in_bits
    return replace(array, layout=replace(layout, tiles=chosen.tiles, element_size_in_bits=bits))


def _signed(size: int) -> str:
    return size_text(size) if size < 0 else f"+{size_text(size)}"


def _indented(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"  {line}" for line in aligned(rows, right=2).split("\n"))
