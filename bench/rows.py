"""A measured row: ours beside its target and the peers, all in one unit."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from peers import NAMES

#: Shares within which two measurements are equal: what one machine repeats.
NOISE = 0.05


@dataclass(frozen=True)
class Options:
    """What is measured: how many rounds and threads, which rows, beside which peers, and arrays of how many bytes at most."""

    rounds: int = 15
    threads: Sequence[int] = (1, 2)
    only: Sequence[str] = ()
    peers: tuple[str, ...] = NAMES
    most: int = 1 << 30

    def takes(self, *names: str) -> bool:
        """Whether a row of these names is asked for."""
        return not self.only or any(name in self.only for name in names)


@dataclass(frozen=True)
class Row:
    """What one job took, in the unit of its section; ``more`` says that more is better.

    ``job`` names it among all, ``about`` says what it works on, ``details`` are columns of their own, and ``note`` is what the
    measurement itself says about a target that is missed.
    """

    job: str
    about: str
    threads: int
    ours: float
    target: float | None = None
    peers: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    more: bool = False
    note: str | None = None

    @property
    def missed(self) -> float:
        """By how much the target is missed, as the table rounds it; 0 if it is met or there is none."""
        if self.target is None:
            return 0.0
        over = self.target - self.ours if self.more else self.ours - self.target
        return max(0.0, over if abs(self.target) >= 100 else round(over, 2))

    @property
    def best_peer(self) -> tuple[str, float] | None:
        """The strongest peer's name and value."""
        if not self.peers:
            return None
        return (max if self.more else min)(self.peers.items(), key=lambda item: item[1])

    @property
    def standing(self) -> str:
        """Ahead of the best peer, level with it, or behind it, and by which factor."""
        if not self.best_peer:
            return "-"
        name, value = self.best_peer
        factor = self.ours / value if self.more else value / self.ours
        if abs(factor - 1) <= NOISE:
            return f"level with {name}"
        return f"{factor:.2f}x ahead of {name}" if factor > 1 else f"{1 / factor:.2f}x behind {name}"

    @property
    def is_behind(self) -> bool:
        """Whether a peer is ahead by more than noise."""
        return "behind" in self.standing

    def flat(self) -> dict[str, Any]:
        """The row as plain values."""
        return {
            "job": self.job, "about": self.about, "threads": self.threads, "ours": self.ours, "target": self.target,
            "missed": self.missed, "peers": dict(self.peers), "standing": self.standing, **self.details,
        }  # fmt: skip

    def told(self, unit: str) -> str:
        """The row as one line."""
        numbers = {"target": self.target, **self.peers, **self.details}
        others = [f"{name} {cell(value)}" for name, value in numbers.items() if value is not None]
        return ", ".join([f"{self.job} x{self.threads}: {unit} {cell(self.ours)}", *others])


@dataclass(frozen=True)
class Section:
    """Rows of one unit under a title, and what is to know about them."""

    title: str
    unit: str
    note: str
    rows: Sequence[Row]

    @classmethod
    def measured(cls, title: str, unit: str, note: str, rows: Iterable[Row]) -> Section:
        """A section whose rows are told on standard error, each as soon as it is measured: a run that is interrupted has shown them."""
        kept = []
        for row in rows:
            print(row.told(unit), file=sys.stderr, flush=True)
            kept.append(row)
        return cls(title, unit, note, kept)


def table(section: Section) -> str:
    """The section's rows as a table that reads well as text and as Markdown."""
    peers = list(dict.fromkeys(name for row in section.rows for name in row.peers))
    details = list(dict.fromkeys(name for row in section.rows for name in row.details))
    cells = [["job", "threads", *details, section.unit, "target", "against it", *peers, "beside the best peer", "about"]]
    for row in section.rows:
        verdict = "-" if row.target is None else "met" if not row.missed else f"missed by {cell(row.missed)}"
        numbers = [row.details.get(name) for name in details], [row.peers.get(name) for name in peers]
        values = [row.job, row.threads, *numbers[0], row.ours, row.target, verdict, *numbers[1], row.standing, row.about]
        cells.append([cell(value) for value in values])
    kept = [k for k in range(len(cells[0])) if any(line[k] != "-" for line in cells[1:])]
    return plain_table([[line[k] for k in kept] for line in cells])


def plain_table(cells: list[list[str]]) -> str:
    """Lines of cells, the first of them the heads; columns of numbers are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    is_number = [all(line[k].replace(".", "", 1).isdigit() or line[k] == "-" for line in cells[1:]) for k in range(len(widths))]

    def joined(line: Iterable[str]) -> str:
        padded = (text.rjust(w) if number else text.ljust(w) for text, w, number in zip(line, widths, is_number, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if number else "-") for w, number in zip(widths, is_number, strict=True)) + "|"
    return "\n".join([joined(cells[0]), rule, *map(joined, cells[1:])])


def cell(value: Any) -> str:
    """A value as it stands in a table."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return str(value)
