"""Where the coordinates of a side of a grid lie on the sheet."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from .sides import Side

#: The room where coordinates are left out.
GAP = 20.0


class Span(NamedTuple):
    """A number and where it begins and ends: a coordinate, or a block of them."""

    number: int
    begin: float
    end: float

    @property
    def middle(self) -> float:
        """The middle of it."""
        return (self.begin + self.end) / 2


class Edge(NamedTuple):
    """A border across a track: where, its level if blocks meet there, and the places in the track of what lies before and after it."""

    at: float
    level: int | None
    before: int | None
    after: int | None


class Track:
    """A side laid out, with so much room for each coordinate that is kept."""

    def __init__(self, side: Side, room: float) -> None:
        self.side = side
        self.spans: list[Span] = []
        for x in side.kept:
            last = self.spans[-1] if self.spans else Span(x - 1, 0, 0)
            begin = last.end + (GAP if x > last.number + 1 else 0)
            self.spans.append(Span(x, begin, begin + room))

    @property
    def length(self) -> float:
        """The room of all of them."""
        return self.spans[-1].end

    def blocks(self, size: int) -> list[Span]:
        """The blocks of a size; where coordinates are left out a block is cut."""
        found: list[Span] = []
        last = None
        for x, begin, end in self.spans:
            if last == x - 1 and found[-1].number == x // size:
                found[-1] = found[-1]._replace(end=end)
            else:
                found.append(Span(x // size, begin, end))
            last = x
        return found

    @property
    def gaps(self) -> list[float]:
        """The middles of the places where coordinates are left out."""
        return [(a.end + b.begin) / 2 for a, b in pairwise(self.spans) if b.number > a.number + 1]

    @property
    def edges(self) -> Iterator[Edge]:
        """All borders; at a gap there is one on either side."""
        for place, (x, begin, end) in enumerate(self.spans):
            follows = place > 0 and self.spans[place - 1].number == x - 1
            yield Edge(begin, self._level(x), place - 1 if follows else None, place)
            if place + 1 == len(self.spans) or self.spans[place + 1].number != x + 1:
                yield Edge(end, self._level(x + 1), place, None)

    def _level(self, x: int) -> int | None:
        return 0 if x in (0, self.side.padded) else self.side.level(x)
