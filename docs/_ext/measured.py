"""The directive ``measured``: rows and columns of a table in ``bench/REPORT.md``, so that pages say what was measured.

    ```{measured} Pack and unpack, 64 MiB
    :columns: job, ours / copy, numpy
    :threads: 1

    pack A-f32
    pack CP-bf16
    ```

The argument is the heading above the table. Rows are named by their first cell.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

REPORT = Path(__file__).parents[2] / "bench" / "REPORT.md"

Row = dict[str, str]


class MeasuredDirective(SphinxDirective):
    """A table of measurements."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {"columns": directives.unchanged_required, "threads": directives.unchanged}  # noqa: RUF012 - docutils' own form

    def run(self) -> list[nodes.Node]:
        """The nodes of the page."""
        self.env.note_dependency(str(REPORT))
        columns = [name.strip() for name in self.options["columns"].split(",")]
        try:
            found = table(REPORT.read_text(), self.arguments[0])
            rows = [row_named(found, name.strip(), self.options.get("threads", "1")) for name in self.content if name.strip()]
            return [_table(columns, [[row[column] for column in columns] for row in rows])]
        except KeyError as error:
            raise self.error(f"bench/REPORT.md has no {error} under {self.arguments[0]!r}") from error


def table(report: str, heading: str) -> list[Row]:
    """The rows of the first table under a heading."""
    _, found, below = report.partition(f"\n## {heading}\n")
    if not found:
        raise KeyError(f"heading {heading}")
    lines = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("|")]
    names, _, *rows = (tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines)
    return [dict(zip(names, row, strict=True)) for row in rows]


def row_named(rows: Iterable[Row], name: str, threads: str) -> Row:
    """The row of a job with some number of threads."""
    for row in rows:
        if next(iter(row.values())) == name and row["threads"] == threads:
            return row
    raise KeyError(f"row {name}, {threads} thread(s)")


def _table(columns: list[str], rows: list[list[str]]) -> nodes.table:
    def entry(cell: str) -> nodes.entry:
        return nodes.entry("", nodes.paragraph("", cell), classes=["tl-number"] if cell[:1].isdigit() or cell == "-" else [])

    def line(cells: list[str]) -> nodes.row:
        return nodes.row("", *map(entry, cells))

    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in columns), cols=len(columns))
    group += nodes.thead("", line(columns))
    group += nodes.tbody("", *map(line, rows))
    return nodes.table("", group, classes=["tl-measured"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Enter the directive."""
    app.add_directive("measured", MeasuredDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
