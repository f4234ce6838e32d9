"""Drawings of layouts, as SVG and as text: ``draw`` one, or ``compare`` two.

``scene`` says what there is to draw; ``svg`` and ``terminal`` draw it.
"""

from .picture import Drawing, compare, draw

__all__ = ["Drawing", "compare", "draw"]
