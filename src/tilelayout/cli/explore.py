"""The command that makes a page to explore a layout with: explore."""

from __future__ import annotations

from argparse import Namespace

from ..exploring import explore as page_of
from .arguments import QUOTES, Commands, command, takes_layout
from .output import say, say_json
from .words import sizes

_EXPLORE = f"""\
{QUOTES}

  tilelayout explore 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout explore 'bf16[4096,512]{{1,0:T(8,128)(2,1)}}' --to tiles.html
  tilelayout explore '[1, 0, 1 p(4)]' --shape 6,8 --compare '{{1,0:T(6,4)}}'

The page is one file that any browser opens without a network: point at an element or a slot, go through the steps, type another layout.
"""


def declare(commands: Commands) -> None:
    """Add this command."""
    explores = command(commands, "explore", explore, _EXPLORE)
    takes_layout(explores)
    explores.add_argument("--compare", metavar="LAYOUT", help="a layout of the same shape to show beside it, in any language")
    explores.add_argument("--to", metavar="FILE", default="layout.html", help="the file to write (default layout.html)")


def explore(options: Namespace) -> int:
    """Write the page."""
    page_of(options.layout, sizes(options), compare=options.compare).save(options.to)
    if options.json:
        say_json({"layout": options.layout, "compare": options.compare, "out": options.to})
    else:
        say(f"wrote {options.to}; open it in a browser")
    return 0
