"""Reading attributes: a name, and fields in braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from typing import Any, ClassVar

from ...errors import LayoutError
from ..element_types import TypeParser
from .attribute import MOST_NESTED, Attribute
from .blocked import Blocked
from .fields import blocks_of
from .layout import DISTRIBUTED, SHARED, Basis, LinearLayout
from .mfma import AmdMfma
from .mma import NvidiaMma
from .nvmma import NvmmaShared
from .operands import DotOp
from .padded import PaddedShared
from .slices import Slice
from .swizzled import AmdRotatingShared, SwizzledShared
from .types import Encoding
from .wmma import AmdWmma

#: The attributes whose fields are those of a class.
KINDS: dict[str, type[Attribute]] = {
    kind._mnemonic: kind for kind in (Blocked, Slice, NvidiaMma, DotOp, SwizzledShared, NvmmaShared, AmdMfma, AmdWmma, AmdRotatingShared)
}
#: What stood in place of CGALayout in older versions.
_CTAS = ("CTAsPerCGA", "CTASplitNum", "CTAOrder")


class AttributeParser(TypeParser):
    """The rules that read an attribute of Triton's GPU dialect."""

    #: A comment, a string, an arrow, a type with its sizes, a name of a dialect's, a number, a name, or any other single character.
    WORD = re.compile(
        r'//[^\n]*|"[^"\n]*"|->|(?:tensor|!ttg?\.memdesc)\s*<\s*(?:[0-9]+\s*x\s*)*|#\w+(?:\.\w+)?|-?[0-9]+|![A-Za-z_][\w.]*'
        r"|[A-Za-z_]\w*|\S"
    )
    HINTS: ClassVar = {"?": "the layout depends on every size: write a number in its place"}

    __slots__ = ("aliases", "nested", "read", "unused")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.aliases: dict[str, Encoding | str] = {}
        self.unused: dict[str, Encoding] = {}  # the aliases of layouts that nothing names
        self.nested = 0
        self.read: list[tuple[Basis, int]] = []  # the bases so far, each with the word that it begins with

    def encoding(self) -> Encoding:
        """``attribute | alias``"""
        known = self.aliases.get(self.word)
        if known is None:
            if self.word.startswith("#") and "." not in self.word:
                raise self.error(
                    f"the alias {self.word} is not known here", hint=f"write {self.word} = #ttg... in front, or the attribute itself"
                )
            return self.attribute()
        if isinstance(known, str):
            raise self.expected("a layout attribute")
        self.unused.pop(self.word, None)
        self.advance()
        return known

    def attribute(self) -> Encoding:
        """``"#ttg." name "<{" fields "}" ["," "alignment" "=" INT] ">"``"""
        begin, (dialect, _, name) = self.at, self.word.partition(".")
        rules: dict[str, Callable[[int], Encoding]] = {"linear": self.linear, "shared_linear": self.shared, "padded_shared": self.padded}
        kind = KINDS.get("swizzled_shared" if name == "shared" else name)
        if dialect not in ("#ttg", "#triton_gpu") or not (kind or name in rules):
            known = ", ".join((*rules, *KINDS))
            raise self.expected(
                "a layout attribute", hint=f"{known} are read; others, such as partitioned_shared, are written as linear or shared_linear"
            )
        if self.nested == MOST_NESTED:
            raise self.error(f"more than {MOST_NESTED} attributes lie in each other")
        self.nested, self.read = self.nested + 1, []
        self.advance()
        self.expect("<")
        value = self.record(kind, begin) if kind else rules[name](begin)
        self.expect(">")
        self.nested -= 1
        return value

    def record(self, kind: type[Attribute], begin: int) -> Attribute:
        """The fields of an attribute, and what is made of them; the caret is under the field that an error names first."""
        own, begins = fields(kind), dict[str, int]()  # type: ignore[arg-type]
        known = [field.name for field in own]
        if "CGALayout" in known:
            known.extend(_CTAS)
        if kind is SwizzledShared:
            known.append("hasLeadingOffset")
        needed = [field.name for field in own if field.default is MISSING]
        rules = self.rules()
        values = self.fields({name: rules.get(name, self.integer) for name in known}, needed, begins)
        values.pop("hasLeadingOffset", None)
        older = [values.pop(name) for name in _CTAS if name in values]
        if older and (len(older) < len(_CTAS) or "CGALayout" in values):
            given = next(name for name in _CTAS if name in begins)
            raise self.error(f"{', '.join(_CTAS)} are written all three, in place of CGALayout", begins[given])
        try:
            if older:
                values["CGALayout"] = blocks_of(*older)
            if kind is NvmmaShared and (axes := older[-1] if older else next(iter(values.get("CGALayout", ())), ())):
                values.setdefault("rank", len(axes))
            made = kind(**values)
            if older and len(older[-1]) != made.rank:
                raise LayoutError(f"CTAOrder = {list(older[-1])} has {len(older[-1])} numbers where there are {made.rank} axes")
        except LayoutError as error:
            name, message = str(error).partition(" ")[0], str(error)
            if older and name == "CGALayout":
                name, message = _CTAS[0], f"{message}; that is what {', '.join(_CTAS)} mean"
            raise self.error(message, begins.get(name, begin)) from None
        return made

    def rules(self) -> dict[str, Callable[[], Any]]:
        """What reads the values of fields that are no integers."""
        return {
            "CGALayout": self.bases,
            "parent": self.encoding,
            "ctaLayout": lambda: self.kinds(("register", "warp"), ()),
            "hasLeadingOffset": self.no_leading_offset,
            **dict.fromkeys(("transposed", "fp4Padded", "isTransposed", "isTranspose"), self.flag),
            **dict.fromkeys(
                ("order", "sizePerThread", "threadsPerWarp", "warpsPerCTA", "instrShape", "tilesPerWarp", *_CTAS), self.coordinates
            ),
        }

    def flag(self) -> bool:
        """``"true" | "false"``"""
        if self.word not in ("true", "false"):
            raise self.expected("true or false")
        value = self.word == "true"
        self.advance()
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
            raise self.error(
                "this is the form of NVMMA layouts", hint="newer versions write it as #ttg.nvmma_shared, with the width of its rows"
            )
        self.expect("false")

    def fields(self, rules: dict[str, Callable[[], Any]], needed: Sequence[str], begins: dict[str, int] | None = None) -> dict[str, Any]:
        """``"{" name "=" value {"," name "=" value} "}"``; ``begins`` is told with which word each value begins."""
        values: dict[str, Any] = {}
        begin = self.at

        def field() -> None:
            name = self.word
            if name not in rules:
                raise self.expected(" or ".join(rules))
            if name in values:
                raise self.error(f"{name} is given twice")
            self.advance()
            self.expect("=")
            if begins is not None:
                begins[name] = self.at
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


def _fits(basis: Basis, first: Basis) -> bool:
    """Whether a basis may stand beside another."""
    try:
        LinearLayout((("offset", (first, basis)),))
    except LayoutError:
        return False
    return True
