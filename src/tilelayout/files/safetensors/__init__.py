"""Checkpoints in safetensors files, packed and unpacked.

The format is read and written here, without the package of that name and without trust in what a header says.
"""

from .checkpoints import pack_checkpoint, unpack_checkpoint

__all__ = ["pack_checkpoint", "unpack_checkpoint"]
