from typing_extensions import disjoint_base

from .leaves import Manner

@disjoint_base
class Machine:
    def __init__(
        self,
        manner: Manner,
        fetches_rows: bool,
        fetches_long_rows: bool = False,
        stores: bool = False,
        ahead: int = ...,
        ahead_in_rows: int = ...,
        soon_in_rows: int = ...,
    ) -> None: ...
    @property
    def fetches_rows(self) -> bool: ...
    @property
    def stores(self) -> bool: ...

MACHINES: tuple[str, ...]

def set_machine(machine: str) -> str: ...
