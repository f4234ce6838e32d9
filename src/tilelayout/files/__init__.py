"""Arrays in files: ``.npy`` read without pickles, and every file written whole or not at all.

What is wrong with a file raises ``FileError``, which is a ``LayoutError`` and an ``OSError``, whatever the reason.
"""

from .atomic import replacing
from .buffers import is_npy, load, save
from .errors import FileError
from .npy import read, storable, write

__all__ = ["FileError", "is_npy", "load", "read", "replacing", "save", "storable", "write"]
