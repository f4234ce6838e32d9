"""The commands that compare: two layouts, or an array and its buffer."""

from __future__ import annotations

from argparse import Namespace

from .. import files
from ..describe import facts
from ..difference import diff as diff_of
from ..inference import NotInferred
from ..inference import infer as layout_of
from ..notations import LANGUAGES
from .arguments import QUOTES, Commands, command, takes_input, takes_layout
from .conversions import spelling
from .output import say, say_json
from .words import sizes

_DIFF = f"""\
{QUOTES}

  tilelayout diff '{{1,0:T(8,128)}}' '{{1,0:T(4,128)}}' --shape 2,256 || echo no
  tilelayout diff 'f32[8,8]{{0,1}}' 'cute:(8,8):(1,8)' --json

The exit code is 1 if they differ.
"""

_INFER = """\
  tilelayout infer x.npy packed.npy
  tilelayout infer x.npy packed.bin --json

The layout is written in every notation that has words for it. Arrays of many different values tell most. The exit code is 1
if no layout is found that leads from the one to the other.
"""


def declare(commands: Commands) -> None:
    """Add these commands."""
    compares = command(commands, "diff", diff, _DIFF)
    takes_layout(compares, shape=False, name="a", metavar="A")
    takes_layout(compares, name="b", metavar="B")
    finds = command(commands, "infer", infer, _INFER)
    takes_input(finds, "before", "BEFORE.npy", "the array")
    takes_input(finds, "after", "AFTER", "the packed buffer: .npy, or the raw bytes under any other name")


def diff(options: Namespace) -> int:
    """Say where two layouts differ; the answer is no if they do."""
    found = diff_of(options.a, options.b, sizes(options))
    if options.json:
        sides = (("a", options.a, found.a), ("b", options.b, found.b))
        said = {name: {"layout": text, "shape": side.shape, "slots": side.slots} for name, text, side in sides}
        say_json({"equal": found.equal, **said, "first": found.first, "first_slots": found.first_slots, "count": found.count})
    else:
        say(str(found))
    return int(not found.equal)


def infer(options: Namespace) -> int:
    """Find a layout; the answer is no if there is none."""
    before, after = files.read(options.before), files.load(options.after)
    try:
        found = layout_of(before, after)
    except NotInferred as error:
        if options.json:
            say_json({"layout": None, "why_not": str(error)})
        else:
            say(str(error))
        return 1
    texts = {name: text for name in LANGUAGES if (text := spelling(found, name)[0])}
    if options.json:
        others = [facts(other) for other in found.alternatives]
        say_json({"layout": facts(found), "notations": texts, "is_unique": found.is_unique, "alternatives": others})
    else:
        say("\n".join([found.report(), *(f"{name}: {text}" for name, text in texts.items())]))
    return 0
