"""Numbers at the ends of 64 bits, and layouts that no memory holds: right answers, or errors before anything is allocated."""

import subprocess
import sys
import time

import numpy as np
import pytest

import tilelayout as tl
from tilelayout import cute, reference

MOST = 2**63 - 1

#: The largest layout of a language: of 2**63 - 1 slots, or of as many as its blocks or bits allow.
LARGEST = [
    ("{0}", (MOST,)),
    ("f32[9223372036854775807]{0}", None),
    ("{0:L(9223372036854775807)}", (3,)),
    ("{1,0:T(7,127)}", (7 * 2**20, 127 * 2**33)),
    ("[0]", (MOST,)),
    ("[0, 0 p(7)]", (MOST,)),
    ("onednn:a", (MOST,)),
    ("onednn:A7a", (MOST,)),
    ("tvm:A->A7a", (MOST,)),
    ("einops:(a b) -> b a, b=7", (MOST,)),
    ("memref<9223372036854775807xi8>", None),
    ("mlir:inner_dims_pos = [0] inner_tiles = [7]", (MOST,)),
    ("#tpu.tiled<(7,127),[1,1]>", (7, 127 * 2**53)),
    ("jax:Layout(major_to_minor=(0,))", (MOST,)),
    (f"triton:{[[1 << k] for k in range(62)]}", (2**62,)),
    ("strides=(1,)", (MOST,)),
    (f"strides=(-1,), offset={MOST - 1}", (MOST,)),
    (f"strides=({MOST - 1},)", (2,)),
    ("9223372036854775807:1", None),
    ("(7,1317624576693539401):(1317624576693539401,1)", None),
    ("S<3,4,3> o 0 o 4611686018427387904:1", None),
    ("preset:nvfp4_scales", (2**31, 2**30)),
]


@pytest.mark.parametrize(("text", "shape"), LARGEST, ids=str)
def test_the_largest_layouts_answer(text, shape):
    layout = tl.layout(text, shape)
    assert layout.slots >= 2**61 or text.startswith("#tpu")
    corners = [(0,) * layout.ndim, tuple(n - 1 for n in layout.shape), tuple(n // 3 for n in layout.shape)]
    slots = [reference.slot(place, layout.digits) for place in corners]
    assert [layout(*place) for place in corners] == slots
    assert layout.index(corners).tolist() == slots
    assert layout.index(np.array(corners, np.uint64)).tolist() == slots
    if layout.ready.is_reversible:
        assert [tuple(place) for place in layout.coordinates(slots).tolist()] == corners
        assert not layout.is_padding(np.array(slots, ">u8")).any()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("{0}", (2**63,)),
        ("{1,0}", (2**32, 2**31)),
        ("f32[9223372036854775808]{0}", None),
        ("f32[4294967296,4294967296]{1,0}", None),
        ("{0:T(2)}", (MOST,)),
        ("{0:L(8)}", (MOST,)),
        ("{0:T(9223372036854775808)}", (3,)),
        ("[0]", (2**63,)),
        ("onednn:A8a", (MOST,)),
        ("onednn:Ba9223372036854775807b", (2, 2)),
        ("tvm:A->A8a", (MOST,)),
        ("einops:h w -> w h", (2**32, 2**31)),
        ("memref<9223372036854775808xi8>", None),
        ("memref<4x4xi8, strided<[9223372036854775807, 1]>>", None),
        ("mlir:inner_dims_pos = [0] inner_tiles = [8]", (MOST,)),
        ("#tpu.tiled<(8,128),[1,1]>", (8, 2**62)),
        ("jax:Layout(major_to_minor=(0,), tiling=((8,),))", (MOST,)),
        (f"triton:{[[1 << k] for k in range(64)]}", (2**63,)),
        ("strides=(9223372036854775807,)", (2,)),
        ("strides=(-9223372036854775808,)", (2,)),
        ("strides=(1,), offset=9223372036854775807", (2,)),
        ("9223372036854775808:1", None),
        ("(4611686018427387904,4):(0,0)", None),
        ("4:4611686018427387904", None),
        ("S<3,3,3> o 9223372036854775800 o 64:1", None),
    ],
    ids=str,
)
def test_one_more_is_refused(text, shape):
    with pytest.raises(tl.LayoutError) as caught:
        tl.layout(text, shape)
    assert len(str(caught.value)) < 1000


#: A text of each language with a place for a number.
NUMBERED = [
    "f32[{}]{{0}}", "f32[4]{{0:T({})}}", "{{{}}}", "[0, 0 p({})]", "onednn:A{}a", "tvm:A->A{}a", "einops:(a b) -> b a, b={}",
    "memref<{}xi8>",    "affine_map<(d0) -> (d0 floordiv {})>", "mlir:inner_dims_pos = [0] inner_tiles = [{}]", "#tpu.tiled<({}),[1]>",
    "jax:Layout(major_to_minor=(0,), tiling=(({},),))", "triton:[[{}]]", "strides=({},)", "strides=(1,), offset={}", "{}:1", "4:{}",
    "S<{},0,1> o 0 o 8:1", '{{"minorToMajor": ["{}"]}}',
]  # fmt: skip


@pytest.mark.parametrize("text", NUMBERED)
@pytest.mark.parametrize("digits", ["9" * 5000, "９", "٣", "²", "1_0", "0x9", "1e3", "-", "1.0", "\ud800"], ids=ascii)
def test_what_is_no_number_though_python_may_take_it_for_one(text, digits):
    with pytest.raises(tl.LayoutError) as caught:
        tl.layout(text.format(digits), (4,))
    str(caught.value).encode()


class TestQueriesOfEveryIntegerType:
    LAYOUT = tl.layout("{1,0:T(2,2)}", (3, 5))

    @pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
    @pytest.mark.parametrize("order", "<>")
    def test_the_ends_lie_outside(self, dtype, order):
        kind = np.dtype(order + dtype)
        assert self.LAYOUT.index(np.array([[2, 4]], kind)).tolist() == [20]
        assert self.LAYOUT.coordinates(np.array([20], kind)).tolist() == [[2, 4]]
        for end in {np.iinfo(kind).min, np.iinfo(kind).max} - {0}:
            at = np.array([end], kind)
            for ask in (self.LAYOUT.coordinates, self.LAYOUT.is_padding):
                with pytest.raises(tl.CoordinateError, match=f"slot {end} lies outside"):
                    ask(at)
            with pytest.raises(tl.CoordinateError, match=f"{end} on axis 1"):
                self.LAYOUT.index(np.array([[0, end]], kind))

    @pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 10**400, 10**5000], ids=lambda n: n.bit_length())
    def test_integers_of_any_size(self, number):
        for ask in (lambda: self.LAYOUT(0, number), lambda: self.LAYOUT.index([[0, number]]), lambda: self.LAYOUT.coordinates([number])):
            with pytest.raises(tl.CoordinateError) as caught:
                ask()
            assert len(str(caught.value)) < 500


#: Layouts of all kinds that no memory holds: compact, padded, merged, swizzled, broadcast, overlapping, with holes, backwards; and all
#: that is done with one, under a limit of memory: each ends in an answer or a ``LayoutError``. What does not is printed.
ENORMOUS = """
import resource, tempfile, time, warnings
from pathlib import Path
import numpy as np
import tilelayout as tl
from tilelayout.describe import explain
from tilelayout.notations import LANGUAGES

warnings.simplefilter("error")
layouts = [
    tl.layout("{0}", (2**63 - 1,)),
    tl.layout("{1,0:T(8,128)}", (2**31, 2**31)),
    tl.layout("{1,0:T(*,7)(3,5)}", (2**30, 2**30)),
    tl.layout("{1,0:T(3,5)(2,2)}", (2**30, 2**30)),
    tl.layout("S<3,3,3> o 0 o 4611686018427387904:1"),
    tl.layout("strides=(0,0)", (2**31, 2**31)),
    tl.layout("(2147483648,2147483648):(1,1)"),
    tl.layout("strides=(4611686018427387904,)", (2,)),
    tl.layout("strides=(-1,), offset=9223372036854775806", (2**63 - 1,)),
    tl.Layout((4,), [(0, 1, 4, 1)], slots=2**63 - 1),
    tl.Layout((2**30, 0), [], slots=0),
]
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def uses(layout):
    plain = tl.Layout(layout.shape, [(axis, 1, n, 1) for axis, n in enumerate(layout.shape)])
    array, buffer = (np.broadcast_to(np.uint8(0), shape) for shape in (layout.shape, (layout.slots,)))
    corner = tuple(slice(0, 2) for _ in layout.shape)
    folder = Path(tempfile.mkdtemp())
    yield "offsets", layout.offsets
    yield "coordinates", lambda: layout.coordinates([0, layout.slots - 1], padding="mark")
    yield "is_padding", lambda: layout.is_padding([0])
    yield "runs", layout.runs
    yield "runs of a corner", lambda: layout.runs(corner, bits=4)
    yield "widest_vector", lambda: layout.widest_vector(tuple(min(n, 8) for n in layout.shape))
    yield "pack", lambda: tl.pack(array, layout)
    yield "unpack", lambda: tl.unpack(buffer, layout)
    yield "unpack a corner", lambda: tl.unpack(buffer, layout, region=corner)
    yield "unpack too little", lambda: tl.unpack(np.zeros(1, np.uint8), layout)
    yield "relayout", lambda: tl.relayout(buffer, layout, plain)
    yield "draw", lambda: (tl.draw(layout).svg, str(tl.draw(layout)))
    yield "explain", lambda: explain(layout, "enormous")
    yield "formula", lambda: tl.formula(layout, "c")
    yield "recipe", lambda: tl.recipe(layout).code()
    yield "diff", lambda: str(tl.diff(layout, plain))
    yield "equal", lambda: (layout == plain, hash(layout))
    yield "infer", lambda: tl.infer(array, np.zeros(4, np.uint8))
    yield "infer with a shape", lambda: tl.infer(np.zeros(4, np.uint8), np.zeros(4, np.uint8), shape=layout.shape)
    yield "probe", lambda: tl.probe(lambda x: x, layout.shape, np.uint64)
    yield "pack a file", lambda: tl.files.pack(array, layout, folder / "x.bin")
    yield "unpack a file", lambda: tl.files.unpack(np.zeros(3, np.uint8), layout, folder / "x.npy", dtype="u1")
    for name in LANGUAGES:
        yield f"to {name}", lambda name=name: layout.to(name)


for layout in layouts:
    for name, use in uses(layout):
        begin = time.process_time()
        try:
            use()
        except tl.LayoutError as error:
            assert str(error)
        except BaseException as error:
            print(layout, name, type(error).__name__, error)
        if time.process_time() - begin > 10:
            print(layout, name, "takes long")
"""


def test_layouts_that_no_memory_holds():
    done = subprocess.run([sys.executable, "-c", ENORMOUS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_tpu_arrays_that_no_memory_holds():
    with pytest.raises(tl.LayoutError, match="64-bit"):
        tl.doctor.diagnose("f32[4611686018427387904,4]")
    assert tl.doctor.diagnose("s8[2147483648,1073741823]").padded_bytes == 2**61


class TestProductsOfCuTe:
    def test_strides_that_pass_64_bits_are_refused(self):
        """They went around, and the offset was wrong."""
        for shape in ((2**40, 2**40, 4), (2**32, 2**32, 1)):
            with pytest.raises(tl.ShapeError, match=r"compact strides of .* pass 64 bits"):
                cute.crd2idx(np.array([0, 0, 1]), np.array(shape))
        assert cute.crd2idx(np.array([[1, 1, 0], [0, 0, 1]]), np.array((2**31, 2**31, 2))).tolist() == [2**31 + 1, 2**62]
        assert cute.crd2idx(np.array([0, 0]), np.array((0, 4))) == 0

    def test_a_coordinate_or_shape_without_axes(self):
        """These left as an IndexError."""
        with pytest.raises(tl.ShapeError, match="is no shape"):
            cute.crd2idx((1, 2), np.array(5))
        with pytest.raises(tl.ShapeError, match="is no coordinate"):
            cute.crd2idx(np.array(5), np.array((2, 4)))

    def test_banks_that_no_memory_has(self):
        """numpy was asked for 2**62 of them."""
        with pytest.raises(tl.LayoutError, match="banks of 4 bytes"):
            cute.bank_conflicts(cute.Layout(32), element_bytes=4, banks=2**62)

    def test_swizzles_of_layouts_that_lead_to_coordinates(self):
        """It compared coordinates with 0."""
        pairs = cute.parse_layout("((8,13),(128,3)):((128,3072),(1,1024)) o (0,0) o (100,300):(1@0,1@1)")
        assert cute.is_injective(pairs)


@pytest.mark.parametrize(("text", "shape"), [("{1,0:T(8,4294967296)(2,1)}", (3, 5)), ("{1,0:T(8,1048576)(2,1)}", (3, 888888))])
def test_layouts_that_are_no_swizzle_are_told_soon(text, shape):
    """All swizzles were tried, for half a minute; the reason was known before."""
    begin = time.process_time()
    with pytest.raises(tl.NotExpressible, match="a CuTe layout has the slots that its digits reach"):
        tl.layout(text, shape).to("cute")
    assert time.process_time() - begin < 5


def test_stacked_swizzles_are_told_soon_to_be_no_tiles():
    """Thousands of ways to undo tiles were tried, each of which measured the sums that swizzles make again."""
    begin = time.process_time()
    with pytest.raises(tl.NotExpressible, match="it reads a sum of digits, and no tiles were found"):
        tl.layout("S<2,0,3> o 0 o S<2,1,3> o 0 o S<2,2,3> o 0 o S<2,0,3> o 0 o (16,16):(16,1)").to("xla")
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("end", ["", "dim0", "dim0 (", "dim0 (size", "dim0 (size 4", "dim0 (size 4)", "dim0 (size 4), ", "(size 4)]", "4]"])
def test_triton_listings_cut_short(end):
    """One that ended where an axis is named left with an IndexError."""
    with pytest.raises(tl.LayoutSyntaxError, match=r"expected .*, found"):
        tl.layout(f"triton:- offset=1 -> (2)\n   offset=2 -> (1)\nwhere out dims are: [{end}")


def test_a_memref_cut_short_in_its_memory_space():
    """It left with an IndexError, as every rule did that went on at the end of a text."""
    with pytest.raises(tl.LayoutSyntaxError, match="expected the name of an attribute, found the end of the text"):
        tl.layout("memref<4x4xf32, #")


def test_a_probe_of_more_elements_than_there_are_bytes():
    """numpy's arange makes an empty array of floats of the largest sizes."""
    with pytest.raises(tl.ShapeError, match="does not fit in memory"):
        tl.probe(lambda x: x, (MOST,), np.uint64)
