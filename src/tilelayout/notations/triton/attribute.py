"""What the attributes of Triton's GPU dialect have in common: a text, and a linear layout for each shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any, ClassVar

from ... import digits
from ...errors import NotInjective, ShapeError, shown
from ...sizes import shape_of_rank
from .layout import DISTRIBUTED, LinearLayout

#: How many attributes may lie in each other, as slices of slices do.
MOST_NESTED = 32


class Attribute(ABC):
    """An attribute that the shape of an array turns into a linear layout.

    Its fields are named as in Triton's text; those that have their default are not written.
    """

    __slots__ = ()

    #: The name behind ``#ttg.``.
    _mnemonic: ClassVar[str]

    @property
    @abstractmethod
    def rank(self) -> int:
        """The number of axes."""

    def bind(self, shape: Sequence[int] | None = None) -> digits.Layout:
        """The layout of an array of this shape, as digits.

        Raises ``ShapeError`` for a shape of another rank, with extents that are no powers of two, or none, and ``NotInjective`` where
        several places hold the same element.
        """
        linear = self.linear(shape)
        try:
            return linear.bind(shape)
        except NotInjective as error:
            raise NotInjective(
                f"{self} puts elements of shape {linear.shape} in several places: {error}; linear(shape) has them all"
            ) from None

    def linear(self, shape: Sequence[int] | None) -> LinearLayout:
        """The linear layout that this is for an array of the shape."""
        extents = shape_of_rank(shape, self.rank, self)
        if any(extent.bit_count() != 1 for extent in extents):
            raise ShapeError(f"{self} is for arrays whose extents are powers of two; got shape {shown(extents)}")
        try:
            return self._fitted(extents)
        except ShapeError as error:
            raise ShapeError(f"{self} in shape {shown(extents)}: {error}") from None

    @abstractmethod
    def _fitted(self, shape: tuple[int, ...]) -> LinearLayout:
        """The linear layout for a shape that is known to be one."""

    def _told(self) -> Iterator[tuple[str, Any]]:
        """The fields that the text has."""
        return ((field.name, value) for field in fields(self) if (value := getattr(self, field.name)) != field.default)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return f"#ttg.{self._mnemonic}<{{{', '.join(f'{name} = {written(value)}' for name, value in self._told())}}}>"


class Distributed(Attribute):
    """An attribute that says which element lies in which register of which lane of which warp."""

    __slots__ = ()


def is_distributed(encoding: object) -> bool:
    """Whether an encoding says where elements lie among threads."""
    if isinstance(encoding, LinearLayout):
        return tuple(kind for kind, _ in encoding.bases) == DISTRIBUTED
    return isinstance(encoding, Distributed)


def generations(encoding: object) -> int:
    """How many encodings lie in each other: this one, its parent, and so on."""
    count = 0
    while encoding is not None:
        count, encoding = count + 1, getattr(encoding, "parent", None)
    return count


def written(value: Any) -> str:
    """The value of a field as the text has it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"[{', '.join(map(written, value))}]" if isinstance(value, tuple) else str(value)
