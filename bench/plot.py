"""A section as bars: ours, the best peer, and a mark where the target is. Plain SVG."""

from __future__ import annotations

from html import escape

from rows import Row, Section

LEFT, WIDTH, RIGHT = 190, 560, 80
LINE, BAR, TOP = 26, 9, 56
#: Longer bars are cut here, and say their number.
MOST = 5.0
OURS, PEER, TARGET = "#2a6f97", "#c9c9c9", "#d1495b"


def bars(section: Section) -> str:
    """The rows from top to bottom; bars longer than ``MOST`` are cut."""
    height = TOP + LINE * len(section.rows) + 10
    ticks = "".join(
        f'<line x1="{_x(k)}" y1="{TOP - 6}" x2="{_x(k)}" y2="{height - 8}" stroke="#e6e6e6"/>'
        f'<text x="{_x(k)}" y="{TOP - 10}" text-anchor="middle">{k}</text>'
        for k in range(int(MOST) + 1)
    )
    legend = "".join(
        f'<rect x="{x}" y="8" width="10" height="10" fill="{colour}"/><text x="{x + 15}" y="17">{escape(text)}</text>'
        for x, colour, text in (
            (LEFT, OURS, f"tilelayout, {section.unit}"),
            (LEFT + 190, PEER, "best peer"),
            (LEFT + 290, TARGET, "target"),
        )
    )
    lines = "".join(_line(row, TOP + LINE * k) for k, row in enumerate(section.rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" font-family="sans-serif" font-size="11">'
        f'<rect width="100%" height="100%" fill="white"/>{legend}{ticks}{lines}</svg>\n'
    )


def _line(row: Row, y: int) -> str:
    threads = "" if row.threads == 1 else f", {row.threads} threads"
    parts = [f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(row.job + threads)}</text>', _bar(row.ours, y, OURS)]
    if row.best_peer:
        parts.append(_bar(row.best_peer[1], y + BAR + 1, PEER, row.best_peer[0]))
    if row.target is not None:
        x = _x(row.target)
        parts.append(f'<line x1="{x}" y1="{y - 2}" x2="{x}" y2="{y + 2 * BAR + 3}" stroke="{TARGET}" stroke-width="2"/>')
    return "".join(parts)


def _bar(value: float, y: int, colour: str, name: str = "") -> str:
    end = _x(min(value, MOST))
    label = f'<text x="{end + 4:.1f}" y="{y + BAR}" font-size="9">{value:.2f} {escape(name)}</text>'
    return f'<rect x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{BAR}" fill="{colour}"/>{label}'


def _x(value: float) -> float:
    return round(LEFT + WIDTH * value / MOST, 1)
