from collections.abc import Callable, Sequence

from typing_extensions import disjoint_base

from .loops import Loop

@disjoint_base
class Manner:
    def __init__(
        self,
        streams: bool,
        onward: bool,
        row: int,
        rows: int,
        short_rows: int,
        kept: int,
        u: int,
        v: int,
        block: int,
        whole_v: int,
        stretch_u: int,
        stretch_v: int,
        chained_v: int,
        repeated: int,
        unzipped: int,
        by: Callable[[Loop], tuple[int, int]],
    ) -> None: ...

@disjoint_base
class Side:
    @property
    def loop(self) -> Loop: ...
    @property
    def cut(self) -> Loop | None: ...
    @property
    def steps(self) -> tuple[tuple[int, int], ...]: ...
    @property
    def unit(self) -> int: ...
    @property
    def each(self) -> int: ...
    def ends_early(self, sizes: Sequence[int]) -> bool: ...

@disjoint_base
class Outer:
    @property
    def loop(self) -> Loop: ...
    @property
    def cuts(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def per(self) -> int: ...

@disjoint_base
class Leaf:
    @property
    def kernel(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def u(self) -> Side: ...
    @property
    def v(self) -> Side: ...
    @property
    def around(self) -> list[Outer]: ...
