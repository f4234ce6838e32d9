"""The public names of the library with their signatures, as text: ``api.txt`` holds it, ``python tests/api.py --write`` renews it.

Public is what a package of ``PACKAGES`` lists in its ``__all__``, the packages named there included, and what has no underscore
in the classes among it. Annotations are left out: types may be told more exactly without breaking a call.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, get_origin

FILE = Path(__file__).with_name("api.txt")
PACKAGES = ("tilelayout", "tilelayout.inference", "tilelayout.files.safetensors")
#: Packages that need an extra; without it their part of the file is not compared.
OPTIONAL = ("tilelayout.dask", "tilelayout.exploring", "tilelayout.zarr")


def described() -> tuple[list[str], list[str]]:
    """The lines of all that can be imported here, and the optional packages that cannot."""
    lines, missing = [], []
    for package in (*PACKAGES, *OPTIONAL):
        try:
            module = importlib.import_module(package)
        except ImportError:
            if package in PACKAGES:
                raise
            missing.append(package)
        else:
            lines += _package(module, package)
    return sorted(set(lines)), missing


def written(missing: list[str]) -> list[str]:
    """The lines of the file, but for those of packages that are missing here."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith(tuple(f"{package}." for package in missing))]


def _package(module: ModuleType, name: str) -> Iterator[str]:
    for public in module.__all__:
        value, path = getattr(module, public), f"{name}.{public}"
        if isinstance(value, ModuleType):
            yield f"{path}: package"
            yield from _package(value, path)
        elif isinstance(value, type):
            yield from _class(value, path)
        else:
            yield path + _value(value)


def _class(kind: type, path: str) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in kind.__bases__)
    yield f"{path}({bases})"
    if issubclass(kind, Enum):
        yield from (f"{path}.{member.name} = {member.value!r}" for member in kind)
    if not issubclass(kind, Exception | Enum):
        yield f"{path}.__new__{_signature(kind)}"
    for owner in kind.__mro__:
        if owner.__module__.startswith("tilelayout") and not owner.__module__.startswith("tilelayout._kernels"):
            yield from (f"{path}.{name}{_member(value)}" for name, value in vars(owner).items() if not name.startswith("_"))


def _member(value: Any) -> str:
    if isinstance(value, staticmethod | classmethod):
        return _value(value.__func__)
    if isinstance(value, property | cached_property) or inspect.isdatadescriptor(value):
        return ": property"
    return _value(value)


def _value(value: Any) -> str:
    if get_origin(value) is not None:
        return ": type"
    return _signature(value) if callable(value) else f": {type(value).__name__}"


def _signature(function: Any) -> str:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def main() -> int:
    lines, missing = described()
    if sys.argv[1:] != ["--write"]:
        print("\n".join(lines))
        return 0
    if missing:
        print(f"{', '.join(missing)} cannot be imported here; install the extras first, or their part of the file is lost")
        return 1
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
