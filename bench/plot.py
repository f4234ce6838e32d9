"""A section as points: ours and every peer on one line for each job, a panel for each number of threads. Plain SVG, light or dark."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import log2

from peers import NAMES
from rows import Row, Section

#: The ends of the scale, on which each step is twice the one before; what lies beyond is drawn at its end.
LEAST, MOST = 0.5, 64.0
LABELS, PANEL, NUMBERS, LINE, TOP, BELOW = 124, 330, 64, 17, 88, 28
#: The radius of a mark.
SIZE = 4.0
OURS = "ours"
MARKS = {"numpy": "square", "torch": "triangle", "numba": "diamond", "oneDNN": "ring"}
#: What is painted in each colour, in light and in dark.
COLORS = {
    "paper": ("#ffffff", "#11151c"), "ink": ("#14181f", "#eef1f5"), "muted": ("#5a6470", "#a3adb8"), "line": ("#dfe3e8", "#2d3440"),
    OURS: ("#0b62a4", "#5db8ff"), "target": ("#c8324a", "#ff7b8e"), "numpy": ("#6b7280", "#9aa4b2"), "torch": ("#c2560c", "#f59b5b"),
    "numba": ("#7a4fb0", "#bf9bf0"), "oneDNN": ("#0f7a55", "#4fcf9f"),
}  # fmt: skip


def points(section: Section) -> str:
    """The jobs from top to bottom, the numbers of threads from left to right."""
    jobs = list(dict.fromkeys(row.job for row in section.rows))
    threads = sorted({row.threads for row in section.rows})
    width, height = LABELS + (PANEL + NUMBERS) * len(threads), TOP + LINE * len(jobs) + BELOW
    parts = ['<rect width="100%" height="100%" class="paper"/>', *_legend(section)]
    for number, job in enumerate(jobs):
        y = TOP + LINE * number
        if number % 2:
            parts.append(f'<rect x="0" y="{y}" width="{width}" height="{LINE}" class="line" opacity="0.4"/>')
        parts.append(_text(LABELS - 10, y + LINE / 2, job, "ink", "end"))
    for at, count in enumerate(threads):
        left = LABELS + (PANEL + NUMBERS) * at
        parts += _scale(left, height, "1 thread" if count == 1 else f"{count} threads")
        for row in section.rows:
            if row.threads == count:
                parts += _row(row, left, TOP + LINE * (jobs.index(row.job) + 0.5))
    style = f"{_painted(0)}.hollow{{stroke-width:1.6}}@media(prefers-color-scheme:dark){{{_painted(1)}}}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="system-ui,sans-serif" font-size="11">\n<title>{escape(section.title)}</title>\n<style>{style}</style>\n'
        + "\n".join([*parts, "</svg>\n"])
    )


def _painted(scheme: int) -> str:
    """The colours as a style sheet: lines and hollow marks are drawn, all else is filled."""
    rules = "line.{0}{{stroke:{1}}}.{0}{{fill:{1}}}.hollow.{0}{{fill:none;stroke:{1}}}"
    return "".join(rules.format(name, pair[scheme]) for name, pair in COLORS.items())


def _legend(section: Section) -> Iterator[str]:
    yield _text(12, 18, f"{section.title}: {section.unit}; less is better, 1 is a plain copy", "ink", "start", bold=True)
    x = 20
    for name in (OURS, *NAMES):
        yield _mark(name, x, 42, name)
        yield _text(x + 10, 42, "tilelayout" if name == OURS else name, "ink", "start")
        x += 84
    yield _target(x, 42, "target")
    yield _text(x + 10, 42, "target", "ink", "start")


def _scale(left: float, height: float, title: str) -> Iterator[str]:
    yield _text(left + PANEL / 2, 62, title, "muted", "middle")
    step = LEAST
    while step <= MOST:
        x, bold = _x(left, step), 1.6 if step == 1 else 1
        yield f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{height - BELOW}" class="{"muted" if step == 1 else "line"}" stroke-width="{bold}"/>'
        for y in (TOP - 9, height - BELOW + 11):
            yield _text(x, y, f"{step:g}", "muted", "middle")
        step *= 2


def _row(row: Row, left: float, y: float) -> Iterator[str]:
    if row.target is not None:
        yield _target(_x(left, row.target), y, f"{row.job}: target {row.target:.2f}")
    for name, value in row.peers.items():
        yield _mark(name, _x(left, value), y, f"{row.job}: {name} {value:.2f}")
    yield _mark(OURS, _x(left, row.ours), y, f"{row.job}: tilelayout {row.ours:.2f}")
    yield _text(left + PANEL + 38, y, f"{row.ours:.2f}", OURS, "end", bold=True)


def _mark(name: str, x: float, y: float, says: str) -> str:
    shape = {
        OURS: f'<circle cx="{x}" cy="{y}" r="{SIZE + 0.5}"',
        "ring": f'<circle cx="{x}" cy="{y}" r="{SIZE - 0.5}"',
        "square": f'<rect x="{x - SIZE + 1}" y="{y - SIZE + 1}" width="{2 * SIZE - 2}" height="{2 * SIZE - 2}"',
        "triangle": _path([(x, y - SIZE), (x + SIZE, y + SIZE - 1), (x - SIZE, y + SIZE - 1)]),
        "diamond": _path([(x, y - SIZE), (x + SIZE, y), (x, y + SIZE), (x - SIZE, y)]),
    }[MARKS.get(name, OURS)]
    return f'{shape} class="{name}{"" if name == OURS else " hollow"}"><title>{escape(says)}</title>{_end(shape)}'


def _path(corners: Sequence[tuple[float, float]]) -> str:
    return f'<path d="M{" L".join(f"{x:.1f} {y:.1f}" for x, y in corners)} Z"'


def _end(shape: str) -> str:
    return f"</{shape[1 : shape.index(' ')]}>"


def _target(x: float, y: float, says: str) -> str:
    return f'<rect x="{x - 1}" y="{y - LINE / 2 + 2}" width="2" height="{LINE - 4}" class="target"><title>{escape(says)}</title></rect>'


def _text(x: float, y: float, text: str, color: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x}" y="{y}" dy="0.35em" text-anchor="{anchor}" class="{color}"{weight}>{escape(text)}</text>'


def _x(left: float, value: float) -> float:
    share = log2(min(max(value, LEAST), MOST) / LEAST) / log2(MOST / LEAST)
    return round(left + PANEL * share, 1)
