"""The commands that answer from a layout alone: show, index, coords."""

from __future__ import annotations

from argparse import Namespace

import numpy as np

from ..describe import counted, explain, facts
from ..digits import Layout
from ..errors import CoordinateError
from ..tables import contents, coordinate_text
from .arguments import QUOTES, Commands, command, takes_layout
from .output import say, say_json
from .words import described, integer, integers, lines_of

_SHOW = f"""\
{QUOTES}

  tilelayout show 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout show 'f32[3,5]{{1,0:T(2,2)}}' --element 0,4
  tilelayout show '{{1,0:T(8,128)(2,1)}}' --shape 16,256 --json
"""

_INDEX = f"""\
{QUOTES}

  tilelayout index 'f32[3,5]{{1,0:T(2,2)}}' 2,3 0,4
  echo 2,3 | tilelayout index '{{1,0:T(2,2)}}' --shape 3,5 -

The exit code is 2 if any coordinate lies outside the shape.
"""

_COORDS = f"""\
{QUOTES}

  tilelayout coords 'f32[3,5]{{1,0:T(2,2)}}' 17 8

A slot that holds no element prints 'padding', and makes the exit code 1.
"""


def declare(commands: Commands) -> None:
    """Add these commands."""
    asks = command(commands, "show", show, _SHOW)
    takes_layout(asks)
    asks.add_argument("--element", metavar="COORD", help="the element that serves as the example, such as 2,3")
    asks = command(commands, "index", index, _INDEX)
    takes_layout(asks)
    asks.add_argument("coordinates", metavar="COORD", nargs="+", help="such as 2,3; - reads them from standard input, one a line")
    asks = command(commands, "coords", coords, _COORDS)
    takes_layout(asks)
    asks.add_argument("slots", metavar="SLOT", nargs="+", help="such as 17; - reads them from standard input, one a line")


def show(options: Namespace) -> int:
    """Say what a layout means."""
    layout = described(options)
    if options.json:
        say_json({"layout": options.layout, **facts(layout)})
    else:
        say(explain(layout, options.layout, None if options.element is None else _coordinates(options.element, layout)))
    return 0


def index(options: Namespace) -> int:
    """Print the slot of each coordinate."""
    layout = described(options)
    asked = [_coordinates(word, layout) for word in lines_of(options.coordinates)]
    slots = layout.index(asked or np.empty((0, layout.ndim), np.int64)).tolist()
    if options.json:
        say_json({"coordinates": asked, "slots": slots})
    elif slots:
        say("\n".join(map(str, slots)))
    return 0


def coords(options: Namespace) -> int:
    """Print the element in each slot; the answer is no if any holds none."""
    layout = described(options)
    slots = [integer(word, "slot") for word in lines_of(options.slots)]
    answers = contents(layout, slots)
    if options.json:
        say_json({"slots": slots, "coordinates": answers})
    elif answers:
        say("\n".join("padding" if x is None else coordinate_text(x) for x in answers))
    return int(None in answers)


def _coordinates(word: str, layout: Layout) -> tuple[int, ...]:
    coordinates = integers(word, "coordinates")
    if len(coordinates) != layout.ndim:
        raise CoordinateError(
            f"{coordinate_text(coordinates)} has {counted(len(coordinates), 'coordinate')}, and the layout is of shape "
            f"{coordinate_text(layout.shape)}; it takes {layout.ndim}, such as {coordinate_text((0,) * layout.ndim)}"
        )
    return coordinates
