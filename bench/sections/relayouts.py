"""From one layout to another: one pass, beside the packs of the two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

import idioms
import peers
import targets
import tilelayout as tl
import yardsticks
from cases import label
from measure import Work, interleaved
from rows import Options, Row, Section
from workloads import COPIES, WHOLE, Workload

Array = npt.NDArray[Any]

BY_KEY = {workload.key: workload for workload in COPIES}
#: What a row-major buffer is, among the workloads.
PLAIN = {element: Workload("row-major", element, shape, (128, 256), (1, 0)) for element, shape in WHOLE.items()}
IMAGES = {
    key: Workload(key, "f32", BY_KEY["E-f32"].shape, BY_KEY["E-f32"].small, order)
    for key, order in {"NCHW": (3, 2, 1, 0), "NHWC": (1, 3, 2, 0)}.items()
}
#: The same tiles on the other order of dimensions.
TURNED = {key: replace(BY_KEY[key], name=f"turned {BY_KEY[key].name}", minor_to_major=(0, 1)) for key in ("C-bf16", "C-s8", "CP-bf16")}

PAIRS: tuple[tuple[Workload, Workload], ...] = (
    (BY_KEY["A-bf16"], BY_KEY["C-bf16"]),
    (BY_KEY["C-bf16"], BY_KEY["A-bf16"]),
    (BY_KEY["C-bf16"], PLAIN["bf16"]),
    (PLAIN["bf16"], BY_KEY["C-bf16"]),
    (BY_KEY["C-s8"], BY_KEY["C32-s8"]),
    (BY_KEY["C32by4-s8"], BY_KEY["A-s8"]),
    (BY_KEY["C-bf16"], TURNED["C-bf16"]),
    (BY_KEY["CP-bf16"], TURNED["CP-bf16"]),
    (TURNED["C-s8"], BY_KEY["C-s8"]),
    (BY_KEY["D-f32"], BY_KEY["A-f32"]),
    (BY_KEY["A-f32"], BY_KEY["I-f32"]),
    (BY_KEY["G-bf16"], BY_KEY["C-bf16"]),
    (BY_KEY["DP-s8"], BY_KEY["CP-s8"]),
    (BY_KEY["E-f32"], IMAGES["NHWC"]),
    (IMAGES["NHWC"], BY_KEY["E-f32"]),
)


def relayouts(options: Options) -> Section:
    """Relayout of pairs of the workloads."""
    note = (
        "Ratios to the slower of the two packs, round by round, with as many threads. numpy, torch and numba unpack into a warm array and "
        "pack from it; oneDNN goes from one layout to the other."
    )
    return Section.measured("Relayout", "ours / slower pack", note, _rows(options))


def _rows(options: Options) -> Iterator[Row]:
    for source, target in PAIRS:
        job = f"{source.name} to {target.name}, {source.element}"
        if not options.takes("relayout", job):
            continue
        works = _works(source, target, options)
        times = interleaved(works, options.rounds)
        for n in options.threads:
            ours, packs = times[label("ours", n)], [times[label(name, n)] for name in ("pack source", "pack target")]
            slower = max(packs, key=lambda pack: pack.median)
            named = {name: label(name, n) for name in options.peers}
            beside = {name: times[key].over(slower) for name, key in named.items() if key in times}
            details = {
                "slower pack ms": slower.median * 1e3,
                "ours ms": ours.median * 1e3,
                "ours / copy": ours.over(times[label("copy", n)]),
            }
            about = f"{source.array_text} {source.text} to {target.text}"
            yield Row(job, about, n, ours.over(slower), targets.RELAYOUT, beside, details)


def _works(source: Workload, target: Workload, options: Options) -> dict[str, Work]:
    array, before, after = source.array(), source.layout(), target.layout()
    given, expected = tl.pack(array, before), tl.pack(array, after)
    out, other, between = np.empty_like(expected), np.empty_like(given), np.empty_like(array)
    works: dict[str, Work] = {}
    for n in options.threads:
        works |= {
            label("copy", n): yardsticks.copy(expected.nbytes, n),
            label("pack source", n): partial(tl.pack, array, before, out=other, threads=n),
            label("pack target", n): partial(tl.pack, array, after, out=out, threads=n),
            label("ours", n): partial(tl.relayout, given, before, after, out=out, threads=n),
        }
        for name in peers.installed(options.peers):
            if way := _way(name, (source, target), given, out, between):
                works[label(name, n)] = way(n)
    for name, work in works.items():
        if not name.startswith(("copy", "pack source")):
            idioms.raw(out)[...] = 0xA5
            work()
            if not np.array_equal(idioms.raw(out), idioms.raw(expected)):
                raise AssertionError(f"{source.key} to {target.key}: {name} gave other bytes")
    return works


def _way(name: str, pair: tuple[Workload, Workload], given: Array, out: Array, between: Array) -> peers.Threaded | None:
    """oneDNN goes from one layout to the other; the others unpack and pack."""
    peer, (source, target) = peers.installed((name,))[name], pair
    if name == "oneDNN":
        can = peer.can_say(source) and peer.can_say(target)
        return peer.reorder((peer.blocked(source), given), (peer.blocked(target), out)) if can else None
    steps = peer.transfer(source, "unpack", between, given), peer.transfer(target, "pack", between, out)
    return None if None in steps else partial(_one_after_the_other, steps)


def _one_after_the_other(steps: tuple[peers.Threaded, ...], threads: int) -> Work:
    works = [step(threads) for step in steps]

    def run() -> None:
        for work in works:
            work()

    return run
