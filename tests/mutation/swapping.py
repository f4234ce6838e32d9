"""Source that is wrong for the process at hand: exchanged in functions that exist, or read when the module is imported."""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.machinery
import sys
from collections import defaultdict
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType, FunctionType

from mutants import Mutant, mutants
from watchers import path_of


class SwapError(Exception):
    """What changed runs when the module is imported."""


class Python:
    """Modules of Python, whose places are lines, and whose functions become others."""

    def __init__(self, modules: list[str]) -> None:
        self.modules = modules
        self.named = {str(path_of(module)): module for module in modules}

    def mutants(self, module: str) -> list[Mutant]:
        return mutants(path_of(module).read_text(encoding="utf-8"))

    def prepare(self) -> None:
        pass

    def begin(self) -> None:
        for module in self.modules:
            importlib.import_module(f"tilelayout.{module}")
        self.functions = {module: Functions(path) for path, module in self.named.items()}

    def reached(self, test: Callable[[], bool]) -> tuple[bool, dict[str, set[int]]]:
        lines: defaultdict[str, set[int]] = defaultdict(set)

        def trace(frame: FrameType, event: str, arg: object) -> object:
            module = self.named.get(frame.f_code.co_filename)
            if module is None:
                return None
            lines[module].add(frame.f_lineno)
            return trace

        sys.settrace(trace)
        passed = test()
        sys.settrace(None)
        return passed, dict(lines)

    def become(self, module: str, mutant: Mutant) -> None:
        source = path_of(module).read_text(encoding="utf-8")
        self.functions[module].become(source, mutant.applied(source))


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
            self._follow(*(compile(text, self.path, "exec", dont_inherit=True) for text in (source, changed)))
        except ValueError as error:  # other closures
            raise SwapError from error

    def _follow(self, old: CodeType, new: CodeType) -> None:
        runs_at_import = not old.co_flags & CO_OPTIMIZED
        if runs_at_import and _itself(old) != _itself(new):
            raise SwapError
        for before, after in zip(_inside(old), _inside(new), strict=False):
            if before == after:
                continue
            functions = self.by_code.get(before, ())
            if runs_at_import and before.co_flags & CO_OPTIMIZED and not functions:
                raise SwapError  # a comprehension
            for function in functions:
                function.__code__ = after
            self._follow(before, after)


def _inside(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


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


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, source: str, name: str, path: str) -> None:
        super().__init__(name, path)
        self.source = source

    def get_code(self, name: str) -> CodeType:
        return compile(self.source, self.path, "exec", dont_inherit=True)
