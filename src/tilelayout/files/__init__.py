"""Arrays in files: ``.npy`` read without pickles, and every file written whole or not at all.

What is wrong with a file raises ``FileError``, which is a ``LayoutError`` and an ``OSError``, whatever the reason.
"""

from .atomic import replacing
from .buffers import is_npy, load, save
from .errors import FileError
from .npy import read, storable, write
from .safetensors import pack_checkpoint, unpack_checkpoint
from .streaming import MEMORY, Written, bits_dtype, pack, relayout, unpack

__all__ = [
    "MEMORY",
    "FileError",
    "Written",
    "bits_dtype",
    "is_npy",
    "load",
    "pack",
    "pack_checkpoint",
    "read",
    "relayout",
    "replacing",
    "save",
    "storable",
    "unpack",
    "unpack_checkpoint",
    "write",
]
