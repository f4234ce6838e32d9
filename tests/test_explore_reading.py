"""The page's own readers and recipes, in a real browser, against the library: the same slots and steps for the same text, or a refusal."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
import strategies_cute
import strategies_morello
import strategies_written
import strategies_xla
import tilelayout as tl
from browsing import Browser
from tilelayout.drawing.holders import holders
from tilelayout.exploring.facts import facts

pytestmark = pytest.mark.browser

TOLD = """
const told = (layout) => {
  const inverse = new tilelayout.Inverse(layout);
  return {
    shape: layout.shape,
    slots: layout.slots,
    element: layout.element && [layout.element.name, layout.element.bits],
    offsets: [...layout.elements().map((x) => layout.slot(x))],
    held: Array.from({ length: Math.min(layout.slots, 2000) }, (_, slot) => inverse.at(slot)),
    padding: inverse.padding,
  };
};
"""
GIVEN = "return arguments[0].map((facts) => told(tilelayout.layout(facts)));"
READ = """
return arguments[0].map(([text, shape]) => { try {
  return told(tilelayout.read(text, shape));
} catch (error) {
  if (!(error instanceof tilelayout.LayoutError)) throw error;
  return { refused: error.message, position: error.position };
} });
"""
RECIPES = """
return arguments[0].map((told) => { try {
  return { steps: tilelayout.recipe(tilelayout.layout(told)) };
} catch (error) {
  if (!(error instanceof tilelayout.LayoutError)) throw error;
  return { refused: error.message };
} });
"""
SETTINGS = settings(derandomize=True, database=None, max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
STRAY = st.sampled_from("0123456789,:()[]{}<>*TLESMpoec- _@?/")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("pages"))
    found.open("f32[2]")
    yield found
    found.close()


@st.composite
def xla_texts(draw):
    array = draw(strategies_xla.small_arrays())
    return draw(st.sampled_from([str(array), str(array.layout)])), array.dims


def cute_texts():
    layouts = st.one_of(strategies_cute.layouts(), strategies_cute.swizzled())
    return layouts.map(lambda layout: (str(layout), tl.cute.Layout(layout.shape).bind().shape))


def morello_texts():
    return strategies_morello.bound().map(lambda pair: (str(pair[0]), pair[1]))


@st.composite
def slipped(draw, case):
    """A text with a character more, less or other than it should have."""
    text, shape = case
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(st.just("") | STRAY) + text[at + draw(st.integers(0, 1)) :], shape


@st.composite
def strides_texts(draw):
    steps = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 20)), max_size=3))
    slots = draw(st.sampled_from(["", ", slots=0", ", slots=400"]))
    return f"strides=({','.join(str(step) for _, step in steps)}), offset={draw(st.integers(0, 40))}{slots}", tuple(n for n, _ in steps)


def several(cases):
    return st.lists(cases, min_size=1, max_size=8)


TEXTS = {"xla": xla_texts(), "cute": cute_texts(), "morello": morello_texts(), "strides": strides_texts()}


def library(text, shape):
    """What the library reads, or None."""
    try:
        return tl.layout(text, shape)
    except tl.LayoutError:
        return None


def page(browser, text, shape):
    """What the page reads: one layout."""
    return browser.run(TOLD + READ, [(text, shape)])[0]


def check_alike(told, layout):
    assert (told["shape"], told["slots"]) == (list(layout.shape), layout.slots)
    assert told["element"] == (None if layout.element is None else list(layout.element))
    assert told["offsets"] == layout.offsets().ravel().tolist()
    for held, holding in zip(told["held"], holders(layout, range(len(told["held"]))), strict=True):
        if holding is None:
            assert held["elements"] == 0
        else:
            assert (held["x"], held["elements"]) == (list(holding.coordinates), holding.elements)
    assert told["padding"] == layout.slots - len(set(told["offsets"]))


@pytest.mark.parametrize("language", TEXTS)
def test_the_page_reads_as_the_library_does(browser, language):
    @SETTINGS
    @given(several(TEXTS[language]))
    def check(cases):
        for told, case in zip(browser.run(TOLD + READ, cases), cases, strict=True):
            layout = library(*case)
            assert ("refused" in told) == (layout is None), (case, told)
            if layout is not None:
                check_alike(told, layout)

    check()


@pytest.mark.parametrize(
    "text",
    [
        "(64,):(1,)",
        "((4,),8,):((1,),4)",
        "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
        "Sw<1,4,3> o smem_ptr[4b](unset) o (_64,_8):(_1,_64)",
        "S<1,0,2> o 3 o Sw<0,4,3> o smem_ptr[256b](unset) o 8:1",
        "(,):(1)",
        *(f"Sw<3,{base},3> o smem_ptr[{bits}b](unset) o 8:1" for base, bits in ((4, 6), (4, 256), (4, 0), (4, -8), (26, 4))),
    ],
)
def test_the_page_reads_what_c_plus_plus_and_python_write(browser, text):
    layout = library(text, None)
    told = page(browser, text, layout.shape if layout else (8,))
    assert ("refused" in told) == (layout is None), told
    if layout is not None:
        check_alike(told, layout)


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_with_a_slip_is_read_as_the_library_does_or_refused(browser, language):
    @SETTINGS
    @given(several(TEXTS[language].flatmap(slipped)))
    def check(cases):
        for told, case in zip(browser.run(TOLD + READ, cases), cases, strict=True):
            if "refused" not in told:
                layout = library(*case)
                assert layout is not None, case
                check_alike(told, layout)

    check()


def check_given(browser, layouts):
    for told, layout in zip(browser.run(TOLD + GIVEN, [facts(layout, "") for layout in layouts]), layouts, strict=True):
        check_alike(told, layout)


def test_the_page_inverts_whatever_it_is_given(browser):
    @SETTINGS
    @given(several(strategies_written.some()))
    def check(layouts):
        check_given(browser, layouts)

    check()


@pytest.mark.parametrize("shape", [(4, 1), (4, 3)])
def test_an_axis_of_which_only_a_constant_is_read(browser, shape):
    check_given(browser, [tl.Layout(shape, [(0, 1, 4, 1), (((0, 1, 4, 1), (1, 1, 3, 4)), 12, 1, 1)])])


def check_steps(browser, layouts):
    told = browser.run(RECIPES, [facts(layout, "") for layout in layouts])
    for layout, found in zip(layouts, told, strict=True):
        try:
            steps = tl.recipe(layout).steps
        except tl.NotExpressible:
            assert "refused" in found, layout
        else:
            assert found.get("steps") == [
                {"says": str(step), "code": f"x = {step.forward('x')}"}
                | {name: list(value) if isinstance(value, tuple) else value for name, value in step._asdict().items()}
                for step in steps
            ], layout


@pytest.mark.parametrize(
    "layouts",
    [
        strategies.layouts(),
        strategies.strided_layouts(),
        *(texts.map(lambda case: library(*case)).filter(bool) for texts in TEXTS.values()),
    ],
    ids=["tiled", "strided", *TEXTS],
)
def test_steps_are_those_of_the_recipe(browser, layouts):
    @SETTINGS
    @given(several(layouts))
    def check(found):
        check_steps(browser, found)

    check()


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("bf16[1000,700]{1,0:T(8,128)(2,1)}", None),
        ("bf16[1000]{0:T(1024)(128)(2,1)}", None),
        ("f32[4,6,8]{2,1,0:T(*,2)}", None),
        ("f32[3,4,5]{2,1,0:T(*,10)}", None),
        ("f32[3,8,4]{2,1,0:T(*,8)(2,2)}", None),
        ("nChw16c", (2, 20, 3, 3)),
        ("strides=(128,1), offset=5", (4, 6)),
        ("strides=(8,-1), offset=7", (4, 8)),
        ("strides=(8,2), slots=100", (4, 3)),
        ("cute:(4,8):(0,1)", None),
        ("cute:(4,(2,4)):(2,(1,8))", None),
        ("affine_map<(d0) -> (d0, d0)>", (4,)),
        ("preset:nvfp4_scales", (300, 17)),
        ("f64[9007199254740991]", None),
        ("f32[1,1]{1,0:T(8,128)}", None),
        ("f32[0,3]{1,0:T(2,2)}", None),
    ],
)
def test_steps_of(browser, text, shape):
    check_steps(browser, [tl.layout(text, shape)])


@pytest.mark.parametrize(
    ("text", "shape", "words"),
    [
        ("S<1,0,1> o 0 o (2,2):(2,1)", (2, 2), "m1 % 2 reads a sum of digits: merged axes, a swizzle, or"),
        ("strides=(5,1), offset=2", (3, 5), "the buffer's first 2 slots lie before the first element"),
        ("strides=(-5,1), offset=10", (3, 5), "x0 walks backwards"),
        ("strides=(0,1)", (3, 5), "the digits of axis 0 do not read each part of its 3 coordinates once"),
        ("strides=(7,2)", (3, 3), "x0 goes by 7, no multiple of 2, by which x1 goes"),
        ("strides=(1,2)", (3, 3), "x0 counts 3 steps where x1 begins after 2"),
    ],
)
def test_why_there_are_no_steps(browser, text, shape, words):
    (found,) = browser.run(RECIPES, [facts(tl.layout(text, shape), "")])
    assert words in found["refused"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("bf16[16,256]{1,0:T(8,128)(2,1)}", (16, 256)),
        ("{2,1,0:T(2,*,4)}", (3, 5, 7)),
        ("f32[ 3, <=5 ] /* rows */ {1,0:T(2,2)L(7)S(1)M(1024)} // that is it", (3, 5)),
        ("s4[5,8]{1,0:T(4,4)E(4)}", (5, 8)),
        ("xla: {1,0:E(4)}", (5, 8)),
        ("Sw<_2,_0,-3> o 5 o ((_2,2),8):((16,_8),1)", (4, 8)),
        ("cute: 8:-1", (8,)),
        ("NHWC", (2, 3, 4, 5)),
        ("([0, 1 p(2), 1 p(2)], c1)", (3, 4)),
        ("strides: (5, 1)", (3, 5)),
        ("{}", ()),
    ],
)
def test_forms(browser, text, shape):
    check_alike(page(browser, text, shape), tl.layout(text, shape))


@pytest.mark.parametrize(
    ("text", "shape", "position", "words"),
    [
        ("{1,0:T(2,1)(3", (3, 5), 13, "',' or ')'"),
        ("{1,0,T(2,2)}", (3, 5), 5, "expected a dimension number, found 'T'"),
        ("{1,0:T(2,*)}", (3, 5), 6, "a tile ends in a size"),
        ("{1,0:SC(0:1)}", (3, 5), 5, "not read by this page, but by tilelayout"),
        ("f33[3,5]", (3, 5), 0, "an element type"),
        ("f32[9007199254740993]", (3,), 4, "beyond 9007199254740991"),
        ("f32[94906266,94906266]", (3,), 3, "beyond 9007199254740991"),
        ("(4,8):(1,,4)", (4, 8), 9, "a stride or a tuple, found ','"),
        ("(4,8):(1@0,1@1)", (4, 8), 8, "basis vectors"),
        ("S<3,0,2> o 0 o (8,8):(8,1)", (8, 8), 0, "shift at least bits"),
        ("[1, 0, 1 q(4)]", (6, 8), 9, "p(size), oe(size)"),
        ("strides=(5,1), offset=-1", (3, 5), 22, "below 0"),
        ("nChw16c", (1, 16, 2, 2), 0, "other languages are read by tilelayout itself"),
        ("  ", (3,), 2, "this page reads"),
    ],
)
def test_refusals_point_at_the_place(browser, text, shape, position, words):
    told = page(browser, text, shape)
    assert words in told["refused"]
    assert told["position"] == position
    assert told["refused"].endswith(f"    {text}\n{' ' * (4 + position)}^")


@pytest.mark.parametrize(
    ("text", "shape", "words"),
    [
        ("{1,0}", (3, 5, 7), "orders 2 dimensions, and the array has 3"),
        ("f32[3,4]", (3, 5), "a layout of shape 3,4, not 3,5"),
        ("(4,8):(1,4)", (3, 5), "a layout of shape 4,8, not 3,5"),
        ("[1, 0, 1 p(4)]", (3, 5), "finds 5 left of dimension 1"),
        ("([0, 0 p(4)], c1)", (6,), "finds 6 left of dimension 0"),
        ("strides=(5,1), slots=14", (3, 5), "slots from 0 to 14 are used, and the buffer has 14"),
    ],
)
def test_layouts_that_do_not_fit(browser, text, shape, words):
    assert library(text, shape) is None
    assert words in page(browser, text, shape)["refused"]


def test_the_page_counts_exactly_to_the_end(browser):
    @SETTINGS
    @given(several(st.tuples(st.integers(0, 2**53 - 1), st.integers(1, 2**53 - 1))))
    def check(pairs):
        quotients = browser.run("return arguments[0].map(([slot, divisor]) => Math.floor(slot / divisor))", pairs)
        assert quotients == [slot // divisor for slot, divisor in pairs]

    check()
    told = browser.run("const l = tilelayout.read('{0:T(3)}', [9007199254740990]); return [l.slots, l.slot([9007199254740989])]")
    assert told == [2**53 - 2, 2**53 - 3]
