"""Mosaic's tiled layouts, alone and in memref types."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout import LayoutError, LayoutSyntaxError, NotExpressible, ShapeError
from tilelayout.notations import mosaic, xla
from tilelayout.notations.mosaic.expressing import _Boxes

DATA = Path(__file__).parent / "data"

#: Types, each with the affine map that jaxlib 0.10.2 gives for it (``MemRefType.affine_map``).
MAPS = {
    "memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>, #tpu.memory_space<vmem>>": lambda r, c: (
        r // 8 * 2048 + c // 128 * 1024 + r % 8 // 2 * 256 + c % 128 * 2 + r % 2
    ),
    "memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>>": lambda r, c: r // 8 * 2048 + c // 128 * 1024 + r % 8 * 128 + c % 128,
    "memref<4x4xf8E4M3FN, #tpu.tiled<,[4,1]>>": lambda r, c: r * 4 + c,
    "memref<16x256xf32, #tpu.tiled<(8,128),[0,0]>>": lambda r, c: r % 8 * 128 + c % 128,
}


@pytest.mark.parametrize("text", MAPS)
def test_elements_lie_where_the_dialect_puts_them(text):
    layout = mosaic.parse(text).bind()
    assert np.array_equal(layout.offsets(), np.fromfunction(MAPS[text], layout.shape, dtype=np.int64))


def definition(shape, tiles, strides):
    """The affine map, one element at a time: what tiles leave of each index, with the strides of ``getExpandedStrides``."""
    within = [*tiles[0]] if tiles else []
    for tile in tiles[1:]:
        rest = len(within) - len(tile)
        within = [*within[:rest], *(size // t for size, t in zip(within[rest:], tile, strict=True)), *tile]
    size = int(np.prod(within, dtype=int))
    steps = [*(stride * size for stride in strides), *(int(np.prod(within[k + 1 :], dtype=int)) for k in range(len(within)))]
    found = np.zeros(shape, np.int64)
    for index in np.ndindex(*shape):
        parts = list(index)
        for tile in tiles:
            rest = len(parts) - len(tile)
            cut = list(zip(parts[rest:], tile, strict=True))
            parts = [*parts[:rest], *(i // t for i, t in cut), *(i % t for i, t in cut)]
        found[index] = sum(part * step for part, step in zip(parts, steps, strict=True))
    return found


@st.composite
def tiled(draw):
    """A layout whose further tiles divide the first, and a small shape for it."""
    shape = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple))
    first = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), max_size=len(shape))))
    tiles, within = ([first], list(first)) if first else ([], [])
    for _ in range(draw(st.integers(0, 2)) if first else 0):
        rest = draw(st.integers(0, len(within) - 1))
        tile = tuple(draw(st.sampled_from([t for t in range(1, size + 1) if size % t == 0])) for size in within[rest:])
        tiles.append(tile)
        within = [*within[:rest], *(size // t for size, t in zip(within[rest:], tile, strict=True)), *tile]
    strides = tuple(draw(st.lists(st.integers(0, 9), min_size=len(shape), max_size=len(shape))))
    return shape, tuple(tiles), strides


@given(tiled())
def test_bound_is_the_definition(drawn):
    shape, tiles, strides = drawn
    layout = mosaic.TiledLayout(tiles, strides).bind(shape)
    assert np.array_equal(layout.offsets(), definition(shape, tiles, strides))
    first = (*[1] * (len(shape) - len(tiles[0] if tiles else ())), *(tiles[0] if tiles else ()))
    last = sum(stride * (-(-n // t) - 1) for stride, n, t in zip(strides, shape, first, strict=True))
    assert layout.slots == (last + 1) * int(np.prod(first))


@given(tiled())
def test_text_comes_back(drawn):
    shape, tiles, strides = drawn
    layout = mosaic.TiledLayout(tiles, strides)
    assert mosaic.parse(str(layout)) == layout
    array = mosaic.MemRef(shape, "f32", layout, "#tpu.memory_space<smem>")
    assert mosaic.parse(str(array)) == array
    assert array.bind() == layout.bind(shape)


@given(tiled())
def test_tiles_side_by_side_are_expressible(drawn):
    shape, tiles, _ = drawn
    first = (*[1] * (len(shape) - len(tiles[0] if tiles else ())), *(tiles[0] if tiles else ()))
    counts = [-(-n // t) for n, t in zip(shape, first, strict=True)]
    strides = tuple(int(np.prod(counts[k + 1 :], dtype=int)) for k in range(len(shape)))
    layout = mosaic.TiledLayout(tiles, strides).bind(shape)
    try:
        written = mosaic.express(layout)
    except NotExpressible:  # padding that comes before the elements of its axis, which express does not look for
        assert any(n < t for n, t in zip(shape, first, strict=True)) and len(tiles) > 1
    else:
        assert written.bind(shape) == layout


@given(strategies.strided_layouts())
def test_strides_are_expressible_up_to_the_end_of_the_buffer(layout):
    used = tl.Layout(layout.shape, layout.digits)
    assert mosaic.express(used).bind(used.shape) == used


@given(strategies.layouts())
def test_equal_or_refused(layout):
    try:
        written = mosaic.express(layout)
    except NotExpressible:
        return
    assert written.bind(layout.shape) == layout
    assert mosaic.parse(str(written)) == written


def test_first_tiles_are_looked_for_where_they_divide_the_strides_outside(monkeypatch):
    """Of ten axes in a mixed order, with gaps, nearly no choice of those outside of the tile leaves one that divides them."""
    shape, digits, stride = (3, 2, 2, 3, 2, 3, 3, 3, 2, 2), [], 1
    for number, axis in enumerate((1, 4, 3, 6, 9, 8, 0, 2, 7, 5)):
        stride *= 2 if number % 4 == 3 else 1
        digits.append((axis, 1, shape[axis], stride))
        stride *= shape[axis]
    layout = tl.Layout(shape, digits, slots=stride)
    steps, fill = [], _Boxes.fill
    monkeypatch.setattr(_Boxes, "fill", lambda boxes, *state: (steps.append(state), fill(boxes, *state))[1])
    assert mosaic.express(layout).bind(shape) == layout
    assert len(steps) < 100


def test_the_axis_that_is_outside_of_the_first_tile_may_be_the_last():
    """The tile does not divide the strides of the first; and `(8,200)(8,100)`, with none outside, would be the same."""
    assert tl.layout("{1,0:T(8,100)}", shape=(3, 200)).to("mosaic") == "#tpu.tiled<(8,100),[2,1]>"


def test_the_layouts_of_the_tpu_compiler_are_expressible():
    lines = [json.loads(line) for line in (DATA / "tpu_truth.jsonl").read_text(encoding="utf-8").splitlines()]
    row_major = [xla.parse_shape(line["argument_layout"]) for line in lines]
    row_major = [shape for shape in row_major if shape.layout.minor_to_major == tuple(reversed(range(len(shape.dims))))]
    assert len(row_major) > 100
    for shape in row_major:
        written = mosaic.express(shape.bind())
        assert written.bind(shape.bounds) == shape.bind()


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("bf16[3,300]{1,0:T(8,128)(2,1)}", "memref<3x300xbf16, #tpu.tiled<(8,128)(2,1),[3,1]>>"),
        ("s8[70,200]{1,0:T(32,128)(4,1)}", "memref<70x200xi8, #tpu.tiled<(32,128)(4,1),[2,1]>>"),
        ("u4[70,200]{1,0:T(64,128)(8,1)E(4)}", "memref<70x200xui4, #tpu.tiled<(64,128)(8,1),[2,1]>>"),
        ("f32[2,3,40,130]{3,2,0,1:T(8,128)}", "memref<2x3x40x130xf32, #tpu.tiled<(8,128),[10,20,2,1]>>"),
        ("f32[3,5]{0,1}", "memref<3x5xf32, #tpu.tiled<,[1,3]>>"),
        ("f32[3,5]{1,0:T(2,2)}", "memref<3x5xf32, #tpu.tiled<(2,2),[3,1]>>"),
        ("f8e4m3fn[8]{0:T(2)(4,1)}", "memref<8xf8E4M3FN, #tpu.tiled<(8)(2)(4,1),[1]>>"),
        ("pred[8,128]{1,0:T(8,128)(4,1)}", "#tpu.tiled<(8,128)(4,1),[1,1]>"),
        ("f32[]", "memref<f32, #tpu.tiled<,[]>>"),
        ("f32[0,4]", "memref<0x4xf32, #tpu.tiled<,[4,1]>>"),
    ],
)
def test_written(text, written):
    layout = tl.layout(text)
    assert str(mosaic.express(layout)) == written
    assert mosaic.parse(written).bind(layout.shape) == layout


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        (tl.layout("f32[3,5]{1,0:L(16)}"), r"digit \(0, 1, 3, 5\).* as #tpu.tiled<,\[5,1\]> it takes 15 slots"),
        (tl.layout("{0:T(4)(3)}", (5,)), r"no first tile, and tiles that divide it"),
        (tl.layout("{1,0:T(*,4)(2,1)}", (2, 3)), "reads a sum of digits"),
        (tl.Layout((3,), [(0, 1, 3, -1), (None, 1, 2, 2)]), "it walks backwards"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_not_expressible(layout, said):
    with pytest.raises(NotExpressible, match=said):
        mosaic.express(layout)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("#tpu.tiled< (8, 128) ( 2,1 ) , [ 4, 1 ] >", "#tpu.tiled<(8,128)(2,1),[4,1]>"),
        ("#tpu.tiled<(8,128)// a comment\n,[3,1]>", "#tpu.tiled<(8,128),[3,1]>"),
        ("#tpu.tiled<(08,128),[-1,1]>", "#tpu.tiled<(8,128),[-1,1]>"),
        ("#tpu.tiled<,[]>", "#tpu.tiled<,[]>"),
        ("#tpu.tiled<(),[4,1]>", "#tpu.tiled<(),[4,1]>"),
        ("memref< 4x4xf32 , #tpu.tiled<,[4,1]> >", "memref<4x4xf32, #tpu.tiled<,[4,1]>>"),
        ("memref<4 x 4xf32>", "memref<4x4xf32>"),
        ("memref<?x256xf32, #tpu.tiled<(8,128),[2,1]>, 3>", "memref<?x256xf32, #tpu.tiled<(8,128),[2,1]>, 3>"),
        ("memref<4xf32, #tpu.tiled<,[1]>, 3 : i64>", "memref<4xf32, #tpu.tiled<,[1]>, 3>"),
        ("memref<4xf32, 1 : i32>",) * 2,
        ("memref<4xf32, 0>", "memref<4xf32>"),
        ("memref<4xf32, #tpu.tiled<,[1]>, 0 : i32>", "memref<4xf32, #tpu.tiled<,[1]>>"),
        ("memref<0x4xf32>", "memref<0x4xf32>"),
        ("memref<bf16>", "memref<bf16>"),
        ("memref<2x3x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>",) * 2,
        ("memref<4xcomplex<f32>>",) * 2,
        ("memref<4xvector<8x128xbf16>, #tpu.tiled<(2),[1]>>",) * 2,
        ("memref<4xmemref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>>", "memref<4xmemref<2x3xf32,affine_map<(d0,d1)->(d1,d0)>>>"),
    ],
    ids=lambda text: text[:60],
)
def test_read_as_by_the_dialect(text, printed):
    """Each of these is what jaxlib 0.10.2 reads, and what it prints for it."""
    assert str(mosaic.parse(text)) == printed


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("memref<4x8xf32, strided<[16, 1]>, #tpu.memory_space<vmem>>", 56),
        ("memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>, #tpu.memory_space<vmem>>", 32),
    ],
)
def test_layouts_of_mlir_in_a_memory_space_of_mosaic(text, slots):
    """As jaxlib prints types in which MLIR's own layouts stand."""
    assert tl.layout(text) == tl.layout(f"mlir:{text}")
    assert tl.layout(text).slots == slots
    with pytest.raises(LayoutSyntaxError, match=r"expected #tpu\.tiled or a memory space"):
        tl.layout(f"mosaic:{text}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#tpu.tiled<(8,128,),[1,1]>", r"expected an integer, found '\)'"),
        ("#tpu.tiled<(8,*),[1,1]>", r"expected an integer, found '\*'"),
        ("#tpu.tiled<(99999999999999999999,128),[3,1]>", "does not fit in 64 bits"),
        ("#tpu.tiled<(8,128),[3,1]", "expected '>', found the end"),
        ("#tpu.tiled<(8,128)[3,1]>", r"expected '\(' or ','"),
        ("#tpu.tiled<1,(128)>", r"expected '\(' or ','"),  # before there were strides
        ("#tpu.tiled<(8,128),[1]>", r"\(8,128\) has 2 entries for 1 dimensions"),
        ("#tpu.tiled<(8,128)(3,1),[1,1]>", r"\(3,1\) does not divide .* 3 is no divisor of 8"),
        ("#tpu.tiled<(8,128)(2,1,1,1),[1,1]>", r"\(2,1,1,1\) has 4 entries for the 2 dimensions"),
        ("#tpu.tiled<(8,0),[1,1]>", "tile size 0 is out of range"),
        ("#tpu.tiled<(8,-9223372036854775808),[1,1]>", "out of range"),
        ("#tpu.tiled<(8,128),[-9223372036854775808,1]>", "dynamic, which Mosaic refuses"),
        ("memref<16x256xbf16, #tpu.tiled<(8,128),[2]>>", "has 2 entries for 1 dimensions"),
        ("memref<16x256xbf16, #tpu.tiled<,[2]>>", "for 1 dimensions in a memref of 2"),
        ("memref<16x256xbf16, strided<[256,1]>>", "expected #tpu.tiled or a memory space, found 'strided'"),
        ("memref<16x99999999999999999999xbf16>", "does not fit in 64 bits"),
        ("memref<16x>", "expected an element type"),
        ("memref<4294967296x4294967296xf32>", "more than a signed 64-bit"),
        ("memref<4xf32> x", "expected the end of the text"),
        ("memref<4xf32, 0, 1>", "expected '>', found ','"),
        ("memref<4xf32, 1, #tpu.tiled<,[1]>>", "expected '>', found ','"),
        ("memref", "expected #tpu.tiled or memref"),
        ("memref4x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>", "expected #tpu.tiled or memref, found 'memref4x'"),
        ("", "expected #tpu.tiled or memref"),
    ],
    ids=lambda text: text[:50],
)
def test_errors_point(text, said):
    with pytest.raises(LayoutSyntaxError, match=said) as caught:
        mosaic.parse(text)
    assert "^" in str(caught.value)


@pytest.mark.parametrize(
    ("action", "error", "said"),
    [
        (lambda: mosaic.parse("#tpu.tiled<(8,128),[2,1]>").bind(), ShapeError, "says nothing of sizes"),
        (lambda: mosaic.parse("#tpu.tiled<(8,128),[2,1]>").bind((3,)), ShapeError, "is for 2 dimensions"),
        (lambda: mosaic.parse("#tpu.tiled<(8,128),[-2,1]>").bind((16, 3)), ShapeError, "do not fit in a buffer"),
        (lambda: mosaic.parse("#tpu.tiled<(8,128),[9223372036854775807,1]>").bind((16, 3)), ShapeError, "64-bit"),
        (lambda: mosaic.parse("memref<?x4xf32>").bind(), ShapeError, "needs a shape of 2 dimensions"),
        (lambda: mosaic.parse("memref<?x4xf32>").bind((3, 5)), ShapeError, r"no array of shape \(3, 5\)"),
        (lambda: mosaic.parse("memref<?x4xf32>").bind((3, 4, 1)), ShapeError, "needs a shape of 2 dimensions"),
        (lambda: mosaic.parse(3), LayoutError, "3 is an int; it takes Mosaic's text"),
        (lambda: mosaic.TiledLayout(3, (1,)), LayoutError, "tiles 3 are no sequence"),
        (lambda: mosaic.TiledLayout(((8, "a"),), (1, 1)), LayoutError, "no sequence of integers"),
        (lambda: mosaic.TiledLayout(((10**30,),), (1,)), LayoutError, "out of range"),
        (lambda: mosaic.TiledLayout((), (10**30,)), LayoutError, "does not fit in 64 bits"),
        (lambda: mosaic.MemRef((-1,), "f32"), ShapeError, "negative size -1"),
        (lambda: mosaic.MemRef(3, "f32"), ShapeError, "no sequence of sizes"),
        (lambda: mosaic.MemRef((3,), 32), LayoutError, "no element type and layout"),
        (lambda: mosaic.MemRef((3,), "f32", "#tpu.tiled<,[1]>"), LayoutError, "no element type and layout"),
    ],
)
def test_errors_of_values(action, error, said):
    with pytest.raises(error, match=said):
        action()


def test_elements_are_known_by_type():
    elements = {kind: mosaic.parse(f"memref<2x{kind}>").bind().element for kind in ("f32", "bf16", "i4", "ui8", "f8E5M2", "index", "i1")}
    assert [element and tuple(element) for element in elements.values()] == [
        ("float32", 32), ("bfloat16", 16), ("int4", 4), ("uint8", 8), ("float8_e5m2", 8), None, None,
    ]  # fmt: skip


@pytest.mark.live
def test_jaxlib_gives_the_same_map():
    """jaxlib's own parser and affine map, on many types; what it refuses is refused."""
    ir = pytest.importorskip("jaxlib.mlir.ir")
    tpu = pytest.importorskip("jaxlib.mosaic.python.tpu")
    with ir.Context() as context, ir.Location.unknown():
        tpu.register_dialect(context)
        for tiles, strides in product(["(8,128)", "(8,128)(2,1)", "(4)(2)", "(4,4)(2,2)(2,1)", "(4)(2)(2,1)", ""], ["2,1", "1,2", "5,3"]):
            text = f"memref<9x130xf32, #tpu.tiled<{tiles},[{strides}]>>"
            parsed = ir.Type.parse(text)
            assert str(mosaic.parse(text)) == str(parsed)
            formula = str(ir.MemRefType(parsed).affine_map).split("->")[1].replace("floordiv", "//").replace("mod", "%")
            layout = mosaic.parse(text).bind()
            r, c = np.meshgrid(range(9), range(130), indexing="ij")
            assert np.array_equal(layout.offsets(), eval(formula, {"d0": r, "d1": c})), text
        for own in ("strided<[16, 1]>", "affine_map<(d0, d1) -> (d1, d0)>"):
            text = f"memref<4x8xf32, {own}, #tpu.memory_space<vmem>>"
            assert str(ir.Type.parse(text)) == text
            assert tl.layout(text) == tl.layout(own, (4, 8))
        for text in ("#tpu.tiled<(8,128,),[1,1]>", "#tpu.tiled<(8,*),[1,1]>", "memref<16x256xbf16, #tpu.tiled<,[2]>>"):
            with pytest.raises(ir.MLIRError):
                (ir.Type if text.startswith("memref") else ir.Attribute).parse(text)
