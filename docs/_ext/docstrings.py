"""Docstrings and signatures as they stand in the source.

What follows the heading *Parameters* is a definition list, and what follows that is prose. Annotations are shown as they are written, so a
signature says ``LayoutLike`` and not what that stands for; a name in one is looked up where it is used, and then among all.
"""

from __future__ import annotations

import inspect
import operator
import re
import sys
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

_NAME = re.compile(r"[A-Za-z_][\w.]*")


class Written(str):
    """An annotation that prints without quotation marks."""

    __slots__ = ()
    __repr__ = str.__str__


def as_written(annotation: Any, module: str) -> Any:
    """An annotation of a module, so that a signature prints it as it is written, with the library's classes under their full names."""

    def full(match: re.Match[str]) -> str:
        try:
            meant = operator.attrgetter(match[0])(sys.modules[module])
        except AttributeError:
            return match[0]
        ours = isinstance(meant, type) and meant.__module__.startswith("tilelayout")
        return f"{meant.__module__}.{meant.__qualname__}" if ours else match[0]

    text = getattr(annotation, "__forward_arg__", annotation)
    return Written(_NAME.sub(full, text)) if isinstance(text, str) else annotation


def signature(app: Sphinx, what: str, name: str, obj: Any, *_: Any) -> tuple[str, str] | None:
    """The signature of a function or class, with annotations as they are written."""
    if what not in ("function", "class", "method"):
        return None
    try:
        found = inspect.signature(obj)
    except (TypeError, ValueError):
        return None
    listed = list(found.parameters.values())
    if what == "method" and listed and listed[0].name == "self":
        del listed[0]
    plain = [parameter.replace(annotation=as_written(parameter.annotation, obj.__module__)) for parameter in listed]
    back = as_written(found.return_annotation, obj.__module__) if what != "class" else ""
    return str(inspect.Signature(plain)), back if isinstance(back, str) else ""


def headings(*event: Any) -> None:
    """Make rubrics of underlined headings, which RST does not allow inside of descriptions; what Python says of a field tells nothing."""
    lines: list[str] = event[-1]
    if lines[:1] and lines[0].startswith("Alias for field number"):
        lines.clear()
    for number in range(len(lines) - 1, 0, -1):
        if lines[number] and not lines[number].strip("-") and len(lines[number]) == len(lines[number - 1]):
            lines[number - 1 : number + 1] = [f".. rubric:: {lines[number - 1]}", ""]


def elsewhere(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element) -> nodes.reference | None:
    """The object of another module that a name in a signature means, if there is one only."""
    room, _, name = node.get("reftarget", "").rpartition(".")
    if node.get("refdomain") != "py" or (room and not room.startswith("tilelayout")):
        return None
    found = {(entry.docname, entry.node_id) for full, entry in env.domains.python_domain.objects.items() if full.rpartition(".")[2] == name}
    if len(found) != 1:
        return None
    page, anchor = found.pop()
    return make_refnode(app.builder, node["refdoc"], page, anchor, content)


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc."""
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", headings)
    app.connect("missing-reference", elsewhere)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
