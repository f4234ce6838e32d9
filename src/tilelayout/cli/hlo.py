"""The command that reads HLO text: hlo."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ..describe import counted
from ..errors import LayoutError, shown
from ..files.errors import FileError
from ..hlo import Allocation, Array, Module, Report, op_name, ranked, read_size, size_text
from ..hlo.configs import configs_of
from ..hlo.lines import Source
from ..hlo.problems import Problems
from ..hlo.reports import Watcher
from ..hlo.summary import Summary
from ..hlo.tables import ORDERS, aligned, rows
from ..notations import identified
from .arguments import Commands, Parser, command
from .output import printable, say, say_json
from .words import integer

_HLO = """\
  tilelayout hlo dump/module_0001.jit_step.after_optimizations.txt
  tilelayout hlo dump.txt --sort bytes --top 50 --min 1M
  python train.py 2>&1 | tilelayout hlo - --json

FILE is HLO text, as XLA writes it by --xla_dump_to, pieces of it, or a log with a TPU's report that a program does not fit in
memory. Arrays that never lie in memory, being made in what is fused or applied to elements, and those that another instruction
made are left out without --all. Sizes are in powers of 1024.
"""
_TAKES = "hlo takes HLO text; what padding costs one array says tilelayout doctor, what a layout means tilelayout show"


def declare(commands: Commands) -> None:
    """Add this command."""
    reads = command(commands, "hlo", hlo, _HLO)
    takes_dump(reads, "FILE", "HLO text, or - for standard input", top=20)
    reads.add_argument("--sort", metavar="BY", choices=list(ORDERS), default="waste", help="waste (default), bytes or name")
    reads.add_argument("--all", action="store_true", help="take in the arrays that are left out otherwise")


def takes_dump(parser: Parser, metavar: str, does: str, top: int) -> None:
    """Add a text with arrays to the words that a command takes, and which of them are shown."""
    parser.add_argument("file", metavar=metavar, help=does)
    parser.add_argument("--top", metavar="N", default=str(top), help=f"at most so many arrays (default {top})")
    parser.add_argument("--min", metavar="BYTES", default="0", help="only arrays that take so much, such as 64M")


def hlo(options: Namespace) -> int:
    """List the arrays of a text."""
    watcher, summary = Watcher(), Summary(read_size(options.min))
    module = opened(options.file, watcher, _TAKES)
    arrays = summary.count(module.arrays() if options.all else module.buffers())
    top = ranked(arrays, options.sort, shown_at_most(options), summary.at_least)
    reports = watcher.reports
    if not summary.arrays and not reports:
        raise nothing_in(options.file, module)
    if options.json:
        problems = Problems()
        say_json(
            {
                "modules": list(filter(None, summary.modules)),
                "count": summary.arrays,
                "arguments": summary.arguments,
                "unsized_arguments": summary.unsized_arguments,
                "argument_bytes": summary.argument_bytes,
                "argument_logical_bytes": summary.argument_logical_bytes,
                "arrays": [_facts(array, problems) for array in top],
                "report": _report_facts(reports[0]) if reports else None,
                "other_reports": [_report_facts(report) for report in reports[1:]],
                **problem_facts(module, problems),
            }
        )
        return 0
    if reports:
        words = "\n\n".join("\n".join(_report_words(report, shown_at_most(options))) for report in reports)
        say(f"{words}\n" if summary.arrays else words)
    if summary.arrays:
        say(f"{printable(str(summary))}\n")
        say("\n".join(_table(top, summary, options.min)))
    say_problems(module)
    return 0


def is_there(word: str) -> bool:
    """Whether a word, which may be a layout, names a file."""
    try:
        return Path(word).exists()
    except (OSError, ValueError):  # no file can have that name
        return False


def opened(word: str, watcher: Watcher, takes: str) -> Module:
    """The text that a word names; ``takes`` says what the command takes to whoever gives a layout instead."""
    try:
        return Module(_source(word), watcher.watch)
    except FileError:
        language, _ = identified(word)
        if language is None or is_there(word):
            raise
        raise LayoutError(f"{shown(word)} is a layout in the notation {language}, and no file that can be read\n{takes}") from None


def _source(word: str) -> Source:
    if word != "-":
        return Path(word) if is_there(word) else word  # a name may look like text
    if sys.stdin is None:
        raise LayoutError("'-' reads standard input, which is closed; give the path of a file")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin


def shown_at_most(options: Namespace) -> int:
    """The number of arrays to show."""
    top = integer(options.top, "number of arrays")
    if top < 0:
        raise LayoutError(f"--top {top} is no number of arrays; give 0 or more")
    return top


def nothing_in(name: str, module: Module) -> LayoutError:
    """The error for a text without arrays."""
    why = f"\n{module.problems[0]}" if module.problems else ""
    left_out = sum(1 for _ in module.arrays())
    if left_out:
        return LayoutError(
            f"{name!r} has {counted(left_out, 'array')} of HLO in it, and all are left out: in what is fused or applied to elements, or "
            f"made by another instruction; tilelayout hlo --all lists them{why}"
        )
    return LayoutError(
        f"{name!r} has no arrays of HLO in it, nor a report of a TPU's memory; an instruction is a line such as "
        f"%add.1 = f32[3,5]{{1,0:T(8,128)}} add(%x, %y){why}"
    )


def problem_facts(module: Module, *others: Problems) -> dict[str, Any]:
    """What could not be read of a text, and of what it says, for JSON."""
    listed = [problem._asdict() for problem in chain(module.problems, *(each.first for each in others))]
    return {"problem_count": module.problem_count + sum(each.count for each in others), "problems": listed}


def say_problems(module: Module) -> None:
    """Print what could not be read."""
    if module.problem_count:
        say("\n".join(["", "not read:", *map(str, module.problems[:5])]))
    if module.problem_count > 5:
        say(f"and {module.problem_count - 5} more")


def _table(top: list[Array], summary: Summary, least: str) -> Iterator[str]:
    if not summary.large:
        yield f"none of them takes {least}"
        return
    yield _aligned(rows(top))
    if summary.large > len(top):
        yield f"and {summary.large - len(top)} more; --top {summary.large} lists all"


def _aligned(table: Iterable[Iterable[str]]) -> str:
    return aligned([tuple(map(printable, row)) for row in table])


def _facts(array: Array, problems: Problems) -> dict[str, Any]:
    instruction = array.instruction
    return {
        "shape": str(array.shape),
        "instruction": instruction.name,
        "shape_index": list(array.shape_index),
        "opcode": array.opcode,
        "computation": array.computation.name,
        "line": instruction.line,
        "op_name": op_name(instruction),
        "memory_space": array.memory_space,
        "logical_bytes": array.logical_bytes,
        "padded_bytes": array.padded_bytes,
        "waste": array.waste,
        "configured": {found.path: str(found.described) for found in configs_of(instruction, problems)},
    }


def _report_facts(report: Report) -> dict[str, Any]:
    listed = [{**allocation._asdict(), "computed": allocation.computed, "agrees": allocation.agrees} for allocation in report.allocations]
    return {**report._asdict(), "allocations": listed}


def _report_words(report: Report, top: int) -> list[str]:
    where = f" in {report.memory}" if report.memory else ""
    said = [f"out of memory{where}: {report.used} of {report.capacity}" if report.used else f"the largest allocations{where}"]
    if report.allocations:
        head = ("size", "unpadded", "times", "here", "shape", "operation")
        said.append(_aligned([head, *map(_allocation_row, report.allocations[:top])]))
    if (more := len(report.allocations) - top) > 0:
        said.append(f"and {more} more; --top {len(report.allocations)} lists all")
    return said


def _allocation_row(allocation: Allocation) -> tuple[str, ...]:
    computed = allocation.computed
    times = f"{allocation.expansion}x" if allocation.expansion else ""
    here = size_text(computed[1]) if computed else "?"
    return (allocation.size, allocation.unpadded, times, here, allocation.shape_text, allocation.operator[:100])
