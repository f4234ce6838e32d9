"""Work that another thread does meanwhile: done once, and by the time where no thread can be had."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock
from typing import TypeVar

Made = TypeVar("Made")


def hand_over(pool: Executor, work: Callable[..., Made], *arguments: object) -> Future[Made]:
    """Have a pool do the work; it is done here and now where the pool has no thread, as when the interpreter is going down."""
    done: Future[Made] = Future()
    claim = Lock()  # a pool that cannot start a thread says so, and may keep the work for a thread that it has

    def carry_out() -> None:
        if not claim.acquire(blocking=False):
            return
        try:
            made = work(*arguments)
        except BaseException as error:
            done.set_exception(error)
            if not isinstance(error, Exception):
                raise  # Ctrl-C, where the calling thread does the work
        else:
            done.set_result(made)

    try:
        pool.submit(carry_out)
    except RuntimeError:
        carry_out()
    return done
