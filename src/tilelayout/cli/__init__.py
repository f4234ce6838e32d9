"""The command ``tilelayout``.

Exit codes: 0 it is done, 1 the answer is no, 2 the input or the usage is wrong, 130 it was interrupted,
141 the reader of its output went away.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

from ..errors import LayoutError, LayoutSyntaxError, SizesMissing
from .arguments import LEFT, QUOTED, QUOTES
from .output import OutputError, complain, discard, flush
from .parser import parsed

#: What the shell reports for a command that a signal ended: 128 and the signal's number.
INTERRUPTED, PIPE_CLOSED = 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command with these arguments (by default the process's own), and return its exit code."""
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        flush()
    except BrokenPipeError:
        discard()
        return PIPE_CLOSED
    except OutputError as error:
        discard()
        return complain(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError as error:
        return complain(f"there is not enough memory for this{f': {error}' if str(error) else ''}; try a smaller array or another machine")
    except LayoutSyntaxError as error:
        said = set(error.text)
        is_perhaps_cut = error.hint is None and not QUOTED & said and (LEFT & said or error.text.isdecimal())
        return complain(f"{error}\n{QUOTES}" if is_perhaps_cut else str(error))
    except LayoutError as error:
        if isinstance(error, OSError) and error.errno == errno.EPIPE:
            return PIPE_CLOSED
        return complain(str(error))
    return code


def _run(argv: Sequence[str]) -> int:
    try:
        options = parsed(argv)
    except SystemExit as end:  # how argparse ends after --help, --version and wrong usage
        return end.code if isinstance(end.code, int) else 2
    try:
        code: int = options.run(options)
    except SizesMissing as error:
        if "shape" not in options:
            raise
        raise SizesMissing(f"{error}\ngive the shape with --shape, as in --shape 3,5") from None
    return code
