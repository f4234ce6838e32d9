"""What could not be read of a text: it is noted, and reading goes on."""

from __future__ import annotations

from typing import NamedTuple


class Problem(NamedTuple):
    """What is wrong with a line.

    >>> print(Problem(3, "the shape is cut off"))
    line 3: the shape is cut off
    """

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


class Problems:
    """The first of the problems of a text, and how many there are.

    >>> problems = Problems()
    >>> problems.note(3, "the shape is cut off")
    >>> problems.count, str(problems.first[0])
    (1, 'line 3: the shape is cut off')
    """

    #: As many are kept.
    MOST = 100

    def __init__(self) -> None:
        self.first: list[Problem] = []
        self.count = 0

    def note(self, line: int, message: str) -> None:
        """Add a problem."""
        self.count += 1
        if self.count <= self.MOST:
            self.first.append(Problem(line, message))
