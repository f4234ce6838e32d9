"""The types of elements that memrefs and tensors have, in MLIR's text as in Mosaic's."""

from __future__ import annotations

import re

from .. import cursor
from ..elements import BITS, element

#: Element types by MLIR's name; signless integers are read as signed, and an index has 64 bits.
ELEMENTS = {
    **{f"{sign}i{bits}": element(f"int{bits}") for sign in ("", "s") for bits in (2, 4, 8, 16, 32, 64)},
    **{f"ui{bits}": element(f"uint{bits}") for bits in (1, 2, 4, 8, 16, 32, 64)},
    **{"f" + name.removeprefix("float").replace("_", "").upper(): element(name) for name in BITS if name.startswith("float")},
    "i1": element("bool"),
    "bf16": element("bfloat16"),
    "index": element("int64"),
    "complex<f32>": element("complex64"),
    "complex<f64>": element("complex128"),
}

#: Any characters, but not the halves of one that stand for bytes of no text.
_ANY = r"[^\ud800-\udfff]*"
_NUMBER = rf"(?:[su]?i(?:0|[1-9][0-9]{{0,6}})|{'|'.join(name for name in ELEMENTS if 'f' in name and '<' not in name)}|tf32|f80|f128)"
_TYPE = re.compile(
    rf"{_NUMBER}|index|complex<{_NUMBER}>|vector<(?:(?:[1-9][0-9]*|\[[1-9][0-9]*\])x)*(?:{_NUMBER}|index)>|memref<{_ANY}>"
    rf"|![A-Za-z_][\w$.]*(?:<{_ANY}>)?"
)


def is_element_type(name: object) -> bool:
    """Whether a name, without blanks, is that of a type of elements.

    >>> is_element_type("f32"), is_element_type("vector<4xi24>"), is_element_type("!tpu.semaphore"), is_element_type("f33")
    (True, True, True, False)

    Of those that are not in ``ELEMENTS`` a layout does not say what lies in a slot.
    """
    return isinstance(name, str) and _TYPE.fullmatch(name) is not None


class TypeParser(cursor.Cursor):
    """The rules that read such a type, and whatever else stands in brackets."""

    __slots__ = ()

    @classmethod
    def skipped(cls, word: str) -> bool:
        """Whether the word is a comment."""
        return word.startswith("//")

    def element_type(self) -> str:
        """``["!"] name ["<" whatever is balanced ">"]``, without the blanks in it."""
        begin = self.at
        if self.word == "!":
            self.advance()
        if not re.match(r"[!A-Za-z_]", self.word):
            raise self.expected("an element type, such as f32")
        if "<" not in self.word:
            self.advance()
        if "<" in self.word:
            self.enclosed("<>")
        name = "".join(self.words[begin : self.at])
        if not is_element_type(name):
            hint = f"element types are {', '.join(ELEMENTS)}, other numbers, vectors, memrefs, and !types of dialects"
            raise self.error(f"{name[:40]!r} is no element type that is known", begin, hint=hint)
        return name

    def enclosed(self, pair: str) -> None:
        """A word that opens a bracket of the pair, and whatever stands up to where that is closed; arrows and strings have none."""
        opening, closing = pair[0], pair[1]
        if opening not in self.word:
            raise self.expected(repr(opening))
        open_, begin = 0, self.at
        while open_ or self.at == begin:
            if not self.word:
                raise self.expected(repr(closing))
            if self.word != "->" and not self.word.startswith('"'):
                open_ += self.word.count(opening) - self.word.count(closing)
            self.advance()
