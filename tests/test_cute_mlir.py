"""NVIDIA's tests of the ``cute`` MLIR dialect (CUTLASS 4.7, BSD-3): queries, coordinates, modes and text."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tilelayout import LayoutError, cute

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "cute_mlir.jsonl").read_text(encoding="utf-8").splitlines()]

READ = {
    "layout": cute.parse_layout,
    "composed_layout": cute.parse_layout,
    "swizzle": cute.parse_swizzle,
    "shape": cute.parse_int_tuple,
    "int_tuple": cute.parse_int_tuple,
    "coord": cute.parse_coordinate,
    "stride": cute.parse_stride,
    "tile": cute.parse_tiler,
}

#: The dialect's operations in ours; those of ``MODED`` take the case's attributes as a list last.
OPERATIONS = {
    "append_to_rank": lambda value, element, rank: cute.append(value, element, *rank),
    "ceil_div": cute.ceil_div,
    "composed_get_inner": lambda layout: layout.outer,
    "composed_get_offset": lambda layout: layout.offset,
    "composed_get_outer": lambda layout: layout.inner,
    "cosize": cute.cosize,
    "crd2idx": cute.crd2idx,
    "dice": cute.dice,
    "elem_less": cute.elem_less,
    "flatten": cute.flatten,
    "get": cute.get,
    "get_shape": lambda value: tuple(layout.shape for layout in value) if isinstance(value, tuple) else value.shape,
    "get_stride": lambda layout: layout.stride,
    "group_modes": lambda value, modes: cute.group_modes(value, *modes),
    "idx2crd": cute.idx2crd,
    "increment_coord": cute.increment_coord,
    "layout_eval": lambda coordinate, layout: layout(coordinate),
    "make_composed_layout": cute.make_composed_layout,
    "make_identity_layout": cute.make_identity_layout,
    "make_layout": cute.make_layout,
    "make_layout_like": cute.make_layout_like,
    "make_ordered_layout": cute.make_ordered_layout,
    "parse": lambda value: value,
    "prepend_to_rank": lambda value, element, rank: cute.prepend(value, element, *rank),
    "select": cute.select,
    "shape_div": cute.shape_div,
    "size": cute.size,
    "slice": cute.slice_,
    "tuple_add": cute.tuple_add,
    "tuple_product": cute.product,
    "tuple_product_each": cute.product_each,
    "tuple_sub": cute.tuple_sub,
}
MODED = {"append_to_rank", "cosize", "get", "group_modes", "prepend_to_rank", "select", "size"}

#: Where we answer otherwise, and why.
KEPT_APART = {
    "mlir-0054": "the shape of a tiler with '_' is asked of no function of ours",
    "mlir-0221": "a shape and a tuple of integers are one kind here",
    "mlir-0241": "a shape and a tuple of integers are one kind here",
    "mlir-0809": "the same function, without the 1 at which it begins: the swizzle lets that through, and it goes to the pointer",
    "mlir-0810": "the same function, without the 16 at which it begins and the swizzle, which then does nothing",
    "mlir-0827": "a slice without '_' has one coordinate",
    "mlir-0841": "a shape and a tuple of integers are one kind here",
    "mlir-0942": "a coordinate with '_' names a slice",
    "mlir-0975": "a shape and a tuple of integers are one kind here",
    "mlir-1513": "a tiler of '_' alone is written like the coordinate that it equals",
}


def is_ours(case):
    """Static, of one of the operations above, and not about the types that MLIR gives to operands and results."""
    return case["static"] and case["op"] in OPERATIONS and case["error_kind"] not in ("declared-type", "operand-kind") and case["args"]


def answer(case):
    arguments = [READ[arg["kind"]](arg["text"]) for arg in case["args"]]
    if case["op"] in MODED:
        arguments.append([int(n) for n in case["attrs"].strip("[]").split(",") if n.strip()])
    return OPERATIONS[case["op"]](*arguments)


def agrees(case):
    """Refused alike, or the same text; of comparisons the files hold no result."""
    try:
        value = answer(case)
    except LayoutError:
        return case["expect"] is None
    if case["expect"] is None:
        return False
    return isinstance(value, bool) if case["expect"]["kind"] == "i1" else cute.to_text(value) == case["expect"]["text"]


@pytest.mark.parametrize("op", sorted(OPERATIONS))
def test_operation(op):
    cases = [case for case in CASES if is_ours(case) and case["op"] == op and case["id"] not in KEPT_APART]
    assert cases
    assert [case["id"] for case in cases if not agrees(case)] == []


def test_the_exceptions_are_exceptions():
    apart = [case for case in CASES if case["id"] in KEPT_APART and case["id"] != "mlir-0054"]
    assert len(apart) == len(KEPT_APART) - 1
    assert not any(agrees(case) for case in apart)


@pytest.mark.parametrize(("identity", "start"), [("mlir-0809", 1), ("mlir-0810", 16)])
def test_slices_without_what_goes_to_the_pointer_are_the_same_function(identity, start):
    case = next(case for case in CASES if case["id"] == identity)
    ours, theirs = answer(case), cute.parse(case["expect"]["text"])
    assert ours(0) == start
    assert [ours(i) for i in range(ours.size)] == [start + theirs(i) for i in range(theirs.size)]


def test_values_known_only_at_run_time_are_refused():
    dynamic = [case for case in CASES if case["op"] == "parse" and not case["static"]]
    assert len(dynamic) > 40
    for case in dynamic:
        with pytest.raises(LayoutError, match="run time"):
            READ[case["args"][0]["kind"]](case["args"][0]["text"])


def test_what_is_printed_is_read():
    printed = Counter()
    for case in CASES:
        for value in (*case["args"], *([case["expect"]] if case["expect"] else [])):
            if case["op"] != "parse" and value["kind"] in READ and value["text"] and "?" not in value["text"]:
                read = READ[value["kind"]](value["text"])
                assert cute.to_text(read) == value["text"] or (value["kind"] == "tile" and ":" not in value["text"]), case["id"]
                printed[value["kind"]] += 1
    assert set(printed) == set(READ)
