"""Mutation testing: wrong changes are made to modules of the core, one at a time, and the tests must notice each.

    python tests/mutation/mutate.py [--share 0.1] [--seed 1] [--quick] [--imports] [--again FILE] [module ...]

A process that has collected the tests knows which lines each reaches. For every mutant it forks another, in which the functions that
are wrong take the place of the right ones, and the tests that reach them run, the quickest first: with a few examples of each law, then
with all. What lives then, and what runs only when a module is imported, is tried in a process that imports the mutant. Kernels are compiled
with all of their mutants, and told which to be.

Prints every survivor. Each is to be killed by a test, or explained in SURVIVORS.md; those explained there are told apart.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from math import inf
from pathlib import Path
from typing import Any

from compiled import Kernels
from swapping import Python
from trials import FEW, QUICK, Collected, forked, imported
from watchers import KERNELS, WATCHERS, path_of

EXPLAINED = (Path(__file__).parent / "SURVIVORS.md").read_text(encoding="utf-8")


def examine(collected: Collected, module: str, wanted: argparse.Namespace) -> Counter[str]:
    """The outcomes of a share of a module's mutants."""
    source = path_of(module).read_text(encoding="utf-8")
    found = collected.subject.mutants(module)
    if wanted.again:
        chosen = [mutant for mutant in found if f"SURVIVED {module}:{mutant.line}  {mutant.told(source)}" in wanted.again]
    else:
        chosen = sorted(random.Random(f"{wanted.seed} {module}").sample(found, -int(-len(found) * wanted.share // 1)))
    outcomes: Counter[str] = Counter()
    began = time.monotonic()
    for mutant in chosen:
        outcome = tried(collected, module, source, mutant, wanted)
        if outcome == "survived":
            print(f"SURVIVED {module}:{mutant.line}  {mutant.told(source)}", flush=True)
        outcomes[outcome] += 1
    print(f"{module}: {len(chosen)} of {len(found)} mutants in {time.monotonic() - began:.0f} s: {told(outcomes)}", flush=True)
    return outcomes


def tried(collected: Collected, module: str, source: str, mutant: Any, wanted: argparse.Namespace) -> str:
    if f"| `{module}` | {mutant.told(source)} |" in EXPLAINED:
        return "explained"
    outcome = collected.outcome(module, mutant, not wanted.quick)
    if module in KERNELS:
        return outcome
    if outcome == "open" and wanted.imports:
        outcome = forked(imported, module, mutant.applied(source), collected.quickest(QUICK), FEW)
    if not wanted.quick:
        for examples in [FEW, None] if outcome == "open" else [FEW]:
            if outcome in ("open", "survived"):
                outcome = forked(imported, module, mutant.applied(source), collected.quickest(inf), examples)
    return outcome


def told(outcomes: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in sorted(outcomes.items()))


def _lines(path: str) -> set[str]:
    return set(Path(path).read_text(encoding="utf-8").splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", metavar="module", help="such as joining or cute.algebra.exact; all of watchers.py by default")
    parser.add_argument("--share", type=float, default=0.1, help="of the mutants of each module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--quick", action="store_true", help=f"stop at {FEW} examples of each law, {QUICK} seconds of tests, and before imports"
    )
    parser.add_argument("--imports", action="store_true", help=f"with --quick, {QUICK} seconds of tests of what runs at import too")
    parser.add_argument("--again", metavar="FILE", type=_lines, help="only what survived by the lines that were printed to this file")
    args = parser.parse_args()
    modules = args.modules or list(WATCHERS)
    total: Counter[str] = Counter()
    for made, some in (Python, [m for m in modules if m not in KERNELS]), (Kernels, [m for m in modules if m in KERNELS]):
        if some:
            collected = Collected(made(some))
            print(f"{len(collected.seconds)} tests; not passing to begin with: {', '.join(collected.failed) or 'none'}", flush=True)
            total += sum((examine(collected, module, args) for module in some), Counter())
            collected.close()
    print(f"in all: {told(total)}")
    return 1 if total["survived"] else 0


if __name__ == "__main__":
    sys.exit(main())
