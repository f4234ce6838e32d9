"""How commands declare themselves: their options, and help that ends in examples."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from . import output
from .commands import DOES

QUOTES = "Quote the layout: braces and parentheses mean something to the shell."
#: What a shell takes away, or would not have left in one word with the rest, where nobody has quoted it.
QUOTED = frozenset("{}()<>|*?; ")
#: What is left of a layout of which a shell has taken some away.
LEFT = frozenset("[]:,")

#: What keeps words such as ``-1,2`` from being taken for options; no argument of a process can contain it.
MARK = "\0"
#: A word of which a message repeats no more than both ends.
_LONG = re.compile(r"(\S{100})\S{300,}(\S{100})")


class Parser(argparse.ArgumentParser):
    """argparse, with the error before the usage, in the command's own name, and with no failure to print passed over."""

    def print_help(self, _: object = None) -> None:
        """Print the help."""
        output.say(self.format_help().rstrip())

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options; words left over are refused here, with the usage of the command at hand, and not by the parser of all commands."""
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return options, rest

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the words, and how they are used."""
        if re.match("unrecognized arguments: [^-]", message):  # what becomes of {1,0} without quotes
            message = f"{message}\n{QUOTES}"
        message = _LONG.sub(lambda found: f"{found[1]}...{found[2]}", message)
        output.complain(f"{message.replace(MARK, '')}\n{self.format_usage().rstrip()}")
        sys.exit(2)


Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


def command(commands: Commands, name: str, run: Callable[[argparse.Namespace], int], examples: str) -> Parser:
    """A command that ``DOES`` names, with ``--json``, which all have."""
    does = DOES[name]
    added = commands.add_parser(
        name,
        help=does,
        description=f"{does[0].upper()}{does[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    added.add_argument("--json", action="store_true", help="print the answer as JSON")
    added.set_defaults(run=run)
    return added


def takes_layout(parser: Parser, *, shape: bool = True, name: str = "layout", metavar: str = "LAYOUT") -> None:
    """Add a layout to the words that a command takes, and ``--shape`` for one that is written without."""
    parser.add_argument(name, metavar=metavar, help="the layout, such as 'f32[3,5]{1,0:T(2,2)}'")
    if shape:
        parser.add_argument("--shape", metavar="N,N", help="the shape of the array, such as 3,5, if the layout does not say it")


def takes_input(parser: Parser, name: str, metavar: str, what: str) -> None:
    """Add a file to read, or ``-``, to the words that a command takes."""
    parser.add_argument(name, metavar=metavar, type=_named("/dev/stdin"), help=f"{what}; - is standard input")


def takes_output(parser: Parser, name: str, metavar: str, what: str) -> None:
    """Add a file to write, or ``-``, to the words that a command takes."""
    parser.add_argument(name, metavar=metavar, type=_named("/dev/stdout"), help=f"{what}; - is standard output")


def _named(standard: str) -> Callable[[str], str]:
    """The name of a file, where ``-`` is the one that is called so."""
    return lambda word: standard if word == "-" else word
