"""oneDNN's format tags, such as ``nChw16c`` and ``BA16a64b4a``, and the memory descriptors of its verbose log.

    >>> from tilelayout.notations import onednn
    >>> print(onednn.parse("OIhw4i16o4i"))
    ABcd4b16a4b
    >>> onednn.parse("src:f32::blocked:aBcd16b::f0").bind((1, 17, 2, 2)).slots
    128

The outer letters name the axes, slowest first, in upper case where blocks of the axis follow: a number and its letter each. An axis is
padded to whole blocks. ``a``, ``b``, ``c`` ... are the axes in order; other letters are those of a domain (``ALPHABETS``).

Source: ``dnnl_format_tag_t`` in oneapi/dnnl/dnnl_types.h; ``md2fmt_str`` in src/common/verbose.cpp for descriptors.
"""

from .expressing import express
from .names import ALPHABETS, DATA_TYPES
from .parser import parse, recognizes
from .tag import Memory, Tag

__all__ = ["ALPHABETS", "DATA_TYPES", "Memory", "Tag", "express", "parse", "recognizes"]
