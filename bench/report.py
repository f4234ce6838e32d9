"""Measure all workloads beside their targets and the peers, and print the tables, with what they ran on and how it was measured.

Rows are told on standard error as they are measured, and a section is printed when all of it is.

python bench/report.py [--quick] [--only NAME ...] [--rounds N] [--threads N ...] [--most BYTES] [--save] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

# Threads of OpenMP that wait by spinning would take the processors from whoever has the next turn.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import machine
import peers
import plot
import targets
from measure import LEAST_ROUNDS
from rows import NOISE, Options, Section, cell, plain_table, table
from sections import algebras, calls, copies, fresh, memory, queries, relayouts, scaling

HERE = Path(__file__).parent
QUICK_ROUNDS = 5

HOW = """\
Every result was compared with ours, byte by byte, before it was timed. In each round all the ways to do a job take turns, and a ratio
is the median of the rounds' ratios; times are medians of {rounds} rounds ({least} for what takes long). The machine is whatever it is,
often shared: ratios repeat better than times, and differences of {noise:.0%} are noise.

* copy: numpy.copyto of as many bytes as the job writes, between arrays of its own, with as many threads; for queries, of half the
  bytes that they read and write, which a copy reads and writes as well.
* ours, target, against it: the ratio, what it is to be, and by how much it is more.
* the peers' columns: their ratios, with as many threads. A peer that has no way to do a job has no number.
* beside the best peer: within {noise:.0%} the two are level.
* busy: how many processors were at work. Below the number of threads, the system did not spread them, and the row says what it
  allowed, not what two processors do.
* numpy: copies between views that are made before; ragged edges go through a padded array. Two threads take half of a view each.
* torch: copy_ between strided tensors made before. numba: the buffer's loop nest with literal sizes. oneDNN: a reorder by tag."""


def measured(options: Options) -> Iterator[Section]:
    """The sections, one after the other."""
    yield from copies.large(options)
    yield copies.small(options)
    yield relayouts.relayouts(options)
    yield fresh.fresh(options)
    yield calls.tiles(options)
    yield calls.scalars(options)
    asked = queries.queries(options)
    yield asked
    yield queries.over_numpy(asked)
    yield scaling.scaling(options)
    yield calls.plans(options)
    yield memory.memory(options)
    yield algebras.operations(options)
    yield algebras.batches(options)


def summary(sections: Iterable[Section]) -> str:
    """How many targets are met, and every row that misses its target or is behind a peer, with the reason."""
    rows = [(section, row) for section in sections for row in section.rows]
    aimed = [(section, row) for section, row in rows if row.target is not None]
    missed = [(section, row) for section, row in aimed if row.missed]
    beside = [row for _, row in rows if row.best_peer]
    behind = [row for row in beside if row.is_behind]
    met, ahead = len(aimed) - len(missed), len(beside) - len(behind)
    lines = [f"{met} of {len(aimed)} targets met."]
    if beside:
        lines.append(f"{ahead} of {len(beside)} rows are level with the best peer or ahead of it.")
    cells = [["row", "threads", "unit", "measured", "target", "missed by", "why"]]
    for section, row in missed:
        values = [row.job, row.threads, section.unit, row.ours, row.target, row.missed, targets.reason(row.job, row.note)]
        cells.append([cell(value) for value in values])
    if missed:
        lines.append(f"Missed targets:\n\n{plain_table(cells)}")
    cells = [["row", "threads", "ours", "standing", "why"]]
    cells += [
        [cell(value) for value in (row.job, row.threads, row.ours, row.standing, targets.reason(row.job, row.note))] for row in behind
    ]
    if behind:
        lines.append(f"Behind a peer:\n\n{plain_table(cells)}")
    return "\n\n".join(lines)


def main() -> None:
    """Measure what the command line asks for and print it."""
    parser = argparse.ArgumentParser(description="Measure tilelayout beside plain copies, its targets and its peers.")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds and no peers")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="only these rows: C, CP-s8, Q, tile, relayout, fresh, plan ..."
    )
    parser.add_argument("--rounds", type=int, help=f"rounds of each measurement (default {Options.rounds})")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N", help="numbers of threads (default 1 2)")
    parser.add_argument("--most", type=int, default=Options.most, metavar="BYTES", help="the largest array, of two (default 1 GiB)")
    parser.add_argument("--save", action="store_true", help="also write REPORT.md and report.svg, beside this file")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    given = parser.parse_args()
    if given.save and (given.quick or given.only):
        parser.error("--save writes the whole report, so it goes without --quick and --only")
    rounds = given.rounds or (QUICK_ROUNDS if given.quick else Options.rounds)
    options = Options(rounds, given.threads, given.only, () if given.quick else peers.NAMES, given.most)

    parts = []

    def say(text: str) -> None:
        print(text + "\n", flush=True)
        parts.append(text)

    about = machine.description()
    about |= {name: peer.VERSION for name, peer in peers.installed(options.peers).items()}
    say("# tilelayout, measured")
    say("\n".join(f"* {name}: {value}" for name, value in about.items()))
    say(HOW.format(rounds=rounds, least=min(LEAST_ROUNDS, rounds), noise=NOISE))
    sections = []
    for section in measured(options):
        if section.rows:
            sections.append(section)
            say(f"## {section.title}\n\n{section.note}\n\n{table(section)}")
    if not sections:
        parser.error(f"no row is called {' or '.join(given.only)}")
    say(f"## In short\n\n{summary(sections)}")
    if given.save:
        head, last = parts[:3], parts.pop()
        text = [*head, last, "![Pack and unpack beside a plain copy](report.svg)", *parts[3:]]
        (HERE / "REPORT.md").write_text("\n\n".join(text) + "\n")
        (HERE / "report.svg").write_text(plot.points(sections[0]))
    if given.json:
        numbers = {section.title: [row.flat() for row in section.rows] for section in sections}
        given.json.write_text(json.dumps({"machine": about, "rounds": rounds, **numbers}, indent=1) + "\n")


if __name__ == "__main__":
    main()
