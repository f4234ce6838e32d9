"""The commands and their options."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from .._version import __version__
from . import output, queries, transfers

WELCOME = """\
tilelayout reads tensor memory layouts, says where elements lie, and packs arrays.

Try one of these:

  tilelayout show 'f32[3,5]{1,0:T(2,2)}'            what the layout means, with its own numbers
  tilelayout index 'f32[3,5]{1,0:T(2,2)}' 2,3       the slot of an element
  tilelayout coords 'f32[3,5]{1,0:T(2,2)}' 17       the element in a slot

Arrays in files: tilelayout pack --help, tilelayout unpack --help. Everything: tilelayout --help.\
"""

_QUOTES = "Quote the layout: braces and parentheses mean something to the shell."

_EXITS = "Exit codes: 0 done, 1 the answer is no, 2 wrong input or usage."

_SHOW = f"""\
{_QUOTES}

  tilelayout show 'f32[3,5]{{1,0:T(2,2)}}'
  tilelayout show '{{1,0:T(8,128)(2,1)}}' --shape 16,256 --json
"""

_INDEX = f"""\
{_QUOTES}

  tilelayout index 'f32[3,5]{{1,0:T(2,2)}}' 2,3 0,4
  echo 2,3 | tilelayout index '{{1,0:T(2,2)}}' --shape 3,5 -

The exit code is 2 if any coordinate lies outside the shape.
"""

_COORDS = f"""\
{_QUOTES}

  tilelayout coords 'f32[3,5]{{1,0:T(2,2)}}' 17 8

A slot that holds no element prints 'padding', and makes the exit code 1.
"""

_PACK = f"""\
{_QUOTES}

  tilelayout pack x.npy 'f32[3,5]{{1,0:T(2,2)}}' packed.npy
  tilelayout pack x.npy '{{1,0:T(2,2)}}' packed.bin --fill nan

Types that numpy has no name for, such as bfloat16, are read and saved as their bits; a fill for them is an integer, the
bits too. OUT is written whole or not at all.
"""

_UNPACK = f"""\
{_QUOTES}

  tilelayout unpack packed.npy 'f32[3,5]{{1,0:T(2,2)}}' y.npy
  tilelayout unpack packed.bin '{{1,0:T(2,2)}}' y.npy --shape 3,5 --dtype float32

Types that numpy has no name for, such as bfloat16, are saved as their bits. OUT is written whole or not at all.
"""

_LAYOUT = "the layout, such as 'f32[3,5]{1,0:T(2,2)}'"
_SHAPE = "the sizes, such as 3,5, for a layout that is written without"

#: What keeps words such as ``-1,2`` from being taken for options; no argument of a process can contain it.
_MARK = "\0"
_NEGATIVE = re.compile(r"-[\d.][\d.,eE+\- ]*|-inf|-nan")


class _Parser(argparse.ArgumentParser):
    """argparse, with the error before the usage, in the command's own name, and with no failure to print passed over."""

    def print_help(self, _: object = None) -> None:
        output.say(self.format_help().rstrip())

    def error(self, message: str) -> NoReturn:
        output.complain(f"{message.replace(_MARK, '')}\n{self.format_usage().rstrip()}")
        sys.exit(2)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        output.say(f"tilelayout {__version__}")
        parser.exit()


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """The options that the arguments say; ``run`` among them is the command."""
    marked = [_MARK + word if _NEGATIVE.fullmatch(word) else word for word in argv]
    options = _parser().parse_args(marked)
    for name, value in vars(options).items():
        setattr(options, name, _unmarked(value))
    return options


def _unmarked(value: object) -> object:
    if isinstance(value, list):
        return [_unmarked(word) for word in value]
    return value.replace(_MARK, "") if isinstance(value, str) else value


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="tilelayout",
        description="Tensor memory layouts: what they mean, where elements lie, and arrays packed and unpacked by them.",
        epilog=f"{_QUOTES}\n\n  tilelayout show 'f32[3,5]{{1,0:T(2,2)}}'\n\n{_EXITS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(run=_welcome)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)

    show = _command(commands, "show", "say what a layout means", _SHOW)
    show.add_argument("layout", metavar="LAYOUT", help=_LAYOUT)
    show.set_defaults(run=queries.show)

    index = _command(commands, "index", "print the slots of elements", _INDEX)
    index.add_argument("layout", metavar="LAYOUT", help=_LAYOUT)
    index.add_argument("coordinates", metavar="COORD", nargs="+", help="such as 2,3; - reads them from standard input, one a line")
    index.set_defaults(run=queries.index)

    coords = _command(commands, "coords", "print the elements that slots hold", _COORDS)
    coords.add_argument("layout", metavar="LAYOUT", help=_LAYOUT)
    coords.add_argument("slots", metavar="SLOT", nargs="+", help="such as 17; - reads them from standard input, one a line")
    coords.set_defaults(run=queries.coords)

    pack = _command(commands, "pack", "lay an array out as a layout says", _PACK, shape=False)
    pack.add_argument("source", metavar="IN.npy", help="the array")
    pack.add_argument("layout", metavar="LAYOUT", help=_LAYOUT)
    pack.add_argument("target", metavar="OUT", help="the packed buffer: .npy, or the raw bytes under any other name")
    pack.add_argument("--fill", metavar="V", default="0", help="what padding holds (default 0)")
    pack.set_defaults(run=transfers.pack)

    unpack = _command(commands, "unpack", "read an array back from a packed buffer", _UNPACK)
    unpack.add_argument("source", metavar="IN", help="the packed buffer: .npy, or the raw bytes under any other name")
    unpack.add_argument("layout", metavar="LAYOUT", help=_LAYOUT)
    unpack.add_argument("target", metavar="OUT.npy", help="the array")
    unpack.add_argument("--dtype", metavar="D", help="the type of the elements, such as float32, where neither IN nor LAYOUT says it")
    unpack.set_defaults(run=transfers.unpack)

    for command in (pack, unpack):
        command.add_argument("--threads", metavar="N", help="at most so many threads (default: all that the process may use)")
    return parser


def _command(commands: argparse._SubParsersAction[_Parser], name: str, does: str, examples: str, *, shape: bool = True) -> _Parser:
    command = commands.add_parser(
        name,
        help=does,
        description=f"{does[0].upper()}{does[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    if shape:
        command.add_argument("--shape", metavar="N,N", help=_SHAPE)
    command.add_argument("--json", action="store_true", help="print the answer as JSON")
    return command


def _welcome(_: argparse.Namespace) -> int:
    output.say(WELCOME)
    return 0
