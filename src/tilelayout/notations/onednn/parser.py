"""The grammar of format tags and of memory descriptors in the verbose log."""

from __future__ import annotations

import re
from string import ascii_lowercase

from ... import cursor
from .names import ALPHABETS, DATA_TYPES, IRREGULAR, MOST_AXES, MOST_BLOCK
from .tag import Memory, Tag

_BY_LETTERS = {"".join(sorted(alphabet)): alphabet for alphabet in ALPHABETS}
_PREFIX = r"(?:dnnl_(?:format_tag_)?|(?:(?:dnnl::)?memory::)?format_tag::)"
_FORM = re.compile(rf"\s*(?P<prefix>{_PREFIX})?(?P<outer>[A-Za-z]+)(?P<inner>(?:[0-9]+[A-Za-z])*)[0-9]*\s*")
_MEMORY = re.compile(r"\s*(?:\w+:)?[a-z0-9_]+:[a-z0]*:[a-z_]+:[^:]*(?::[^:]*)*")
_UNDECIDED = {"any": "oneDNN chooses the layout when a primitive is made", "undef": "it stands for an empty memory descriptor"}


def recognizes(text: str) -> bool:
    """Whether a text has the form of a tag, with the letters of some domain, right or wrong, or of a memory descriptor.

    >>> recognizes("nChw16c"), recognizes("nchw16c"), recognizes("f32::blocked:ab::f0"), recognizes("NCHW16c"), recognizes("hello")
    (True, True, True, False, False)
    """
    if not isinstance(text, str):
        return False
    if ":blocked:" in text:
        return _MEMORY.fullmatch(text) is not None
    form = _FORM.fullmatch(text)
    if form is None or form["prefix"] or form["outer"] in _UNDECIDED:
        return form is not None
    outer = form["outer"]
    if outer.isupper() and set(outer.lower()) != set(re.findall("[a-z]", form["inner"])):
        return False
    return "".join(sorted(outer.lower())) in _BY_LETTERS


def parse(text: str) -> Tag | Memory:
    """The tag or memory descriptor that a text says.

    >>> parse("dnnl_nhwc")
    Tag(outer=(0, 2, 3, 1), inner=())
    >>> parse("nchw16c")
    Traceback (most recent call last):
    tilelayout.errors.LayoutSyntaxError: axis 'c' has blocks, so its outer letter is upper case
        nchw16c
         ^
    did you mean nChw16c?

    The letters of a domain are read in its logical order, so ``nhwc`` is ``acdb`` and arrays have the shape (n, c, h, w) all the same.
    Raises ``LayoutSyntaxError`` for text that is neither, and for ``any``, ``undef`` and what else has no layout of its own.
    """
    return Parser.whole(text, Parser.layout, "the text of a format tag, such as 'nChw16c'")


class Parser(cursor.Cursor):
    """The grammar of tags and memory descriptors; white space may stand around them, not inside."""

    WORD = re.compile(rf"{_PREFIX}|[0-9]+|[A-Za-z_]|\s+|\S")

    __slots__ = ()

    def layout(self) -> Tag | Memory:
        """``memory | tag``, and white space behind it."""
        found = self.memory() if ":blocked:" in self.text else self.tag()
        self.blank()
        return found

    def tag(self) -> Tag:
        """``[prefix] letters {size letter}``"""
        self.blank()
        if re.fullmatch(_PREFIX, self.word):
            self.advance()
        begin = self.at
        outer = self._letters()
        inner = []
        middle = self.at
        while self.word.isdecimal():
            inner.append((self._size(), self._letter()))
        return self._checked(begin, middle, outer, inner)

    def memory(self) -> Memory:
        """``[name (":" | "_")] type ":" flags ":" "blocked" ":" tag ":" [strides ":"] "f0" ["_mask" number]``, of logs of any age."""
        self.blank()
        at, data_type = self.at, self._field()
        if data_type not in DATA_TYPES and self.text.partition(":blocked:")[0].count(":") > 1:
            at, data_type = self.at, self._field()
        data_type = next((known for known in DATA_TYPES if data_type.endswith(f"_{known}")), data_type)
        if data_type not in DATA_TYPES:
            raise self.error(f"expected a data type, found {data_type!r}", at, hint=f"data types are {', '.join(DATA_TYPES)}")
        for flag in self._field():
            if flag not in "ap":
                raise self.error(f"flag {flag!r} says that the data are offset, and not by how much", self.at - 2)
        self._field()
        tag = self.tag()
        self.expect(":")
        strides = self._strides(tag)
        for word in "f0":
            if self.word != word:
                raise self.expected("'f0'", hint="other extra fields mean that more than the array lies in the buffer")
            self.advance()
        if self.words[self.at : self.at + 5] == [*"_mask"]:  # of a bias: along which axes it goes
            self.at += 4
            self.advance()
            self.integer()
        return Memory(data_type, tag, strides)

    def _strides(self, tag: Tag) -> tuple[int, ...] | None:
        if self.word == "f":  # a log without the field
            return None
        begin, strides = self.at, []
        while self.word.isdecimal():
            strides.append(self.integer())
            if self.word != "x":
                break
            self.advance()
        if strides and len(strides) != len(tag.outer):
            raise self.error(f"{len(strides)} strides are given for the {len(tag.outer)} dimensions of {tag}", begin)
        self.expect(":")
        return tuple(strides) or None

    def _field(self) -> str:
        """What stands before the next colon, which is read too."""
        words = []
        while self.word not in (":", ""):
            words.append(self.word)
            self.advance()
        self.expect(":")
        return "".join(words)

    def _letters(self) -> str:
        letters = []
        while self.word.isalpha() and len(self.word) == 1:
            letters.append(self.word)
            self.advance()
        if not letters:
            raise self.expected("a letter for each axis, such as nchw")
        return "".join(letters)

    def _size(self) -> int:
        size = self.integer()
        if not 1 <= size <= MOST_BLOCK:
            raise self.error(f"a block of {size}; blocks have 1 to {MOST_BLOCK} elements", self.at - 1)
        return size

    def _letter(self) -> str:
        if not self.word.isalpha():
            raise self.expected("the letter of the axis that the block is of")
        self.advance()
        return self.words[self.at - 1]

    def _checked(self, begin: int, middle: int, outer: str, inner: list[tuple[int, str]]) -> Tag:
        spelt = outer + "".join(f"{size}{letter}" for size, letter in inner)
        if spelt in IRREGULAR:
            return Parser(IRREGULAR[spelt]).tag()
        if outer in _UNDECIDED and not inner:
            raise self.error(f"{outer!r} is no layout: {_UNDECIDED[outer]}", begin, hint="write the tag that it was resolved to")
        low = outer.lower()
        alphabet = _BY_LETTERS.get("".join(sorted(low)))
        if alphabet is None:
            twice = next((k for k, letter in enumerate(low) if letter in low[:k]), None)
            if twice is not None:
                raise self.error(f"axis {low[twice]!r} is named twice", begin + twice, hint="each axis has one letter before the blocks")
            known = ", ".join(alphabet for alphabet in ALPHABETS if not ascii_lowercase.startswith(alphabet))
            raise self.error(
                f"{low!r} are not the axes of a tensor", begin, hint=f"axes are a, ab, abc ... or those of {known}, in any order"
            )
        cut = {letter.lower() for _, letter in inner}
        hint = f"did you mean {''.join(c.upper() if c in cut else c for c in low)}{''.join(f'{s}{c.lower()}' for s, c in inner)}?"
        for k, (_, letter) in enumerate(inner):
            if letter.lower() not in low:
                raise self.error(f"a block of axis {letter.lower()!r}, which is not among {low!r}", middle + 2 * k + 1)
            if letter.isupper():
                raise self.error(f"blocks have lower-case letters, not {letter!r}", middle + 2 * k + 1, hint=hint)
        for k, letter in enumerate(outer):
            if letter.isupper() != (letter.lower() in cut):
                why = "has blocks, so its outer letter is upper case" if letter.islower() else "has no blocks, so its letter is lower case"
                raise self.error(f"axis {letter.lower()!r} {why}", begin + k, hint=hint)
        if len(inner) > MOST_AXES:
            raise self.error(f"{len(inner)} blocks; a tag has at most {MOST_AXES}", middle + 2 * MOST_AXES)
        return Tag(tuple(map(alphabet.index, low)), tuple((alphabet.index(letter), size) for size, letter in inner if size > 1))
