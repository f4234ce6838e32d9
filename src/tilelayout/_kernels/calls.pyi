from typing import Any, Self

import numpy.typing as npt
from typing_extensions import disjoint_base

MOST_DIMS: int
MOST_TEXTS: int
MOST_LAYOUTS: int

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

def know(text: str, calls: Calls) -> None: ...
def forget() -> None: ...
def is_zero(fill: object) -> bool: ...
def are_usual(threads: object, out: object = None) -> bool: ...
def pack_again(layout: object, array: object, out: object, fill: object, region: object, threads: object) -> npt.NDArray[Any] | None: ...
def unpack_again(
    layout: object, buffer: object, shape: object, dtype: object, out: object, region: object, threads: object
) -> npt.NDArray[Any] | None: ...
def relayout_again(
    calls: Calls, buffer: object, other: object, out: object, fill: object, dtype: object, threads: object
) -> npt.NDArray[Any] | None: ...
