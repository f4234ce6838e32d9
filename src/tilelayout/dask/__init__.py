"""Layouts over ``dask.array``: arrays that no machine holds whole, packed, unpacked and queried lazily and in parallel.

    >>> import dask.array as da, tilelayout.dask as tld
    >>> x = da.arange(64 * 256, dtype="float32").reshape(64, 256)
    >>> x = x.rechunk(tld.suggest_chunks("f32[64,256]{1,0:T(8,128)}", limit="16KiB"))
    >>> packed = tld.pack(x, "f32[64,256]{1,0:T(8,128)}")
    >>> packed.chunks
    ((4096, 4096, 4096, 4096),)
    >>> bool((tld.unpack(packed, "f32[64,256]{1,0:T(8,128)}") == x).all())
    True

A chunk that begins and ends where tiles do fills a range of the buffer by itself, so that packing is one task for each chunk.
"""

from .packing import pack, unpack
from .queries import coordinates, index
from .saving import save
from .suggesting import suggest_chunks

__all__ = ["coordinates", "index", "pack", "save", "suggest_chunks", "unpack"]
