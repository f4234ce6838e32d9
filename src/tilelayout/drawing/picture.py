"""``draw`` and ``compare``, and the drawings that they make.

What draws is imported where it is used, so that importing the library stays quick.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..cached import cached_property
from ..digits import Layout
from ..errors import LayoutError, shown
from ..notations import LayoutLike
from ..notations import layout as as_layout
from ..regions import RegionLike
from ..relayouts import bound
from ..sizes import integer
from ..tables import coordinate_text
from .coloring import ColorLike
from .lines import WIDEST

if TYPE_CHECKING:
    from .scene import Scene

#: The most that is shown of what the layout was written as.
LONGEST_TITLE = 100


class Drawing:
    """A picture of a layout, or of two side by side; ``draw`` and ``compare`` make them. Notebooks show it, ``str`` is its text."""

    def __init__(self, scenes: tuple[Scene, ...]) -> None:
        self.scenes = scenes

    def __repr__(self) -> str:
        return f"<Drawing of {' and '.join(scene.title for scene in self.scenes)}>"

    @cached_property
    def svg(self) -> str:
        """The picture as the text of an SVG file, which follows the reader's choice of light or dark."""
        from .svg import svg  # noqa: PLC0415

        return svg(self.scenes)

    def text(self, *, color: bool = False, ascii_only: bool = False, columns: int = WIDEST) -> str:
        """The picture as lines of text, with the colours of terminals or without, and no wider than so many columns where that can be.

        >>> print(draw("u8[3]{0:T(2)}").text(ascii_only=True))
        u8[3]{0:T(2)}
        3 elements of uint8 in 4 slots, of which 1 is padding (25%)
        slot = 2*(x0 // 2) + (x0 % 2)
        <BLANKLINE>
         x0   0   1    2   3
           +========+========+
           |  0   1 |  2  .3 |
           +========+========+
        <BLANKLINE>
        slot
           0|  0    1 |  2   .. | byte 0
        <BLANKLINE>
        colours: tile x0//2
        .. and . padding
        """
        from .terminal import text  # noqa: PLC0415

        if (integer(columns) or 0) < 1:
            raise LayoutError(f"columns={shown(columns)} is no width of a text; it is a number of characters, 1 or more")
        return text(self.scenes, color=color, ascii_only=ascii_only, columns=columns)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all; the name says in which format: ``.svg``, or ``.png`` and ``.pdf`` with the ``viz`` extra.

        Raises ``LayoutError`` for another name and where the extra is missing, ``FileError`` for a file that cannot be written.
        """
        from .export import save  # noqa: PLC0415

        save(self.svg, path)

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg


def draw(
    layout: LayoutLike,
    shape: Sequence[int] | None = None,
    *,
    color: ColorLike = "tile",
    label: str | None = None,
    region: RegionLike | None = None,
    against: LayoutLike | None = None,
    most: int | None = None,
) -> Drawing:
    """The picture of a layout: the array with the slot of each element, and the memory with what each slot holds.

    >>> drawing = draw("f32[3,5]{1,0:T(2,2)}")
    >>> drawing.svg.startswith("<svg"), "37.5%" in drawing.text()
    (True, True)

    Arrays of more than two axes are drawn in panels, at most 12. Of large ones the first and last coordinates of rows and columns are kept,
    those at the first and last border between the largest tiles, the padding next to the array, the ends of the region, and one of each
    tile where there is room; of the memory the first and the last row, and of those with the first element of the second tile and the
    last element along each axis as many as there is room for. What is left out is said. Text has fewer columns than SVG where they would
    not fit in 110 characters, or as many as ``Drawing.text`` is told; on terminals ``tilelayout draw`` takes the width that there is.

    Parameters
    ----------
    color
        ``"tile"``, ``"none"``, a ``Digit``, or a quotient and remainder to colour by: ``"x1//2"``, ``"x0//2%4"``, ``"slot%8"``.
    label
        What stands in the cells instead of slots: words with such quotients in braces, as in ``"T{slot%32} V{slot//32}"``.
    region
        A box to look at, as numpy indexes it; the other elements are pale.
    against
        A layout of the same shape; the elements that it has in another slot are marked. One of the two that has sizes is enough.
    most
        The most coordinates along a side and the most rows of memory, 8 to 256. Without it, 16; and 24 of an array of one axis.
    """
    from .coloring import coloring  # noqa: PLC0415
    from .scene import Scene  # noqa: PLC0415
    from .view import Other, view  # noqa: PLC0415

    if against is None:
        drawn, other = as_layout(layout, shape), None
    else:
        drawn, compared = bound(layout, against, shape)
        other = Other(compared, "the other layout" if isinstance(against, Layout) else title_of(against, compared))
    looked_at = view(drawn, coloring(drawn, color), label=label, region=region, against=other, most=most)
    return Drawing((Scene(drawn, title_of(layout, drawn), looked_at),))


def compare(
    before: LayoutLike,
    after: LayoutLike,
    shape: Sequence[int] | None = None,
    *,
    color: ColorLike = "tile",
    label: str | None = None,
    region: RegionLike | None = None,
    most: int | None = None,
) -> Drawing:
    """The pictures of two layouts of one shape side by side; the parameters are those of ``draw``.

    >>> compare("{1,0}", "{0,1}", (2, 2)).svg.count("memory, slot by slot")
    2

    Every element has the colour that it has in the first, so one sees where its tiles go. In the second the elements that lie in
    another slot are marked. Of large arrays the same elements are drawn, and in the second the ends of its padding besides.
    """
    from .coloring import coloring  # noqa: PLC0415
    from .scene import Scene  # noqa: PLC0415
    from .view import Other, view  # noqa: PLC0415

    first, second = bound(before, after, shape)
    rule = coloring(first, color)
    one = view(first, rule, label=label, region=region, against=None, most=most)
    title = title_of(before, first)
    called = Other(first, "the first layout" if isinstance(before, Layout) else title)
    scene = Scene(first, title, one)
    other = view(second, rule, label=label, region=region, against=called, most=most)._replace(like=scene)
    return Drawing((scene, Scene(second, title_of(after, second), other)))


def title_of(described: LayoutLike, layout: Layout) -> str:
    """What the layout was written as."""
    if isinstance(described, Layout):
        return f"layout of shape {coordinate_text(layout.shape)}"
    words = " ".join("".join(c if c.isprintable() else " " for c in str(described)).split())
    return words if len(words) <= LONGEST_TITLE else f"{words[:LONGEST_TITLE]}…"
