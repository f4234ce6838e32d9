"""The kernels take all of their mutants: what Cython refuses of them would be found an hour into ``make mutate``, or never."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "src" / "_kernels").exists(), reason="kernels have no source here")
def test_kernels_are_translated_with_all_of_their_mutants(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent / "mutation")
    from compiled import translated

    places, _ = translated(tmp_path)
    kernels = {path.stem: path.read_text() for path in (ROOT / "src" / "_kernels").glob("*.pyx")}
    found = {name.rpartition(".")[2]: bool(of) for name, of in places.items()}
    assert found == {name: re.search(r"^ *c?p?def .*\(", source, re.MULTILINE) is not None for name, source in kernels.items()}
