"""What must hold of every layout, however it came about, and of every way to use it: a right answer or a ``LayoutError``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

import tilelayout as tl
from tilelayout import reference
from tilelayout.describe import explain, facts
from tilelayout.difference import COUNTABLE
from tilelayout.formulas import LANGUAGES as FORMULAS
from tilelayout.notations import LANGUAGES

#: Slots and elements up to which arrays are packed and whole maps compared.
SMALL = 1 << 12
#: Elements up to which differences are counted at once; beyond ``COUNTABLE`` they are not.
QUICK = 1 << 18


def answers(layout: tl.Layout) -> None:
    """Queries agree with the reference, and the way back with the way there."""
    places = [*_places(layout)]
    if not places:
        return
    expected = [reference.slot(place, layout.digits) for place in places]
    assert all(0 <= slot < layout.slots for slot in expected), (layout, expected)
    assert [layout(*place) for place in places] == expected, (layout, places, expected)
    assert layout.index(places).tolist() == expected, (layout, places, expected)
    if not (layout.ready.is_reversible or layout.size <= SMALL):
        return
    with suppress(tl.NotInjective):
        back = layout.coordinates(expected).tolist()
        assert [tuple(place) for place in back] == places, (layout, places, expected, back)
    assert not layout.is_padding(expected).any(), (layout, expected)


def _places(layout: tl.Layout, count: int = 6) -> Iterator[tuple[int, ...]]:
    """The corners of the array, and a few elements that the shape chooses."""
    if 0 in layout.shape:
        return
    yield (0,) * layout.ndim
    yield tuple(n - 1 for n in layout.shape)
    chosen = random.Random(str(layout.shape))
    for _ in range(count):
        yield tuple(chosen.randrange(n) for n in layout.shape)


def spellings(layout: tl.Layout) -> None:
    """What any language writes is read back as an equal layout."""
    for name in LANGUAGES:
        try:
            text = layout.to(name)
        except tl.LayoutError:
            continue
        again = tl.layout(f"{name}:{text.removeprefix('preset:')}", layout.shape)
        assert again == layout, (name, text, layout, again)
        assert hash(again) == hash(layout), (name, text, layout, again)


def programs(layout: tl.Layout) -> None:
    """Formulas and recipes give the slots that the layout gives."""
    for language in FORMULAS:
        with suppress(tl.LayoutError):
            tl.formula(layout, language)
    scope: dict[str, object] = {}
    exec(tl.formula(layout), scope)
    for place in _places(layout):
        assert scope["slot"](*place) == layout(*place), (layout, place)
    with suppress(tl.LayoutError):
        recipe = tl.recipe(layout)
        str(recipe)
        if max(layout.slots, layout.size) <= SMALL and layout.size > 0:
            scope = {}
            exec(recipe.code(), scope)
            assert np.array_equal(scope["unpack"](scope["pack"](layout.offsets())), layout.offsets()), layout


def words(layout: tl.Layout) -> None:
    """It can be told, drawn and compared."""
    facts(layout)
    explain(layout, "fuzzed")
    with suppress(tl.LayoutError):
        drawing = tl.draw(layout)
        str(drawing)
        assert drawing.svg.startswith("<svg")
    if not QUICK < layout.size <= COUNTABLE:
        with suppress(tl.LayoutError):
            str(tl.diff(layout, tl.Layout(layout.shape, [(axis, 1, n, 1) for axis, n in enumerate(layout.shape)])))
    assert eval(repr(layout), {"Layout": tl.Layout}) == layout
    with suppress(tl.LayoutError):
        layout.widest_vector(tuple(min(n, 2) or 1 for n in layout.shape))
    if layout.slots <= SMALL:
        with suppress(tl.LayoutError):
            assert layout.runs()[:, 1].sum() <= layout.slots, layout


def copies(layout: tl.Layout) -> None:
    """``unpack(pack(x)) == x``, and a buffer that cannot be had is refused."""
    if max(layout.slots, layout.size) > SMALL:
        return
    values = np.arange(1, 1 + layout.size, dtype=np.uint16).reshape(layout.shape)
    if layout.element is not None and layout.element.bits < 8:
        return
    try:
        width = 8 if layout.element is None else layout.element.bits
        values = values.astype({16: np.uint16, 32: np.uint32, 64: np.uint64, 128: np.complex128}.get(width, np.uint8))
        buffer = tl.pack(values, layout)
    except tl.LayoutError:
        return
    assert np.array_equal(tl.unpack(buffer, layout, dtype=values.dtype), values), layout
    assert np.array_equal(tl.relayout(buffer, layout, layout, dtype=values.dtype), buffer), layout


ALL = (answers, spellings, programs, words, copies)


def hold(layout: tl.Layout) -> None:
    """Every law."""
    for law in ALL:
        law(layout)
