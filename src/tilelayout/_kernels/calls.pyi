from typing import Any, Self

import numpy.typing as npt
from typing_extensions import disjoint_base

MOST_DIMS: int

@disjoint_base
class Copier: ...

@disjoint_base
class Call:
    def __new__(
        cls,
        plans: tuple[Copier, ...],
        array: npt.NDArray[Any],
        buffer: npt.NDArray[Any],
        start: int,
        packs: bool,
        fill: bytes | None = None,
        other: object = None,
    ) -> Self: ...

@disjoint_base
class Calls:
    @property
    def packs(self) -> list[Call]: ...
    @property
    def unpacks(self) -> list[Call]: ...
    @property
    def relayouts(self) -> list[Call]: ...
    def pack(self, array: object, out: object, fill: object) -> npt.NDArray[Any] | None: ...
    def unpack(self, buffer: object, out: object) -> npt.NDArray[Any] | None: ...
    def relayout(self, buffer: object, other: object, out: object, fill: object) -> npt.NDArray[Any] | None: ...
