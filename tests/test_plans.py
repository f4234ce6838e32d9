"""Copies run as plans.txt says, so that none becomes slower unnoticed; and strips fit the scratch, however little room it has."""

from difflib import unified_diff

import pytest

import plans
from tilelayout._kernels.loops import Loop
from tilelayout._kernels.nests import nest
from tilelayout._kernels.pacing import strip_of


def test_plans():
    changes = [line for line in unified_diff(plans.written(), plans.described(), "plans.txt", "the library", lineterm="", n=0)]
    assert not changes, (
        "copies run otherwise:\n" + "\n".join(changes) + "\nIf that is meant, measure it with make bench, and renew the list with: "
        "python tests/plans.py --write"
    )


@pytest.mark.parametrize("shape", [(4096, 8192), (301, 20_000), (92, 200_000)], ids=str)
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("room", [0, 1 << 12, 1 << 17])
def test_strips_fit_the_scratch(shape, width, room):
    """They are as many whole chains as it has room for, but one at least."""
    rows, columns = shape
    made = nest([Loop(rows, columns * width, width, 0, 1, False), Loop(columns, width, rows * width, 1, 1, False)], width, True)
    row, chain = made.leaf.v.loop.n * width, made.chain * made.hop
    strip = strip_of(made, 1, room)
    assert made.leaf.kernel == "transpose" and made.is_streamed
    assert strip % chain == 0 and strip * row <= max(room, chain * row)
    assert strip == made.leaf.u.loop.n or (strip + chain) * row > room
