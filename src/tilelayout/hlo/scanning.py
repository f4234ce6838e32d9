"""Instructions among the lines of HLO text, as HloModule::ToString writes it, one to a line.

An instruction is ``name = shape opcode(``; nothing else of a line is taken for a shape, so shardings, strings, JSON and
literals cannot be mistaken for one. Pieces that were pasted from a log are read as well, behind the prefixes of the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..notations.xla.shape import MOST_NESTED
from ..notations.xla.types import NUMPY_NAMES, OPAQUE_TYPES
from .problems import Problems

# No part of an instruction can be read in two ways, so nothing is tried twice: hence the + behind each repetition.
_NAME = r"""%?((?:[^\s%=,(){}\[\]"*/]|/(?!\*))++)"""
#: What may stand between two words: white space and comments. XLA itself writes comments between the elements of tuples alone.
_BLANK = r"(?:\s++|/\*(?:[^*]|\*(?!/))*+\*/)"
#: An array's shape; the brace behind the dimensions is a layout only if a number or a colon follows it.
_ARRAY = r"[a-z][a-z0-9]*+\s*+\[[^\[\]]*+\](?:\s*+\{\s*+[0-9:][^{}]*+\})?+"
_OPCODE = rf"{_BLANK}++([A-Za-z][\w\-]*+){_BLANK}*+\("

#: An instruction as XLA writes it, of one array; any other is read piece by piece.
_SIMPLE = re.compile(rf"\s*+(?:ROOT\s++)?%?([^\s%=,(){{}}\[\]\"*/]++)\s++=\s++({_ARRAY})\s++([A-Za-z][\w\-]*+)\s*+\(")
#: Its beginning; where no blanks stand beside the equals sign, only before an array, as an attribute looks like it else.
_HEAD = re.compile(rf"{_BLANK}*+(?:ROOT{_BLANK}++)?{_NAME}(?:{_BLANK}++={_BLANK}++|{_BLANK}*+={_BLANK}*+(?=\(*+{_ARRAY}))")
#: How a list of computations begins that are written in place, behind an instruction that calls them.
_LISTS = re.compile(r"[a-z]={\s*\Z")
#: The head of a computation with an instruction in the same line.
_ENTERED = re.compile(r"\s*ENTRY\b[^{]*+\{\s*(?:ROOT\s+)?%?[\w.\-]+\s*=")
#: What is meant for an instruction, however it is written.
_MEANT = re.compile(
    r"\s*+(?:ROOT\s|%[^\s(]*+(?:\s|\Z))|\s*+[\w.\-]++\s*+=\s*+\(*+[a-z]\w*+\[|\s*+\(*+[a-z]\w*+\[[0-9,]*+\]\S*+\s++[a-z][\w\-]*+\("
)
_SHAPE = re.compile(rf"({_ARRAY}){_OPCODE}")
_AFTER_TUPLE = re.compile(_OPCODE)
_PART = re.compile(rf"{_BLANK}*+(?:([(),])|({_ARRAY}|b\(\s*+{_ARRAY}\s*+\)))")
#: What may stand in front of each part of a tuple, by the mark of it; an array has none.
_BEHIND = {None: "(,", "(": "(,", ",": ")", ")": "()"}
_HEADER = re.compile(rf"\s*(ENTRY\s+)?(?:{_NAME}|%)\s*([({{])")
_MODULE = re.compile(r"\s*HloModule\s+([^\s,]+)")
_CLOSED = re.compile(r"\s*\}\s*(?:,\s*execution_thread=.*|//.*)?", re.DOTALL)
#: A comment that goes on in the next line; behind anything else it is a line that was cut off.
_OPEN_COMMENT = re.compile(r"\s*+/\*(?!.*\*/)", re.DOTALL)
#: What logs put in front, behind the process that Ray names: ``2020-05-04 09:05:40.7: E 1578 tensorflow/file.cc:76] ``,
#: ``I0504 09:05:40.7 1578 file.cc:76] `` and ``(EngineCore pid=1) ERROR 06-03 07:41:11 [core.py:1184] ``; and what mail quotes with.
_LOGGED = re.compile(
    r"\A(?:> ?)*+(?:\(\w++ pid=[^()\n]{1,100}\) ?)?"
    r"(?:(?:[IWEF][0-9]{4}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[A-Z]{4,8} [0-9]{2}-[0-9]{2} [0-9:.]+ \[) ?[^\[\]\n]{0,300}\] ?)?"
)
#: What else stands in front of lines that were picked out of files and logs: numbers, names and tags with a colon or in brackets, times,
#: the words of log levels, and the marks of a diff; if an instruction, a module or a computation follows, or the end of one.
_PICKED = re.compile(
    r"\A(?:(?>[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}(?:Z|[+-][0-9:]{2,6})?|\[[^\[\]=%]{1,60}\]:?|[\w./@-]{1,200}[:|]"
    r"|(?:[\w./@-]{1,200}-)?[0-9]{1,9}[-\t]|[+-]|(?!ROOT|ENTRY)[A-Z]{4,8}:?)\s*+|\s++[0-9]{1,9}\t\s*+){1,6}+"
    r"(?=(?:(?:ROOT|ENTRY)\s+)?%|HloModule\s|\}\s*\Z)"
)
#: How an instruction's shape begins: with an array of some type, in a buffer or tuples or not.
_BEGINS = re.compile(r"(?:\(|b\(|\s)*+(?:/\*[^*]*+\*/\s*)?(\w+)\s*\[")


class Computation(NamedTuple):
    """A computation and its module, with the lines on which they begin: 0 for an instruction that stands in none."""

    name: str = ""
    is_entry: bool = False
    line: int = 0
    module: str = ""
    module_line: int = 0


class Instruction(NamedTuple):
    """An instruction, with the texts of the arrays in its shape, each at its place in the tuple (``()`` where there is none)."""

    line: int
    name: str
    opcode: str
    computation: Computation
    leaves: tuple[tuple[tuple[int, ...], str], ...]
    text: str


def unprefixed(line: str) -> str:
    """The line without what a log puts in front.

    >>> unprefixed("2020-05-04 09:05:40.719745: E    1578 xla_util.cc:76]   Size: 6.00G")
    '  Size: 6.00G'
    """
    return _LOGGED.sub("", line, count=1)


def picked_out(line: str) -> str:
    """The line without what a log puts in front, or whoever picked it out.

    >>> picked_out("12:  %b = f32[2]{0} copy(%a)"), picked_out("[worker 3] ROOT %c = f32[2]{0} copy(%b)")
    ('%b = f32[2]{0} copy(%a)', 'ROOT %c = f32[2]{0} copy(%b)')
    """
    return _PICKED.sub("", unprefixed(line), count=1)


def instructions(lines: Iterable[tuple[int, str]], problems: Problems) -> Iterator[Instruction]:
    """The instructions of the lines, in order; what cannot be read is noted."""
    scan, commented, number = _Scan(problems), 0, 0
    for number, line in lines:
        if commented:
            _, closed, line = line.partition("*/")  # noqa: PLW2901 - what is behind a comment is read as if nothing were in front
            if not closed:
                continue
            commented = 0
        found = _SIMPLE.match(line)
        if found is not None:
            if scan.before or scan.literal or line.endswith("{"):
                scan.goes_on(line, found.end())
            yield Instruction(number, found[1], found[3], scan.computation, (((), found[2]),), line)
        elif line and not line.isspace():
            text = picked_out(line)
            if (head := _HEAD.match(text)) is not None:
                instruction = _instruction(number, head[1], text, head.end(), scan.computation)
                scan.goes_on(text, len(text))
                if isinstance(instruction, Instruction):
                    yield instruction
                elif scan.is_inside or _names_a_type(text, head.end()):
                    problems.note(number, f"{head[1]!r} {instruction}")
            elif not scan.is_in_literal(line):
                commented = scan.passes(number, text)
    scan.ends(number, commented)


class _Scan:
    """Where a scan of lines is: in which computation, and the computations around one that is written in place.

    ``literal`` are braces of a constant that are open, ``before`` is the line before, if it is no instruction.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.outside = self.computation = Computation()
        self.around: list[Computation] = []
        self.literal = 0
        self.before = ""

    @property
    def is_inside(self) -> bool:
        """Whether a computation has begun."""
        return self.computation is not self.outside

    def goes_on(self, text: str, end: int) -> None:
        """An instruction: what is behind its shape may begin a literal, or a list of computations."""
        self.literal, self.before = 0, ""
        if text.endswith("{") and _LISTS.search(text):
            self.around.append(self.computation)
        elif text.endswith("{"):
            self.literal = _unclosed(text, end)

    def is_in_literal(self, line: str) -> bool:
        """Whether a line is a part of a literal."""
        if self.literal <= 0:
            return False
        self.literal += _unclosed(line, 0)
        return True

    def passes(self, number: int, text: str) -> int:
        """A line that is no instruction; its number, if a comment begins that goes on."""
        above, self.before = self.before, text
        if self.around and text.lstrip().startswith("}"):
            self.computation, self.before = self.around.pop(), ""
        elif _CLOSED.fullmatch(text):
            self.computation = self.outside
        elif self.is_inside and text.strip() == "{" and not above:
            self.around.append(self.computation)
            self._begins("", number, is_entry=False)
        elif _OPEN_COMMENT.match(text):
            return number
        elif (found := _MODULE.match(text)) is not None:
            self.outside = self.computation = Computation(module=found[1], module_line=number)
            self.around.clear()
        elif (found := _header(text, above)) is not None:
            self._is_headed(found, number)
        elif (self.is_inside and _MEANT.match(text)) or _ENTERED.match(text):
            self.problems.note(number, f"an instruction is none that can be read: {_excerpt(text, 0)}")
        return 0

    def _is_headed(self, found: re.Match[str], number: int) -> None:
        name = found[2] or ""
        if self.is_inside:
            self.problems.note(number, f"computation {self.computation.name!r} is not closed before {name!r} begins")
        if not name:
            self.problems.note(number, "a computation has no name, and nothing tells whether what is in it is fused")
        self.around.clear()
        self._begins(name, number, is_entry=found[1] is not None)

    def _begins(self, name: str, number: int, *, is_entry: bool) -> None:
        self.computation, self.before = Computation(name, is_entry, number, self.outside.module, self.outside.module_line), ""

    def ends(self, number: int, commented: int) -> None:
        """The text ends with this line, perhaps within a comment."""
        if commented:
            self.problems.note(commented, "a comment begins that is not closed")
        if self.is_inside:
            self.problems.note(number, f"the text ends within computation {self.computation.name!r}, which is not closed")


def _instruction(number: int, name: str, text: str, begin: int, computation: Computation) -> Instruction | str:
    """The instruction whose shape begins there, or what is wrong with it."""
    if text.startswith("(", begin):
        leaves, end = _leaves(text, begin)
        found = _AFTER_TUPLE.match(text, end) if end else None
        opcode = found[1] if found else ""
    elif (found := _SHAPE.match(text, begin)) is not None:
        leaves, opcode = [((), found[1])], found[2]
    elif (found := _PART.match(text, begin)) is not None and found[2]:  # a buffer
        leaves, opcode = [((), found[2])], (after[1] if (after := _AFTER_TUPLE.match(text, found.end())) else "")
    else:
        opcode = ""
    if not opcode:
        return f"has no shape and operation that can be read: {_excerpt(text, begin)}"
    return Instruction(number, name, opcode, computation, tuple(leaves), text)


def _header(text: str, above: str) -> re.Match[str] | None:
    """The head of a computation that the line opens, whose brace may stand alone below it."""
    if not text.rstrip().endswith("{"):
        return None
    signature = f"{above} {{" if text.strip() == "{" else text
    found = _HEADER.match(signature)
    return found if found is not None and (found[3] == "{" or "->" in signature) else None


def _leaves(text: str, begin: int) -> tuple[list[tuple[tuple[int, ...], str]], int]:
    """The arrays of the tuple that begins there, and where it ends: 0 if it does not."""
    leaves: list[tuple[tuple[int, ...], str]] = []
    path: list[int] = []
    at, before = begin, ","
    while (part := _PART.match(text, at)) is not None and before in _BEHIND[part[1]]:
        at = part.end()
        mark = part[1]
        before = mark or ")"
        if mark is None:
            leaves.append((tuple(path), part[2]))
        elif mark == "(":
            path.append(0)
            if len(path) > MOST_NESTED:
                break
        elif mark == ",":
            path[-1] += 1
        else:
            path.pop()
            if not path:
                return leaves, at
    return leaves, 0


def _unclosed(line: str, begin: int) -> int:
    """How many more braces are opened than closed."""
    return line.count("{", begin) - line.count("}", begin)


def _names_a_type(text: str, begin: int) -> bool:
    found = _BEGINS.match(text, begin)
    return found is not None and found[1] in (*NUMPY_NAMES, *OPAQUE_TYPES)


def _excerpt(text: str, begin: int) -> str:
    piece = text[begin : begin + 60].strip()
    return repr(piece + ("..." if len(text) > begin + 60 else ""))
