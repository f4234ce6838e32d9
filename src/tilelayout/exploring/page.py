"""``explore``, and the page that it makes: the template, the style, the scripts and what is said of the layout, in one file."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from ..cached import cached_property
from ..drawing.palette import ROLES
from ..drawing.picture import title_of
from ..files import replacing
from ..files.errors import checked_ending
from ..notations import LayoutLike
from ..notations import layout as as_layout
from ..relayouts import bound
from .facts import element_types, facts

ENDINGS = (".html", ".htm")
#: The scripts in the order in which they build upon each other.
SCRIPTS = (
    *("digits", "inverse", "moves", "joining"),
    *("cursor", "xla", "cute", "morello", "strides", "reading"),
    *("formula", "recipe", "colors", "difference", "sheets", "steps"),
    *("overview", "board", "details", "pane", "walk", "main"),
)


class Page:
    """A page to explore a layout with; ``explore`` makes it. Notebooks show it."""

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    def __repr__(self) -> str:
        return f"<Page of {self._told['first']['title']}>"

    @cached_property
    def html(self) -> str:
        """The page as the text of an HTML file, which follows the reader's choice of light or dark and loads nothing."""
        style, script = _style(), _script()
        return Template(_asset("page.html")).substitute(
            title=html.escape(self._told["first"]["title"]),
            style=style,
            script=script,
            style_hash=_hashed(style),
            script_hash=_hashed(script),
            data=_embedded(self._told),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file whose name ends in ``.html``, whole or not at all.

        Raises ``LayoutError`` for another name, ``FileError`` for a file that cannot be written.
        """
        checked_ending(path, ENDINGS, "a page")
        with replacing(path) as file:
            file.write(self.html.encode())

    def _repr_html_(self) -> str:
        style = "width: 100%; height: 48rem; border: 0"
        return f'<iframe srcdoc="{html.escape(self.html)}" style="{style}" title="tilelayout explore"></iframe>'


def explore(layout: LayoutLike, shape: Sequence[int] | None = None, *, compare: LayoutLike | None = None) -> Page:
    """The page to explore a layout with, in one HTML file that loads nothing.

    >>> page = explore("f32[3,5]{1,0:T(2,2)}")
    >>> page.html.startswith("<!doctype html>")
    True

    It shows the array with the slot of each element, and the memory with what each slot holds; the element that is pointed at, or
    reached by keyboard, is marked in both, and its slot worked out digit by digit. It goes through the pads, reshapes and transposes
    that the layout is, where it is made of such (``tl.recipe``). Another layout for arrays of the same shape is typed there, or given as
    ``compare``, to see both side by side, the elements marked that lie in another slot.

    ``shape`` gives the extents for a description that has none. Raises ``ShapeError`` where the layouts are for different shapes, and for
    numbers beyond 2**53 - 1, up to which the page counts exactly.
    """
    if compare is None:
        first, second = as_layout(layout, shape), None
    else:
        first, other = bound(layout, compare, shape)
        second = facts(other, title_of(compare, other))
    return Page({"first": facts(first, title_of(layout, first)), "second": second, "types": element_types()})


@cache
def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


@cache
def _script() -> str:
    return "\n".join(_asset(f"script/{name}.js") for name in SCRIPTS)


@cache
def _style() -> str:
    """The style, after the colours of drawings in light and in dark."""
    light = "".join(f"--{name}:{role.light};" for name, role in ROLES.items())
    dark = "".join(f"--{name}:{role.dark};" for name, role in ROLES.items())
    fills = "".join(f".{name}{{--fill:var(--{name})}}" for name in ROLES if name.startswith("c") and name != "cell")
    return f":root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}{fills}\n{_asset('style.css')}"


def _hashed(text: str) -> str:
    """How a content security policy names an inline style or script, so that no other is run."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _embedded(told: object) -> str:
    """JSON that no HTML parser takes for anything but text."""
    return json.dumps(told).replace("<", "\\u003c")
