"""Inputs from seeds by small changes, the same each time: what atheris does with coverage, without it and in any test run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

#: Where sizes go wrong: powers of two, the ends of integer types, what int() does not read, digits that are none of ASCII.
NUMBERS = (
    b"0", b"1", b"2", b"3", b"7", b"8", b"16", b"128", b"255", b"1000", b"4096", b"65536", b"1048577", b"2147483647", b"2147483648",
    b"4294967296", b"4611686018427387904", b"9223372036854775807", b"9223372036854775808", b"18446744073709551615",
    b"18446744073709551616", b"-1", b"-2", b"-9223372036854775808", b"-9223372036854775809", b"00", b"08", b"0x10", b"1e3", b"1_0", b"+1",
    b"9" * 40, b"1" + b"0" * 400, b"\xef\xbc\x93", b"\xd9\xa3", b"\xc2\xb2", b"",
)  # fmt: skip
#: What no grammar has a use for.
ODD = (b"\0", b"\n", b"\t", b"\xff", b"\xc3\xa9", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"\\", b'"', b"%", b"{0}", b" ")
_NUMBER = re.compile(rb"[0-9]+")
_TOKEN = re.compile(rb"[0-9]+|[A-Za-z_]+|[^\s]")


def mutants(seeds: Sequence[bytes], number: int, start: int = 0) -> Iterator[bytes]:
    """So many inputs from the seeds, those of another ``start`` others."""
    words = sorted({token for seed in seeds for token in _TOKEN.findall(seed[:4096])})
    for k in range(start, start + number):
        chance = random.Random(k)
        data = chance.choice(seeds)
        for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 2, 4))):
            data = _changed(data, chance, seeds, words)
        yield data


def _changed(data: bytes, chance: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    begin = chance.randint(0, len(data))
    end = min(len(data), begin + chance.choice((0, 1, 1, 2, 4, 16, 64)))
    piece = data[begin:end]
    match chance.randrange(9):
        case 0 | 1 if numbers := [*_NUMBER.finditer(data)]:
            found = chance.choice(numbers)
            return data[: found.start()] + chance.choice(NUMBERS) + data[found.end() :]
        case 2:
            return data[:begin] + data[end:]
        case 3:
            return data[:end] + piece * chance.choice((1, 1, 2, 5, 40)) + data[end:]
        case 4 | 5 if words:
            return data[:begin] + chance.choice(words) + data[end:]
        case 6:
            other = chance.choice(seeds)
            cut = chance.randint(0, len(other))
            return data[:begin] + other[cut : cut + chance.choice((4, 16, 256))] + data[end:]
        case 7:
            return data[:begin] + chance.choice(ODD + NUMBERS) + data[begin:]
        case _ if tokens := [*_TOKEN.finditer(data)]:
            one, other = sorted((chance.choice(tokens), chance.choice(tokens)), key=lambda token: token.start())
            if one.end() > other.start():
                return data
            return data[: one.start()] + other[0] + data[one.end() : other.start()] + one[0] + data[other.end() :]
    return data
