"""Kernels with all of their mutants, compiled into a folder of their own."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable
from contextlib import chdir
from distutils.core import run_setup
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import Cython.Build
import Cython.Compiler.Pipeline
from schemata import Place, Schemata
from watchers import KERNELS, ROOT

BUILT = ROOT / "build" / "mutated"


class Mutant(NamedTuple):
    """One of the mutants that are compiled into a module."""

    place: Place
    number: int

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def places(self) -> tuple[int]:
        return (self.number,)

    def told(self, source: str) -> str:
        return self.place.told(source)


class Kernels:
    """Modules of Cython, whose places are their mutants."""

    def __init__(self, modules: list[str]) -> None:
        self.modules = modules
        self.found = {f"_kernels.{name.rpartition('.')[2]}": places for name, places in _built().items()}

    def mutants(self, module: str) -> list[Mutant]:
        return sorted(Mutant(place, number) for number, place in enumerate(self.found[module], 1))

    def prepare(self) -> None:
        sys.meta_path.insert(0, _Built())

    def begin(self) -> None:
        self.imported = {module: importlib.import_module(f"tilelayout.{module}") for module in self.modules}

    def reached(self, test: Callable[[], bool]) -> tuple[bool, dict[str, set[int]]]:
        self._asked()
        passed = test()
        return passed, self._asked()

    def become(self, module: str, mutant: Mutant) -> None:
        self.imported[module]._become(mutant.number)

    def _asked(self) -> dict[str, set[int]]:
        return {module: set(imported._reached()) for module, imported in self.imported.items()}


class _Built(importlib.abc.MetaPathFinder):
    """Import of the kernels from that folder."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        package, _, module = name.partition(".")
        if package != "tilelayout" or module not in KERNELS:
            return None
        (built,) = (BUILT / Path(*name.split(".")[:-1])).glob(f"{name.rpartition('.')[2]}.*")
        return importlib.util.spec_from_file_location(name, built)


def _built() -> dict[str, list[Place]]:
    """The places of the mutants of every kernel, which are compiled as ``setup.py`` says but for optimization."""
    places, command = translated(BUILT)
    with chdir(ROOT):
        command.build_lib, command.build_temp, command.inplace, command.parallel = str(BUILT), str(BUILT / "o"), False, os.cpu_count()
        command.ensure_finalized()
        command.run()
    return places


def translated(folder: Path) -> tuple[dict[str, list[Place]], Any]:
    """The places of the mutants of every kernel, which are put into C with all of them, and the command that compiles them."""
    places: dict[str, list[Place]] = {}
    stages, cythonize = Cython.Compiler.Pipeline.create_pipeline, Cython.Build.cythonize

    def with_schemata(context: Any, mode: str, **options: Any) -> list[Any]:
        def with_mutants(tree: Any) -> Any:
            schemata = Schemata()
            places[tree.full_module_name] = schemata.places
            return schemata(tree)

        return [*([with_mutants] if mode == "pyx" else []), *stages(context, mode, **options)]

    def apart(modules: Any, **options: Any) -> list[Any]:
        return cythonize(modules, **{**options, "build_dir": str(folder / "c"), "force": True, "quiet": True})

    with (
        chdir(ROOT),
        patch.object(Cython.Compiler.Pipeline, "create_pipeline", with_schemata),
        patch.object(Cython.Build, "cythonize", apart),
    ):
        return places, run_setup("setup.py", stop_after="init").get_command_obj("build_ext")
