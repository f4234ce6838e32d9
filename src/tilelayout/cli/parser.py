"""The commands and their options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from .._version import __version__
from ..errors import shown
from . import output
from .arguments import MARK, QUOTES, Parser
from .commands import DOES, ROOMS

WELCOME = """\
tilelayout reads tensor memory layouts in any notation, says where elements lie, and packs arrays.

What a layout means, with its own numbers:
  tilelayout show 'f32[3,5]{1,0:T(2,2)}'

The same layout in the words of other compilers:
  tilelayout convert '[1, 0, 1 p(4)]' --shape 6,8

What padding costs an array on a TPU, and what would cost less:
  tilelayout doctor 'bf16[1000,3]'

Arrays in files: pack, unpack, relayout, infer. Programs: hlo. Well-known formats: presets.
All commands: tilelayout --help. Examples of each: tilelayout COMMAND --help.\
"""

_EXITS = """\
Exit codes: 0 it is done, 1 the answer is no, 2 wrong input or usage, 130 interrupted, 141 the reader of the output went away.\
"""

#: Characters of an unknown command that are compared with those that there are.
_LONGEST = 60
_NEGATIVE = re.compile(r"-[\d.][\w.,:+\- ]*|-inf(inity)?|-nan", re.IGNORECASE)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        output.say(f"tilelayout {__version__}")
        parser.exit()


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """The options that the arguments say; ``run`` among them is the command."""
    marked = [MARK + word if _NEGATIVE.fullmatch(word) else word for word in argv]
    options = _parser(next((word for word in argv if not word.startswith("-")), None)).parse_args(marked)
    for name, value in vars(options).items():
        setattr(options, name, _unmarked(value))
    return options


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(word) for word in value]
    return value.replace(MARK, "") if isinstance(value, str) else value


def _parser(chosen: str | None) -> Parser:
    """The parser of all commands, in which the chosen one has its arguments, too."""
    parser = Parser(
        prog="tilelayout",
        description="Tensor memory layouts: what they mean, where elements lie, and arrays packed and unpacked by them.",
        epilog=f"{QUOTES} tilelayout COMMAND --help has examples of each.\n\n  tilelayout show 'f32[3,5]{{1,0:T(2,2)}}'\n\n{_EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(run=_welcome)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    if chosen is not None and chosen not in DOES:
        near = get_close_matches(chosen[:_LONGEST], DOES, n=1)
        meant = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(DOES)}"
        parser.error(f"{shown(chosen)} is no command; {meant}")
    for room, does in ROOMS.items():
        if chosen in does:
            import_module(f".{room}", __package__).declare(commands)
        else:
            for name, what in does.items():
                commands.add_parser(name, help=what)
    return parser


def _welcome(_: argparse.Namespace) -> int:
    output.say(WELCOME)
    return 0
