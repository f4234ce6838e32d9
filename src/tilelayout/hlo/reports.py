"""Reports of TPU compilers that a program does not fit in memory: the list "Largest program allocations in hbm"."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from ..errors import LayoutError
from ..notations.xla import Shape, parse_shape
from .arrays import bytes_of
from .lines import Lines, Numbered, Source
from .scanning import unprefixed
from .units import read_size, size_text

_SIZE = r"[0-9]+(?:\.[0-9]+)?[BKMGTPE]?"
_USED, _OF = rf"(?P<used>{_SIZE})", rf"(?P<capacity>{_SIZE})"
#: What a program needs of which memory, as far as it is said; of an allocation that is too large alone what it is, too.
_FITS = (
    re.compile(rf"Ran out of memory in memory space (?P<memory>\w+)\.\W*Used {_USED} of {_OF} "),
    re.compile(rf"Ran out of memory on (?P<memory>\w+), .{{0,200}}?\({_USED}\) exceeds available \w+ \({_OF}\)"),
    re.compile(rf"Ran out of memory in memory space (?P<memory>\w+) .{{0,4096}}?Scoped allocation with size {_USED} and limit {_OF} "),
    re.compile(rf"Aborting compilation early .{{0,200}}?Requires {_USED}, has {_OF} available"),
    re.compile(rf"TensorCore (?P<memory>Hbm) usage: {_USED}, SparseCore Hbm usage:? (?P<beside>{_SIZE}), exceeding available bytes: {_OF}"),
    re.compile(
        rf"Allocation \(size={_USED}\) would exceed memory \(size={_OF}\) :: #allocation(?P<number>[0-9]{{1,18}}) "
        r"\[shape = '(?P<shape>[^']*)', space=(?P<memory>\w+), size = \w+, (?P<kind>\w+)"
    ),
    re.compile(r"Largest program allocations in (?P<memory>\w+):"),
)
#: What is in the lines where a report or an allocation begins.
_MARKS = ("Size: ", "Ran out of memory", "Aborting compilation early", "exceeding available", "would exceed memory", "Largest program")
_FIRST = re.compile(rf"\b([0-9]+)\\?\. Size: ({_SIZE})")
_NAMES = "Operator|Shape|Unpadded size|Extra memory due to padding|XLA label|Allocation type|Tag"
_FIELD = re.compile(rf"({_NAMES}): ?(.*)", re.DOTALL)
#: Where a field begins in the line of the size.
_BESIDE = re.compile(rf"(?<!\s)\s{{2,}}+(?=(?:{_NAMES}):)")
_DIGITS = re.compile("[0-9]+")
#: A line break in a report that is quoted, as in JSON, which then is in one line.
_BREAK = r"\n"
_EXTRA = re.compile(rf"({_SIZE}) \(([0-9.]+)x expansion\)")
#: The most characters of a field that are kept.
_LONGEST = 4096


class Allocation(NamedTuple):
    """An allocation as a report has it: sizes as text, in the compiler's own rounding; what it does not say is empty."""

    number: int
    size: str
    operator: str = ""
    shape_text: str = ""
    unpadded: str = ""
    extra: str = ""
    expansion: str = ""
    label: str = ""
    kind: str = ""

    @property
    def shape(self) -> Shape | None:
        """The shape; None where it is missing or cut off."""
        try:
            return parse_shape(self.shape_text)
        except LayoutError:
            return None

    @property
    def computed(self) -> tuple[int, int] | None:
        """Bytes of the elements and with padding, worked out from the shape; None where that is not possible."""
        shape = self.shape
        try:
            arrays = [bytes_of(leaf) for leaf in shape.leaves() if leaf.is_array] if shape else []
            return (sum(logical for logical, _ in arrays), sum(padded for _, padded in arrays)) if arrays else None
        except LayoutError:
            return None

    @property
    def agrees(self) -> bool | None:
        """Whether the shape's size is the report's, up to rounding; where the report leaves tiles out, as some of 2019 do, it is not."""
        computed = self.computed
        if computed is None:
            return None
        unit = read_size(f"1{self.size[-1]}") if self.size[-1].isalpha() else 1
        return abs(read_size(self.size) - computed[1]) * 100 <= (1 if unit > 1024 else 10) * unit

    @property
    def size_in_bytes(self) -> int:
        """The reported size in bytes, as far as its rounding tells."""
        return read_size(self.size)


class Report(NamedTuple):
    """What a compiler says of the memory that a program needs: where, how much of how much, and for what.

    Sizes are as reported, None where they are not; ``used`` is the sum where two kinds of cores use the memory.
    """

    memory: str | None
    used: str | None
    capacity: str | None
    allocations: tuple[Allocation, ...]


def oom(source: Source) -> Report:
    """The report in a text, which may be a log with anything else in it.

    >>> report = oom('''Ran out of memory in memory space hbm. Used 33.00G of 16.00G hbm.
    ...   1. Size: 32.00G
    ...      Shape: s32[8388608,8,4]{2,1,0:T(8,128)}
    ...      Unpadded size: 1.00G
    ...      Extra memory due to padding: 31.00G (32.0x expansion)
    ... ''')
    >>> report.used, report.allocations[0].expansion, report.allocations[0].computed, report.allocations[0].agrees
    ('33.00G', '32.0', (1073741824, 34359738368), True)

    ``source`` is a path, text or lines, as for ``read``. Of several reports it is the first; one that a log has again is the same.
    Raises ``LayoutError`` if there is no such report in it.
    """
    watcher = Watcher()
    deque(watcher.watch(iter(Lines(source))), maxlen=0)
    if not watcher.reports:
        raise LayoutError(
            "this is no report of a TPU's memory: it has no line such as 'Ran out of memory in memory space hbm. "
            "Used 17.60G of 16.00G hbm', or '1. Size: 32.00G'"
        )
    return watcher.reports[0]


class Watcher:
    """Picks reports from lines that pass by on their way to another reader."""

    def __init__(self) -> None:
        self._done: list[_Draft] = []
        self._draft = _Draft()
        self._field = ""
        self._prefix = _alike("")

    def watch(self, lines: Numbered) -> Numbered:
        """The same lines."""
        for number, line in lines:
            if _begins(line) or self._field:
                text = unprefixed(line)
                for piece in text.replace('\\"', '"').split(_BREAK) if _BREAK in text and _begins(text) else (text,):
                    self._take(piece, _begins(piece))
            yield number, line

    @property
    def reports(self) -> tuple[Report, ...]:
        """The reports that differ, in order; of one that was there again, or in part, all that was said."""
        return tuple(draft.report for draft in _joined(self._done, self._draft))

    def _take(self, line: str, begins: bool) -> None:
        if begins and (fits := next((found.groupdict() for form in _FITS if (found := form.search(line))), None)):
            self._begin(_draft(fits))
        if begins and (found := _FIRST.search(line)) is not None:
            self._list(int(found[1][:18]), found[2])
            self._prefix = _alike(line[: found.start()].rstrip())
            for text in _BESIDE.split(line[found.end() :])[1:]:
                self._take_field(text)
        elif self._field:
            prefix = self._prefix.match(line)
            self._take_field(line[prefix.end() if prefix else 0 :].strip())

    def _begin(self, draft: _Draft) -> None:
        """What comes now is another report, or the same again, or more of one that has no list yet."""
        if not self._draft.allocations and self._draft.may_be(draft):
            self._draft = self._draft.with_all_of(draft)
        else:
            self._done = _joined(self._done, self._draft)
            self._draft = draft
        self._field = ""

    def _list(self, number: int, size: str) -> None:
        """An allocation begins; their numbers rise within a report."""
        if self._draft.allocations and number <= max(self._draft.allocations):
            self._begin(_Draft())
        self._draft.allocations[number] = {"size": size}
        self._field = "size"

    def _take_field(self, text: str) -> None:
        *_, fields = self._draft.allocations.values()
        if (found := _FIELD.match(text)) is not None:
            self._field = found[1]
            fields.setdefault(self._field, found[2][:_LONGEST].rstrip())
        elif fields.get(self._field, "").count('"') % 2:  # a string may have line breaks in it
            fields[self._field] = f"{fields[self._field]} {text}"[:_LONGEST]
        elif not text or text.startswith("===="):
            self._field = ""


class _Draft:
    """What was read of a report: its three words, and the fields of each allocation by its number."""

    def __init__(self, memory: str | None = None, used: str | None = None, capacity: str | None = None) -> None:
        self.fits = (memory, used, capacity)
        self.allocations: dict[int, dict[str, str]] = {}

    @property
    def report(self) -> Report:
        """The report."""
        return Report(*self.fits, tuple(_allocation(number, fields) for number, fields in sorted(self.allocations.items())))

    def may_be(self, other: _Draft) -> bool:
        """Whether nothing that both say differs; either may be cut off."""
        for number in self.allocations.keys() & other.allocations.keys():
            for name in ("size", "Shape"):
                ours, theirs = (draft.allocations[number].get(name, "") for draft in (self, other))
                if not (ours.startswith(theirs) or theirs.startswith(ours)):
                    return False
        return all(None in pair or len({*pair}) == 1 for pair in zip(self.fits, other.fits, strict=True))

    def with_all_of(self, other: _Draft) -> _Draft:
        """What either says, as far as it goes."""
        both = _Draft(*(ours or theirs for ours, theirs in zip(self.fits, other.fits, strict=True)))
        for number in self.allocations.keys() | other.allocations.keys():
            ours, theirs = (draft.allocations.get(number, {}) for draft in (self, other))
            both.allocations[number] = {name: max(ours.get(name, ""), theirs.get(name, ""), key=len) for name in {**ours, **theirs}}
        return both


def _draft(fits: dict[str, str | None]) -> _Draft:
    """What a line says of a report."""
    memory, used = fits.get("memory"), fits.get("used")
    if beside := fits.get("beside"):
        used = size_text(read_size(used or "") + read_size(beside))
    draft = _Draft(memory.lower() if memory else None, used, fits.get("capacity"))
    if number := fits.get("number"):
        fields = {"size": used, "Shape": fits["shape"], "Allocation type": fits["kind"]}
        draft.allocations[int(number)] = {name: value for name, value in fields.items() if value}
    return draft


def _joined(drafts: list[_Draft], last: _Draft) -> list[_Draft]:
    """The drafts with another, which is joined to the first that it may be; one that has no sizes is none."""
    if not any(last.fits[1:]) and not last.allocations:
        return drafts
    same = next((k for k, draft in enumerate(drafts) if draft.may_be(last)), None)
    if same is None:
        return [*drafts, last]
    return [*drafts[:same], drafts[same].with_all_of(last), *drafts[same + 1 :]]


def _begins(line: str) -> bool:
    """Whether a report or an allocation may begin in a line."""
    return any(mark in line for mark in _MARKS)


def _alike(prefix: str) -> re.Pattern[str]:
    """What a log puts in front of each line, whatever times and numbers it has there."""
    return re.compile(_DIGITS.sub("[0-9]+", re.escape(prefix)))


def _allocation(number: int, fields: dict[str, str]) -> Allocation:
    extra = _EXTRA.match(fields.get("Extra memory due to padding", ""))
    return Allocation(
        number=number,
        size=fields["size"],
        operator=fields.get("Operator", ""),
        shape_text=fields.get("Shape", ""),
        unpadded=fields.get("Unpadded size", ""),
        extra=extra[1] if extra else "",
        expansion=extra[2] if extra else "",
        label=fields.get("XLA label", ""),
        kind=fields.get("Allocation type", ""),
    )
