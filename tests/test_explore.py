"""Pages to explore layouts with: what is in the file, and what is refused. What a browser makes of it is in test_explore_browser.py."""

import base64
import hashlib
import inspect
import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import tilelayout as tl
from tilelayout.cli import main
from tilelayout.exploring.page import SCRIPTS
from tilelayout.notations import xla
from tilelayout.radix import plain

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
HOSTILE = "</script></title><script>alert('&\"1')</script>\u2028<!--"
ASSETS = [path for path in Path(inspect.getfile(tl.explore)).parent.rglob("*.*") if path.suffix in (".html", ".css", ".js")]


class Hostile:
    """A notation whose text would break out of a careless page."""

    def __str__(self):
        return HOSTILE

    def bind(self, shape=None):
        return tl.layout(FIGURE_1, shape)


class Parts(HTMLParser):
    """The elements of a page: their tags with attributes, and the text inside by the tag."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.inside, self.open = [], {}, None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self.open = attributes.get("id") if tag == "script" and "id" in attributes else tag
        self.inside.setdefault(self.open, "")

    def handle_data(self, data):
        if self.open:
            self.inside[self.open] += data

    def handle_endtag(self, tag):
        self.open = None


def told(page):
    return json.loads(Parts(page.html).inside["told"])


class TestFacts:
    @settings(max_examples=40)
    @given(st.one_of(strategies.layouts(), strategies.strided_layouts()))
    def test_the_page_is_told_the_layout(self, layout):
        first = told(tl.explore(layout))["first"]
        assert first["shape"] == list(layout.shape)
        assert first["slots"] == layout.slots
        assert first["digits"] == json.loads(json.dumps([plain(digit) for digit in layout.digits]))

    def test_a_second_layout_in_another_language(self):
        facts = told(tl.explore("[1, 0, 1 p(4)]", (6, 8), compare="tvm:HW->WH4w"))
        assert facts["second"]["title"] == "tvm:HW->WH4w"
        assert facts["second"]["slots"] == 48

    def test_either_layout_may_have_the_sizes(self):
        for a, b in ((FIGURE_1, "{0,1}"), ("{0,1}", FIGURE_1)):
            facts = told(tl.explore(a, compare=b))
            assert [facts[name]["title"] for name in ("first", "second")] == [a, b]
            assert facts["first"]["shape"] == facts["second"]["shape"] == [3, 5]

    def test_element_types_are_those_that_xla_names(self):
        types = told(tl.explore(FIGURE_1))["types"]
        for name, (numpy_name, bits) in types.items():
            assert xla.Shape(name, (3,)).bind().element == (numpy_name, bits)

    def test_element_of_the_layout(self):
        assert told(tl.explore("s4[8]{0:E(4)}"))["first"]["element"] == {"name": "int4", "bits": 4}
        assert told(tl.explore("{0}", (8,)))["first"]["element"] is None


class TestPage:
    def test_nothing_is_loaded(self):
        html = tl.explore(FIGURE_1).html
        assert not re.search(r"https?:", html)
        sources = [value for _, attributes in Parts(html).tags for name, value in attributes.items() if name in ("src", "href")]
        assert sources == ["data:,"]

    def test_the_policy_allows_its_own_style_and_script_alone(self):
        parts = Parts(tl.explore(FIGURE_1).html)
        (policy,) = [attributes["content"] for tag, attributes in parts.tags if attributes.get("http-equiv") == "Content-Security-Policy"]
        hashed = [base64.b64encode(hashlib.sha256(parts.inside[tag].encode()).digest()).decode() for tag in ("script", "style")]
        assert policy == f"default-src 'none'; script-src 'sha256-{hashed[0]}'; style-src 'sha256-{hashed[1]}'; img-src data:"

    def test_hostile_text_stays_text(self):
        page = tl.explore(Hostile(), compare=Hostile())
        parts = Parts(page.html)
        assert [tag for tag, _ in parts.tags].count("script") == 2
        shown = " ".join(HOSTILE.replace("\u2028", " ").split())
        assert parts.inside["title"] == shown
        assert told(page)["first"]["title"] == told(page)["second"]["title"] == shown

    def test_the_same_layout_makes_the_same_page(self):
        assert tl.explore(FIGURE_1).html == tl.explore(FIGURE_1).html

    def test_notebooks_show_it(self):
        tag, attributes = Parts(tl.explore(FIGURE_1)._repr_html_()).tags[0]
        assert (tag, attributes["srcdoc"]) == ("iframe", tl.explore(FIGURE_1).html)


class TestAssets:
    def test_every_script_is_on_the_page(self):
        assert sorted(SCRIPTS) == sorted(path.stem for path in ASSETS if path.suffix == ".js")

    def test_scripts_call_nothing_that_browsers_have_only_since_2023(self):
        recent = r"\b(?:groupBy|toSorted|toReversed|toSpliced|withResolvers|fromAsync|isSubsetOf|isSupersetOf|isDisjointFrom)\b"
        for path in ASSETS:
            assert not re.search(recent, path.read_text(encoding="utf-8")), path

    def test_wheels_have_them(self):
        project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
        patterns = project["tool"]["setuptools"]["package-data"]["tilelayout"]
        for path in ASSETS:
            assert any(path.match(f"tilelayout/{pattern}") for pattern in patterns), path


class TestSave:
    def test_a_file_is_the_page(self, tmp_path):
        page = tl.explore(FIGURE_1)
        page.save(tmp_path / "a.html")
        assert (tmp_path / "a.html").read_bytes() == page.html.encode()

    @pytest.mark.parametrize("name", ["a.svg", "a", "html", 3, b"a.html"])
    def test_other_names_are_refused(self, tmp_path, monkeypatch, name):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(tl.LayoutError, match=r"ends? in \.html"):
            tl.explore(FIGURE_1).save(name)
        assert not list(tmp_path.iterdir())

    def test_a_file_is_written_whole_or_not_at_all(self, tmp_path, monkeypatch):
        (tmp_path / "a.html").write_text("old")
        monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(tl.LayoutError, match="No space left"):
            tl.explore(FIGURE_1).save(tmp_path / "a.html")
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.html", "old")]


class TestRefusals:
    def test_layouts_of_different_shapes(self):
        with pytest.raises(tl.ShapeError, match=r"shape \(3, 4\), not \(3, 5\)"):
            tl.explore(FIGURE_1, compare="f32[3,4]")

    @pytest.mark.parametrize("layout", ["u8[9007199254740992]", "strides=(9007199254740992)", "strides=(1), slots=9007199254740993"])
    def test_numbers_that_javascript_has_not(self, layout):
        with pytest.raises(tl.ShapeError, match="exactly up to 9007199254740991"):
            tl.explore(layout, None if layout[0] == "u" else (2,))

    def test_the_largest_that_it_has(self):
        assert told(tl.explore("u8[9007199254740991]"))["first"]["slots"] == 2**53 - 1

    def test_sums_that_pass_it_on_the_way(self):
        layout = tl.Layout((2, 2), [(None, 1, 2, 2**52 - 2), (0, 1, 2, 2**52), (1, 1, 2, 2 - 2**52)], slots=2**53 - 1)
        with pytest.raises(tl.ShapeError, match="exactly"):
            tl.explore(layout)


class TestCommand:
    @pytest.fixture(autouse=True)
    def _in_a_folder_of_its_own(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    def test_the_file_and_what_is_said(self, tmp_path, capsys):
        assert main(["explore", FIGURE_1]) == 0
        assert capsys.readouterr().out == "wrote layout.html; open it in a browser\n"
        assert (tmp_path / "layout.html").read_text() == tl.explore(FIGURE_1).html

    def test_options(self, tmp_path, capsys):
        words = ["explore", "{1,0}", "--shape", "4,8", "--compare", "{0,1}", "--to", "a.htm", "--json"]
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out) == {"layout": "{1,0}", "compare": "{0,1}", "out": "a.htm"}
        assert (tmp_path / "a.htm").read_text() == tl.explore("{1,0}", (4, 8), compare="{0,1}").html

    def test_refusals(self, tmp_path, capsys):
        assert main(["explore", "{1,0}"]) == 2
        assert "--shape 3,5" in capsys.readouterr().err
        assert main(["explore", FIGURE_1, "--to", "a.png"]) == 2
        assert "must end in .html" in capsys.readouterr().err
        assert not list(tmp_path.iterdir())
