"""Affine expressions in one form: a constant, and multiples of dimensions, of quotients and of remainders.

Adding, scaling and dividing keep the form, so an expression prints as it is read. ``x ceildiv c`` is ``(x + c - 1) floordiv c``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...errors import LayoutError, ShapeError, shown
from ...radix import MOST_NESTED
from ...sizes import MOST_SLOTS

#: What an expression has multiples of: the number of a dimension, or a quotient or remainder.
Atom: TypeAlias = "int | Division"
#: The most terms of a sum in which quotients and remainders are looked at together.
MOST_TERMS = 64


@dataclass(frozen=True, slots=True)
class Linear:
    """A constant and a sum of atoms, each with its coefficient, which is not 0."""

    constant: int
    terms: tuple[tuple[Atom, int], ...] = ()

    def __post_init__(self) -> None:
        largest = max(map(abs, (self.constant, *(coefficient for _, coefficient in self.terms))))
        if largest > MOST_SLOTS:
            raise ShapeError(f"an affine expression comes to the number {shown(largest)}, which does not fit in 64 bits")

    @property
    def atom(self) -> Atom | None:
        """The atom that the expression is, if it is nothing else."""
        return self.terms[0][0] if len(self.terms) == 1 and self.terms[0][1] == 1 and not self.constant else None

    @property
    def rank(self) -> int:
        """One more than the largest dimension that it reads."""
        return max((atom.of.rank if isinstance(atom, Division) else atom + 1 for atom, _ in self.terms), default=0)

    @property
    def depth(self) -> int:
        """How many divisions are nested in it."""
        return max((atom.depth for atom, _ in self.terms if isinstance(atom, Division)), default=0)

    def __str__(self) -> str:
        """The expression as MLIR prints it, the constant last.

        >>> print(total([scaled(dim(0), 8), quotient(dim(1), 4), Linear(-3)]))
        d0 * 8 + d1 floordiv 4 - 3
        """
        text = ""
        for atom, coefficient in self.terms:
            factor = "" if abs(coefficient) == 1 else f" * {abs(coefficient)}"
            bare = f"({atom})" if isinstance(atom, Division) and (factor or coefficient < 0) else _named(atom)
            text += _joined(text, coefficient < 0, bare + factor)
        return text + _joined(text, self.constant < 0, str(abs(self.constant))) if self.constant or not text else text


@dataclass(frozen=True, slots=True)
class Division:
    """``of floordiv by``, or ``of mod by``; ``by`` is 2 or more."""

    of: Linear
    by: int
    remainder: bool
    depth: int

    def __str__(self) -> str:
        of = f"({self.of})" if self.of.atom is None or isinstance(self.of.atom, Division) else str(self.of)
        return f"{of} {'mod' if self.remainder else 'floordiv'} {self.by}"


def _named(atom: Atom) -> str:
    return f"d{atom}" if isinstance(atom, int) else str(atom)


def _joined(before: str, negative: bool, term: str) -> str:
    if before:
        return f" - {term}" if negative else f" + {term}"
    return f"-{term}" if negative else term


def dim(number: int) -> Linear:
    """The expression that is a dimension."""
    return Linear(0, ((number, 1),))


def total(parts: Iterable[Linear]) -> Linear:
    """The sum of expressions; ``e - e floordiv c * c`` is ``e mod c``, as to MLIR, and ``e - e mod c`` is ``e floordiv c * c``.

    >>> print(total([dim(0), scaled(quotient(dim(0), 8), -8)]), "|", total([dim(0), scaled(remainder(dim(0), 8), -1)]))
    d0 mod 8 | (d0 floordiv 8) * 8

    Their values together have other bounds than those of each on its own. Sums of more than ``MOST_TERMS`` are left as they are.
    """
    found = _summed(parts)
    while simpler := _recombined(found):
        found = simpler
    return found


def _summed(parts: Iterable[Linear]) -> Linear:
    constant, terms = 0, dict[Atom, int]()
    for part in parts:
        constant += part.constant
        for atom, coefficient in part.terms:
            terms[atom] = terms.get(atom, 0) + coefficient
    return Linear(constant, tuple((atom, coefficient) for atom, coefficient in terms.items() if coefficient))


def _recombined(expression: Linear) -> Linear | None:
    """The expression with a quotient and what it divides as a remainder, or a remainder and the dimensions in it as a quotient."""
    terms = dict(expression.terms)
    if len(terms) > MOST_TERMS:
        return None
    divisions = [(atom, coefficient) for atom, coefficient in expression.terms if isinstance(atom, Division)]
    for atom, coefficient in divisions:
        for of, by in _divided_by(atom, terms):
            times, rest = (coefficient, 0) if atom.remainder else divmod(coefficient, by)
            left = [(terms.get(held, 0) + times * count) * -times * count for held, count in of.terms]
            if rest or min(left) < 0 or (atom.remainder and max(left) > 0):
                continue
            other = scaled(quotient(of, by), -times * by) if atom.remainder else scaled(remainder(of, by), -times)
            return _summed([expression, Linear(0, ((atom, -coefficient),)), scaled(of, times), other])
    return None


def _divided_by(atom: Division, terms: Iterable[Atom]) -> Iterator[tuple[Linear, int]]:
    """What an atom divides, and by what: as it says, and, as ``x floordiv 8`` is ``(x floordiv 2) floordiv 4``, quotients among these."""
    if not atom.remainder or not atom.of.depth:
        yield atom.of, atom.by
    for held in terms:
        if isinstance(held, Division) and held.of == atom.of and not held.remainder and not atom.remainder:
            by, rest = divmod(atom.by, held.by)
            if not rest:
                yield Linear(0, ((held, 1),)), by


def scaled(expression: Linear, factor: int) -> Linear:
    """The expression times a number."""
    if not factor:
        return Linear(0)
    return Linear(expression.constant * factor, tuple((atom, coefficient * factor) for atom, coefficient in expression.terms))


def quotient(expression: Linear, by: int) -> Linear:
    """``expression floordiv by``; multiples of ``by`` are divided at once.

    >>> print(quotient(total([scaled(dim(0), 8), dim(1)]), 4))
    d0 * 2 + d1 floordiv 4
    """
    whole, rest = _taken_apart(expression, by)
    if not rest.terms:
        return whole
    inner = rest.atom
    if isinstance(inner, Division) and not inner.remainder and inner.by * by <= MOST_SLOTS:
        return total([whole, _divided(inner.of, inner.by * by, remainder=False)])
    return total([whole, _divided(rest, by, remainder=False)])


def remainder(expression: Linear, by: int) -> Linear:
    """``expression mod by``; multiples of ``by`` are left out.

    >>> print(remainder(total([scaled(dim(0), 8), dim(1)]), 4))
    d1 mod 4
    """
    _, rest = _taken_apart(expression, by)
    if not rest.terms:
        return rest
    inner = rest.atom
    if isinstance(inner, Division) and inner.remainder and inner.by % by == 0:
        return remainder(inner.of, by)
    return _divided(rest, by, remainder=True)


def _taken_apart(expression: Linear, by: int) -> tuple[Linear, Linear]:
    """Two expressions, the first of which times ``by`` and the second add up to the expression."""
    whole, rest = divmod(expression.constant, by)
    multiples = tuple((atom, coefficient // by) for atom, coefficient in expression.terms if coefficient % by == 0)
    others = tuple((atom, coefficient) for atom, coefficient in expression.terms if coefficient % by)
    return Linear(whole, multiples), Linear(rest, others)


def _divided(of: Linear, by: int, *, remainder: bool) -> Linear:
    depth = of.depth + 1
    if depth > MOST_NESTED:
        raise LayoutError(
            f"an affine expression has divisions nested more than {MOST_NESTED} deep, as in {str(of)[:60]}...; write it flatter"
        )
    return Linear(0, ((Division(of, by, remainder, depth), 1),))


def bounds(expression: Linear, shape: Sequence[int]) -> tuple[int, int] | None:
    """The least and the greatest value in an array of this shape, each atom taken on its own; None if it has no value there.

    A remainder has all values below its divisor, whatever it is of. So does MLIR's ``-normalize-memrefs`` size a buffer, except where
    it can tell that atoms depend on each other, as in ``d0 * 2 mod 4``, which is 2 at most.
    """
    low = high = expression.constant
    for atom, coefficient in expression.terms:
        span = _atom_bounds(atom, shape)
        if span is None:
            return None
        ends = sorted(end * coefficient for end in span)
        low, high = low + ends[0], high + ends[1]
    return low, high


def _atom_bounds(atom: Atom, shape: Sequence[int]) -> tuple[int, int] | None:
    if isinstance(atom, int):
        return (0, shape[atom] - 1) if shape[atom] else None
    if atom.remainder:
        return 0, atom.by - 1
    span = bounds(atom.of, shape)
    return None if span is None else (span[0] // atom.by, span[1] // atom.by)
