"""The command that says what padding costs: doctor."""

from __future__ import annotations

from argparse import Namespace

from ..doctor import Finding, diagnose, examine, facts
from ..errors import LayoutError, shown
from ..hlo import Allocation, read_size
from ..hlo.reports import Watcher
from ..hlo.summary import Summary
from ..notations.xla import GENERATIONS, recognizes
from .arguments import QUOTES, Commands, command
from .hlo import is_there, nothing_in, opened, problem_facts, say_problems, shown_at_most, takes_dump
from .output import printable, say, say_json

_DOCTOR = f"""\
{QUOTES}

  tilelayout doctor 's32[8388608,8,4]{{2,1,0:T(8,128)}}'
  tilelayout doctor 'bf16[1000,3]' --generation v6e
  tilelayout doctor dump.txt --top 3 --min 64M

A shape that is written without tiles is taken to have those of the TPU. FILE is what tilelayout hlo takes; of its arrays those are
diagnosed that waste most.
"""
_TAKES = """\
doctor takes an array in XLA's notation, such as f32[4,8]{1,0:T(8,128)}, or HLO text; how many slots of any layout are padding
says tilelayout show"""


def declare(commands: Commands) -> None:
    """Add this command."""
    asks = command(commands, "doctor", doctor, _DOCTOR)
    takes_dump(asks, "SHAPE|FILE", "an array in XLA's notation, HLO text, or - for HLO text on standard input", top=5)
    known = ", ".join(GENERATIONS)
    asks.add_argument("--generation", metavar="G", choices=list(GENERATIONS), default="v5e", help=f"one of {known} (default v5e)")


def doctor(options: Namespace) -> int:
    """Diagnose an array, or those of a text."""
    array = options.file.removeprefix("xla:")
    top, least = shown_at_most(options), read_size(options.min)
    if recognizes(array) and not is_there(options.file):
        found = diagnose(array, options.generation)
        if options.json:
            say_json(facts(found))
        else:
            say(str(found))
        return 0
    watcher, summary = Watcher(), Summary()
    module = opened(options.file, watcher, _TAKES)
    findings = examine(summary.count(module.buffers()), top, least, options.generation)
    if not summary.arrays and not watcher.reports:
        raise nothing_in(options.file, module)
    allocations = [allocation for report in watcher.reports for allocation in report.allocations]
    if not summary.arrays and not allocations:
        raise LayoutError(
            f"the report in {shown(options.file)} lists no arrays; give the program's HLO text, as --xla_dump_to has it written"
        )
    unread = [allocation for allocation in allocations if allocation.computed is None]
    if allocations:
        findings = examine(allocations, top, least, options.generation)
    if options.json:
        listed = [{"where": found.where, "arrays": found.arrays, **facts(found.diagnosis)} for found in findings]
        say_json({"findings": listed, "unread_allocations": [allocation._asdict() for allocation in unread], **problem_facts(module)})
        return 0
    if findings or (top and not unread):
        say("\n\n".join(map(_words, findings)) or _none(least, options.min, summary))
    if unread:
        say("\n".join([*([""] if findings else []), *map(_unread, unread)]))
    say_problems(module)
    return 0


def _unread(allocation: Allocation) -> str:
    shape = f"the shape {printable(allocation.shape_text)}" if allocation.shape_text else "no shape"
    padding = f", {allocation.extra} of which is padding" if allocation.extra else ""
    return f"not diagnosed: allocation {allocation.number} of {allocation.size}{padding}, which has {shape}"


def _none(least: int, said: str, summary: Summary) -> str:
    words = f"no array of {said} or more wastes anything" if least else "no array wastes anything"
    if summary.tiled or not summary.arrays:
        return words
    return f"{words}; none has tiles, as on CPUs and GPUs, and only an array that is given by itself gets those of a TPU"


def _words(found: Finding) -> str:
    others = "" if found.arrays == 1 else f", and {found.arrays - 1} more of the same"
    return f"{printable(found.where)}{others}\n{found.diagnosis}"
