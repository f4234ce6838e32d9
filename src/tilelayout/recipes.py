"""A layout as a recipe: the pads, reshapes and transposes that lay an array out, in words and as numpy code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, NamedTuple

from .digits import Layout
from .notations import LayoutLike
from .notations import layout as as_layout
from .places import Place, chains, places


class Step(NamedTuple):
    """One step: from an array of one shape to one of another; ``order`` says which dimension comes where in a transpose."""

    action: Literal["pad", "cut", "reshape", "transpose"]
    before: tuple[int, ...]
    after: tuple[int, ...]
    order: tuple[int, ...] = ()

    def __str__(self) -> str:
        if self.action == "transpose":
            return f"transpose {self.order}"
        if self.action == "reshape":
            return "flatten" if len(self.after) == 1 and len(self.before) != 1 else f"reshape to {self.after}"
        if len(self.before) == 1:
            return f"{self.action} the end from {self.before[0]} to {self.after[0]}"
        resized = [
            f"axis {axis} from {old} to {new}" for axis, (old, new) in enumerate(zip(self.before, self.after, strict=True)) if old != new
        ]
        return f"{self.action} {', '.join(resized)}"

    def forward(self, name: str) -> str:
        """The step as a numpy expression of the array with that name; padding holds ``fill``."""
        if self.action == "transpose":
            return f"{name}.transpose({_listed(self.order)})"
        return self._resized(name, self.before, self.after)

    def backward(self, name: str) -> str:
        """The step undone, as a numpy expression; what was cut comes back as zeros."""
        if self.action == "transpose":
            back = sorted(range(len(self.order)), key=self.order.__getitem__)
            return f"{name}.transpose({_listed(back)})"
        return self._resized(name, self.after, self.before)

    def _resized(self, name: str, old: tuple[int, ...], new: tuple[int, ...]) -> str:
        if self.action == "reshape":
            return f"{name}.reshape({_listed(new)})"
        if old > new:
            slices = [":" if m == n else f":{n}" for m, n in zip(old, new, strict=True)]
            return f"{name}[{', '.join(slices)}]"
        widths = ", ".join(f"(0, {n - m})" for m, n in zip(old, new, strict=True))
        fill = ", constant_values=fill" if self.action == "pad" else ""
        return f"np.pad({name}, [{widths}]{fill})"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers)) or "()"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The steps that turn an array of a shape into the buffer of a layout; ``str`` says them in words."""

    shape: tuple[int, ...]
    slots: int
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "; ".join(map(str, self.steps)) or "nothing: the array is its own buffer"

    def code(self) -> str:
        """The text of a Python module with ``pack(x, fill=0)`` and ``unpack(buffer)``, which needs numpy and nothing else.

        Where no step has to copy, what the functions return is a view, as it is with numpy's own.
        """
        forward = [f"    x = {step.forward('x')}" for step in self.steps]
        backward = [f"    x = {step.backward('x')}" for step in reversed(self.steps)]
        return "\n".join(
            [
                *("import numpy as np", "", ""),
                *("def pack(x, fill=0):", f'    """An array of shape {self.shape} as a buffer of {self.slots} slots."""'),
                *("    x = np.asarray(x)", *forward, "    return x", "", ""),
                *("def unpack(buffer):", f'    """The array of shape {self.shape} in a buffer of {self.slots} slots."""'),
                *("    x = np.asarray(buffer)", *backward, "    return x"),
            ]
        )


def recipe(layout: LayoutLike, shape: Sequence[int] | None = None) -> Recipe:
    """The pads, reshapes and transposes that lay an array out as the layout says.

    >>> import tilelayout as tl
    >>> found = tl.recipe("f32[3,5]{1,0:T(2,2)}")
    >>> print(found)
    pad axis 0 from 3 to 4, axis 1 from 5 to 6; reshape to (2, 2, 3, 2); transpose (0, 2, 1, 3); flatten
    >>> print(found.code())
    import numpy as np
    <BLANKLINE>
    <BLANKLINE>
    def pack(x, fill=0):
        \"""An array of shape (3, 5) as a buffer of 24 slots.\"""
        x = np.asarray(x)
        x = np.pad(x, [(0, 1), (0, 1)], constant_values=fill)
        x = x.reshape(2, 2, 3, 2)
        x = x.transpose(0, 2, 1, 3)
        x = x.reshape(24)
        return x
    <BLANKLINE>
    <BLANKLINE>
    def unpack(buffer):
        \"""The array of shape (3, 5) in a buffer of 24 slots.\"""
        x = np.asarray(buffer)
        x = x.reshape(2, 3, 2, 2)
        x = x.transpose(0, 2, 1, 3)
        x = x.reshape(4, 6)
        x = x[:3, :5]
        return x

    ``shape`` gives the extents for a description that has none. Raises ``NotExpressible``, with the digit that stands in the way, for
    layouts that merge axes, swizzle, walk backwards, start at an offset, repeat elements or let tiles cut across each other.
    """
    bound = as_layout(layout, shape)
    return Recipe(bound.shape, bound.slots, _steps(bound))


class _Path:
    """The steps so far, and the shape they lead to; steps that change nothing are left out."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.steps: list[Step] = []

    def resize(self, shape: tuple[int, ...]) -> None:
        if shape != self.shape:
            self._go(Step("pad" if shape > self.shape else "cut", self.shape, shape))

    def reshape(self, shape: tuple[int, ...]) -> None:
        if self.steps and self.steps[-1].action == "reshape":
            self.shape = self.steps.pop().before
        if shape != self.shape:
            self._go(Step("reshape", self.shape, shape))

    def transpose(self, order: tuple[int, ...]) -> None:
        if order != tuple(range(len(order))):
            self._go(Step("transpose", self.shape, tuple(self.shape[k] for k in order), order))

    def _go(self, step: Step) -> None:
        self.steps.append(step)
        self.shape = step.after


def _steps(layout: Layout) -> tuple[Step, ...]:
    listed = places(layout, "pads, reshapes and transposes")
    rooms = {place: place.room for place in listed}
    if listed:
        rooms[listed[0]] = _room_as_written(layout, listed[0])
    rising = chains(listed, layout.ndim)
    falling = [place for chain in rising for place in reversed(chain)]
    tops = {chain[-1] for chain in rising if chain}
    split = [rooms[place] if place in tops else place.digit.radix for place in falling]
    roomy = [rooms[place] for place in falling]
    order = [falling.index(place) for place in listed]
    if listed and listed[-1].digit.stride > 1:
        # Elements lie apart: a last dimension of one element gets the room between them.
        split.append(1)
        roomy.append(listed[-1].digit.stride)
        order.append(len(listed))
    path = _Path(layout.shape)
    path.resize(tuple(_padded(chain, rooms) if chain else size for chain, size in zip(rising, layout.shape, strict=True)))
    if layout.size:
        path.reshape(tuple(split))
        path.resize(tuple(roomy))
        path.transpose(tuple(order))
    path.reshape((prod(path.shape),))
    path.resize((layout.slots,))
    return tuple(path.steps)


def _padded(chain: Sequence[Place], rooms: Mapping[Place, int]) -> int:
    """The extent of an axis that its digits divide, the highest of which gets its whole room."""
    *lower, top = chain
    return rooms[top] * prod(place.digit.radix for place in lower)


def _room_as_written(layout: Layout, slowest: Place) -> int:
    """How far the layout's own digits count at the slowest place; what is over is padding at the end, not of the axis."""
    at = slowest.digit
    written = (d.radix for d in layout.digits if (d.axis, d.divisor, d.stride) == (at.axis, at.divisor, at.stride))
    return max([at.radix, *(radix for radix in written if radix <= slowest.room)])
