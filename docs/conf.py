"""How Sphinx builds these pages: ``make docs``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import tilelayout

project = "tilelayout"
author = copyright = "The tilelayout developers"
version = release = tilelayout.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "docstrings", "drawing", "measured"]
exclude_patterns = ["_ext"]

nitpicky = True
#: Names of the standard library and of numpy, and type variables, which have no page here.
FOREIGN = (
    "Any|BufferedIOBase|Callable|Iterable|Iterator|L|Literal|Mapping|Path|Sequence|T|"
    r"(collections|dask|np|npt|numpy|os|types|typing)\..*"
)
#: What only the library itself makes and takes.
INTERNAL = (
    r"Encoding|Numbered|Offsets|Result|Scene|tilelayout\._kernels\.calls\.Calls|"
    r"tilelayout\.notations\.(blocked\.Blocked|mlir\.linear\.Linear|triton\.attribute\.Distributed)"
)
nitpick_ignore_regex = [("py:(class|exc|obj)", f"({FOREIGN}|{INTERNAL})")]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.strikethrough"]

html_theme = "furo"
html_title = "tilelayout"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_theme_options = {"navigation_with_keys": True}
html_copy_source = False

highlight_language = "none"
pygments_style = "friendly"
pygments_dark_style = "github-dark"

add_module_names = False
python_use_unqualified_type_names = True
autodoc_member_order = "bysource"
autoclass_content = "class"
