"""XLA's LayoutProto and ShapeProto, in JSON and in protobuf's text."""

import json
import re

import pytest
from hypothesis import given

import tilelayout as tl
from strategies_xla import dense_arrays, layouts, shapes
from tilelayout import LayoutError, LayoutSyntaxError, ShapeError
from tilelayout.notations import xla
from tilelayout.notations.xla import from_proto, to_proto

#: In the form of backend_config in HLO text: names as in proto files, and defaults printed.
FROM_A_DUMP = (
    '{"dim_level_types":[],"dim_ordered":[],"dim_unique":[],"dynamic_shape_metadata_prefix_bytes":"0","element_size_in_bits":"0",'
    '"index_primitive_type":"PRIMITIVE_TYPE_INVALID","memory_space":"0","minor_to_major":["1","0"],"pointer_primitive_type":'
    '"PRIMITIVE_TYPE_INVALID","split_configs":[],"tail_padding_alignment_in_elements":"1","tiles":[{"dimensions":["8","128"]},'
    '{"dimensions":["2","1"]}]}'
)


def has_invalid_type(layout):
    return "invalid" in (layout.index_primitive_type, layout.pointer_primitive_type)


@given(shapes())
def test_shapes_come_back(shape):
    assert from_proto(to_proto(shape)) == shape
    assert from_proto(json.dumps(to_proto(shape))) == shape


@given(layouts())
def test_layouts_come_back(layout):
    if has_invalid_type(layout):
        with pytest.raises(LayoutError, match="'invalid' is in no message"):
            to_proto(layout)
    else:
        assert from_proto(json.dumps(to_proto(layout))) == layout


@given(dense_arrays())
def test_text_and_json_say_the_same(shape):
    assert xla.parse(json.dumps(to_proto(shape))) == xla.parse(str(shape))


def test_the_json_of_protobuf():
    """The form that the proto3 JSON mapping gives: camel case, 64-bit integers as strings, defaults left out."""
    shape = xla.parse_shape("bf16[<=16,256]{1,0:T(8,*,128)(2,1)L(4)E(16)S(1)SC(0:3)M(64)}")
    assert to_proto(shape) == {
        "elementType": "BF16",
        "dimensions": ["16", "256"],
        "layout": {
            "minorToMajor": ["1", "0"],
            "tiles": [{"dimensions": ["8", "-9223372036854775808", "128"]}, {"dimensions": ["2", "1"]}],
            "elementSizeInBits": "16",
            "memorySpace": "1",
            "dynamicShapeMetadataPrefixBytes": "64",
            "tailPaddingAlignmentInElements": "4",
            "splitConfigs": [{"splitIndices": ["3"]}],
        },
        "isDynamicDimension": [True, False],
    }
    assert to_proto(xla.parse_shape("(token[], opaque[], b(f32[]))"))["tupleShapes"] == [
        {"elementType": "TOKEN"},
        {"elementType": "OPAQUE_TYPE"},
        {"elementType": "BUFFER", "tupleShapes": [{"elementType": "F32", "layout": {"tailPaddingAlignmentInElements": "1"}}]},
    ]
    assert to_proto(xla.parse_shape("f32[?]"))["dimensions"] == ["-9223372036854775808"]


def test_a_dump_is_read():
    assert str(from_proto(FROM_A_DUMP)) == "{1,0:T(8,128)(2,1)}"
    assert tl.layout(FROM_A_DUMP, (16, 256)) == tl.layout("{1,0:T(8,128)(2,1)}", (16, 256))
    assert tl.layout("xla:" + FROM_A_DUMP, (16, 256)) == tl.layout(" \n" + FROM_A_DUMP, (16, 256))


def test_a_whole_shape_needs_no_other():
    text = '{"elementType": 11, "dimensions": [3, 5], "layout": {"minorToMajor": [1, 0], "tiles": [{"dimensions": [2, 2]}]}}'
    assert tl.layout(text)(2, 3) == 17


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        ({}, "{}"),
        ({"minorToMajor": [1, "0"], "memorySpace": None}, "{1,0}"),
        ({"minor_to_major": (0,), "tail_padding_alignment_in_elements": "0"}, "{0}"),
        ({"minorToMajor": [0], "dimLevelTypes": ["DIM_DENSE"], "dimUnique": [True]}, "{0}"),
        ({"minorToMajor": [0], "indexPrimitiveType": "U32", "pointerPrimitiveType": 7}, "{0:#(u32)*(u16)}"),
        ({"minorToMajor": [0], "tiles": [{}]}, "{0:T()}"),
        ({"minorToMajor": ["0"], "dynamicShapeMetadataPrefixBytes": "-1"}, "{0}"),  # as jaxlib 0.10.2 writes {0:M(-1)}
        ({"elementType": "F32", "dimensions": ["3"]}, "f32[3]{0}"),
        ({"elementType": 36, "dimensions": []}, "f6e2m3fn[]"),
        ({"elementType": "TUPLE"}, "()"),
        ({"elementType": "F32", "dimensions": [-(2**63), 4], "isDynamicDimension": [True, False]}, "f32[?,4]{1,0}"),
    ],
    ids=str,
)
def test_what_is_read(message, printed):
    assert str(from_proto(message)) == printed


@pytest.mark.parametrize(
    ("message", "error", "said"),
    [
        ('{"minorToMajor":[1,', LayoutSyntaxError, "no JSON"),
        ('{"minorToMajor":["x"]}', LayoutError, r"minorToMajor\[0\] is 'x'; it takes a 64-bit integer"),
        ('{"minorToMajor":[0.0]}', LayoutError, r"minorToMajor\[0\] is 0.0"),
        ('{"minorToMajor":[true]}', LayoutError, r"minorToMajor\[0\] is True"),
        ('{"minorToMajor":["9223372036854775808"]}', LayoutError, "64-bit integer"),
        ('{"minorToMajor":"10"}', LayoutError, "minorToMajor is '10'; it takes a list"),
        ('{"minorToMajor":[1,1]}', LayoutError, "minorToMajor: .* duplicate values"),
        ('{"minorToMajor":[0],"tiles":[{"dimensions":[0]}]}', LayoutError, r"tiles: T\(0\)"),
        ('{"minorToMajor":[0],"tiles":[{"size":[4]}]}', LayoutError, r"tiles\[0\] has the field 'size'; the fields there are dimensions"),
        ('{"minorToMajor":[0],"tiles":[[8]]}', LayoutError, r"tiles\[0\] is \[8\]; it takes an object"),
        ('{"minorToMajor":[0],"memorySpace":"200"}', LayoutError, "memorySpace: .*out of range"),
        ('{"minorToMajor":[0],"elementSizeInBits":"-4"}', LayoutError, "elementSizeInBits"),
        ('{"minorToMajor":[0],"tailPaddingAlignmentInElements":-1}', LayoutError, "tailPaddingAlignmentInElements"),
        ('{"minorToMajor":[0],"indexPrimitiveType":"F32"}', LayoutError, "indexPrimitiveType is 'F32'; it takes an integer type"),
        ('{"minorToMajor":[0],"minor_to_major":[0]}', LayoutError, "minorToMajor in both spellings"),
        ('{"minorToMajor":[0],"minorToMajor":[0]}', LayoutError, "a field twice"),
        ('{"minorToMajor":[0],"colour":1}', LayoutError, "'colour'; the fields there are minorToMajor"),
        ('{"memorySpace":' + "9" * 5000 + "}", LayoutError, "no JSON of a layout"),
        ('{"layout":' * 200_000, LayoutError, "nested too deep"),
        ('{"dimensions":[3]}', LayoutError, "without elementType"),
        ('{"elementType":"f32"}', LayoutError, "elementType is 'f32'.* such as 'BF16'"),
        ('{"elementType":[1]}', LayoutError, r"elementType is \[1\]"),
        ('{"elementType":99}', LayoutError, "elementType is 99"),
        ('{"elementType":"F32","dimensions":[3],"layout":{"minorToMajor":[1,0]}}', ShapeError, "Dimensions size is 1"),
        ('{"elementType":"F32","dimensions":[-3]}', ShapeError, "negative size -3"),
        ('{"elementType":"F32","dimensions":[3],"isDynamicDimension":[1]}', LayoutError, r"isDynamicDimension\[0\] is 1"),
        ('{"elementType":"F32","dimensions":[3],"isDynamicDimension":[true,true]}', ShapeError, "2 dynamic flags"),
        ('{"elementType":"TUPLE","tupleShapes":[{"elementType":"F32","dimensions":[-1]}]}', ShapeError, r"tupleShapes\[0\]: "),
        ('{"elementType":"TOKEN","dimensions":[3]}', ShapeError, "token has neither"),
        (3, LayoutError, "the message is 3; it takes an object"),
        ({3: 4}, LayoutError, "the field 3"),
        ({"minorToMajor": [0], "tiles": [{"dimensions": [-1, 8]}]}, LayoutError, r"tiles\[0\] has the dimension -1"),
        ({"tiles": [{"dimensions": [{}]}]}, LayoutError, r"tiles\[0\].dimensions\[0\]"),
    ],
    ids=lambda value: str(value)[:60] if not isinstance(value, type) else "",
)
def test_errors_name_the_field(message, error, said):
    with pytest.raises(error, match=said):
        from_proto(message)


#: PrimitiveType of xla_data.proto, in the order of its numbers.
TYPES = """
    PRIMITIVE_TYPE_INVALID PRED S8 S16 S32 S64 U8 U16 U32 U64 F16 F32 F64 TUPLE OPAQUE_TYPE C64 BF16 TOKEN C128 F8E5M2 F8E4M3FN S4 U4
    F8E4M3B11FNUZ F8E5M2FNUZ F8E4M3FNUZ S2 U2 F8E4M3 F8E3M4 S1 U1 F4E2M1FN F8E8M0FNU BUFFER F6E3M2FN F6E2M3FN
"""


@pytest.mark.parametrize(
    ("field", "value"),
    [("tailPaddingAlignmentInElements", 1), ("elementSizeInBits", 0), ("dynamicShapeMetadataPrefixBytes", 0), ("memorySpace", 0)],
)
def test_what_is_so_by_default_may_be_said(field, value):
    assert xla.from_proto({"minorToMajor": [0], field: value}) == xla.Layout((0,))


def test_no_type_is_read_by_name_and_by_number():
    for nothing in (0, "PRIMITIVE_TYPE_INVALID"):
        assert xla.from_proto({"minorToMajor": [0], "indexPrimitiveType": nothing}) == xla.Layout((0,))


@pytest.mark.parametrize(("number", "name"), [*enumerate(TYPES.split())])
def test_types_are_read_by_name_and_by_number(number, name):
    others = {"BUFFER": {"tupleShapes": [{"elementType": "F32"}]}, "TUPLE": {}, "OPAQUE_TYPE": {}, "TOKEN": {}}
    parts = others.get(name, {"dimensions": [2]})
    read = []
    for value in (number, name):
        try:
            read.append(str(xla.from_proto({"elementType": value, **parts})))
        except LayoutError:
            read.append(None)
    spelled = {"TUPLE": "()", "OPAQUE_TYPE": "opaque[]", "TOKEN": "token[]", "BUFFER": "b(f32[])", "PRIMITIVE_TYPE_INVALID": None}
    assert read == [spelled.get(name, f"{name.lower()}[2]{{0}}")] * 2


def test_endless_messages_are_refused():
    endless = {"elementType": "TUPLE"}
    endless["tupleShapes"] = [endless]
    with pytest.raises(LayoutError, match="nested more than 100 deep"):
        from_proto(endless)
    with pytest.raises(LayoutError, match=r"neither an xla.Layout nor an xla.Shape"):
        to_proto("{1,0}")


def _fields(message):
    """The fields of a serialized message: their numbers, each with an integer or with bytes."""
    at, found = 0, {}

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = message[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        length = varint()
        if key & 7 == 2:
            found[key >> 3], at = message[at : at + length], at + length
        else:
            found[key >> 3] = length
    return found


@pytest.mark.live
def test_jaxlib_sets_the_same_fields():
    """jaxlib serializes shapes; what it sets are the fields above, by the numbers of xla_data.proto."""
    np = pytest.importorskip("numpy")
    client = pytest.importorskip("jaxlib.xla_client")
    flags = [True, False]
    fields = _fields(client.Shape.array_shape(np.dtype("float32"), (3, 5), (0, 1), flags).to_serialized_proto())
    ours = to_proto(xla.parse_shape("f32[<=3,5]{0,1}"))
    assert fields[2] == 11 and ours["elementType"] == "F32"
    assert list(fields[3]) == list(map(int, ours["dimensions"]))
    assert list(fields[6]) == ours["isDynamicDimension"]
    layout = _fields(fields[5])
    assert {1: list(layout[1]), 16: layout[16]} == {1: [0, 1], 16: 1}
    assert ours["layout"] == {"minorToMajor": ["0", "1"], "tailPaddingAlignmentInElements": "1"}


@pytest.mark.parametrize("times", [60, 5000])
def test_layouts_in_shapes_in_layouts_are_counted(times):
    message = {"elementType": "F32"}
    for _ in range(times):
        message = {"elementType": "F32", "dimensions": ["2"], "layout": {"minorToMajor": ["0"], "physicalShape": message}}
    with pytest.raises(LayoutError, match="nested more than 100 deep"):
        from_proto(message)


@pytest.mark.parametrize("in_layout", [False, True], ids=["a shape", "a layout"])
@pytest.mark.parametrize(
    "fields", [["tupleShapes"], ["layout"], ["layout", "tiles"], ["layout", "splitConfigs"], ["layout", "physicalShape"]], ids=".".join
)
def test_messages_of_every_kind_are_read_as_deep(fields, in_layout):
    """A hundred around the one with a field that is none, whatever they are; not one more."""
    for depth, said in ((100, "has the field 'colour'"), (101, "nested more than 100 deep")):
        steps = ["physicalShape"] * in_layout + ["tupleShapes"] * (depth - len(fields) - in_layout) + fields
        message = {"colour": 1}
        for step in reversed(steps):
            message = {step: [message] if step in ("tupleShapes", "tiles", "splitConfigs") else message}
        with pytest.raises(LayoutError, match=said):
            from_proto(message)


def written_out(message, indent=""):
    """A message as protobuf prints it: a field a line, once for each value."""
    for camel, value in message.items():
        name = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", camel)
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                yield from (f"{indent}{name} {{", *written_out(each, indent + "  "), f"{indent}}}")
            else:
                yield f"{indent}{name}: {str(each).lower() if isinstance(each, bool) else each}"


@given(shapes())
def test_what_protobuf_prints(shape):
    message = to_proto(shape)
    text = "\n".join(written_out(message))
    assert from_proto(text) == xla.parse(text) == shape
    if shape.layout is not None and text.startswith("element_type"):
        assert from_proto("\n".join(["layout {", *written_out(message["layout"]), "}"])) == shape.layout


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("layout { minor_to_major: 1 minor_to_major: 0 tiles { dimensions: 8 dimensions: 128 } }", "{1,0:T(8,128)}"),
        ("minor_to_major: [1, 0], tiles: <dimensions: [2, 2]>; tiles { dimensions: 2; dimensions: 1 }", "{1,0:T(2,2)(2,1)}"),
        ("# of a log\nminor_to_major: 0 # fastest\nminor_to_major: 1 dim_level_types: DIM_DENSE", "{0,1}"),
    ],
)
def test_other_spellings_of_its_text(text, layout):
    assert tl.layout(text, shape=(3, 5)) == tl.layout(layout, shape=(3, 5))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("minor_to_major: 0 minor_to_major 1", "expected ':' or '{', found '1'"),
        ("minor_to_major: 0 memory_space: 1 memory_space: 2", "memory_space is given more than once"),
        ("memory_space: [1]", "memory_space is given more than once"),
        ("layout {", "expected a name, found the end of the text"),
        ("layout { minor_to_major: 0 >", "expected a name, found '>'"),
        ("minor_to_major: 99999999999999999999", "does not fit in 64 bits"),
        ("layout { " * 300, "nested more than"),
        ("layout { minor_to_major: x }", r"minorToMajor\[0\] is 'x'"),
        ("layout { minor: 0 }", "has the field 'minor'"),
    ],
)
def test_text_that_is_no_message(text, said):
    with pytest.raises(tl.LayoutError, match=said):
        tl.layout(text, shape=(3,))


def test_signs_of_comments_are_told_from_a_message_at_once():
    """A comment goes to the end of its line: of 40 signs on one there are not 2**40 ways to make comments."""
    assert not xla.recognizes("#a = " * 40)
    assert xla.recognizes("# the layout\n  # of a buffer\n minor_to_major: 0")
