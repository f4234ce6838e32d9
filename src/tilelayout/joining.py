"""Lists of digits in one agreed form: neighbours joined, what reads the same added up, what adds nothing left out, sums taken apart.

A digit that reads a sum, as merged axes and tiles across tiles make it, often reads no more than parts of the axes in it:
of ``8 * a + b`` with ``b`` below 8 the quotient by 4 is ``2 * a + b // 4``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd
from typing import TypeAlias

from .radix import Digit, Source, constant, extent, fitting_radix

#: The gain at multiples of each cut; cuts without gain are left out.
Gains: TypeAlias = Mapping[int, int]


def canonical(digits: Iterable[Digit], shape: Sequence[int]) -> tuple[Digit, ...]:
    """The digits sorted by source and divisor, one for each part that is read, chains that are one digit in one, and few that read sums.

    >>> canonical([Digit(0, 2, 3, 2), Digit(0, 1, 2, 1)], (6,))
    (Digit(axis=0, divisor=1, radix=6, stride=1),)
    >>> merged = (Digit(0, 1, 3, 8), Digit(1, 1, 8, 1))
    >>> for digit in canonical([Digit(merged, 4, 6, 10), Digit(merged, 1, 4, 1)], (3, 8)):
    ...     print(digit)
    Digit(axis=0, divisor=1, radix=3, stride=20)
    Digit(axis=1, divisor=1, radix=4, stride=1)
    Digit(axis=1, divisor=4, radix=2, stride=10)
    """
    result = gathered(digits, shape)
    if not result or isinstance(result[-1].axis, int):
        return result
    apart = tuple(part for digit in result for part in _parts(digit, shape))
    return result if apart == result else canonical(apart, shape)


def gathered(digits: Iterable[Digit], shape: Sequence[int]) -> tuple[Digit, ...]:
    """The same, with sums left as they are."""
    offset = 0
    of_axes: dict[tuple[Source, int, int], Digit] = {}
    of_sums: dict[tuple[Source, int, int], Digit] = {}
    for digit in digits:
        if isinstance(digit.axis, tuple):
            digit = digit._replace(axis=_simplest(digit.axis, shape))  # noqa: PLW2901
        radix = fitting_radix(digit, shape)
        if radix <= 1 or not digit.stride:
            continue
        if digit.axis is None:
            offset += digit.stride
            continue
        fitting = digit if radix == digit.radix else digit._replace(radix=radix)
        listed, part = of_axes if isinstance(digit.axis, int) else of_sums, fitting[:3]
        same = listed.get(part)
        listed[part] = fitting._replace(stride=same.stride + digit.stride) if same else fitting
    result = [constant(offset)] if offset else []
    last = None
    for digit in [*sorted(of_axes.values()), *sorted(of_sums.values(), key=lambda digit: (repr(digit.axis), digit.divisor, digit.radix))]:
        if not digit.stride:
            continue
        if last and last.axis == digit.axis and digit.divisor == last.divisor * last.radix and digit.stride == last.stride * last.radix:
            radix = min(last.radix * digit.radix, -(-extent(last.axis, shape) // last.divisor))
            result[-1] = last = last._replace(radix=radix)
        else:
            result.append(last := digit)
    return tuple(result)


def gains_of(digits: Iterable[Digit], extent: int) -> Gains:
    """What digits that read one source, whose values lie below ``extent``, gain together at multiples of each cut, from ``x - 1`` to ``x``.

    A digit gains its stride at multiples of its divisor, and loses ``radix * stride`` at multiples of ``divisor * radix``. Sums of digits
    are equal exactly when their gains are: "``cut`` divides ``x``" is a function of ``x`` that no other cuts below the extent make up.

    >>> gains_of([Digit(0, 1, 2, 4), Digit(0, 2, 4, 1)], 8)
    {1: 4, 2: -7}
    """
    gains: dict[int, int] = {}
    for digit in digits:
        end = digit.divisor * digit.radix
        gains[digit.divisor] = gains.get(digit.divisor, 0) + digit.stride
        gains[end] = gains.get(end, 0) - digit.radix * digit.stride
    return {cut: gains[cut] for cut in sorted(gains) if gains[cut] and cut < extent}


def _simplest(terms: tuple[Digit, ...], shape: Sequence[int]) -> Source:
    """A sum gathered, or the axis that it is all of."""
    terms = gathered(terms, shape)
    return terms[0].axis if len(terms) == 1 and _reads_all(terms[0], shape) and terms[0].stride == 1 else terms


def _parts(digit: Digit, shape: Sequence[int]) -> list[Digit]:
    """Digits that add up to the digit; the digit alone where it cannot be taken apart."""
    if not isinstance(digit.axis, tuple):
        return [digit]
    if _reads_all(digit, shape):
        return [term._replace(stride=term.stride * digit.stride) for term in digit.axis]
    terms = [part for term in digit.axis for part in _parts(term, shape)]
    if any(term.axis is None or term.stride < 0 for term in terms):
        return [digit]
    terms = [_folded(term, digit.divisor * digit.radix, shape) for term in terms]
    if _most(terms, shape) >= digit.divisor * digit.radix:
        return [digit]
    terms = [part for term in terms for part in _cut(term, digit.divisor, shape)]
    if _most([term for term in terms if term.stride % digit.divisor], shape) >= digit.divisor:
        return [digit]
    return [term._replace(stride=digit.stride * (term.stride // digit.divisor)) for term in terms if term.stride % digit.divisor == 0]


def _reads_all(digit: Digit, shape: Sequence[int]) -> bool:
    return digit.divisor == 1 and digit.radix >= extent(digit.axis, shape)


def _most(terms: Iterable[Digit], shape: Sequence[int]) -> int:
    return sum(term.stride * (fitting_radix(term, shape) - 1) for term in terms)


def _folded(term: Digit, modulus: int, shape: Sequence[int]) -> Digit:
    """The term with its radix cut to its period modulo ``modulus``, if it then still reads a digit."""
    period = modulus // gcd(term.stride, modulus)
    return term._replace(radix=period) if term.radix > period and _divides(term, period, shape) else term


def _cut(term: Digit, divisor: int, shape: Sequence[int]) -> tuple[Digit, ...]:
    """The term in two, the steps that make up multiples of the divisor and those below it, if it has both and can be cut there."""
    steps, rest = divmod(divisor, term.stride)
    if rest or fitting_radix(term, shape) <= steps or not _divides(term, steps, shape):
        return (term,)
    above = term._replace(divisor=term.divisor * steps, radix=-(-term.radix // steps), stride=divisor)
    return (above, term._replace(radix=steps))


def _divides(term: Digit, steps: int, shape: Sequence[int]) -> bool:
    """Whether ``term // steps`` and ``term % steps`` are digits of what the term reads."""
    return term.radix % steps == 0 or term.divisor * term.radix >= extent(term.axis, shape)
