"""Source that is wrong for the process at hand: exchanged in functions that exist, or read when the module is imported."""

from __future__ import annotations

import gc
import importlib.abc
import importlib.machinery
import sys
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType


class SwapError(Exception):
    """What changed runs when the module is imported."""


class Functions:
    """The functions of a module that is imported, in whatever class, cache or closure they are."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.by_code: dict[CodeType, list[FunctionType]] = defaultdict(list)
        for value in gc.get_objects():
            if isinstance(value, FunctionType) and value.__code__.co_filename == path:
                self.by_code[value.__code__].append(value)

    def become(self, source: str, changed: str) -> None:
        """Let each run what the changed source says."""
        try:
            for old, new in _pairs(*(compile(text, self.path, "exec", dont_inherit=True) for text in (source, changed))):
                for function in self.by_code.get(old, ()):
                    function.__code__ = new
        except ValueError as error:  # other closures
            raise SwapError from error


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions of two modules or classes, those inside them too, whose own code is the same."""
    inner = [[const for const in code.co_consts if isinstance(const, CodeType)] for code in (old, new)]
    if not old.co_flags & 1 and _itself(old) != _itself(new):  # 1: a function, which has fast locals
        raise SwapError
    for before, after in zip(*inner, strict=False):
        yield before, after
        yield from _pairs(before, after)


def _itself(code: CodeType) -> tuple[object, ...]:
    return code.co_code, code.co_names, [repr(const) for const in code.co_consts if not isinstance(const, CodeType)]


class Imported(importlib.abc.MetaPathFinder):
    """Import of one module from a text instead of its file."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        self.source = source

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name == self.name else None
        if spec:
            spec.loader = _Loader(self.source, spec.loader.name, spec.loader.path)
        return spec

    def install(self) -> None:
        sys.meta_path.insert(0, self)


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, source: str, name: str, path: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, name: str) -> CodeType:
        return compile(self.source, self.path, "exec", dont_inherit=True)
