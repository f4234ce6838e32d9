"""Measure all workloads and print them as tables, with what they ran on and how it was measured.

python bench/report.py [--only NAME ...] [--rounds N] [--threads N ...] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import algebra
import machine
from cases import DIRECTIONS, QUESTIONS, Case, copy_case, query_case, scalar_works, tile_works
from measure import LEAST_ROUNDS, Times, interleaved
from workloads import COPIES, QUERIES, TILES, Workload

Row = dict[str, Any]

ROUNDS = 15
#: Calls a round of what takes microseconds.
CALLS = 500
TWIN_ROUNDS = 3

HOW = """\
Every result was compared with another way's before it was timed. In each round all the ways to do a job take turns, and a ratio is
the median of the rounds' ratios; times are medians of {rounds} rounds ({least} for what takes long). The machine is whatever it
is, often shared: ratios repeat better than times, and differences of a few per cent are noise.

* copy: numpy.copyto of as many bytes as the job reads and writes, halved, between arrays of its own, with as many threads.
  It is a yardstick and no lower bound: for arrays that fit in a cache, other copies are faster.
* busy: how many processors were at work, in the copy and in ours. Below the number of threads, the system did not spread them,
  and the row says what it allowed, not what two processors do.
* GB/s: bytes read plus bytes written, by the median time.
* numpy: pad, reshape, transpose and assign to a warm array, on one thread; for queries, shifts and masks without bounds checks.
* x numpy: how many times as fast as that.
* reference: the pure-Python twin on a small array of the same kind.
* Arrays are warm: pack and unpack write to out=. A new array costs its page faults on top. Queries always return a new array."""

COLUMNS = {
    "job": "job", "array": "array", "layout": "layout", "threads": "threads", "copy_ms": "copy ms", "copy_busy": "busy", "ms": "ms",
    "busy": "busy", "ratio": "/ copy", "gb_s": "GB/s", "numpy_ratio": "numpy / copy", "speedup": "x numpy", "ns": "ns each",
    "reference_ns": "reference ns each",
}  # fmt: skip
QUERY_COLUMNS = {
    "job": "query", "array": "array", "layout": "layout", "copy_ns": "copy ns", "ns": "ns each", "ratio": "/ copy", "numpy_ns": "numpy ns",
    "speedup": "x numpy", "ravel_ns": "ravel_multi_index ns", "reference_ns": "reference ns each",
}  # fmt: skip
ALGEBRA_COLUMNS = {"job": "operation", "ours_us": "µs", "peer_us": "tensor-layouts µs", "speedup": "x tensor-layouts"}
BATCH_COLUMNS = {"job": "layout", "ns": "ns each", "rate": "million a second"}
CALL_COLUMNS = {"job": "one call", "array": "array", "layout": "layout", "way": "way", "us": "µs"}


def copy_rows(rounds: int, threads: Sequence[int], only: Sequence[str]) -> Iterator[Row]:
    """Pack and unpack of the workloads, a row for each number of threads."""
    for workload in _chosen(COPIES, only):
        for direction in DIRECTIONS:
            case = copy_case(workload, direction, threads)
            times = _measured(case, rounds)
            reference_ns = _reference_ns(case)
            for n in case.ours:
                ours, copy, numpys = times[f"ours {n}"], times[f"copy {n}"], times["numpy"]
                yield {
                    **_about(f"{direction} {workload.key}", workload),
                    "threads": n,
                    "copy_ms": copy.median * 1e3,
                    "copy_busy": copy.busy,
                    "ms": ours.median * 1e3,
                    "busy": ours.busy,
                    "ratio": ours.over(copy),
                    "gb_s": case.traffic / ours.median / 1e9,
                    "numpy_ratio": numpys.over(copy),
                    "speedup": numpys.over(ours),
                    "ns": ours.median / case.items * 1e9,
                    "reference_ns": reference_ns,
                }


def query_rows(rounds: int, only: Sequence[str]) -> Iterator[Row]:
    """Slots of many elements, and elements of many slots."""
    for query in QUERIES:
        for question in QUESTIONS:
            if not _is_chosen(query.key, query.workload.name, only):
                continue
            case = query_case(query, question)
            times = _measured(case, rounds)
            each = {name: seconds.median / case.items * 1e9 for name, seconds in times.items()}
            yield {
                **_about(f"{question} {query.key}", query.workload),
                "copy_ns": each["copy 1"],
                "ns": each["ours 1"],
                "ratio": times["ours 1"].over(times["copy 1"]),
                "numpy_ns": each["numpy"],
                "speedup": times["numpy"].over(times["ours 1"]),
                "ravel_ns": each.get("ravel_multi_index"),
                "reference_ns": _reference_ns(case),
            }


def call_rows(rounds: int, only: Sequence[str]) -> Iterator[Row]:
    """One tile and one element: what a call costs."""
    jobs = [(f"{direction} {tile.key}", tile, tile_works(tile, direction)) for tile in _chosen(TILES, only) for direction in DIRECTIONS]
    if _is_chosen("one element", "Q", only):
        jobs.append(("index one element", QUERIES[0].workload, scalar_works(QUERIES[0].workload)))
    for job, workload, works in jobs:
        for way, seconds in interleaved(works, rounds, calls=CALLS).items():
            yield {**_about(job, workload), "way": way, "us": seconds.median * 1e6}


def algebra_rows(rounds: int, only: Sequence[str]) -> Iterator[Row]:
    """Operations of CuTe's algebra."""
    for job, works in algebra.operations().items() if _is_chosen("algebra", "cute", only) else ():
        times = interleaved(works, rounds, calls=CALLS)
        ours, peer = times["tilelayout"], times.get(algebra.PEER)
        yield {
            "job": job,
            "ours_us": ours.median * 1e6,
            "peer_us": peer and peer.median * 1e6,
            "speedup": peer and peer.over(ours),
        }


def batch_rows(rounds: int, only: Sequence[str]) -> Iterator[Row]:
    """CuTe layouts at many coordinates."""
    for job, work in algebra.batches().items() if _is_chosen("batch", "cute", only) else ():
        seconds = interleaved({"ours": work}, rounds)["ours"].median / algebra.MANY
        yield {"job": job, "ns": seconds * 1e9, "rate": 1e-6 / seconds}


def table(rows: Iterable[Row], columns: dict[str, str]) -> str:
    """The rows as a table that reads well as text and as Markdown."""
    cells = [list(columns.values()), *([_cell(row[key]) for key in columns] for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(columns))]
    is_number = [all(line[k][:1].isdigit() or line[k] == "-" for line in cells[1:]) for k in range(len(columns))]

    def joined(line: list[str]) -> str:
        padded = (cell.rjust(w) if number else cell.ljust(w) for cell, w, number in zip(line, widths, is_number, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = "|" + "|".join("-" * (w + 1) + (":" if number else "-") for w, number in zip(widths, is_number, strict=True)) + "|"
    return "\n".join([joined(cells[0]), rule, *map(joined, cells[1:])])


def main() -> None:
    """Measure what the command line asks for and print it."""
    parser = argparse.ArgumentParser(description="Measure tilelayout beside plain copies, numpy and pure Python.")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these workloads, such as C, CP-s8, Q or tile")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds of each measurement (default {ROUNDS})")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N", help="numbers of threads (default 1 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the numbers there")
    options = parser.parse_args()

    about = machine.description()
    print("# tilelayout, measured\n")
    print("\n".join(f"* {name}: {value}" for name, value in about.items()) + "\n")
    print(HOW.format(rounds=options.rounds, least=min(LEAST_ROUNDS, options.rounds)))
    sections = [
        ("Pack and unpack", "copies", COLUMNS, copy_rows(options.rounds, options.threads, options.only)),
        ("Index queries", "queries", QUERY_COLUMNS, query_rows(options.rounds, options.only)),
        ("Calls", "calls", CALL_COLUMNS, call_rows(options.rounds, options.only)),
        ("CuTe's algebra", "algebra", ALGEBRA_COLUMNS, algebra_rows(options.rounds, options.only)),
        ("CuTe layouts at ten million coordinates", "batches", BATCH_COLUMNS, batch_rows(options.rounds, options.only)),
    ]
    numbers: dict[str, Any] = {"machine": about, "rounds": options.rounds}
    for title, name, columns, rows in sections:
        numbers[name] = list(rows)
        if numbers[name]:
            print(f"\n## {title}\n\n{table(numbers[name], columns)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(numbers, indent=1) + "\n")


def _measured(case: Case, rounds: int) -> dict[str, Times]:
    works = {f"copy {n}": work for n, work in case.copies.items()} | {f"ours {n}": work for n, work in case.ours.items()} | case.others
    return interleaved(works, rounds)


def _reference_ns(case: Case) -> float:
    return interleaved({"twin": case.twin}, TWIN_ROUNDS)["twin"].median / case.twin_items * 1e9


def _about(job: str, workload: Workload) -> Row:
    memory = " transposed" if workload.transposed else ""
    return {"job": job, "array": workload.array_text + memory, "layout": workload.text}


def _chosen(workloads: Iterable[Workload], only: Sequence[str]) -> list[Workload]:
    return [workload for workload in workloads if _is_chosen(workload.key, workload.name, only)]


def _is_chosen(key: str, name: str, only: Sequence[str]) -> bool:
    return not only or key in only or name in only


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return str(value)


if __name__ == "__main__":
    main()
