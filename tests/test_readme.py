"""What the README shows is what happens."""

import re
from pathlib import Path

import numpy as np
import pytest

import tilelayout as tl
from tilelayout.cli import main

README = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def test_the_first_block_runs_and_says_what_its_comments_say():
    code = next(text for language, text in BLOCKS if language == "python")
    names: dict = {}
    for line in code.splitlines():
        statement, _, comment = line.partition("  #")
        exec(statement, names)
        if statement.startswith(("layout", "str(", "tl.pack(", "tl.xla.parse")) and " = " not in statement:
            value = eval(statement, names)
            told = ", ".join(map(repr, value)) if isinstance(value, tuple) else repr(value)
            assert "".join(comment.split()).startswith("".join(told.split())), line


def test_the_second_block_runs_and_says_what_its_comments_say():
    code = [text for language, text in BLOCKS if language == "python"][1]
    names = {"tl": tl, "np": np, "buffer": tl.pack(np.ones((3, 5)), "{1,0:T(2,2)}")}
    for line in code.splitlines():
        statement, _, comment = line.partition("  # ")
        if comment.startswith("NotExpressible"):
            with pytest.raises(tl.NotExpressible, match=re.escape(comment.split("... ")[1])):
                exec(statement, names)
            continue
        exec(statement, names)
        if statement.startswith("layout.to(") or "==" in statement:
            assert comment.startswith(repr(eval(statement, names)))


def test_the_errors_are_those_shown():
    shown = next(text for _, text in BLOCKS if text.startswith(">>> tl.layout("))
    names = {"tl": tl, "np": np, "layout": tl.layout("f32[3,5]{1,0:T(2,2)}")}
    examples = shown.split(">>> ")[1:]
    assert len(examples) == 3
    for example in examples:
        statement, printed = example.split("\n", 1)
        kind, message = printed.split(": ", 1)
        with pytest.raises(tl.LayoutError) as caught:
            exec(statement, names)
        assert type(caught.value).__name__ == kind.rsplit(".", 1)[1]
        assert str(caught.value).strip() == message.strip()


@pytest.mark.parametrize(
    ("arguments", "printed"), [(["index", "f32[3,5]{1,0:T(2,2)}", "2,3"], "17"), (["coords", "f32[3,5]{1,0:T(2,2)}", "17"], "2,3")]
)
def test_the_commands(arguments, printed, capsys):
    assert main(arguments) == 0
    assert capsys.readouterr().out.strip() == printed
    assert f"tilelayout {arguments[0]} '{arguments[1]}' {arguments[2]}" in README


@pytest.mark.parametrize("text", sorted(set(re.findall(r'(?<!>>> )tl\.layout\("([^"]*)"\)', README))))
def test_every_layout_shown_is_read(text):
    assert tl.layout(text).size > 0
