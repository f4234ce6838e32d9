"""The texts of linear layouts: MLIR attributes, the listing that Triton prints of a LinearLayout, and bare bases."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeAlias

from ...cursor import Cursor
from ...errors import LayoutError
from .layout import DISTRIBUTED, SHARED, Basis, LinearLayout
from .padded import PaddedShared
from .swizzled import SwizzledShared

Described: TypeAlias = LinearLayout | SwizzledShared | PaddedShared

_FORM = re.compile(r"\s*(#(ttg|triton_gpu)\.|-\s*\w+\s*=\s*\d+\s*->|-\s*\w+ is a size 1 dimension|\(empty layout\b|\[\s*\[)")


class Parser(Cursor):
    """The rules of the grammar, each a method that reads what it names."""

    WORD = re.compile(r"->|#\w+\.\w+|-?[0-9]+|[A-Za-z_]\w*|\S")
    HINTS: ClassVar = {
        "CGALayout": "layouts over several CTAs are written as #ttg.shared_linear with block bases",
        "CTALayout": "layouts over several CTAs are written as #ttg.shared_linear with block bases",
    }

    __slots__ = ("begins", "read")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.begins: dict[str, int] = {}  # the words with which the values of the last fields begin
        self.read: list[tuple[Basis, int]] = []  # the bases so far, each with the word that it begins with

    def layout(self) -> Described:
        """``attribute | listing | empty | bases``"""
        begin = self.at
        if self.word.startswith("#"):
            value = self.attribute()
        elif self.word == "[":
            value = self.linear_layout(begin, (("offset", self.bases()),))
        elif self.word == "(":
            value = self.empty()
        else:
            value = self.listing()
        return value

    def attribute(self) -> Described:
        """``"#ttg." name "<{" fields "}" ["," "alignment" "=" INT] ">"``"""
        begin, (dialect, _, name) = self.at, self.word.partition(".")
        rules: dict[str, Callable[[int], Described]] = {
            "linear": self.linear,
            "shared_linear": self.shared,
            "swizzled_shared": self.swizzled,
            "shared": self.swizzled,
            "padded_shared": self.padded,
        }
        if dialect not in ("#ttg", "#triton_gpu") or name not in rules:
            hint = (
                "linear, shared_linear, swizzled_shared and padded_shared are read; others, such as nvmma_shared and amd_rotating_shared, "
                "are written as linear or shared_linear"
            )
            raise self.expected("a layout attribute", hint=hint)
        self.advance()
        self.expect("<")
        value = rules[name](begin)
        self.expect(">")
        return value

    def linear(self, begin: int) -> LinearLayout:
        """The four kinds of distributed layouts, each once."""
        return self.linear_layout(begin, self.kinds(DISTRIBUTED, needed=DISTRIBUTED))

    def shared(self, begin: int) -> LinearLayout:
        """The bases of shared memory, and an alignment behind them."""
        bases, alignment = self.kinds(SHARED, needed=SHARED[:1]), 16
        if self.word == ",":
            self.advance()
            self.expect("alignment")
            self.expect("=")
            begin, alignment = self.at, self.integer()
        return self.linear_layout(begin, bases, alignment)

    def linear_layout(self, begin: int, bases: tuple[tuple[str, tuple[Basis, ...]], ...], alignment: int = 16) -> LinearLayout:
        """What the bases make, with the caret under the first that does not fit beside the first of all."""
        try:
            return LinearLayout(bases, alignment)
        except LayoutError as error:
            begin = next((at for basis, at in self.read if not _fits(basis, self.read[0][0])), begin)
            raise self.error(str(error), begin) from None

    def kinds(self, known: Sequence[str], needed: Sequence[str]) -> tuple[tuple[str, tuple[Basis, ...]], ...]:
        """``"{" name "=" bases {"," name "=" bases} "}"``, in Triton's order whatever order they are written in."""
        fields = self.fields({name: self.bases for name in known}, needed)
        return tuple((name, fields[name]) for name in known if name in fields)

    def swizzled(self, begin: int) -> SwizzledShared:
        """The numbers of a swizzle and the order of the axes; older texts say as well that this is not the form of NVMMA layouts."""
        needed: dict[str, Callable[[], Any]] = {
            "vec": self.integer,
            "perPhase": self.integer,
            "maxPhase": self.integer,
            "order": self.coordinates,
        }
        fields = self.fields({**needed, "hasLeadingOffset": self.no_leading_offset}, tuple(needed))
        fields.pop("hasLeadingOffset", None)
        return self.made_of(self.begins, SwizzledShared, fields, {"vec": 1, "perPhase": 1, "maxPhase": 1, "order": (0,)})

    def padded(self, begin: int) -> PaddedShared:
        """``paddings`` and the offsets without them: their bases, or the order of the axes and the shape."""
        begin, paddings = self.at, self.listed("[", self.padding, "]")
        fields_at = self.at
        rules: dict[str, Callable[[], Any]] = {
            "offset": self.bases,
            "block": self.no_blocks,
            "order": self.coordinates,
            "shape": self.coordinates,
        }
        fields = self.fields(rules, ())
        if set(fields) == {"order", "shape"}:
            unpadded = self.made(fields_at, lambda: SwizzledShared(1, 1, 1, fields["order"]).linear(fields["shape"]))
        elif set(fields) == {"offset", "block"}:
            unpadded = self.linear_layout(fields_at, (("offset", fields["offset"]),))
        else:
            raise self.error("these are neither offset and block nor order and shape", fields_at)
        self.made(fields_at, PaddedShared, paddings[:1], unpadded)
        return self.made(begin, PaddedShared, paddings, unpadded)

    def padding(self) -> tuple[int, int]:
        """``INT ":" "+" INT``"""
        begin, interval = self.at, self.integer("an interval and its padding, such as 64:+4")
        self.expect(":")
        self.expect("+")
        pair = interval, self.integer()
        self.made(begin, PaddedShared, (pair,), LinearLayout((("offset", ()),)))
        return pair

    def no_blocks(self) -> None:
        """``"[" "]"``"""
        self.expect("[")
        if self.word != "]":
            raise self.error("each block has padded memory of its own", hint="write the layout of one block, with block = []")
        self.advance()

    def no_leading_offset(self) -> None:
        """``"false"``"""
        if self.word == "true":
            raise self.error("this is the form of NVMMA layouts", hint="write its bases as #ttg.shared_linear")
        self.expect("false")

    def fields(self, rules: dict[str, Callable[[], Any]], needed: Sequence[str]) -> dict[str, Any]:
        """``"{" name "=" value {"," name "=" value} "}"``"""
        values: dict[str, Any] = {}
        begin, self.begins = self.at, {}

        def field() -> None:
            name = self.word
            if name not in rules:
                raise self.expected(" or ".join(rules))
            if name in values:
                raise self.error(f"{name} is given twice")
            self.advance()
            self.expect("=")
            self.begins[name] = self.at
            values[name] = rules[name]()

        self.listed("{", field, "}")
        if missing := [name for name in needed if name not in values]:
            raise self.error(f"{', '.join(missing)} is missing", begin, hint=f"the fields are {', '.join(rules)}")
        return values

    def bases(self) -> tuple[Basis, ...]:
        """``"[" [basis {"," basis}] "]"``; in one dimension a basis may be a number alone."""
        return tuple(self.listed("[", self.basis, "]"))

    def basis(self) -> Basis:
        """``"[" INT {"," INT} "]" | INT``"""
        begin = self.at
        basis = self.coordinates() if self.word == "[" else (self.integer("a basis, such as [0, 1]"),)
        self.read.append((basis, begin))
        return basis

    def coordinates(self) -> Basis:
        """``"[" [INT {"," INT}] "]"``"""
        return tuple(self.listed("[", self.integer, "]"))

    def listing(self) -> LinearLayout:
        """What Triton prints: ``- offset=1 -> (0, 1)`` and so on for each kind, then the names and sizes of the axes."""
        begin = self.at
        bases: list[tuple[str, tuple[Basis, ...]]] = []
        while self.word == "-":
            self.advance()
            bases.append(self.listed_kind())
        if not bases:
            raise self.expected("#ttg.linear, #ttg.shared_linear, #ttg.swizzled_shared, a list of bases, or '- offset=1 -> ...'")
        made = self.linear_layout(begin, tuple(bases))
        return self.sized(made, "where", "out", "dims", "are", ":") if self.word == "where" else made

    def empty(self) -> LinearLayout:
        """``"(empty layout" ["with out-dims" axes] ")"``, which is what Triton prints where there are no kinds of places."""
        for word in ("(", "empty", "layout"):
            self.expect(word)
        none = LinearLayout((), axes=0)
        made = self.sized(none, "with", "out", "-", "dims") if self.word == "with" else none
        self.expect(")")
        return made

    def sized(self, made: LinearLayout, *words: str) -> LinearLayout:
        """The layout with as many axes as are listed behind these words, of the sizes that its bases reach."""
        begin = self.at
        for word in words:
            self.expect(word)
        sizes = tuple(self.listed("[", self.axis, "]"))
        told = tuple(size for size in sizes if size is not None)
        sized = made if made.has_bases else replace(made, axes=len(sizes))
        if told and told != sized.shape:
            raise self.error(f"the axes have sizes {told}, and the bases reach {sized.shape}", begin, hint="bases reach each coordinate")
        return sized

    def listed_kind(self) -> tuple[str, tuple[Basis, ...]]:
        """``NAME "is a size 1 dimension" | {NAME "=" INT "->" "(" INT {"," INT} ")"}``"""
        kind = self.word
        bases: list[Basis] = []
        if not kind.isidentifier():
            raise self.expected("a kind of place, such as offset")
        while self.word == kind:
            self.advance()
            if self.word == "is" and not bases:
                for word in ("is", "a", "size", "1", "dimension"):
                    self.expect(word)
                break
            self.expect("=")
            if self.number() != 1 << len(bases):
                raise self.expected(f"{1 << len(bases)}, the next bit of {kind}")
            self.advance()
            self.expect("->")
            begin = self.at
            bases.append(tuple(self.listed("(", self.integer, ")")))
            self.read.append((bases[-1], begin))
        return kind, tuple(bases)

    def axis(self) -> int | None:
        """``NAME ["(" "size" INT ")"]``"""
        self.name()
        return self.parenthesised(self.size) if self.word == "(" else None

    def size(self) -> int:
        """``"size" INT``"""
        self.expect("size")
        return self.integer()


def _fits(basis: Basis, first: Basis) -> bool:
    """Whether a basis may stand beside another."""
    try:
        LinearLayout((("offset", (first, basis)),))
    except LayoutError:
        return False
    return True


def parse(text: str) -> Described:
    """The linear layout that a text describes.

    >>> parse("[[0, 1], [1, 0]]")
    triton.LinearLayout((('offset', ((0, 1), (1, 0))),))
    >>> print(parse(" - offset=1 -> (2)\\n   offset=2 -> (4)\\n   offset=4 -> (1)\\nwhere out dims are: [dim0 (size 8)]"))
    #ttg.shared_linear<{offset = [[2], [4], [1]]}, alignment = 16>
    """
    return Parser.whole(
        text, Parser.layout, "the text of a linear layout, such as '#ttg.shared_linear<{offset = [[0, 1]]}, alignment = 16>'"
    )


def recognizes(text: str) -> bool:
    """Whether the text has the form of a linear layout.

    >>> recognizes("#ttg.linear<{}>"), recognizes("[[0,1]]"), recognizes(" - lane=1 -> (1)"), recognizes("[1, 0]")
    (True, True, True, False)
    """
    return isinstance(text, str) and _FORM.match(text) is not None
