"""Reading text in any of Morello's forms."""

from __future__ import annotations

import re

from .layout import Layout
from .parser import read

#: How each form begins: ``[...]``, ``NHWC``, either in parentheses with a contiguity, the macro, the constructor, and Debug's.
_FORM = re.compile(r"\s*(?:(?:\(\s*)?(?:\[|NHWC\b)|layout!|(?:[A-Za-z_]\w*\s*::\s*)*Layout\s*(?:::\s*new\b|\{\s*dims\b))")


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
    return read(text, normalized)


def recognizes(text: str) -> bool:
    """Whether the text has one of Morello's forms, right or wrong.

    >>> recognizes("[0, 1 p(8)]"), recognizes("(NHWC, c3)"), recognizes("layout![0]"), recognizes("f32[3]"), recognizes("(4,2):(2,1)")
    (True, True, True, False, False)
    """
    return isinstance(text, str) and _FORM.match(text) is not None
