"""The spelling of tuples in CuTe's text: ``(4,(2,3))``, ``_`` for None, ``[4:1;_]`` where there are layouts among the modes."""

from __future__ import annotations

from typing import Any

#: The most characters of a value that an error message repeats.
_SHOWN = 120


def spelled(value: Any) -> str:
    """A value as CuTe writes it, without spaces.

    >>> spelled((1, (2, None), (3,)))
    '(1,(2,_),(3))'
    """
    if value is None:
        return "_"
    if not isinstance(value, tuple):
        return str(value)
    return f"({','.join(map(spelled, value))})"


def shown(value: Any) -> str:
    """A value as an error message names it, cut short where it is long."""
    try:
        text = spelled(value) if isinstance(value, tuple) else repr(value) if isinstance(value, str) else str(value)
    except Exception:  # whatever a stranger's str raises, the message is about something else
        return f"a {type(value).__name__} too large to print"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
