"""One tile: what a call costs before any bytes are moved."""

from __future__ import annotations

import pytest

from cases import DIRECTIONS, tile_works
from workloads import TILES

JOBS = {
    f"{direction} {tile.key}: {name}": work
    for tile in TILES
    for direction in DIRECTIONS
    for name, work in tile_works(tile, direction).items()
}


@pytest.mark.parametrize("name", JOBS)
def test_one_tile(benchmark, name):
    benchmark(JOBS[name])
