"""Sizes in memory as TPU compilers print them: in powers of 1024, ``32.00G``, with one decimal for K and none for bytes.

Compilers leave out what is below a 1024th of the unit (``HumanReadableNumBytes``, tsl/platform/numbers.cc), and round the rest, ties
to even.
"""

from __future__ import annotations

import re

from ..errors import LayoutError, expect, shown

_UNITS = "BKMGTPEZ"
_SIZE = re.compile(r"([0-9]{1,30})(\.[0-9]{1,30})?\s?([BKMGTPEZ]?)(?:i?B)?", re.IGNORECASE)


def size_text(size: int) -> str:
    """A number of bytes as a compiler's report has it.

    >>> size_text(34359738368), size_text(10240), size_text(100), size_text(-2**20)
    ('32.00G', '10.0K', '100B', '-1.00M')
    >>> size_text(1262254080)  # 1203 whole M, which are 1.1748G
    '1.17G'
    """
    expect(size, int, "a number of bytes")
    if abs(size) >= 1024 ** len(_UNITS):
        raise LayoutError(f"{shown(size)} bytes are more than compilers have a unit for; the largest is {_UNITS[-1]}")
    sign, rest = ("-", -size) if size < 0 else ("", size)
    power = min((rest.bit_length() - 1) // 10, len(_UNITS) - 1) if rest else 0
    decimals = min(power, 2)
    below = rest >> 10 * max(0, power - 1)
    digits = str(_rounded(below * 10**decimals, 1024 if power else 1)).zfill(decimals + 1)
    number = f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits
    return f"{sign}{number}{_UNITS[power]}"


def read_size(text: str) -> int:
    """The bytes that a size says, rounded to whole ones.

    >>> read_size("32.00G"), read_size("980.0K"), read_size("0B"), read_size("4096")
    (34359738368, 1003520, 0, 4096)

    Raises ``LayoutError`` for text that is no size.
    """
    found = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found:
        raise LayoutError(f"{shown(text)} is no size in memory; such are 4096, 64M and 1.50G")
    whole, fraction, unit = found[1], found[2] or ".", found[3].upper() or "B"
    decimals = 10 ** (len(fraction) - 1)
    number = int(whole + fraction[1:]) * 1024 ** _UNITS.index(unit)
    return _rounded(number, decimals)


def _rounded(number: int, divisor: int) -> int:
    whole, rest = divmod(number, divisor)
    return whole + (2 * rest + whole % 2 > divisor)
