"""Every line of the files in ``data``: what XLA printed and computed, and what TPU compilers reported."""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from tilelayout import LayoutError
from tilelayout.notations import xla
from tilelayout.radix import evaluate

DATA = Path(__file__).parent / "data"


def rows(name):
    return [line.split("\t") for line in (DATA / name).read_text(encoding="utf-8").splitlines()[1:]]


def records(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def test_shape_strings_print_and_size_as_in_xla():
    cases = rows("xla_shape_strings.tsv")
    assert len(cases) >= 400
    wrong = []
    for text, printed, *figures, _ in cases:
        if printed.startswith("ERR"):
            with suppress(LayoutError):
                wrong.append((text, str(xla.parse_shape(text))))
            continue
        shape = xla.parse_shape(text)
        ours = [str(shape)]
        for name, figure in zip(("elements", "padded_elements", "byte_size", "xla_array_size"), figures, strict=True):
            ours.append(str(getattr(shape, name)) if figure else "")
        if ours != [printed, *figures]:
            wrong.append((text, ours))
    assert not wrong


def test_vectors_lie_where_xla_puts_them():
    cases = records("xla_vectors.jsonl")
    assert len(cases) >= 360
    wrong = []
    for case in cases:
        shape = xla.Shape("f32", case["dims"], xla.Layout(case["minor_to_major"], tiles=case["tiles"]))
        layout = shape.bind()
        figures = (list(shape.expanded_shape), layout.slots, layout.size)
        if figures != (case["expanded_shape"], case["padded_elements"], case["elements"]):
            wrong.append((case, figures))
        wrong += [(case, index) for index, slot in case["linear"] if evaluate(layout.digits, index) != slot]
    assert not wrong


@pytest.mark.parametrize("row", rows("tpu_reported_sizes.tsv"), ids=lambda row: row[0])
def test_sizes_as_tpu_compilers_reported_them(row):
    text, _, _, expansion, size, unpadded, _ = row
    shape = xla.parse_shape(text)
    assert (shape.byte_size, shape.logical_byte_size) == (int(size), int(unpadded))
    assert round(shape.byte_size / shape.logical_byte_size, 1) == float(expansion)


def test_tpu_layout_chooses_as_the_compiler_does():
    cases = records("tpu_truth.jsonl")
    assert len(cases) >= 300
    wrong = []
    for case in cases:
        argument = xla.parse_shape(case["argument_layout"])
        generation = case["topology"].partition(":")[0]
        order = argument.layout.minor_to_major
        chosen = xla.tpu_layout(case["dims"], case["dtype"], generation=generation, minor_to_major=order)
        if str(xla.Shape(case["dtype"], case["dims"], chosen)) != case["argument_layout"] or argument.byte_size != case["argument_bytes"]:
            wrong.append((case, str(chosen), argument.byte_size))
    assert not wrong
