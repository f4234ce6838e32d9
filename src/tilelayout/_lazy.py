"""A package whose names are imported when they are first asked for (PEP 562), so that importing it costs next to nothing.

What the names are, and where each is from, is written once, in the package's ``__init__.pyi``: type checkers read it, and so does this.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any

# One thread at a time imports on demand. Where one imports a package, which imports its module, and another that module, which needs its
# package first, Python lets one of them have a module that is not whole yet. No process is forked meanwhile: its child would wait for ever.
_importing = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release)


def imported(module: str, package: str | None = None) -> ModuleType:
    """A module, imported if nobody has; safe from many threads at once."""
    with _importing:
        return import_module(module, package)


def handed_out(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package that hands out what its stub imports.

    >>> found, names, public = handed_out("tilelayout")
    >>> found("linear_index")((2, 3), (3, 5)).item(), "pack" in names(), "pack" in public
    (13, True, True)

    A name that was asked for stays in the package. Modules of the package that the stub does not name are found, too.
    """
    home: Any = sys.modules[package]
    stub = home.__spec__.loader.get_data(f"{home.__path__[0]}/__init__.pyi").decode()
    rooms = dict(_imports(stub))

    def found(name: str) -> Any:
        try:
            value = _from(imported(rooms.get(name, "."), package), name)
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        setattr(home, name, value)
        return value

    return found, lambda: sorted({*vars(home), *rooms}), sorted(rooms)


def _imports(stub: str) -> Iterator[tuple[str, str]]:
    """Each name that a stub imports, and the module that it is from."""
    for line in stub.splitlines():
        match line.split():
            case ["from", room, "import", name, "as", _]:
                yield name, room


def _from(room: ModuleType, name: str) -> Any:
    """What ``from room import name`` finds: a name of the module, or a module of the package."""
    return vars(room)[name] if name in vars(room) else imported(f"{room.__name__}.{name}")
