"""The page in a real browser: pointing, walking by keyboard, steps, comparing, and that nothing is complained of."""

import json

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

import tilelayout as tl
from browsing import Browser
from tilelayout.describe import padding_words

pytestmark = pytest.mark.browser

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
ARRAY = ".pane:nth-child(1) h3:nth-of-type(1) + .board"
MEMORY = ".pane:nth-child(1) h3:nth-of-type(2) + .board"
SECOND_ARRAY = ".pane:nth-child(2) h3:nth-of-type(1) + .board"
SWIZZLED = "S<2,0,3> o 0 o (8,8):(8,1)"

LABELS = "return [...document.querySelectorAll(arguments[0])].map((cell) => cell.getAttribute('aria-label'))"
ROWS = "return [...document.querySelectorAll(arguments[0])].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))"
#: The contrast of every text on the page with each colour behind it, and where it stands.
CONTRASTS = r"""
const picture = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
const linear = (n) => (n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
const luminance = (color) => {
  picture.fillStyle = color;
  picture.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...picture.getImageData(0, 0, 1, 1).data].map((n) => linear(n / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  const { backgroundImage, backgroundColor } = getComputedStyle(element);
  const stripes = backgroundImage.match(/(rgba?|color)\([^)]*\)/g);
  if (stripes) return stripes;
  const isClear = /rgba\(.*, 0\)/.test(backgroundColor);
  return isClear && element.parentElement ? behind(element.parentElement) : [isClear ? "white" : backgroundColor];
};
const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
const texts = [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility() && hasText(element));
return texts.filter((element) => !element.closest(":disabled, script, .measure")).flatMap((element) => {
  return behind(element).map((color) => {
    const [text, ground] = [getComputedStyle(element).color, color].map(luminance);
    const contrast = (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
    return [contrast, `${element.tagName}.${element.className} ${element.textContent.slice(0, 20)} on ${color}`];
  });
});
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("pages"))
    yield found
    found.close()


@pytest.fixture
def browser(shared):
    """The browser; whatever a test does, the console has nothing to say, and nothing is loaded but the page."""
    shared.complaints()
    yield shared
    assert shared.complaints() == []
    assert shared.run("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def cells(browser, board):
    """The labels of a board, row by row."""
    return browser.run(ROWS, f"{board} tbody tr")


def cell(browser, board, says):
    (found,) = browser.all(f"{board} td[aria-label^='{says}']")
    return found


def here(browser, board):
    return browser.texts(f"{board} td.here")


def working(browser):
    """The last column of the working: what each digit adds, and the slot."""
    return [int(text) for text in browser.texts("#details td:last-child")]


class TestPointing:
    def test_at_elements(self, browser):
        browser.open(FIGURE_1)
        layout = tl.layout(FIGURE_1)
        for x in np.ndindex(3, 5):
            browser.point(cell(browser, ARRAY, f"element ({x[0]}, {x[1]}),"))
            assert here(browser, ARRAY) == [str(layout(*x))]
            assert here(browser, MEMORY) == [f"{x[0]},{x[1]}"]
            *adds, slot = working(browser)
            assert sum(adds) == slot == layout(*x)
            assert browser.text(".picked") == f"element ({x[0]}, {x[1]}) lies in slot {slot}, byte {4 * slot}"
        assert browser.texts("#details tbody tr:nth-child(2) > *") == ["x1 // 2", "4 // 2", "2", "4", "8"]

    def test_at_slots(self, browser):
        browser.open(FIGURE_1)
        layout = tl.layout(FIGURE_1)
        padded = tl.Layout((4, 6), layout.digits)
        for slot, found in enumerate(browser.all(f"{MEMORY} td")):
            browser.point(found)
            x = padded.coordinates(slot).tolist()
            assert here(browser, ARRAY) == [str(slot)]
            if layout.is_padding(slot):
                axes = [f"axis {axis}" for axis in (0, 1) if x[axis] >= (3, 5)[axis]]
                beyond = f"the place of ({x[0]}, {x[1]}), beyond the end of {' and '.join(axes)}"
                assert browser.text(".picked") == f"slot {slot}, byte {4 * slot} is padding: {beyond}"
            else:
                assert browser.text(".picked") == f"element ({x[0]}, {x[1]}) lies in slot {slot}, byte {4 * slot}"

    def test_at_swizzled_elements(self, browser):
        browser.open(SWIZZLED)
        browser.point(cell(browser, ARRAY, "element (5, 3),"))
        assert here(browser, MEMORY) == ["5,3"]
        assert working(browser)[-1] == tl.layout(SWIZZLED)(5, 3)

    def test_at_shared_slots(self, browser):
        browser.open("cute:(4,4):(1,0)")
        browser.point(cell(browser, ARRAY, "element (2, 3),"))
        assert browser.text(".picked") == "element (2, 3) lies in slot 2, which 4 elements share"

    def test_at_nibbles(self, browser):
        browser.open("s4[5,8]{1,0:T(4,4)E(4)}")
        browser.point(cell(browser, ARRAY, "element (0, 5),"))
        assert browser.text(".picked") == "element (0, 5) lies in slot 17, byte 8, bits 4 to 7"


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (FIGURE_1, None),
        ("{1,0:T(3,2)(2,1)}", (5, 7)),
        ("{2,1,0:T(2,2)}", (2, 3, 5)),
        ("{2,1,0:T(2,*,4)}", (2, 3, 5)),
        ("[1, 0, 1 p(4)]", (6, 8)),
        ("strides=(-8,2), offset=20", (3, 4)),
        ("strides=(3,3)", (3, 4)),
        ("u8[20]{0:T(8)}", None),
        ("f32[]", None),
        ("f32[]{:T(4)}", None),
        ("f32[0,3]", None),
        (SWIZZLED, None),
    ],
)
def test_boards_show_every_element_and_slot(browser, layout, shape):
    browser.open(layout, shape)
    bound = tl.layout(layout, shape)
    said = browser.run(LABELS, f"{ARRAY} td:not(.void)")
    held = [f"element ({', '.join(map(str, x))}), slot {bound(*x)}" for x in np.ndindex(bound.shape)]
    assert [text for text in said if text.startswith("element")] == held
    places = [int(text.rpartition(" ")[2]) for text in said if text.startswith("place")]
    assert len(set(places)) == len(places)
    assert bound.is_padding(places).all()
    said = browser.run(LABELS, f"{MEMORY} td[data-row]")
    for slot, text in enumerate(said):
        if text.endswith("padding"):
            assert slot not in bound.offsets()
        else:
            x = tuple(map(int, filter(None, text[len("element (") : text.index(")")].split(", "))))
            assert bound(*x) == slot
    assert len(said) == bound.slots


class TestSteps:
    @pytest.mark.parametrize(
        ("layout", "shape"),
        [
            (FIGURE_1, None),
            ("{2,1,0:T(2,2)}", (2, 3, 5)),
            ("{1,0:T(4,4)(2,1)}", (5, 6)),
            ("[1, 0, 1 p(4)]", (6, 8)),
            ("[0 oe(8)]", (8,)),
            ("strides=(12,2)", (3, 4)),
            ("{0:T(8)}", (20,)),
            ("{}", ()),
            ("{1,0}", (3, 4)),
        ],
    )
    def test_every_step_shows_the_array_that_numpy_makes(self, browser, layout, shape):
        browser.open(layout, shape)
        recipe = tl.recipe(layout, shape)
        x = np.array([",".join(map(str, x)) or "()" for x in np.ndindex(recipe.shape)], dtype=object).reshape(recipe.shape)
        shown = [x] + [x := eval(step.forward("x"), {"np": np, "x": x, "fill": ""}) for step in recipe.steps]
        for number, array in enumerate(shown):
            assert browser.text("[aria-current=step] b") == str(number)
            assert [label for row in cells(browser, "#walk .board") for label in row] == array.ravel().tolist()
            browser.press("n")
        browser.press("p")
        assert browser.text("[aria-current=step] b") == str(max(0, len(recipe.steps) - 1))

    def test_buttons_lead_to_steps_and_what_is_picked_stays_marked(self, browser):
        browser.open(FIGURE_1)
        browser.point(cell(browser, ARRAY, "element (1, 2),"))
        for button in browser.all(".steps button"):
            button.click()
            assert here(browser, "#walk .board") == ["1,2"]
        assert browser.text("#walk .code") == "x = x.reshape(24)  # shape (24,)"

    def test_pointing_at_a_step(self, browser):
        browser.open(FIGURE_1)
        browser.press("n")
        browser.point(cell(browser, "#walk .board", "place (3, 5)"))
        assert here(browser, MEMORY) == [""]
        assert here(browser, ARRAY) == ["23"]
        browser.point(cell(browser, "#walk .board", "element (2, 4)"))
        assert here(browser, MEMORY) == ["2,4"]

    def test_elements_glide_unless_motion_is_unwanted(self, browser):
        browser.open(FIGURE_1)
        moving = "return document.getAnimations().filter(({ effect }) => effect.target.matches('#walk td')).length"
        browser.press("n", "n", "n")
        assert browser.run(moving) == 0
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "no-preference"}])
        browser.run("document.querySelectorAll('.steps button')[2].click()")
        assert browser.run(moving) > 0

    def test_why_there_are_no_steps(self, browser):
        browser.open(SWIZZLED)
        assert "reads a sum of digits" in browser.text("#walk .refusal")
        assert "m0 = 8*x0 + x1" in browser.text("#walk .refusal")
        browser.press("n")

    def test_of_a_typed_layout_beside_those_of_the_first(self, browser):
        browser.open(FIGURE_1)
        typed = "bf16[3,5]{1,0:T(4,4)(2,1)}"
        browser.type("#other", typed)
        browser.run("document.activeElement.blur()")
        steps = [["the array, 3,5", *tl.recipe(each).steps] for each in (FIGURE_1, typed)]
        shown = [[f"{number} {step}" for number, step in enumerate(each)] for each in steps]
        assert [browser.texts(f".walk:nth-child({k}) .steps button") for k in (1, 2)] == shown
        browser.press("n", "n", "n")
        assert browser.texts("#walk .code") == [
            "x = x.transpose(0, 2, 1, 3)  # shape (2, 3, 2, 2)",
            "x = x.transpose(2, 0, 3, 1)  # shape (2, 2, 4, 2)",
        ]
        browser.press("p")
        assert browser.texts("[aria-current=step] b") == ["2", "2"]
        browser.point(cell(browser, ".walk:nth-child(2) .board", "element (2, 3),"))
        assert [here(browser, f".walk:nth-child({k}) .board") for k in (1, 2)] == [["2,3"], ["2,3"]]
        browser.one("#alone").click()
        assert len(browser.all(".walk")) == 1
        assert browser.texts("[aria-current=step] b") == ["2"]

    def test_of_a_second_layout_where_the_first_has_none(self, browser):
        browser.open(SWIZZLED, compare="(8,8):(1,8)")
        browser.press("n")
        assert browser.texts("[aria-current=step] b") == ["1"]
        assert browser.text("#walk .code") == "x = x.transpose(1, 0)  # shape (8, 8)"


@pytest.mark.parametrize("layout", [FIGURE_1, "u8[99999]{0:L(100000)}", "u8[1]{0:T(100000)}", "u8[4]{0:T(2)}"])
def test_sizes(browser, layout):
    browser.open(layout)
    bound = tl.layout(layout)
    assert f" in {bound.slots} slots, {padding_words(bound.padding, bound.slots)}; " in browser.text(".sizes")


class TestComparing:
    def test_a_typed_layout(self, browser):
        browser.open(FIGURE_1)
        browser.type("#other", "{0,1:T(2,2)}")
        found = tl.diff(FIGURE_1, "{0,1:T(2,2)}", (3, 5))
        first, slots = found.first, found.first_slots
        where = f"the first of them {first[0]},{first[1]}: slot {slots[0]} in the first layout, {slots[1]} in the second"
        assert browser.text("#difference") == f"{found.count} of 15 elements lie in another slot, {where}."
        assert len(browser.all(f"{SECOND_ARRAY} td.moved")) == found.count
        browser.point(cell(browser, SECOND_ARRAY, "element (2, 1),"))
        assert here(browser, ARRAY) == [str(found.a(2, 1))]
        assert here(browser, SECOND_ARRAY) == [str(found.b(2, 1))]
        before, after = found.a(2, 1), found.b(2, 1)
        assert browser.texts(".picked") == [
            f"element (2, 1) lies in slot {before}, byte {4 * before}",
            f"element (2, 1) lies in slot {after}",
        ]

    def test_slots_of_other_widths(self, browser):
        browser.open(FIGURE_1, compare="bf16[3,5]{1,0:T(2,2)}")
        widths = "slots have 32 bits in the first layout, 16 in the second, which is not compared: the bytes of elements differ"
        assert browser.text("#difference") == f"No elements lie in another slot; {widths}."
        assert str(tl.diff(FIGURE_1, "bf16[3,5]{1,0:T(2,2)}")).endswith(widths.replace("the first layout", "a").replace("the second", "b"))

    def test_equal_layouts(self, browser):
        browser.open("[1, 0, 1 p(4)]", (6, 8))
        browser.type("#other", "(6,(4,2)):(4,(1,24))")
        assert browser.text("#difference") == "No elements lie in another slot."
        assert browser.all(".moved") == []

    def test_layouts_given_when_the_page_was_made(self, browser):
        browser.open("nChw16c", (1, 32, 2, 2), compare="strides=(128,4,2,1)")
        count = tl.diff("nChw16c", "strides=(128,4,2,1)", (1, 32, 2, 2)).count
        assert browser.text("#difference").startswith(f"{count} of 128 elements lie in another slot")
        browser.one("#alone").click()
        assert browser.text("#difference") == ""
        assert len(browser.all(".pane")) == 1

    def test_a_refusal_leaves_all_as_it_was(self, browser):
        browser.open(FIGURE_1, compare="{1,0}")
        browser.type("#other", "{1,0:T(2,2}")
        assert browser.text("#other-refusal") == "expected ',' or ')', found '}'\n    {1,0:T(2,2}\n              ^"
        assert browser.one("#other").get_attribute("aria-invalid") == "true"
        assert len(browser.all(".pane")) == 2
        browser.type("#other", "{1,0:T(2,2)}")
        assert browser.text("#other-refusal") == ""
        assert browser.one("#other").get_attribute("aria-invalid") is None

    def test_padding_of_one_layout_has_no_place_in_the_other(self, browser):
        browser.open(FIGURE_1, compare="f32[3,5]")
        browser.point(cell(browser, MEMORY, "slot 23: padding"))
        assert here(browser, SECOND_ARRAY) == []
        assert browser.texts(".picked")[1] == "what is picked is padding of the other layout"


class TestKeyboard:
    def focused(self, browser):
        return browser.run("return document.activeElement.getAttribute('aria-label') ?? document.activeElement.id ?? ''")

    def test_tab_goes_from_board_to_board_and_stays_with_what_is_picked(self, browser):
        browser.open(FIGURE_1)
        cell(browser, ARRAY, "element (1, 2),").click()
        browser.press(Keys.TAB)
        assert self.focused(browser) == "element (1, 2), slot 6"
        assert browser.run("return document.activeElement.closest('table').getAttribute('aria-label')").startswith("memory")
        browser.press(Keys.ARROW_RIGHT)
        assert self.focused(browser) == "element (1, 3), slot 7"
        assert here(browser, ARRAY) == ["7"]
        browser.chord(Keys.SHIFT, Keys.TAB)
        assert self.focused(browser) == "element (1, 3), slot 7"

    def test_keys_within_a_board(self, browser):
        browser.open("f32[40,40]{1,0:T(8,8)}")
        cell(browser, ARRAY, "element (0, 0),").click()
        for keys, x in (
            ([Keys.ARROW_DOWN], (1, 0)),
            ([Keys.ARROW_RIGHT] * 2, (1, 2)),
            ([Keys.ARROW_UP] * 3, (0, 2)),
            ([Keys.ARROW_LEFT], (0, 1)),
            ([Keys.PAGE_DOWN], (16, 1)),
            ([Keys.END], (16, 39)),
            ([Keys.HOME], (16, 0)),
            ([Keys.PAGE_UP], (0, 0)),
        ):
            browser.press(*keys)
            assert self.focused(browser).startswith(f"element ({x[0]}, {x[1]}),")
        browser.chord(Keys.SHIFT, Keys.ARROW_RIGHT)
        browser.chord(Keys.SHIFT, Keys.ARROW_DOWN)
        assert self.focused(browser).startswith("element (8, 8),")
        browser.chord(Keys.CONTROL, Keys.END)
        assert self.focused(browser).startswith("element (39, 39),")
        browser.chord(Keys.CONTROL, Keys.HOME)
        assert self.focused(browser).startswith("element (0, 0),")

    def test_what_is_picked_is_announced(self, browser):
        browser.open(FIGURE_1)
        cell(browser, ARRAY, "element (2, 3),").click()
        browser.press(Keys.ARROW_DOWN)
        assert browser.text("#status[role=status]") == "slot 19, byte 76 is padding: the place of (3, 3), beyond the end of axis 0"

    def test_a_window_of_another_width_leaves_the_focus_where_it_was(self, browser):
        browser.open("f32[40,40]{1,0:T(8,8)}")
        cell(browser, ARRAY, "element (3, 4),").click()
        shown = len(browser.all(f"{ARRAY} td"))
        browser.command("Emulation.setDeviceMetricsOverride", width=600, height=1000, deviceScaleFactor=1, mobile=False)
        WebDriverWait(browser.driver, 10).until(lambda _: len(browser.all(f"{ARRAY} td")) < shown)
        assert self.focused(browser).startswith("element (3, 4),")

    def test_letters_in_a_field_are_no_steps(self, browser):
        browser.open(FIGURE_1)
        browser.one("#other").send_keys("nnn")
        assert browser.text("[aria-current=step] b") == "0"

    def test_focus_is_seen(self, browser):
        browser.open(FIGURE_1)
        browser.press(*[Keys.TAB] * 6)
        assert browser.run("return document.activeElement.tagName") == "TD"
        assert browser.run("return getComputedStyle(document.activeElement).outlineWidth") == "3px"

    def test_roles(self, browser):
        browser.open("bf16[4096,512]{1,0:T(8,128)(2,1)}")
        table = browser.one(f"{ARRAY} table")
        assert [table.get_attribute(name) for name in ("role", "aria-rowcount", "aria-colcount")] == ["grid", "4096", "512"]
        assert len(browser.all(f"{ARRAY} [tabindex='0']")) == 1


class TestLargeLayouts:
    LAYOUT = "bf16[4096,512]{1,0:T(8,128)(2,1)}"

    def test_a_part_is_shown(self, browser):
        browser.open(self.LAYOUT)
        assert len(browser.all("td")) < 1500
        browser.type("#place", "4095,511")
        layout = tl.layout(self.LAYOUT)
        assert browser.text(".picked") == f"element (4095, 511) lies in slot {layout(4095, 511)}, byte {2 * layout(4095, 511)}"
        assert here(browser, ARRAY) == [str(layout(4095, 511))]
        assert here(browser, MEMORY) == ["4095,511"]
        browser.type("#place", "slot 1000000")
        assert here(browser, MEMORY) == [",".join(map(str, layout.coordinates(1000000)))]

    def test_pages(self, browser):
        browser.open(self.LAYOUT)
        browser.one(f"{ARRAY} [aria-label$='rows after']").click()
        assert browser.text(f"{ARRAY} .window span").startswith("rows 16 to 31 of 4096, columns 0 to ")
        assert browser.one(f"{ARRAY} [aria-label$='columns before']").get_attribute("disabled")

    def test_the_small_picture_leads_there(self, browser):
        browser.open("f32[400,400]{1,0:T(100,200)}")
        browser.point(browser.one(f"{ARRAY} .overview"))
        browser.one(f"{ARRAY} .overview").click()
        assert browser.text(".picked").startswith("element (200, 200) lies")

    def test_the_largest_that_a_page_counts(self, browser):
        browser.open("f64[9007199254740991]")
        browser.type("#place", "9007199254740990")
        assert browser.text(".picked") == f"element (9007199254740990) lies in slot 9007199254740990, byte {8 * 9007199254740990}"

    @pytest.mark.parametrize("text", ["4096,0", "1", "1,2,3", "x", "slot 2097152", "1,-2"])
    def test_places_that_are_none(self, browser, text):
        browser.open(self.LAYOUT)
        browser.type("#place", text)
        assert browser.text("#place-refusal")
        assert browser.text(".picked").startswith("element (0, 0)")


class TestLooks:
    @pytest.mark.parametrize("dark", [False, True])
    @pytest.mark.parametrize("layout", ["f32[30,40]{1,0:T(8,8)}", FIGURE_1])
    def test_text_is_legible(self, browser, layout, dark):
        browser.open(layout, compare="{1,0}", dark=dark)
        Select(browser.one("#coloring")).select_by_value("1")
        found = browser.run(CONTRASTS)
        assert len(found) > 50
        assert [pair for pair in found if pair[0] < 4.5] == []

    @pytest.mark.parametrize("width", [360, 768, 1280, 1920])
    @pytest.mark.parametrize("compare", [None, "{1,0}"])
    def test_nothing_is_cut_off(self, browser, width, compare):
        browser.open("{1,0:T(8,128)(2,1)}", (4096, 512), compare=compare, width=width)
        assert browser.run("return document.documentElement.scrollWidth") <= width
        for table, board in zip(browser.all(".board table"), browser.all(".board"), strict=True):
            assert table.size["width"] <= board.size["width"]

    def test_hostile_text_is_shown_as_text(self, browser):
        class Hostile:
            def __str__(self):
                return "</script><img src=x onerror=alert(1)><script>alert(1)</script>"

            def bind(self, shape=None):
                return tl.layout(FIGURE_1, shape)

        browser.open(Hostile())
        assert browser.text("h2") == str(Hostile())
        assert browser.run("return document.images.length") == 0
        browser.type("#other", "<img src=x onerror=alert(1)>")
        assert "<img src=x onerror=alert(1)>" in browser.text("#other-refusal")


def test_notebooks_show_the_page(browser, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>notebook</title>{tl.explore(FIGURE_1)._repr_html_()}")
    browser.driver.get(path.as_uri())
    browser.driver.switch_to.frame(browser.one("iframe"))
    assert json.loads(browser.text("#told"))["first"]["title"] == FIGURE_1
    assert browser.text(".picked") == "element (0, 0) lies in slot 0, byte 0"
