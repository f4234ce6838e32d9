"""The command that draws: draw."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Namespace

from ..drawing import Drawing, compare
from ..drawing import draw as picture_of
from .arguments import QUOTES, Commands, command, takes_layout
from .output import say, say_json
from .words import integer, region, sizes

_DRAW = f"""\
{QUOTES}

  tilelayout draw 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout draw 'f32[3,5]{{1,0:T(2,2)}}' --to tiles.svg
  tilelayout draw 'S<2,0,3> o 0 o (8,8):(8,1)' --color slot%4
  tilelayout draw '{{1,0}}' --shape 4,8 --beside '{{1,0:T(2,2)}}'
  tilelayout draw '((8,2),(2,4)):((4,64),(32,1))' --color slot%32 --label 'T{{slot%32}} V{{slot//32}}'

Text is as wide as the terminal, and coloured on terminals, unless NO_COLOR is set.
PNG and PDF need the viz extra: pip install 'tilelayout[viz]'.
"""


def declare(commands: Commands) -> None:
    """Add this command."""
    draws = command(commands, "draw", draw, _DRAW)
    takes_layout(draws)
    draws.add_argument("--to", metavar="FILE", help="write FILE.svg, FILE.png or FILE.pdf; without, the drawing is printed as text")
    draws.add_argument("--text", action="store_true", help="print the text as well as writing a file")
    draws.add_argument(
        "--color", metavar="BY", default="tile", help="tile, none, or what to colour by: x1//2, x0//2%%4, slot%%8 (default tile)"
    )
    draws.add_argument("--label", metavar="TEXT", help="what stands in the cells instead of slots, such as 'T{slot%%32} V{slot//32}'")
    draws.add_argument("--region", metavar="BOX", help="the elements to look at, such as 1:,2:4; others are pale, or left blank in text")
    draws.add_argument("--most", metavar="N", help="the most coordinates along a side, 8 to 256 (default 16)")
    other = draws.add_mutually_exclusive_group()
    other.add_argument("--against", metavar="LAYOUT", help="mark the elements that have another slot in this layout")
    other.add_argument("--beside", metavar="LAYOUT", help="draw this layout to the right, in the colours of the first")


def draw(options: Namespace) -> int:
    """Draw a layout, in a file or as text."""
    picture = _picture(options)
    if options.to is not None:
        picture.save(options.to)
    if options.json:
        say_json({"layout": options.layout, "out": options.to, "text": picture.text()})
    elif options.text or options.to is None:
        columns = {"columns": shutil.get_terminal_size().columns} if _is_terminal() else {}
        say(picture.text(color=_has_colors(), ascii_only=not _can_say("┏━·×"), **columns))
    else:
        say(f"drew {options.layout} in {options.to}")
    return 0


def _picture(options: Namespace) -> Drawing:
    shape = sizes(options)
    box = None if options.region is None else region(options.region)
    most = None if options.most is None else integer(options.most, "number of coordinates")
    if options.beside is not None:
        return compare(options.layout, options.beside, shape, color=options.color, label=options.label, region=box, most=most)
    return picture_of(options.layout, shape, color=options.color, label=options.label, region=box, against=options.against, most=most)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _has_colors() -> bool:
    """Whether standard output is a terminal that shows colours, and whoever reads it has not declined them (no-color.org)."""
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _can_say(text: str) -> bool:
    try:
        text.encode((sys.stdout and sys.stdout.encoding) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
