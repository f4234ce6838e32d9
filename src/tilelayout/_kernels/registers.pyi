from collections.abc import Sequence
from typing import Self

from typing_extensions import disjoint_base

@disjoint_base
class Registers:
    def __new__(
        cls,
        axes: int,
        extents: Sequence[int],
        constants: Sequence[int],
        moves: Sequence[Sequence[tuple[int, int, int, int]]],
        quotients: Sequence[Sequence[tuple[int, int, int]]],
        backs: Sequence[Sequence[tuple[int, int, int, int]]],
        parts: Sequence[Sequence[tuple[int, int, int, int]]],
        slots: int,
        is_reversible: bool,
    ) -> Self: ...
