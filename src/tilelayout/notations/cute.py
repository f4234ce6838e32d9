"""CuTe among the languages: of all that its text may say, layouts. The language itself is the room ``tilelayout.cute``."""

from ..cute import express, recognizes
from ..cute import parse_layout as parse

__all__ = ["express", "parse", "recognizes"]
