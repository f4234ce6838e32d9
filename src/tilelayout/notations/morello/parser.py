"""The grammar of Morello's texts: what it prints, its macro, and the Rust that its documentation shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypeVar

from ... import cursor
from .kinds import OddEven, Packed, PhysDim
from .layout import Layout
from .validation import fault

T = TypeVar("T")

Entry = tuple[int, PhysDim]

_FORMS = "a layout is written such as [1, 0, 1 p(4)], NHWC or ([0, 1], c1)"
#: How each form begins: ``[...]``, ``NHWC``, either in parentheses with a contiguity, the macro, the constructor, and Debug's.
_FORM = re.compile(r"\s*(?:(?:\(\s*)?(?:\[|NHWC\b)|layout!|(?:[A-Za-z_]\w*\s*::\s*)*Layout\s*(?:::\s*new\b|\{\s*dims\b))")
_CONTIG = re.compile("c([0-9]{1,9})")
_KIND_AND_SIZE = re.compile("([A-Za-z_]+?)_?([0-9]+)")
_KINDS: dict[str, type[Packed | OddEven]] = {"p": Packed, "oe": OddEven}
_RUST_KINDS: dict[str, type[Packed | OddEven]] = {"Packed": Packed, "OddEven": OddEven}
_MEANT = {"p": "p", "pack": "p", "packed": "p", "oe": "oe", "eo": "oe", "oddeven": "oe", "odd_even": "oe"}


class Parser(cursor.Cursor):
    """The rules of the grammar, each a method that reads what it names; ``normalized`` is what ``Layout`` takes."""

    #: A comment of Rust's, a number, a name, or any other single character.
    WORD = re.compile(r"//[^\n]*|-?[0-9]+(?:_?[iu](?:8|16|32|64|128|size)\b)?|[A-Za-z_][A-Za-z0-9_]*!?|::|\S")
    NUMBER = re.compile("(-?[0-9]+)(?:_?[iu](?:8|16|32|64|128|size))?")
    HINTS: ClassVar = {
        "nhwc": "did you mean NHWC?",
        "NCHW": "NCHW is the row-major layout, [0, 1, 2, 3]",
        "nchw": "NCHW is the row-major layout, [0, 1, 2, 3]",
        "row_major": "a row-major layout of two dimensions is written [0, 1]; morello.row_major(shape) makes one",
        "col_major": "a column-major layout of two dimensions is written [1, 0]; morello.col_major(shape) makes one",
        "{": "Debug text is written Layout { dims: [(0, Dynamic)], contig: 1 }",
    }

    __slots__ = ("normalized",)

    def __init__(self, text: str, normalized: bool) -> None:
        super().__init__(text)
        self.normalized = normalized

    @classmethod
    def skipped(cls, word: str) -> bool:
        """Whether the word is a comment."""
        return word.startswith("//")

    def layout(self) -> Layout:
        """``"(" body "," "c" INT ")" | body | macro | constructor | debug``"""
        if self.word != "(":
            return self.rust() if self.word == "layout!" or self.names_follow() else self.assembled(*self.body())
        self.advance()
        listed, begins = self.body()
        self.expect(",")
        found = _CONTIG.fullmatch(self.word)
        if not found:
            raise self.expected("the number of contiguous dimensions", hint="it is written c2, as in ([0, 1, 0 p(4)], c2)")
        begin = self.at
        self.advance()
        self.expect(")")
        return self.assembled(listed, begins, int(found[1]), begin)

    def body(self) -> tuple[list[Entry], list[int]]:
        """``"NHWC" | "[" [dim {"," dim}] "]"``; the dimensions, and the word that each begins with."""
        if self.word == "NHWC":
            self.advance()
            return [(dim, PhysDim.Dynamic) for dim in (0, 2, 3, 1)], []  # nothing can be wrong with these
        if self.word != "[":
            raise self.expected("a layout", hint=self.HINTS.get(self.word, _FORMS))
        return self.begun(self.listed("[", lambda: self.noted(self.dim), "]"))

    def dim(self) -> Entry:
        """``INT [("p" | "oe") "(" INT ")"]``"""
        number = self.dim_number()
        if self.word in (",", "]"):
            return number, PhysDim.Dynamic
        if self.word not in _KINDS:
            raise self.expected("p(size), oe(size), ',' or ']'", hint=self.kind_hint())
        kind = _KINDS[self.word]
        self.advance()
        return number, self.parenthesised(lambda: self.sized(kind))

    def dim_number(self) -> int:
        """The number of a logical dimension."""
        return self.integer("the number of a dimension")

    def sized(self, kind: type[Packed | OddEven]) -> PhysDim:
        """The size of a kind: ``INT``, or ``INT`` in parentheses behind a macro's name, as in ``nz!(4u32)``."""
        in_macro = self.word.endswith("!")
        if in_macro:
            self.advance()
            self.expect("(")
        begin = self.at
        size = self.integer("a size")
        if in_macro:
            self.expect(")")
        return self.made(begin, kind, size)

    def names_follow(self) -> bool:
        """Whether a Rust path is next: ``Layout``, or names joined by ``::``."""
        return self.word == "Layout" or self.words[self.at + 1 : self.at + 2] == ["::"]

    def rust(self) -> Layout:
        """``"layout!" "[" dims "]" | path "::" "new" "(" "vec!" "[" pairs "]" ")" | "Layout" "{" ... "}"``"""
        if self.word == "layout!":
            self.advance()
            return self.assembled(*self.begun(self.loosely_listed(self.dim)))
        begin = self.at
        names = self.path()
        if names[-2:] == ["Layout", "new"]:
            self.expect("(")
            self.expect("vec!")
            listed, begins = self.begun(self.loosely_listed(self.pair))
            self.expect(")")
            return self.assembled(listed, begins)
        if names[-1] != "Layout":
            raise self.error(f"{'::'.join(names)} makes no layout", begin, hint="it is Layout::new(vec![(0, PhysDim::Dynamic)])")
        self.expect("{")
        self.field("dims")
        listed, begins = self.begun(self.loosely_listed(self.pair))
        self.expect(",")
        self.field("contig")
        at = self.at
        contig = self.integer("the number of contiguous dimensions")
        self.trailing_comma()
        self.expect("}")
        return self.assembled(listed, begins, contig, at)

    def trailing_comma(self) -> None:
        """``[","]``, as Rust takes it behind a last item, and prints it where each has a line of its own."""
        if self.word == ",":
            self.advance()

    def field(self, name: str) -> None:
        """``name ":"``"""
        self.expect(name)
        self.expect(":")

    def path(self) -> list[str]:
        """``NAME {"::" NAME}``"""
        names = [self.name()]
        while self.word == "::":
            self.advance()
            names.append(self.name())
        return names

    def pair(self) -> Entry:
        """``"(" INT "," path ["(" size ")"] ")"``"""
        self.expect("(")
        number = self.dim_number()
        self.expect(",")
        begin = self.at
        name = self.path()[-1]
        if name == "Dynamic":
            kind = PhysDim.Dynamic
        elif name in _RUST_KINDS:
            kind = self.parenthesised(lambda: self.rust_sized(_RUST_KINDS[name]))
        else:
            hint = "kinds are PhysDim::Dynamic, PhysDim::Packed(n) and PhysDim::OddEven(n)"
            raise self.error(f"{name} is no kind of physical dimension", begin, hint=hint)
        self.trailing_comma()
        self.expect(")")
        return number, kind

    def rust_sized(self, kind: type[Packed | OddEven]) -> PhysDim:
        """The size of a kind, as ``sized``, perhaps with a comma behind it."""
        size = self.sized(kind)
        self.trailing_comma()
        return size

    def noted(self, rule: Callable[[], T]) -> tuple[T, int]:
        """What a rule reads, and the word that it begins with."""
        begin = self.at
        return rule(), begin

    def begun(self, noted: list[tuple[Entry, int]]) -> tuple[list[Entry], list[int]]:
        """Entries apart from where they begin."""
        return [entry for entry, _ in noted], [begin for _, begin in noted]

    def loosely_listed(self, rule: Callable[[], T]) -> list[tuple[T, int]]:
        """``"[" rule {"," rule} "]"`` with commas as Rust's macros take them: several in a row, and at the end."""
        self.expect("[")
        items: list[tuple[T, int]] = []
        while self.word != "]":
            items.append(self.noted(rule))
            if self.word != "]":
                self.expect(",")
            while self.word == "," and items:
                self.advance()
        self.advance()
        return items

    def assembled(self, listed: list[Entry], begins: list[int], contig: int | None = None, contig_at: int = 0) -> Layout:
        """The layout of these dimensions; what is wrong with one is said of the word that it begins with."""
        wrong = fault(tuple(listed))
        if wrong:
            raise self.error(wrong[1], begins[wrong[0]])
        return self.made(contig_at, partial(Layout, normalized=self.normalized), listed, contig)

    def kind_hint(self) -> str:
        """What was meant by a word where a kind should be."""
        found = _KIND_AND_SIZE.fullmatch(self.word)
        name, size = (found[1], found[2]) if found else (self.word, "4")
        follows = self.words[self.at + 1 : self.at + 3]
        if not found and follows[:1] == ["("] and follows[1:] and follows[1].isdigit():
            size = follows[1]
        meant = _MEANT.get(name.lower())
        if meant and len(size) < cursor.MOST_SHOWN:
            return f"did you mean {meant}({size})?"
        return "a dimension is written 0, 0 p(4) or 0 oe(16)"


def parse(text: str, *, normalized: bool = True) -> Layout:
    """The layout that a text says, in any of the forms that Morello prints or compiles.

    >>> parse("[1,0,1 p(4)]"), parse("([0, 1], c1)") == parse("Layout { dims: [(0, Dynamic), (1, Dynamic)], contig: 1 }")
    (morello.Layout([(1, morello.PhysDim.Dynamic), (0, morello.PhysDim.Dynamic), (1, morello.PhysDim.Packed(4))]), True)
    >>> print(parse("Layout::new(vec![(1, PhysDim::Dynamic), (0, PhysDim::Dynamic), (1, PhysDim::Packed(nz!(4u32)))])"))
    [1, 0, 1 p(4)]
    >>> parse("[1, 0, 1 p4]")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: expected p(size), oe(size), ',' or ']', found 'p4'
        [1, 0, 1 p4]
                 ^
    did you mean p(4)?

    ``normalized=False`` keeps neighbours apart that ``Layout`` would merge. Raises ``LayoutSyntaxError`` for text that is no layout.
    """
    return Parser.whole(text, Parser.layout, "Morello's text, such as '[1, 0, 1 p(4)]'", normalized)


def recognizes(text: str) -> bool:
    """Whether the text has one of Morello's forms, right or wrong.

    >>> recognizes("[0, 1 p(8)]"), recognizes("(NHWC, c3)"), recognizes("layout![0]"), recognizes("f32[3]"), recognizes("(4,2):(2,1)")
    (True, True, True, False, False)
    """
    return isinstance(text, str) and _FORM.match(text) is not None
