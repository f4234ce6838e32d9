"""The directive ``drawing``: a layout's picture, made when the pages are built.

    ```{drawing} {1,0:T(2,2)}
    :shape: 3,5

    Words that stand beside it.
    ```

The picture is part of the page, so that its text can be searched and selected. Its colours come from one style sheet for all, which
follows the theme that is chosen on the page, where the picture alone could only follow the system.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import tilelayout as tl
from tilelayout.cli.words import region
from tilelayout.drawing.palette import ROLES

STYLES = "drawings.css"
_STYLE = re.compile(r"<style>.*?</style>\n", re.DOTALL)
_numbers = itertools.count()


def numbers(text: str) -> tuple[int, ...]:
    """Integers between commas, as a shape is written in an option."""
    return tuple(int(word) for word in text.split(",") if word.strip())


class DrawingDirective(SphinxDirective):
    """A layout, drawn; with words beside the picture if it has content."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {  # noqa: RUF012 - docutils' own form
        "shape": numbers,
        "color": directives.unchanged,
        "label": directives.unchanged,
        "region": region,
        "most": int,
        "against": directives.unchanged,
        "compare": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """The nodes of the page."""
        try:
            drawing = drawn(self.arguments[0], self.options)
        except tl.LayoutError as error:
            raise self.error(str(error)) from error
        picture = nodes.container(classes=["tl-drawing"])
        picture += nodes.raw("", embedded(drawing.svg), format="html")
        picture += nodes.raw("", f"\n{drawing}\n", format="text")
        if not self.content:
            return [picture]
        words = nodes.container(classes=["tl-words"])
        words += nodes.paragraph("", "", nodes.literal("", self.arguments[0], classes=["tl-written"]))
        words += self.parse_content_to_nodes()
        return [nodes.container("", words, picture, classes=["tl-construct"])]


def drawn(text: str, options: dict[str, Any]) -> tl.Drawing:
    """The drawing that a directive asks for."""
    asked = {name: options[name] for name in ("shape", "color", "label", "region", "most") if name in options}
    if "compare" in options:
        return tl.drawing.compare(text, options["compare"], **asked)
    return tl.draw(text, against=options.get("against"), **asked)


def embedded(svg: str) -> str:
    """A drawing for a page that has others: without a style sheet of its own, and its pattern under a name of its own."""
    pattern = f"tl-pattern-{next(_numbers)}"
    return _STYLE.sub("", svg).replace('id="tl-hatch"', f'id="{pattern}"').replace("url(#tl-hatch)", f"url(#{pattern})")


def style_sheet() -> str:
    """The colours of all drawings in the dark, chosen by the reader or by the system; the paper is the page's."""
    painted = [(name, role) for name, role in ROLES.items() if name != "paper"]

    def rules(scope: str) -> str:
        return "\n".join(f"{scope} svg .tl-{name}, {scope} svg.tl-{name} {{ {role.attribute}: {role.dark} }}" for name, role in painted)

    chosen, by_system = rules('body[data-theme="dark"]'), rules('body:not([data-theme="light"])')
    return f"{chosen}\n@media (prefers-color-scheme: dark) {{\n{by_system}\n}}\n"


def write_styles(app: Sphinx) -> None:
    """Put the style sheet where the pages look for it."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STYLES).write_text(style_sheet())


def setup(app: Sphinx) -> dict[str, Any]:
    """Enter the directive."""
    app.add_directive("drawing", DrawingDirective)
    app.add_css_file(STYLES)
    app.connect("builder-inited", write_styles)
    return {"version": tl.__version__, "parallel_read_safe": True, "parallel_write_safe": True}
