from typing import Self

from typing_extensions import disjoint_base

from .leaves import Leaf, Outer
from .loops import Loop

@disjoint_base
class Nest:
    def __new__(cls, leaf: Leaf, chain: int, is_large: bool) -> Self: ...
    @property
    def leaf(self) -> Leaf: ...
    @property
    def outer(self) -> list[Outer]: ...

def nest(loops: list[Loop], width: int, is_large: bool, first: Loop | None = None) -> Nest: ...
