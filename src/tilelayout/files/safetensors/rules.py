"""Rules: which tensors are packed, as what type, and in which layout.

    *.weight=bf16 tpu:v5e        those whose names match, as bfloat16, laid out as XLA:TPU lays them out for a TPU v5e
    *.bias={0:T(128)}            in their own type, in a layout of any notation
    embeddings.*=plain           left as they are

The first rule that matches a tensor's name counts. In globs ``*`` is any text, ``?`` any character, such as the ``=`` of a name, and
``[ab]`` one of several; a name is matched by itself, brackets and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from ...errors import LayoutError, shown, type_of
from ...notations import identified
from ...notations.xla import tpu_layout
from ...notations.xla.types import element_type, numpy_name

#: The layout that leaves a tensor as it is.
PLAIN = "plain"
_TPU = "tpu:"
_WILD = re.compile(r"[*?[]")


class Rule(NamedTuple):
    """A glob for names, the type to convert to (or None), and the text of a layout."""

    glob: str
    dtype: str | None
    layout: str

    def __str__(self) -> str:
        return f"{self.glob}={self.dtype + ' ' if self.dtype else ''}{self.layout}"

    def text(self, shape: tuple[int, ...], dtype: str) -> str:
        """The layout for a tensor of that shape and type, as text that ``tilelayout.layout`` reads."""
        if not self.layout.startswith(_TPU):
            return self.layout
        name = element_type(dtype)
        sizes = ",".join(map(str, shape))
        return f"{name}[{sizes}]{tpu_layout(shape, name, generation=self.layout.removeprefix(_TPU))}"


def rule(text: object) -> Rule:
    """A rule from its text.

    >>> rule("*.weight=bf16 tpu:v5e")
    Rule(glob='*.weight', dtype='bfloat16', layout='tpu:v5e')
    >>> rule("*={1,0:T(8,128)}")
    Rule(glob='*', dtype=None, layout='{1,0:T(8,128)}')
    """
    if not isinstance(text, str):
        raise LayoutError(f"rule {shown(text)} is {type_of(text)}; a rule is text such as '*.weight=bf16 tpu:v5e'")
    glob, equals, rest = text.partition("=")
    if not equals or not glob.strip() or not rest.strip():
        raise LayoutError(f"{shown(text)} is no rule; such are '*.weight=bf16 tpu:v5e' and '*={{1,0:T(8,128)}}', a glob and a layout")
    first, _, behind = rest.strip().partition(" ")
    dtype = numpy_name(first)
    layout = behind.strip() if dtype else rest.strip()
    if not layout:
        raise LayoutError(f"rule {shown(text)} names a type and no layout; such are 'tpu:v5e' and '{{1,0:T(8,128)}}'")
    if dtype and layout == PLAIN:
        raise LayoutError(f"rule {shown(text)} converts what it leaves as it is; name a layout, or no type")
    if layout != PLAIN and not layout.startswith(_TPU) and identified(layout)[0] is None:
        raise LayoutError(
            f"rule {shown(text)} names no layout: {shown(layout)} is neither 'tpu:' with a generation, nor 'plain', nor text in a "
            "notation; a type stands in front of the layout, such as bf16 or float8_e4m3fn"
        )
    return Rule(glob.strip(), dtype, layout)


def matched(rules: Iterable[Rule], names: Iterable[str], *, allow_unmatched: bool = False) -> Mapping[str, Rule]:
    """The rule for each tensor that is to be packed; refused if a rule is that of no tensor, unless that is allowed."""
    rules, names = tuple(rules), tuple(names)
    order = {each.glob: k for k, each in reversed([*enumerate(rules)])}
    wild = [glob for glob in order if _WILD.search(glob)]  # of the others there are as many as tensors, perhaps
    matching = {name: [order[glob] for glob in (name, *wild) if glob in order and _matches(glob, name)] for name in names}
    first = {name: min(found) for name, found in matching.items() if found}
    for k in () if allow_unmatched else sorted({*range(len(rules))}.difference(first.values())):
        late = " that no rule before it has" if any(_matches(rules[k].glob, name) for name in names) else ""
        raise LayoutError(f"rule '{rules[k]}' matches no tensor{late}; there are {shown(list(names))}")
    return {name: rules[k] for name, k in first.items() if rules[k].layout != PLAIN}


def _matches(glob: str, name: str) -> bool:
    return name == glob or fnmatchcase(name, glob)
