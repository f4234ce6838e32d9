"""The colours of drawings, in light and dark and for terminals.

Eight hues that people with any colour vision tell apart, after Okabe and Ito, "Color Universal Design" (2008), in two shades each. Text
on every one of them has a contrast of 4.5 to 1 or more, which WCAG 2.1 asks for.
"""

from __future__ import annotations

from typing import NamedTuple

Rgb = tuple[int, int, int]

_HUES: tuple[Rgb, ...] = (
    (0x56, 0xB4, 0xE9),  # sky blue
    (0xE6, 0x9F, 0x00),  # orange
    (0x00, 0x9E, 0x73),  # green
    (0xCC, 0x79, 0xA7),  # purple
    (0xF0, 0xE4, 0x42),  # yellow
    (0xD5, 0x5E, 0x00),  # vermilion
    (0x00, 0x72, 0xB2),  # blue
    (0x8C, 0x8C, 0x8C),  # grey
)
_WHITE, _NIGHT = (0xFF, 0xFF, 0xFF), (0x12, 0x16, 0x1C)
#: How far each shade lies from its hue, towards white in light and towards night in dark.
_LIGHT_SHARES, _DARK_SHARES = (0.52, 0.2), (0.58, 0.74)


class Role(NamedTuple):
    """What is painted alike: the attribute that is set, and its value in light and in dark."""

    attribute: str
    light: str
    dark: str


def mixed(color: Rgb, towards: Rgb, share: float) -> str:
    """A colour, with some share of another in it.

    >>> mixed((0, 0, 0), (255, 255, 255), 0.5)
    '#808080'
    """
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(color, towards, strict=True))


#: The fills, light and dark; after the eight hues come their second shades.
FILLS = tuple(
    Role("fill", mixed(hue, _WHITE, light), mixed(hue, _NIGHT, dark))
    for light, dark in zip(_LIGHT_SHARES, _DARK_SHARES, strict=True)
    for hue in _HUES
)
ROLES = {
    "paper": Role("fill", "#ffffff", "#12161c"),
    "ink": Role("fill", "#14181d", "#f0f3f6"),
    "muted": Role("fill", "#5a6470", "#a4afbb"),
    "near": Role("stroke", "#14181d", "#f0f3f6"),
    "cell": Role("stroke", "#46505a", "#9aa5b1"),
    "frame": Role("stroke", "#14181d", "#f0f3f6"),
    "hatch": Role("stroke", "#b9c1ca", "#4b545f"),
    "void": Role("fill", "#f3f4f6", "#1c2229"),
    **{f"c{number}": fill for number, fill in enumerate(FILLS)},
}


def terminal_color(number: int) -> int:
    """The nearest colour of the 6x6x6 cube that most terminals have, for a fill; black text is read on it.

    >>> terminal_color(0)
    153
    """
    levels = [int(FILLS[number].light[k : k + 2], 16) for k in (1, 3, 5)]
    red, green, blue = (0 if level < 48 else 1 if level < 115 else (level - 35) // 40 for level in levels)
    return 16 + 36 * red + 6 * green + blue
