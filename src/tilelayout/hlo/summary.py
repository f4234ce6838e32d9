"""What there is to say of all the arrays of a text, counted while they pass by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..describe import counted
from .arrays import Array
from .units import size_text


class Summary:
    """Counts of arrays, of those with tiles, of those that take ``at_least`` so many bytes, and the bytes of a program's arguments.

    Arguments of unknown size are counted, too, and apart.

    >>> from tilelayout import hlo
    >>> summary = Summary()
    >>> list(summary.count(hlo.read("ENTRY e {\\n  x = f32[3]{0:T(128)} parameter(0)\\n}"))) and str(summary)
    '1 array; 1 argument takes 512B, of which 12B are elements'
    """

    def __init__(self, at_least: int = 0) -> None:
        self.at_least = at_least
        self.modules: dict[str, None] = {}
        self.arrays = self.tiled = self.large = 0
        self.arguments = self.unsized_arguments = self.argument_bytes = self.argument_logical_bytes = 0

    def count(self, arrays: Iterable[Array]) -> Iterator[Array]:
        """The same arrays."""
        for array in arrays:
            self.arrays += 1
            self.tiled += bool(array.layout.tiles)
            self.large += (array.padded_bytes or 0) >= self.at_least
            self.modules[array.computation.module] = None
            if array.is_argument:
                self.arguments += 1
                self.unsized_arguments += array.padded_bytes is None
                self.argument_bytes += array.padded_bytes or 0
                self.argument_logical_bytes += array.logical_bytes or 0
            yield array

    def __str__(self) -> str:
        names = ", ".join(name for name in self.modules if name)
        said = f"{names + ': ' if names else ''}{counted(self.arrays, 'array')}"
        if self.arguments:
            take = "takes" if self.arguments == 1 else "take"
            said += (
                f"; {counted(self.arguments, 'argument')} {take} {size_text(self.argument_bytes)}, "
                f"of which {size_text(self.argument_logical_bytes)} are elements"
            )
        if self.unsized_arguments:
            said += f", but for {self.unsized_arguments} of unknown size"
        return said
