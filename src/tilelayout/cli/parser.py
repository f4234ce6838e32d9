"""The commands and their options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from .._version import __version__
from . import catalogue, checkpoints, comparisons, conversions, doctor, draw, hlo, output, queries, transfers
from .arguments import MARK, QUOTES, Parser

WELCOME = """\
tilelayout reads tensor memory layouts, says where elements lie, and packs arrays.

Try one of these:

  tilelayout show 'f32[3,5]{1,0:T(2,2)}'            what the layout means, with its own numbers
  tilelayout index 'f32[3,5]{1,0:T(2,2)}' 2,3       the slot of an element
  tilelayout coords 'f32[3,5]{1,0:T(2,2)}' 17       the element in a slot

Arrays in files: tilelayout pack --help, tilelayout unpack --help. Everything: tilelayout --help.\
"""

_EXITS = "Exit codes: 0 done, 1 the answer is no, 2 wrong input or usage."

_NEGATIVE = re.compile(r"-[\d.][\d.,eE+\- ]*|-inf|-nan")


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        output.say(f"tilelayout {__version__}")
        parser.exit()


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """The options that the arguments say; ``run`` among them is the command."""
    marked = [MARK + word if _NEGATIVE.fullmatch(word) else word for word in argv]
    options = _parser().parse_args(marked)
    for name, value in vars(options).items():
        setattr(options, name, _unmarked(value))
    return options


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(word) for word in value]
    return value.replace(MARK, "") if isinstance(value, str) else value


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="tilelayout",
        description="Tensor memory layouts: what they mean, where elements lie, and arrays packed and unpacked by them.",
        epilog=f"{QUOTES}\n\n  tilelayout show 'f32[3,5]{{1,0:T(2,2)}}'\n\n{_EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(run=_welcome)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    for subject in (queries, conversions, draw, comparisons, catalogue, hlo, doctor, transfers, checkpoints):
        subject.declare(commands)
    return parser


def _welcome(_: argparse.Namespace) -> int:
    output.say(WELCOME)
    return 0
