"""Several threads for kernels: how many, and how the work is cut.

A kernel does its work in stints, and Ctrl-C gets through when one is done. A stint is cut into pieces of the outermost loop, which the
calling thread takes, and helpers that know nothing of Python (``_kernels.crew``). Those belong to the process that began them: a forked
child begins its own. Where no thread can be had, the calling thread does all the work.

The calling thread has to be one of those that work. Were it only to wait, Linux would often wake two others on one processor, and
leave them there for some milliseconds, which is as long as most calls take.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from ._kernels import crew
from .errors import shown
from .sizes import positive

#: The environment variable that sets how many threads are used by default.
VARIABLE = "TILELAYOUT_NUM_THREADS"
#: Bytes of a thread's share of the work below which handing it over costs more than it saves.
LEAST_SHARE = 1 << 20
#: Bytes of work that are enough for two.
WORTH_SHARING = 2 * LEAST_SHARE
#: Pieces a thread, so that an uneven machine still finishes together.
PIECES = 4
#: Bytes of a stint at the most, as far as the outermost loop can be cut: what Ctrl-C waits for.
LARGEST_STINT = 256 << 20

#: What a number in the environment is written with.
_DECIMAL = re.compile(r"\s*[0-9]{1,18}\s*")

#: Threads of a call at the most, whatever is asked for.
MOST_THREADS = 256


def allowance() -> int:
    """How many threads this process may keep busy: its CPUs, or its container's share of them if that is less.

    ``TILELAYOUT_NUM_THREADS`` overrides it.
    """
    if wish := os.environ.get(VARIABLE):
        number = int(wish) if _DECIMAL.fullmatch(wish) else 0
        return _checked(number, f"environment variable {VARIABLE}={shown(wish)}")
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cpus, _share_of_container())


@cache
def _share_of_container() -> int:
    """The CPUs' worth of time that a Linux container gives its processes; very many where there is no limit."""
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        return max(1, -(-int(quota) // int(period)))
    except (OSError, ValueError):
        return sys.maxsize


def count(threads: int | None, size: int = WORTH_SHARING) -> int:
    """The number of threads that an argument ``threads`` asks for; if it is None, 1 where ``size`` bytes are too few to be shared."""
    if threads is None:
        return allowance() if size >= WORTH_SHARING else 1
    return threads if type(threads) is int and threads > 0 else _checked(threads, f"threads={shown(threads)}")


class Stint(NamedTuple):
    """Iterations ``begin`` to ``end - 1`` of a kernel's outermost loop, in so many pieces, which so many threads take."""

    begin: int
    end: int
    pieces: int
    threads: int


def stints(iterations: int, size: int, threads: int) -> list[Stint]:
    """All iterations, which are so many bytes of work, by so many threads at the most; Ctrl-C gets through in between."""
    threads = max(1, min(threads, MOST_THREADS, size // LEAST_SHARE))
    each = PIECES * threads if threads > 1 else 1
    if size <= LARGEST_STINT:
        return [Stint(0, iterations, max(1, min(each, iterations)), threads)]
    number = max(1, min(iterations, -(-size // LARGEST_STINT)))
    bounds = [iterations * k // number for k in range(number + 1)]
    return [Stint(begin, end, max(1, min(each, end - begin)), threads) for begin, end in pairwise(bounds)]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=crew.forget)


def _checked(threads: Any, asked: str) -> int:
    return positive(threads, f"{asked} is no number of threads; it takes an integer of 1 or more")
