"""The codec: a chunk as the buffer of a layout, read whole or in part."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.abc.store import RangeByteRequest

from ..bridges import Array
from ..digits import Layout
from ..doors import check_injective
from ..errors import LayoutError, ShapeError, shown
from ..notations import layout as as_layout
from ..packing import pack, unpack
from ..regions import box_of
from ..storage import Storage, for_array

if TYPE_CHECKING:
    from zarr.abc.store import ByteGetter
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer
    from zarr.core.dtype.wrapper import TBaseDType, TBaseScalar, ZDType
    from zarr.core.indexing import SelectorTuple

#: The codec's name in ``zarr.json``.
NAME = "tilelayout"


@dataclass(frozen=True)
class LayoutCodec(ArrayBytesCodecPartialDecodeMixin, ArrayBytesCodec):
    """Chunks that are stored as the buffer that a layout describes, padding included, in little-endian bytes.

    >>> LayoutCodec("{1,0:T(8,128)(2,1)}").to_dict()
    {'name': 'tilelayout', 'configuration': {'layout': '{1,0:T(8,128)(2,1)}'}}

    It goes where zarr's ``bytes`` goes, as ``serializer``; compressors may follow, and it may stand in shards. Chunks at the
    ends of an array are of full size, as always in zarr. Where no compressor follows, a read of a box fetches the stretch of bytes that
    the box lies in and no more; in shards zarr fetches the chunks that the box meets, each as a whole.

    Parameters
    ----------
    layout
        Text in any notation, for the shape of a chunk. A type that it names is the array's, or as wide as the unsigned integers that the
        array holds: ``bf16[8,128]{1,0:T(8,128)(2,1)}`` for ``uint16``. Elements below a byte share bytes. Behind a filter that changes the
        shape of chunks, such as zarr's ``TransposeCodec``, it is text without a shape, as zarr checks it with the shape before that.
    fill
        What padding holds, as ``zarr.json`` writes a value of the array's type (a number, ``"NaN"``, or the bits of a float, such as
        ``"0x7fc00001"``); zeros if left out.

    Raises ``LayoutError`` when an array is created whose chunks the layout does not fit, or in shards when one is first written.
    """

    is_fixed_size = True

    layout: str
    fill: Any = None

    def __post_init__(self) -> None:
        if not isinstance(self.layout, str):
            raise LayoutError(f"layout={shown(self.layout)} is a {type(self.layout).__name__}; zarr.json holds the layout's text")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The codec that ``zarr.json`` describes."""
        configuration = data.get("configuration")
        if not isinstance(configuration, Mapping) or "layout" not in configuration or configuration.keys() - {"layout", "fill"}:
            raise LayoutError(f"codec {NAME!r} has the configuration {shown(configuration)}; it takes a layout, and may have a fill")
        return cls(**configuration)

    def to_dict(self) -> dict[str, Any]:
        """The codec as ``zarr.json`` describes it."""
        fill = {} if self.fill is None else {"fill": self.fill}
        return {"name": NAME, "configuration": {"layout": self.layout, **fill}}

    def evolve_from_array_spec(self, array_spec: ArraySpec) -> Self:
        """The codec for arrays of a type: the fill as JSON has it."""
        filled = self._filled(array_spec.dtype)
        if self.fill is None or (isinstance(self.fill, str) and self.fill.startswith("0x")):  # what zarr would write as "NaN"
            return self
        return replace(self, fill=array_spec.dtype.to_json_scalar(filled, zarr_format=3))

    def validate(self, *, shape: tuple[int, ...], dtype: ZDType[TBaseDType, TBaseScalar], chunk_grid: Any) -> None:
        """Refuse an array whose chunks the layout does not fit."""
        self._filled(dtype)
        chunk_shape = getattr(chunk_grid, "chunk_shape", None)  # of a regular grid, whose class zarr 3.1 and 3.4 name differently
        if chunk_shape is not None:
            check_injective(self._bound(chunk_shape, dtype).layout)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        """The bytes of a chunk, padding included."""
        return self._bound(chunk_spec.shape, chunk_spec.dtype).nbytes

    async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        return await asyncio.to_thread(self._encode_sync, chunk_array, chunk_spec)

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer:
        bound = self._bound(chunk_spec.shape, chunk_spec.dtype)
        packed = pack(chunk_array.as_numpy_array(), bound.layout, fill=self._filled(chunk_spec.dtype), threads=1)
        stored = packed.astype(packed.dtype.newbyteorder("<"), copy=False)
        return chunk_spec.prototype.buffer.from_bytes(stored.view(np.uint8).data)

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        return await asyncio.to_thread(self._decode_sync, chunk_data, chunk_spec)

    def _decode_sync(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        bound = self._bound(chunk_spec.shape, chunk_spec.dtype)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(bound.unpacked(chunk_data.as_numpy_array()))

    async def _decode_partial_single(self, byte_getter: ByteGetter, selection: SelectorTuple, chunk_spec: ArraySpec) -> NDBuffer | None:
        bound = self._bound(chunk_spec.shape, chunk_spec.dtype)
        if (stretch := bound.stretch(selection)) is None:
            whole = await byte_getter.get(chunk_spec.prototype)
            return None if whole is None else (await self._decode_single(whole, chunk_spec))[selection]
        part = await byte_getter.get(chunk_spec.prototype, RangeByteRequest(*stretch))
        if part is None:
            return None
        begin, end = stretch
        if len(part) != end - begin:
            raise LayoutError(
                f"a chunk is cut short: of its bytes {begin} to {end - 1} it has {len(part)}, where a whole one has {bound.nbytes}"
            )
        chunk = np.empty(bound.nbytes, np.uint8)
        chunk[begin:end] = part.as_numpy_array()
        array = await asyncio.to_thread(bound.unpacked, chunk, selection)
        return chunk_spec.prototype.nd_buffer.from_numpy_array(array)

    def _bound(self, shape: tuple[int, ...], dtype: ZDType[TBaseDType, TBaseScalar]) -> Bound:
        stored = dtype.to_native_dtype().newbyteorder("<")
        try:
            layout = as_layout(self.layout, shape)
            return Bound(layout, for_array(stored, layout.element))
        except LayoutError as error:
            hint = "; behind a filter that changes the shape of chunks, give it without a shape" if isinstance(error, ShapeError) else ""
            raise LayoutError(f"chunks of shape {shape} and type {stored} in layout {shown(self.layout)}: {error}{hint}") from None

    def _filled(self, dtype: ZDType[TBaseDType, TBaseScalar]) -> Any:
        if self.fill is None:
            return 0
        kind = dtype.to_native_dtype().kind
        try:
            with np.errstate(over="raise"):
                filled = dtype.from_json_scalar(self.fill, zarr_format=3)
            if np.ndim(filled):
                raise TypeError("it is a list")  # of which zarr makes an array of bools
            if kind == "b" and not isinstance(self.fill, bool | np.bool_):
                raise TypeError("it is neither true nor false")  # zarr takes any text for true
            if kind in "iu" and isinstance(self.fill, str):
                raise TypeError("it is text")
            return filled
        except (TypeError, ValueError, ArithmeticError) as error:
            raise LayoutError(f"fill={shown(self.fill)} is no value of type {dtype.to_native_dtype()} in zarr.json: {error}") from None


class Bound(NamedTuple):
    """The layout of a chunk, and how its elements are stored."""

    layout: Layout
    store: Storage

    @property
    def nbytes(self) -> int:
        """The bytes of a chunk, padding included."""
        return self.store.buffer_size(self.layout.slots) * self.store.buffer_dtype.itemsize

    def unpacked(self, chunk_bytes: Array, region: Any = ...) -> Array:
        """The elements of a chunk, or those of a region."""
        width = self.store.buffer_dtype.itemsize
        buffer = chunk_bytes.view(f"<u{width}") if width <= 8 and len(chunk_bytes) == self.nbytes else chunk_bytes
        return unpack(buffer, self.layout, dtype=self.store.dtype, region=region, threads=1)

    def stretch(self, region: Any) -> tuple[int, int] | None:
        """The first byte that a region lies in and the one after the last; None for what is no box, or as well read whole."""
        try:
            box = box_of(region, self.layout.shape)
            if not box.size or box.extents == self.layout.shape:
                return None
            runs = self.layout.runs(region)
        except LayoutError:
            return None
        return int(runs[0, 0]) * self.store.bits // 8, -(-int(runs[-1].sum()) * self.store.bits // 8)
