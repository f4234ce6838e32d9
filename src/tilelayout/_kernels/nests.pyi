from typing import Self

from typing_extensions import disjoint_base

from .leaves import Leaf, Outer
from .loops import Loop

@disjoint_base
class Nest:
    def __new__(cls, leaf: Leaf, is_large: bool, is_streamed: bool) -> Self: ...
    @property
    def leaf(self) -> Leaf: ...
    @property
    def outer(self) -> list[Outer]: ...

def nest(loops: list[Loop], width: int, is_large: bool, first: Loop | None = None, per_byte: int = 1) -> Nest: ...
def in_bytes(nest: Nest, per_byte: int, joins: bool) -> tuple[Nest, bool] | None: ...
