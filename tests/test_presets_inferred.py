"""Every preset is found again from what it does to an array."""

import numpy as np
import pytest

import tilelayout as tl


@pytest.mark.parametrize("name", tl.presets.names())
def test_a_probe_finds_the_preset(name):
    preset = tl.presets.get(name)
    bound = preset.bind(preset.example)
    order = tl.Layout(bound.shape, bound.digits, slots=bound.slots)
    found = tl.infer(bound.shape, lambda array: tl.pack(array, order))
    assert found == order


@pytest.mark.parametrize("name", ["awq_int4", "gptq_int4", "gptq_int2"])
def test_words_of_narrow_elements_are_taken_apart(name):
    preset = tl.presets.get(name)
    bound = preset.bind(preset.example)
    values = np.random.default_rng(0).integers(0, 1 << bound.element.bits, bound.shape).astype(np.uint8)
    words = tl.pack(values, bound).view("<i4")
    found = tl.infer(values, words.view(np.uint8))
    assert (tl.pack(values, found) == words.view(np.uint8)).all()
    assert found == bound
