"""One layout in several languages: equal, whatever it is written in."""

import pytest

import tilelayout as tl
from tilelayout.notations import morello


@pytest.mark.parametrize(
    ("text", "other", "shape"),
    [
        ("[1, 0, 1 p(4)]", "f32[6,8]{1,0:T(6,4)}", (6, 8)),
        ("[1, 0, 1 p(4)]", "(6,(4,2)):(4,(1,24))", (6, 8)),
        ("[0 oe(8)]", "((2,4)):((4,1))", (8,)),
        ("[0, 0 oe(8)]", "(((2,4),2)):(((4,1),8))", (16,)),
        ("[0, 1, 0 p(8), 1 p(128)]", "f32[32,256]{1,0:T(8,128)}", (32, 256)),
        ("[0, 1, 0 p(4), 1 p(128), 0 p(2)]", "bf16[32,256]{1,0:T(8,128)(2,1)}", (32, 256)),
        ("[0, 1, 0 p(2), 1 p(2), 0 p(16), 1 p(16)]", "bf16[64,96]{1,0:T(32,32)(16,16)}", (64, 96)),
        ("[0, 1, 0 p(2)]", "bf16[8,6]{1,0:T(2,1)}", (8, 6)),
        ("[0, 1, 0 p(2)]", "((2,4),6):((1,12),2)", (8, 6)),
        ("NHWC", "f32[2,3,4,5]{1,3,2,0}", (2, 3, 4, 5)),
        ("[0, 1]", "f32[6,8]{1,0}", (6, 8)),
        ("[1, 0]", "f32[6,8]{0,1}", (6, 8)),
        ("[0, 1, 2, 3, 1 p(4)]", "(2,(4,2),3,5):(120,(1,60),20,4)", (2, 8, 3, 5)),
    ],
)
def test_equal_layouts(text, other, shape):
    """XLA's tiles name the sizes that Morello leaves to the shape; CuTe's tuples name them all."""
    here, there = morello.parse(text).bind(shape), tl.layout(other)
    assert here == there
    assert hash(here) == hash(there)
    assert morello.express(there).bind(shape) == here


def test_xla_pads_where_morello_refuses():
    layout = morello.parse("[0, 1, 0 p(8), 1 p(128)]")
    with pytest.raises(tl.ShapeError, match="rounds up to 16"):
        layout.bind((10, 256))
    assert layout.bind((10, 256), pad=True) == tl.layout("f32[10,256]{1,0:T(8,128)}")
    with pytest.raises(tl.NotExpressible, match="padding"):
        morello.express(tl.layout("f32[10,256]{1,0:T(8,128)}"))


def test_xla_pads_small_arrays_and_morello_does_not():
    assert morello.parse("[0, 1, 0 p(8), 1 p(128)]").bind((3, 5)) == tl.layout("f32[3,5]{1,0}")


def test_a_tile_across_merged_dimensions_is_expressed_where_it_divides():
    merged = tl.layout("f32[3,5,8]{2,1,0:T(*,4)}")
    assert str(morello.express(merged)) == "[0, 1, 2]"


def test_a_notation_object_is_a_layout():
    assert tl.layout(morello.parse("[1, 0, 1 p(4)]"), (6, 8)) == tl.layout("f32[6,8]{1,0:T(6,4)}")
    with pytest.raises(tl.ShapeError, match="says nothing of sizes"):
        tl.layout(morello.parse("[1, 0, 1 p(4)]"))
