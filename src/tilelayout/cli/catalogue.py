"""The command that lists well-known layouts: presets."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from .. import presets as known
from ..describe import explain, facts
from ..errors import LayoutError
from ..presets import Preset
from ..tables import coordinate_text
from .arguments import Commands, command
from .output import say, say_json, say_rows
from .words import sizes

_PRESETS = """\
  tilelayout presets
  tilelayout presets awq_int4
  tilelayout presets awq_int4 --shape 4,16

A preset goes wherever a layout goes, as 'preset:awq_int4'.
"""


def declare(commands: Commands) -> None:
    """Add this command."""
    lists = command(commands, "presets", presets, _PRESETS)
    lists.add_argument("name", metavar="NAME", nargs="?", help="a preset, such as awq_int4; without, all are listed")
    lists.add_argument("--shape", metavar="N,N", help="also say what it means for an array of these sizes")


def presets(options: Namespace) -> int:
    """List the presets, or say what one is."""
    if options.name is None:
        if options.shape is not None:
            raise LayoutError(f"--shape {options.shape} is for one preset; name it, as in tilelayout presets awq_int4 --shape 4,16")
        listed = [known.get(name) for name in known.names()]
        if options.json:
            say_json([_facts(preset) for preset in listed])
        else:
            say_rows([(preset.name, preset.summary) for preset in listed])
        return 0
    preset, shape = known.get(options.name), sizes(options)
    bound = None if shape is None else preset.bind(shape)
    if options.json:
        say_json({**_facts(preset), "layout": bound and facts(bound)})
        return 0
    say_rows(list(_facts_in_words(preset).items()))
    if bound is not None:
        say(f"\n{explain(bound, f'{preset} of shape {coordinate_text(bound.shape)}')}")
    return 0


def _facts(preset: Preset) -> dict[str, Any]:
    return {
        "name": preset.name,
        "summary": preset.summary,
        "source": preset.source,
        "axes": preset.axes,
        "constraints": preset.constraints,
        "example": preset.example,
    }


def _facts_in_words(preset: Preset) -> dict[str, str]:
    return {**_facts(preset), "axes": ", ".join(preset.axes) or "any", "example": f"shape {coordinate_text(preset.example)}"}
