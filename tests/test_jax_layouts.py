"""JAX's layouts, as text and as objects."""

from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import jax

TEXT = "Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)"


@st.composite
def layouts(draw):
    """Any layout that JAX can have."""
    order = tuple(draw(st.permutations(range(draw(st.integers(0, 5))))))
    tiles = st.lists(st.lists(st.integers(1, 300), min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
    return jax.Layout(order, draw(st.one_of(st.none(), tiles)), draw(st.sampled_from([0, 0, 2, 4])))


@given(layouts())
def test_text_comes_back(layout):
    assert jax.parse(str(layout)) == layout
    assert jax.recognizes(str(layout))


@given(strategies.layouts())
def test_written_is_the_layout(layout):
    written = jax.express(layout)
    assert jax.parse(str(written)).bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("{1,0:T(8,128)(2,1)}", TEXT),
        ("bf16[17,257]{1,0:T(8,128)(2,1)}", TEXT),
        ("f32[17,257]{0,1}", "Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)"),
        ("s4[17,257]{1,0:E(4)}", "Layout(major_to_minor=(0, 1), tiling=(), sub_byte_element_size_in_bits=4)"),
        (
            "s4[70,200]{1,0:T(64,128)(8,1)E(4)}",
            "Layout(major_to_minor=(0, 1), tiling=((64, 128), (8, 1)), sub_byte_element_size_in_bits=4)",
        ),
        (
            "s4[70,200]{1,0:T(32,128)(4,1)}",
            "Layout(major_to_minor=(0, 1), tiling=((32, 128), (4, 1)), sub_byte_element_size_in_bits=8)",
        ),
        ("u2[17,257]{1,0:T(8,128)}", "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=8)"),
        ("pred[17,257]{1,0:T(8,128)}", "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)"),
        ("f4e2m1fn[17,257]{1,0:T(8,128)}", "Layout(major_to_minor=(0, 1), tiling=((8, 128),), sub_byte_element_size_in_bits=0)"),
        ("s4[17,257]{1,0}", "Layout(major_to_minor=(0, 1), tiling=None, sub_byte_element_size_in_bits=0)"),
        ("f32[]{:T(128)}", "Layout(major_to_minor=(), tiling=((128,),), sub_byte_element_size_in_bits=0)"),
    ],
)
def test_the_text_of_jax(text, printed):
    layout = tl.layout(text, (17, 257) if text.startswith("{") else None)
    assert str(jax.express(layout)) == repr(jax.express(layout)) == printed
    bound = jax.parse(printed).bind(layout.shape)
    assert bound == layout
    said = int(printed.rpartition("=")[2].rstrip(")"))
    assert (bound.element.bits if bound.element else 0) == said


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Layout(major_to_minor=(1, 0))", "Layout(major_to_minor=(1, 0), tiling=None, sub_byte_element_size_in_bits=0)"),
        (" Layout ( tiling = ((8,),(2,1)) , major_to_minor = ( 0, ) ) ", str(jax.Layout((0,), ((8,), (2, 1))))),
        ("DeviceLocalLayout(major_to_minor=(0, 1), _tiling=((8, 128), (2, 1)), _sub_byte_element_size_in_bits=0)", TEXT),
        (f"Format(layout={TEXT}, sharding=NamedSharding(mesh=Mesh('x': 2), spec=PartitionSpec('x',)))", TEXT),
        (f"Layout(device_local_layout=Device{'Local'}{TEXT.replace('tiling', '_tiling')}, sharding=SingleDeviceSharding(device=x))", TEXT),
    ],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_text_of_any_version(text, printed):
    assert str(jax.parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Layout", r"expected '\('"),
        ("Layout()", "major_to_minor is missing"),
        ("Layout(tiling=None)", "major_to_minor is missing"),
        ("Layout(major_to_minor=(0 1))", r"expected ',' or '\)', found '1'"),
        ("Layout(major_to_minor=0)", r"expected '\(', found '0'"),
        ("Layout(major_to_minor=(0, 0))", r"major_to_minor \(0, 0\) has duplicate values"),
        ("Layout(major_to_minor=(0,), major_to_minor=(0,))", "given twice"),
        ("Layout(major_to_minor=(0,), colour=3)", "expected a field"),
        ("Layout(major_to_minor=(0,), tiling=((0,),))", "must be positive"),
        ("Layout(major_to_minor=(0,), tiling=((-1, 4),))", "size of -1"),
        ("Layout(major_to_minor=(0,), tiling=(4,))", r"expected '\('"),
        ("Layout(major_to_minor=(0,), sub_byte_element_size_in_bits=-4)", "element size"),
        ("Layout(major_to_minor=(99999999999999999999,))", "does not fit in 64 bits"),
        ("Layout(major_to_minor=(0,)) x", "the end of the text"),
        ("Format(layout=AUTO, sharding=None)", "leaves it to the compiler"),
        ("Format(layout=None, sharding=None)", "leaves it to the compiler"),
        (f"Format(layout={TEXT})", "expected ','"),
        (f"Format(layout={TEXT}, sharding=x", r"expected '\)'"),
        ("", "expected Layout"),
    ],
    ids=lambda text: text[:60],
)
def test_errors_point(text, said):
    with pytest.raises(LayoutSyntaxError, match=said) as caught:
        jax.parse(text)
    assert "^" in str(caught.value)


def test_values_are_checked():
    assert jax.Layout([np.int64(1), 0], [[8, 128]]) == jax.Layout((1, 0), ((8, 128),))
    for wrong in (3, "x", (10**30,), (0.5,), None):
        with pytest.raises(LayoutError, match=r"major_to_minor .* (is no sequence of integers|has the out-of-bounds value)"):
            jax.Layout(wrong)
        with pytest.raises(LayoutError, match=r"is no sequence of sizes|has the tile dimension"):
            jax.Layout((0,), tiling=(wrong,))
    with pytest.raises(LayoutError, match=r"element size .* is out of range"):
        jax.Layout((0,), None, 10**30)
    with pytest.raises(LayoutError, match="3 is an int; it takes a layout as JAX prints it"):
        jax.parse(3)
    with pytest.raises(ShapeError, match="says nothing of sizes"):
        jax.Layout((0,)).bind()
    with pytest.raises(ShapeError, match="Dimensions size is 2"):
        jax.Layout((0,)).bind((3, 4))


def test_objects_are_told_by_their_attributes():
    today = SimpleNamespace(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)
    before = SimpleNamespace(major_to_minor=(0, 1), _tiling=((8, 128), (2, 1)), _sub_byte_element_size_in_bits=0)
    for layout in (today, before, SimpleNamespace(layout=today, sharding=1), SimpleNamespace(device_local_layout=before, sharding=1)):
        assert str(jax.adopt(layout)) == TEXT
    for other in (None, 3, "x", [], np.zeros(3), SimpleNamespace(major_to_minor=(0,)), SimpleNamespace, tl.Layout((), [])):
        assert jax.adopt(other) is None
    with pytest.raises(LayoutError, match="leaves the layout to the compiler"):
        jax.adopt(SimpleNamespace(layout=None, sharding=1))


class TestFromJax:
    """What says its layout by JAX's attributes."""

    LAYOUT = SimpleNamespace(major_to_minor=(0, 1), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0)

    def array(self, shape=(17, 300), shard=(17, 300), layout=LAYOUT, dtype="uint16"):
        sharding = SimpleNamespace(shard_shape=lambda _: shard)
        held = SimpleNamespace(layout=layout, sharding=sharding)
        return SimpleNamespace(shape=shape, dtype=np.dtype(dtype), sharding=sharding, format=held)

    def test_layouts_and_formats(self):
        expected = tl.layout("{1,0:T(8,128)(2,1)}", (17, 300))
        assert jax.from_jax(self.LAYOUT, (17, 300)) == expected
        assert jax.from_jax(SimpleNamespace(layout=self.LAYOUT, sharding=None), [17, 300]) == expected
        with pytest.raises(ShapeError, match="says nothing of sizes"):
            jax.from_jax(self.LAYOUT)

    def test_arrays(self):
        found = jax.from_jax(self.array())
        assert found == jax.from_jax(self.array(), (17, 300)) == tl.layout("u16[17,300]{1,0:T(8,128)(2,1)}")
        assert found.element == tl.Element("uint16", 16)
        with pytest.raises(ShapeError, match=r"shape=\(17, 301\) for an array of shape \(17, 300\); leave the shape out"):
            jax.from_jax(self.array(), (17, 301))

    @pytest.mark.parametrize("said", [None, 0, "its own"])
    @pytest.mark.parametrize(
        ("dtype", "bits"),
        [("int4", 4), ("uint4", 4), ("int2", 2), ("uint2", 2), ("float4_e2m1fn", 4), ("bool", 8), ("int8", 8), ("float8_e5m2", 8)],
    )
    def test_elements_below_a_byte_share_bytes(self, dtype, bits, said):
        """JAX 0.10 says 0 bits, which means whole bytes, of arrays on the CPU that have two elements or four in each."""
        dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
        size = bits % 8 if said == "its own" else 0
        layout = SimpleNamespace(major_to_minor=(1, 0), tiling=None if said is None else (), sub_byte_element_size_in_bits=size)
        found = jax.from_jax(self.array((4, 6), (4, 6), layout, dtype))
        assert found.element == tl.Element(dtype.name, bits)
        assert found == tl.layout("{0,1}", (4, 6))
        assert tl.pack(np.ones((4, 6), dtype), found).nbytes == 24 * bits // 8

    def test_elements_below_a_byte_with_more_room(self):
        layout = SimpleNamespace(major_to_minor=(1, 0), tiling=(), sub_byte_element_size_in_bits=8)
        assert jax.from_jax(self.array((4, 6), (4, 6), layout, ml_dtypes.int4)).element == tl.Element("int4", 8)

    def test_shards(self):
        assert jax.from_jax(self.array((34, 300), (17, 300))).shape == (17, 300)
        with pytest.raises(ShapeError, match=r"an array of shape \(34, 300\), shards of shape \(17, 300\)"):
            jax.from_jax(self.array((34, 300), (17, 300)), (34, 300))

    def test_what_has_none(self):
        for other in (None, 3, "x", np.zeros((3, 4)), SimpleNamespace, tl.layout("f32[3]")):
            with pytest.raises(LayoutError, match="it takes an array, a Layout or a Format of JAX"):
                jax.from_jax(other, (3, 4))
        with pytest.raises(LayoutError, match="leaves the layout to the compiler"):
            jax.from_jax(self.array(layout=None))
        with pytest.raises(LayoutError, match="is a str"):
            jax.to_jax("{1,0}")


def test_a_stranger_whose_properties_raise_is_left_alone():
    class Stranger:
        @property
        def sharding(self):
            raise RuntimeError("no")

        major_to_minor = sharding

    assert jax.adopt(Stranger()) is None


def test_without_alignment_all_dimensions_are_fused_and_padded():
    layout = tl.layout("f32[3,5]{1,0:L(16)}")
    written = jax.express(layout)
    assert written.tiling == ((-(2**63), 16),)
    assert written.bind((3, 5)) == layout
    with pytest.raises(NotExpressible, match=r"JAX's notation: digit \(0, 1, 4, 2\).* make a buffer of 8 slots"):
        jax.express(tl.Layout((4,), [(0, 1, 4, 2)]))


def test_without_jax(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jax.experimental.layout", None)
    with pytest.raises(LayoutError, match=r"tilelayout\[jax\]"):
        jax.Layout((0,)).to_jax()


@pytest.mark.live
@given(layouts())
def test_jax_prints_and_takes_the_same(layout):
    """JAX's own object prints what ours prints, and becomes the same layout of XLA."""
    pytest.importorskip("jax")
    theirs = layout.to_jax()
    assert repr(theirs) == str(layout) == str(jax.adopt(theirs))
    assert str(theirs._to_xla_layout(np.dtype("float32"))) == str(layout.to_xla())


@pytest.mark.live
@pytest.mark.parametrize("dtype", ["int4", "uint4", "int2", "uint2", "float4_e2m1fn", "bool", "int8"])
@pytest.mark.parametrize("tiles", ["", ":T(8,128)(4,1)"])
def test_jax_keeps_whole_bytes_whole(dtype, tiles):
    """What JAX adds where a layout says 0 is not there: its ``E(8)`` is that of a byte."""
    pytest.importorskip("jax")
    dtype = np.dtype(getattr(ml_dtypes, dtype, dtype))
    layout = tl.xla.parse_layout(f"{{1,0{tiles}}}").bind((16, 128), dtype)
    theirs = tl.jax.to_jax(layout)._to_xla_layout(dtype)
    assert str(theirs).replace("E(8)", "") == f"{{1,0{tiles}}}"


@pytest.mark.live
def test_formats_of_jax():
    """Formats of arrays, with their shardings, are read as objects and as text."""
    device = pytest.importorskip("jax")
    array = device.numpy.zeros((3, 5))
    assert jax.adopt(array.format).bind((3, 5)) == jax.parse(repr(array.format)).bind((3, 5)) == tl.layout("f32[3,5]")
    with pytest.raises(LayoutError, match="leaves the layout to the compiler"):
        jax.adopt(device.experimental.layout.Format(device.experimental.layout.Layout.AUTO))
