"""Several threads for kernels that run without the interpreter's lock: the calling one, and a pool of those that help it.

Work is cut into pieces of its outermost loop, and Ctrl-C gets through once the pieces in hand are done. A pool belongs to the
process that made it: a forked child makes its own. Where no thread can be had, the calling thread does all the work.

The calling thread has to be one of those that work. Were it only to wait, Linux would often wake two others on one processor, and
leave them there for some milliseconds, which is as long as most calls take.
"""

from __future__ import annotations

import operator
import os
import sys
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TypeVar

from .errors import LayoutError, shown

#: The environment variable that sets how many threads are used by default.
VARIABLE = "TILELAYOUT_NUM_THREADS"
#: Bytes of a thread's share of the work below which handing it over costs more than it saves.
LEAST_SHARE = 4 << 20
#: Bytes of work that are enough for two.
WORTH_SHARING = 2 * LEAST_SHARE
#: Pieces a thread, so that an uneven machine still finishes together.
PIECES = 4
#: Bytes of a piece at the most, as far as the outermost loop can be cut: what Ctrl-C waits for.
LARGEST_PIECE = 64 << 20

#: Threads of a call at the most, whatever is asked for.
MOST_THREADS = 256

_pools: dict[int, ThreadPoolExecutor] = {}

Made = TypeVar("Made")


def allowance() -> int:
    """How many threads this process may keep busy: its CPUs, or its container's share of them if that is less.

    ``TILELAYOUT_NUM_THREADS`` overrides it.
    """
    if wish := os.environ.get(VARIABLE):
        return _checked(wish, f"environment variable {VARIABLE}={shown(wish)}")
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
    """The number of threads that an argument ``threads`` asks for; one where it asks for none and so many bytes need no more."""
    if threads is None:
        return allowance() if size >= WORTH_SHARING else 1
    return _checked(threads, f"threads={shown(threads)}")


def is_number(threads: object) -> bool:
    """Whether an argument ``threads`` is plainly a number of them."""
    return type(threads) is int and threads > 0


def share(work: Callable[[int, int], object], iterations: int, size: int, threads: int) -> None:
    """Call ``work(begin, end)`` over all iterations, from several threads if ``size`` bytes are worth it."""
    threads = max(1, min(threads, MOST_THREADS, size // LEAST_SHARE))
    pieces = max(1, min(iterations, max(size // LARGEST_PIECE, threads * PIECES if threads > 1 else 1)))
    if pieces == 1:
        work(0, iterations)
        return
    left = deque(pairwise(iterations * k // pieces for k in range(pieces + 1)))
    failures: list[tuple[int, BaseException]] = []
    lent = [work]  # taken back afterwards, with its arrays, which helpers would keep until they look up

    def work_on() -> None:
        while True:
            try:
                begin, end = left.popleft()
            except IndexError:
                return
            try:
                lent[0](begin, end)
            except BaseException as error:
                failures.append((begin, error))
                left.clear()

    helping: list[Piece[None]] = []
    try:
        if threads > 1:
            helpers = _pool(threads - 1)
            for _ in range(min(threads, pieces) - 1):
                helping.append(Piece(work_on))  # before anybody has it: Ctrl-C may come as soon as somebody does
                helping[-1].hand_to(helpers)
        work_on()
    finally:
        # Return only when nobody writes any longer, after Ctrl-C too.
        left.clear()
        for piece in helping:
            piece.withdraw()
        _see_through(helping)
        lent.clear()
    if failures:
        raise min(failures, key=operator.itemgetter(0))[1]


def _see_through(pieces: list[Piece[None]]) -> None:
    """Wait until all are done, and let Ctrl-C, or what else a signal raises, through only then."""
    try:
        wait(pieces)
    except BaseException:
        _see_through(pieces)
        raise


class Piece(Future[Made]):
    """Work that is done once, or not at all where it is withdrawn before it begins."""

    def __init__(self, work: Callable[..., Made], *arguments: object) -> None:
        super().__init__()
        self._work, self._arguments = work, arguments
        self._claim = Lock()  # a pool that cannot start a thread says so, and may keep the work for a thread that it has

    def hand_to(self, pool: Executor) -> None:
        """Have a pool do it; here and now where it has no thread for it, as when the interpreter is going down."""
        try:
            pool.submit(self._carry_out)
        except RuntimeError:
            self._carry_out()

    def withdraw(self) -> None:
        """See that it does not begin any more."""
        if self._claim.acquire(blocking=False):
            self.cancel()
            self.set_running_or_notify_cancel()

    def _carry_out(self) -> None:
        if not self._claim.acquire(blocking=False) or not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(self._work(*self._arguments))
        except BaseException as error:
            self.set_exception(error)
            if not isinstance(error, Exception):
                raise  # Ctrl-C, where the calling thread does the work


def hand_over(pool: Executor, work: Callable[..., Made], *arguments: object) -> Piece[Made]:
    """Work that a pool does, or that is done by the time."""
    piece = Piece(work, *arguments)
    piece.hand_to(pool)
    return piece


def _pool(helpers: int) -> ThreadPoolExecutor:
    pool = _pools.get(helpers)
    if pool is None:
        pool = _pools.setdefault(helpers, ThreadPoolExecutor(helpers, thread_name_prefix="tilelayout"))
    return pool


def _forget() -> None:
    """Leave the pools to the process that made them, with what its threads held of them when it was forked."""
    global _pools  # noqa: PLW0603
    _pools = {}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _checked(threads: int | str, asked: str) -> int:
    try:
        number = int(threads) if isinstance(threads, str) else operator.index(threads)
    except (ValueError, TypeError):
        number = 0
    if number < 1:
        raise LayoutError(f"{asked} is no number of threads; it takes an integer of 1 or more")
    return number
