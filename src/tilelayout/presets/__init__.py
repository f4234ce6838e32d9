"""Well-known layouts by the name that the field gives them, each with its source and what it asks of an array.

    >>> import numpy as np, tilelayout as tl
    >>> from tilelayout import presets
    >>> preset = presets.get("nvfp4_scales")
    >>> preset.axes, str(preset.recipe)
    (('M', 'K'), 'M/128 K/4 M%32 M/32%4 K%4')
    >>> tl.pack(np.zeros((200, 6), "uint8"), preset).shape
    (2048,)

A preset is a notation's object like any other: it goes wherever a layout goes, as itself or as text, ``preset:nvfp4_scales``.
Each family is a table in a file of its own.
"""

from .preset import Preset
from .registry import express, get, names, parse, recognizes

__all__ = ["Preset", "express", "get", "names", "parse", "recognizes"]
