"""Mutation testing: wrong changes are made to modules of the core one at a time, in a copy, and the tests must notice each.

    python tests/mutation/mutate.py [--sample 30] [--seed 1] [--timeout 120] [module ...]

Prints every survivor. Each is to be killed by a test, or explained in SURVIVORS.md; those explained there are told apart.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

# Loaded once, here: every mutant is tried in a process forked from this one.
import hypothesis
import ml_dtypes  # noqa: F401
import numpy  # noqa: F401
import pytest
from mutants import Mutant, mutants
from watchers import WATCHERS

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("src", "tests", "docs", "bench", "pyproject.toml", "README.md")
#: Examples of each law at first; what survives these is tried with all.
FEW = 25
OUTCOMES = {0: "survived", 1: "killed", 2: "killed", 3: "killed", 4: "killed"}


class Copy:
    """A copy of the repository in which modules can be wrong for a while."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, root / part, ignore=shutil.ignore_patterns("__pycache__", ".hypothesis"))
            else:
                shutil.copy(source, root / part)

    def path(self, module: str) -> Path:
        return self.root / "src" / "tilelayout" / f"{module.replace('.', '/')}.py"

    def trial(self, module: str, timeout: float, examples: int | None = None) -> str:
        """What the tests of a module say of the copy as it stands, with no more than so many examples of each law."""
        process = multiprocessing.get_context("fork").Process(target=self._tests, args=(module, examples))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            return "timed out"
        return OUTCOMES.get(process.exitcode, "crashed")

    def with_mutant(self, module: str, mutant: Mutant, timeout: float, quick: bool) -> str:
        path = self.path(module)
        source = path.read_text(encoding="utf-8")
        try:
            path.write_text(mutant.applied(source), encoding="utf-8")
            outcome = self.trial(module, timeout, FEW)
            return self.trial(module, timeout) if outcome == "survived" and not quick else outcome
        finally:
            path.write_text(source, encoding="utf-8")

    def _tests(self, module: str, examples: int | None) -> None:
        _hasten(examples)
        os.chdir(self.root)
        sys.dont_write_bytecode = True  # a stale module of the same second and size would be taken for the mutant's
        sys.path[:0] = [str(self.root / "src"), str(self.root / "tests")]
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        own = f"tests/test_doctests.py::test_examples[tilelayout.{module}]"
        watchers = [f"tests/test_{name}.py" for name in WATCHERS[module]]
        options = ["-x", "-q", "-p", "no:cacheprovider", "--tb=no", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        os._exit(pytest.main([*options, own, *watchers]))


def _hasten(examples: int | None) -> None:
    """Leave out what hypothesis does after it has found a failure, and, if so told, most of what it does before."""
    phases, checks = (hypothesis.Phase.explicit, hypothesis.Phase.generate), tuple(hypothesis.HealthCheck)
    changed = {"phases": property(lambda _: phases), "suppress_health_check": property(lambda _: checks)}
    if examples:
        changed["max_examples"] = property(lambda self: min(examples, self._max_examples))
    for name, value in changed.items():
        type.__setattr__(hypothesis.settings, name, value)  # hypothesis guards its class against plain assignment


def explained() -> str:
    return (Path(__file__).parent / "SURVIVORS.md").read_text(encoding="utf-8")


def examine(copy: Copy, module: str, wanted: argparse.Namespace) -> Counter[str]:
    source = copy.path(module).read_text(encoding="utf-8")
    found = mutants(source)
    chosen = sorted(random.Random(f"{wanted.seed} {module}").sample(found, min(wanted.sample, len(found))))
    outcomes: Counter[str] = Counter()
    for mutant in chosen:
        outcome = copy.with_mutant(module, mutant, wanted.timeout, wanted.quick)
        if outcome == "survived":
            if mutant.told(source) in explained():
                outcome = "explained"
            else:
                print(f"SURVIVED {module}:{mutant.line}  {mutant.told(source)}", flush=True)
        outcomes[outcome] += 1
    print(f"{module}: {len(chosen)} of {len(found)} mutants: {told(outcomes)}", flush=True)
    return outcomes


def told(outcomes: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(outcomes.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="module", help="such as joining or cute.algebra.exact; all of watchers.py by default")
    parser.add_argument("--sample", type=int, default=30, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120, help="seconds after which a mutant counts as noticed")
    parser.add_argument("--quick", action="store_true", help=f"leave it at {FEW} examples of each law, though more might notice")
    args = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "tilelayout")
        for module in args.modules or WATCHERS:
            if copy.trial(module, 10 * args.timeout, FEW) == "survived":
                total += examine(copy, module, args)
            else:
                print(f"{module}: its tests do not pass to begin with", flush=True)
                total["not tried"] += 1
    print(f"in all: {told(total)}")
    return 1 if total["survived"] or total["not tried"] else 0


if __name__ == "__main__":
    sys.exit(main())
