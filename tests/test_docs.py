"""What the pages and the README show is what happens."""

import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import pages
import tilelayout as tl
from tilelayout.cli.commands import DOES
from tilelayout.notations import LANGUAGES

DOCS = pages.ROOT / "docs"
PAGES = [pages.ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
NAMES = [str(page.relative_to(pages.ROOT)) for page in PAGES]
BLOCKS = [block for page in PAGES for block in pages.blocks(page)]
DRAWN = [block for block in BLOCKS if block.language.startswith("{drawing}")]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_runs_and_gives_what_is_shown(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if page.name == "README.md":
        put_files_of_the_readme()
    pages.run(page)


def test_the_first_example_of_the_readme_takes_numpy_alone():
    """``fill=-1`` asked for ml_dtypes, which tests have and users need not."""
    example = next(block.text for block in BLOCKS if block.page.name == "README.md" and block.language == "python")
    extras = ["ml_dtypes", "jax", "tqdm", "zarr", "dask", "cairosvg"]
    code = f"import sys; sys.modules.update(dict.fromkeys({extras}))\n{example}"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def put_files_of_the_readme():
    """Its commands read files that a reader has."""
    x = np.random.default_rng(0).standard_normal((1000, 700)).astype("float32")
    for name in ("x.npy", "before.npy"):
        np.save(name, x)
    tl.pack(x, "{1,0:T(8,128)}").tofile("after.bin")
    save_file({"layer.weight": x, "layer.bias": x[0]}, "model.safetensors")
    Path("dump.txt").write_bytes((pages.ROOT / "tests/data/hlo/step_v5e.txt").read_bytes())


def test_the_readme_shows_what_is_drawn():
    """``tilelayout draw 'f32[3,5]{1,0:T(2,2)}' --to docs/_static/layout.svg`` draws it anew."""
    assert (DOCS / "_static/layout.svg").read_text() == tl.draw("f32[3,5]{1,0:T(2,2)}").svg


def test_every_command_is_in_the_table():
    table = [line for line in (DOCS / "command-line.md").read_text().splitlines() if line.startswith("| `")]
    named = [name for line in table for name in re.findall(r"`([a-z-]+)`", line.split("|")[1])]
    assert sorted(named) == sorted(DOES)


@pytest.mark.parametrize("block", DRAWN, ids=[block.where for block in DRAWN])
def test_every_drawing_is_drawn(block):
    options = dict(re.findall(r"^:(\w+): (.+)$", block.text, re.MULTILINE))
    shape = tuple(int(extent) for extent in options["shape"].split(",") if extent.strip()) if "shape" in options else None
    text = block.language.removeprefix("{drawing}").strip()
    for described in filter(None, (text, options.get("against"), options.get("compare"))):
        assert tl.draw(described, shape, color=options.get("color", "tile")).svg.startswith("<svg")


@pytest.mark.parametrize(
    "shown",
    [
        "```python\n1 + 1  # 3\n```",
        "```python\nprint(2)  # 3\n```",
        "```python\n(1, 2)  # 1, 3\n```",
        "```python\nint('x')  # 5\n```",
        "```python\nint('5')  # ValueError: ...\n```",
        "```python\nprint(2)\n```\n\n```text\n3\n```",
        "- in a list\n\n  ```python\n  1 + 1  # 3\n  ```",
        "```pycon\n>>> 1 + 1\n3\n```",
        "```pycon\n>>> 1 + 1\ntilelayout.errors.LayoutError: no\n```",
        "```text\nwhat nothing prints\n```",
        "```sh\ntilelayout index 'f32[3]' 1  # 2\n```",
        "```sh\ntilelayout nothing\n```",
        "```sh\nmake nothing\n```",
        "```sh\npip install '.[nothing]'\n```",
        "```sh\nrm -rf nothing\n```",
    ],
)
def test_what_does_not_hold_is_found(shown, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"{shown}\n")
    with pytest.raises((AssertionError, ValueError)):
        pages.run(page)


def test_excuses_are_few():
    assert len([block for block in BLOCKS if block.excuse]) <= 6


@pytest.mark.parametrize("text", sorted({text for page in PAGES for text in re.findall(r'`tl\.layout\("([^"]*)"\)', page.read_text())}))
def test_every_layout_in_the_prose_is_read(text):
    assert tl.layout(text).size > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_page_and_a_reference(language):
    page = DOCS / "languages" / f"{'presets' if language == 'preset' else language}.md"
    assert page.exists()
    assert (DOCS / "reference" / page.name).exists()


def test_every_public_name_is_in_the_reference():
    reference = "".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    directives = re.findall(r"^\.\. auto(\w+):: (?:([\w.]+)\.)?(\w+)$", reference, re.MULTILINE)
    named = {name for _, _, name in directives}
    for kind, room, name in directives:
        if kind == "module":
            named |= set(getattr(importlib.import_module(f"{room}.{name}"), "__all__", ()))
    assert set(tl.__all__) - {"__version__"} <= named


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("furo") is None, reason="needs the group docs: Sphinx, MyST-Parser, furo")
def test_the_pages_are_built_without_a_warning(tmp_path):
    command = [sys.executable, "-m", "sphinx", "-q", "-n", "-W", "--keep-going", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "index.html").read_text()
