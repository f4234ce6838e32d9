"""The commands that say a layout in another way: convert, formula, recipe."""

from __future__ import annotations

from argparse import Namespace

from ..digits import Layout
from ..errors import NotExpressible
from ..formulas import LANGUAGES as PROGRAMS
from ..formulas import formula as formula_of
from ..notations import LANGUAGES
from ..recipes import recipe as recipe_of
from .arguments import QUOTES, Commands, command, takes_layout
from .output import say, say_json, say_rows
from .words import described

_CONVERT = f"""\
{QUOTES}

  tilelayout convert 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout convert '{{1,0:T(8,128)}}' --shape 16,256 --to cute

Without --to, every notation is tried. The exit code is 1 if none that was tried has words for the layout.
"""

_FORMULA = f"""\
{QUOTES}

  tilelayout formula 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout formula '{{1,0:T(8,128)}}' --shape 16,256 --language cuda

The formula is of coordinates inside the shape, and gives slots: multiply by the bytes of an element for bytes.
"""

_RECIPE = f"""\
{QUOTES}

  tilelayout recipe 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout recipe '{{1,0:T(8,128)(2,1)}}' --shape 16,256 --code

The exit code is 1 if pads, reshapes and transposes cannot say the layout.
"""


def declare(commands: Commands) -> None:
    """Add these commands."""
    converts = command(commands, "convert", convert, _CONVERT)
    takes_layout(converts)
    converts.add_argument("--to", metavar="NOTATION", choices=sorted(LANGUAGES), help=f"one of {', '.join(sorted(LANGUAGES))}")
    writes = command(commands, "formula", formula, _FORMULA)
    takes_layout(writes)
    writes.add_argument(
        "--language", metavar="L", choices=list(PROGRAMS), default="python", help=f"one of {', '.join(PROGRAMS)} (default python)"
    )
    steps = command(commands, "recipe", recipe, _RECIPE)
    takes_layout(steps)
    steps.add_argument("--code", action="store_true", help="print numpy code that packs and unpacks")


def convert(options: Namespace) -> int:
    """Write a layout in one notation, or in all that have words for it; the answer is no if there are none."""
    layout = described(options)
    names = [options.to] if options.to else list(LANGUAGES)
    told = {name: spelling(layout, name) for name in names}
    if options.json:
        say_json({"layout": options.layout, "notations": {name: {"text": text, "why_not": why} for name, (text, why) in told.items()}})
    elif options.to:
        say(next(text or why or "" for text, why in told.values()))
    else:
        say_rows([(name, text or f"cannot: {why}") for name, (text, why) in told.items()])
    return int(all(text is None for text, _ in told.values()))


def formula(options: Namespace) -> int:
    """Write the slot of an element in some language."""
    text = formula_of(described(options), options.language)
    if options.json:
        say_json({"layout": options.layout, "language": options.language, "formula": text})
    else:
        say(text)
    return 0


def recipe(options: Namespace) -> int:
    """Say the pads, reshapes and transposes; the answer is no if there are none."""
    try:
        found = recipe_of(described(options))
    except NotExpressible as error:
        if options.json:
            say_json({"layout": options.layout, "steps": None, "why_not": str(error)})
        else:
            say(str(error))
        return 1
    if options.json:
        steps = [step._asdict() for step in found.steps]
        say_json({"layout": options.layout, "steps": steps, "words": str(found), "code": found.code()})
    elif options.code:
        say(found.code())
    else:
        say(str(found))
    return 0


def spelling(layout: Layout, notation: str) -> tuple[str | None, str | None]:
    """The layout in a notation, or why it has no words for it."""
    try:
        return layout.to(notation), None
    except NotExpressible as error:
        return None, str(error)
