"""Pages to explore layouts with: one HTML file each, which needs no network.

``page`` puts a file together from ``facts``, which says what Python knows of a layout, and from the style and the scripts beside it.
"""

from .page import Page, explore

__all__ = ["Page", "explore"]
