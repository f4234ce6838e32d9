"""A codec of zarr, version 3: chunks that are stored in the layout of your choice.

    >>> import numpy as np, tilelayout as tl
    >>> import zarr
    >>> from tilelayout.zarr import LayoutCodec
    >>> store = zarr.storage.MemoryStore()
    >>> codec = LayoutCodec("{1,0:T(8,128)}")
    >>> stored = zarr.create_array(store, shape=(100, 300), chunks=(50, 300), dtype="float32", serializer=codec, compressors=None)
    >>> x = np.arange(30000, dtype="float32").reshape(100, 300)
    >>> stored[...] = x
    >>> bool((zarr.open_array(store)[40:60, 7] == x[40:60, 7]).all())
    True

Installed with ``tilelayout[zarr]`` it needs no import to be read: zarr finds it by its name, ``tilelayout``.
"""

from ..extras import needed

needed("zarr", "zarr", "tilelayout.zarr")

from .codec import LayoutCodec  # noqa: E402 - once it is clear that zarr is there

__all__ = ["LayoutCodec"]
