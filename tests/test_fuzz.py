"""Fuzzing of every parser and reader, a bounded share: each input is read right or refused, in bounded time and memory.

``make fuzz`` runs the same targets under coverage guidance for as long as one likes.
"""

import time

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import tilelayout as tl
from fuzz import corpus, grammars, mutating
from fuzz.targets import TARGETS, tried
from tilelayout.notations import LANGUAGES

#: Seconds of the processor that one input may take: far more than any does, far less than what hangs.
MOST_SECONDS = 20


def one(name, data):
    begin = time.process_time()
    was_read = tried(name, data)
    assert time.process_time() - begin < MOST_SECONDS, (name, data[:1000])
    return was_read


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_seeds(name):
    """The seeds are read, or were found once."""
    assert sum([one(name, data) for data in corpus.seeds(name)]) > 0


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_mutants_of_the_seeds(name):
    for data in mutating.mutants(corpus.seeds(name), 15):
        one(name, data)


@pytest.mark.parametrize("name", sorted(set(TARGETS) - {"anything", "algebra", "command_line", "hlo"}))
def test_seeds_cut_short(name):
    for data in corpus.seeds(name):
        text = data.partition(b"\n")[0] if name in LANGUAGES else data
        for at in range(0, min(len(text), 400), max(1, len(text) // 12)):
            one(name, text[:at])


@pytest.mark.parametrize("piece", [" ", "\n", "(", "[", "{", "a", "A", "1", "1,", "a ", ":", "::", "/*", '"', "%", "-"], ids=repr)
@pytest.mark.parametrize("ending", ["", "(", "\0"], ids=repr)
def test_long_texts_of_one_piece_are_told_apart_soon(piece, ending):
    """Spaces were gone through once for each of them, before a text was known to be none of Morello's."""
    begin = time.process_time()
    with pytest.raises(tl.LayoutError):
        tl.layout(piece * (30_000 // len(piece)) + ending, (4,))
    assert time.process_time() - begin < 2


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_many_mutants_of_the_seeds(name):
    for data in mutating.mutants(corpus.seeds(name), 200, start=1000):
        one(name, data)


def drawn(name, number):
    """So many inputs from a grammar, the same each time."""

    @seed(0)
    @settings(max_examples=number, database=None, phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
    @given(grammars.inputs(name))
    def each(data):
        one(name, data)

    return each


@pytest.mark.parametrize("name", sorted(grammars.GRAMMARS))
def test_texts_from_the_grammar(name):
    drawn(name, 12)()


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(grammars.GRAMMARS))
def test_many_texts_from_the_grammar(name):
    drawn(name, 150)()
