"""What copies are tested with: kinds of machines they are made for, and work that threads share, of which tests have little."""

from contextlib import contextmanager

import pytest

from tilelayout import parts, threads, twosteps
from tilelayout._kernels import copy
from tilelayout._kernels.calls import forget
from tilelayout._kernels.machines import set_machine
from tilelayout.notations import read

#: What has vectors of 512 bits can ask for lines too, whether it gains by that or not.
LEVELS = copy.LEVELS if copy.level().startswith("512") else copy.LEVELS[: copy.LEVELS.index(copy.level()) + 1]

#: The kind of machine that has a level, where that is no other.
USUAL = {"256": "paired", "512 asking": "storing"}

#: Levels, bytes from which on copies are streamed, the kind of machine, and whether threads share the work, by turns. Only vectors of 512
#: bits ask whether rows are fetched, and only those of 256 whether they are pairs.
ENGINES = [
    (level, large, machine, (n + k) % 2 == 1)
    for n, level in enumerate(LEVELS)
    for k, (large, machine) in enumerate(
        (
            (0, USUAL.get(level, "fetching")),
            (1 << 60, "sweeping" if level == "512 bytes" else USUAL.get(level, "fetching")),
            *([(0, "sweeping")] if level.startswith("512") else []),
        )
    )
]


def share_little(patch):
    """Threads share any work, however little it is."""
    patch.setattr(threads, "LEAST_SHARE", 1)
    patch.setattr(threads, "WORTH_SHARING", 0)


@contextmanager
def made_for(engine):
    """Plans are made for one of ``ENGINES``; layouts that keep others are forgotten."""
    level, large, machine, is_shared = engine
    forget()
    read.cache_clear()
    before, made_before = copy.level(), set_machine(machine)
    try:
        copy.set_level(level)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parts, "LARGE", large)
            patch.setattr(twosteps, "READ_OVER", 64)
            if is_shared:
                share_little(patch)
                patch.setenv(threads.VARIABLE, "3")
            yield
    finally:
        copy.set_level(before)
        set_machine(made_before)
        forget()
        read.cache_clear()
