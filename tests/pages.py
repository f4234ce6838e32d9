"""Pages of documentation, as blocks that are run.

What a page shows is what happens:

* ``python`` blocks of a page are run in one namespace, in order. A comment behind an expression is its result, where it looks like one
  (a number, a quoted text, a bracket, ``True``, ``array(``, ``Layout(`` ...), or the error that it raises, ``ShapeError: ...``. It may go
  on in comments of its own below; further words may follow the result; ``...`` stands for anything.
* ``pycon`` blocks are examples as in docstrings; an error is shown by its last lines.
* ``sh`` blocks are commands. ``tilelayout`` is run, a target of ``make`` exists, and an extra that ``pip`` installs is declared.
* A block in another language is what the block above it prints.

A page is run in a folder of its own. ``<!-- file NAME: PATH -->`` puts a file of the repository there, and ``<!-- not run: REASON -->``
above a block says why it cannot be run.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import shlex
import textwrap
import tokenize
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tilelayout.cli import main

ROOT = Path(__file__).parents[1]
_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|:{3,})(?P<language>.*)$")
_MARK = re.compile(r"<!-- (not run|file ([^:]+)): (.+?) -->")
_RESULT = re.compile(r"[-\d'\"(\[{<]|(True|False|None)\b|array\(|[A-Z]\w*[(.]")
_ERROR = re.compile(r"([A-Z]\w+): (.*)", re.DOTALL)
_CHECKER = doctest.OutputChecker()


class Block(NamedTuple):
    """A fenced block of a page; ``excuse`` is why it is not run."""

    page: Path
    line: int
    language: str
    text: str
    excuse: str = ""

    @property
    def where(self) -> str:
        """Where the block stands."""
        return f"{os.path.relpath(self.page, ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order; those inside of directives too."""
    found, excuse, lines = [], "", page.read_text().splitlines()
    numbers = iter(range(len(lines)))
    for number in numbers:
        fence, mark = _FENCE.match(lines[number]), _MARK.match(lines[number])
        if mark and mark[1] == "not run":
            excuse = mark[3]
        elif fence and (fence["fence"][0] == "`" or fence["language"]):
            language = fence["language"].strip()
            if fence["fence"][0] == "`" or language.startswith("{drawing}"):
                body = []
                for inner in numbers:
                    if lines[inner].strip() == fence["fence"]:
                        break
                    body.append(lines[inner])
                text = textwrap.dedent("".join(f"{line}\n" for line in body))
                found.append(Block(page, number + 1, language, text, excuse))
            excuse = ""
    return found


def files(page: Path) -> dict[str, Path]:
    """The files that a page asks for, by the name that they have there."""
    return {name: ROOT / path for kind, name, path in _MARK.findall(page.read_text()) if kind != "not run"}


def is_directive(block: Block) -> bool:
    """Whether the block is for Sphinx."""
    return block.language.startswith("{")


def run(page: Path) -> None:
    """Run the blocks of a page, in the current folder."""
    for name, path in files(page).items():
        Path(name).write_bytes(path.read_bytes())
    names: dict[str, Any] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks(page):
        if is_directive(block) or block.excuse:
            printed = None if block.excuse else printed
        elif block.language == "python":
            printed = _python(block, names)
        elif block.language == "pycon" or (not block.language and block.text.startswith(">>> ")):
            printed = None
            for example in block.text.split(">>> ")[1:]:
                _example(block, example, names)
        elif block.language == "sh":
            printed = "".join(_command(block, line) for line in block.text.replace("\\\n", "").splitlines() if line.strip())
        else:
            assert printed is not None, f"{block.where} shows no output of the block above, and is not run"
            assert _agrees(block.text, printed), f"{block.where} shows\n{block.text}and what is printed is\n{printed}"
            printed = None


def _agrees(shown: str, printed: str) -> bool:
    lines = ["\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n" for text in (shown, printed)]
    return _CHECKER.check_output(*lines, doctest.ELLIPSIS)


def _python(block: Block, names: dict[str, Any]) -> str:
    """Run statements one by one, and compare what they give with the comments behind them; what else they print."""
    comments = _comments(block.text)
    printed = ""
    for statement in ast.parse(block.text).body:
        where = block._replace(line=block.line + statement.lineno).where
        comment = comments.get(statement.end_lineno or 0, "")
        error = _ERROR.match(comment)
        if (error and "Error" in error[1]) or comment.startswith(("NotExpressible: ", "NotInjective: ", "NotInferred: ")):
            raised = _raised(ast.unparse(statement), names)
            assert _agrees(comment, raised), f"{where} shows {comment}, and it is {raised}"
            continue
        with contextlib.redirect_stdout(io.StringIO()) as out:
            value = _value(statement, names, where)
        if not (isinstance(statement, ast.Expr) and (_RESULT.match(comment) or (out.getvalue() and comment))):
            printed += out.getvalue()
        else:
            told = [out.getvalue()] if out.getvalue() else _written(value)
            assert any(_begins(comment, text) for text in told), f"{where} shows {comment}, and it is {told[0]}"
    return printed


def _written(value: Any) -> list[str]:
    """How a value may be written: a tuple without parentheses too, and one of numpy's numbers as Python's."""
    if type(value) is tuple:
        parts = ", ".join(_written(part)[0] for part in value)
        return [f"({parts})", parts, repr(value)]
    return [repr(value.item()) if isinstance(value, np.generic) else repr(value)]


def _value(statement: ast.stmt, names: dict[str, Any], where: str) -> Any:
    if isinstance(statement, ast.Expr):
        return eval(compile(ast.Expression(statement.value), where, "eval"), names)
    return exec(compile(ast.Module([statement], []), where, "exec"), names)


def _begins(comment: str, told: str) -> bool:
    """Whether a comment begins with a result, whatever the spaces, and goes on with other words or not at all."""
    shown, result = "".join(comment.split()), "".join(told.split())
    if "..." in shown:
        return _agrees(shown, result)
    return shown.startswith(result) and not shown[len(result) : len(result) + 1].isalnum()


def _comments(code: str) -> dict[int, str]:
    """Comments by the line that they stand behind, with those below that go on."""
    found: dict[int, str] = {}
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, alone = token.start[0], not token.line[: token.start[1]].strip()
        text = token.string.removeprefix("#").strip()
        if not alone:
            found[line] = text
            last = line
        elif last and line == last + 1 + found[last].count("\n"):
            found[last] += f"\n{text}"
    return found


def _raised(statement: str, names: dict[str, Any]) -> str:
    try:
        exec(statement, names)
    except Exception as error:  # whichever it is, it is compared
        return f"{type(error).__name__}: {error}"
    return "no error"


def _example(block: Block, example: str, names: dict[str, Any]) -> None:
    """A statement behind ``>>>``, and what is shown below it."""
    statement, _, shown = example.partition("\n")
    while shown.startswith("... "):
        line, _, shown = shown[4:].partition("\n")
        statement += f"\n{line}"
    error = re.match(r"([\w.]+\.)?(\w+): ", shown)
    if error and not shown.startswith("array"):
        assert _agrees(shown[len(error[1] or "") :], _raised(statement, names)), f"{block.where}: {statement}"
        return
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(statement, block.where, "single"), names)
    assert _agrees(shown, out.getvalue()), f"{block.where}: {statement}\nprints\n{out.getvalue()}"


def _command(block: Block, line: str) -> str:
    """Run a command; what it prints."""
    words = shlex.split(line, comments=True)
    if not words:
        return ""
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"{block.where}: {line}"
        return ""
    if words[:2] == ["pip", "install"]:
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        asked = re.fullmatch(r"(?:\.|tilelayout)(?:\[(.+)\])?", words[2])
        assert asked and set((asked[1] or "").split(",")) - {""} <= set(extras), f"{block.where}: {line}"
        return ""
    assert words[0] == "tilelayout", f"{block.where}: {words[0]} is not run here; mark the block, or show a command of the library"
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        code = main(words[1:])
    assert code in (0, 1) and not err.getvalue(), f"{block.where}: {line}\n{err.getvalue()}"
    comment = line.partition("  # ")[2].strip()
    if _RESULT.match(comment):
        assert _begins(comment, out.getvalue()), f"{block.where}: {line} prints {out.getvalue()}"
    return out.getvalue()
