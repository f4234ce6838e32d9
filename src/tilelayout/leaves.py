"""The innermost part of a copy: a kernel, the block of two dimensions that it moves, and the loops left to go around it.

Side u of the block is made of loops whose neighbours lie side by side in the source, side v of those whose neighbours lie side
by side in the target; in a run they are the same loop, and v counts rows of it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .loops import NO_AXIS, Loop

#: Bytes in a lane of the micro-kernels, and in a line of the caches.
LANE, LINE = 16, 64
#: Bytes of a row of the source from which it is not fetched ahead.
LONG_ROW = 1024
#: Bytes of the target that memory just cleared keeps in the caches.
NEAR = 1 << 20
#: Bytes of a block that go through scratch memory at a time, about.
STRIP = 1 << 18
#: Bytes of a row of the target that are taken apart from several interleaved rows, where each of these is whole lines of it.
UNZIPPED = 512
#: Elements in one row of an interleaving block at the most.
LONGEST_ZIP = 1024


class Manner(NamedTuple):
    """How large blocks are, in bytes.

    A row of a run, and the rows of a block; sides u and v; v where rows of the target lie differently in their lines, and where one loop
    is all of it; u where short rows make a block one stretch of the target.
    """

    row: int
    rows: int
    u: int
    v: int
    ragged_v: int
    whole_v: int
    stretch_u: int


#: Blocks that are written where they belong: small ones, which stay in the nearest cache on both sides.
DIRECT = Manner(row=1 << 16, rows=1 << 12, u=128, v=128, ragged_v=128, whole_v=128, stretch_u=128)
#: Blocks that are written in whole lines: long stretches of rows of the source, which the machine fetches by itself, and as few rows as
#: make up lines of the target.
STREAMED = Manner(row=1 << 12, rows=1 << 12, u=1 << 12, v=LINE, ragged_v=2 * LINE, whole_v=2 * LINE, stretch_u=256)

#: Offsets as pairs of a number and a stride, each around those before it.
Steps: TypeAlias = tuple[tuple[int, int], ...]


class Side(NamedTuple):
    """One dimension of the block: a loop, how its offsets run, and the loop whose ``unit`` many steps were cut into blocks, if one was."""

    loop: Loop
    steps: Steps = ()
    unit: int = 1
    cut: Loop | None = None


class Outer(NamedTuple):
    """A loop around the block; ``leaf`` is 1 or 2 where it walks the blocks of side u or v, ``per`` of ``total`` steps each, else 0."""

    loop: Loop
    leaf: int = 0
    total: int = 1
    per: int = 1


NOTHING = Loop(1, 0, 0, NO_AXIS, 1, False)


class Leaf(NamedTuple):
    """A kernel, its block, and what goes around it."""

    kernel: str
    width: int
    u: Side
    v: Side
    around: list[Outer]

    @property
    def size(self) -> int:
        """Bytes of a whole block."""
        return self.u.loop.n * self.v.loop.n * self.width

    @property
    def row(self) -> int:
        """Bytes of a block that lie together in the target."""
        return (self.u if self.kernel == "run" else self.v).loop.n * self.width

    @property
    def chain(self) -> int:
        """How many rows of a block follow each other in the target, each chain of them apart from the next."""
        chain = 1
        for n, step in self._rows:
            if n > 1 and step != self.row * chain:
                break
            chain *= n
        return chain

    @property
    def is_near(self) -> bool:
        """Whether the rows of a block lie close together in the target."""
        return sum([(n - 1) * abs(step) for n, step in self._rows]) <= NEAR

    @property
    def _rows(self) -> Steps:
        """Where the rows of a block begin in the target."""
        return ((self.v.loop.n, self.v.loop.target),) if self.kernel == "run" else self.u.steps

    @property
    def is_fetched(self) -> bool:
        """Whether rows of the source are to be fetched ahead: long ones the machine fetches itself, once it has seen where they begin."""
        return self.u.loop.n * self.width < LONG_ROW

    def strip(self, chain: int) -> int:
        """How many rows go through scratch memory at a time, as whole chains of them."""
        rows = (self.v if self.kernel == "run" else self.u).loop.n
        return min(rows, max(1, STRIP // (self.row * chain)) * chain) if chain and self.kernel == "transpose" else rows

    def is_even(self, outer: list[Outer]) -> bool:
        """Whether all rows lie alike in their lines, so that blocks of v can begin where lines do; ``outer`` are the loops around it."""
        if self.kernel != "transpose" or self.row % LINE or (outer and outer[0].leaf == 2):
            return False
        steps = [around.loop.target for around in outer if around.leaf != 2]
        return not any(step % LINE for step in (*steps, *(step for n, step in self.u.steps if n > 1)))

    @property
    def slice(self) -> int:
        """How much of v is fetched and moved at a time."""
        pieces = {"run": LANE, "transpose": LINE // self.width, "unzip": self.v.unit if self.v.unit > 1 else self.v.loop.n}
        return pieces.get(self.kernel, self.v.loop.n)


def leaf(loops: list[Loop], width: int, manner: Manner) -> Leaf:
    """The kernel that suits these loops best, in blocks cut in that manner."""
    rest = sorted(loops, key=stride)
    runs = [loop for loop in rest if loop.source == loop.target == width]
    if runs or not rest:
        run = runs[0] if runs else NOTHING
        rest = [loop for loop in rest if loop is not run]
        rows = next(filter(run.independent, rest), NOTHING)
        rest = [loop for loop in rest if loop is not rows]
        u = _cut(run, manner.row // width, 0)._replace(steps=())  # the elements of a row need no offsets
        v = _cut(rows, max(1, manner.rows // (u.loop.n * width)), rows.source)
        return Leaf("run", width, u, v, _around(rest, u, v))
    u_loop = next((loop for loop in rest if loop.source == width), NOTHING)
    v_loop = next((loop for loop in rest if loop.target == width and loop.independent(u_loop)), NOTHING)
    rest = [loop for loop in rest if loop is not u_loop and loop is not v_loop]
    if _interleaves(v_loop.n, u_loop.target, width):
        kernel = "zip"
    elif _interleaves(u_loop.n, v_loop.source, width):
        kernel = "unzip"
    else:
        is_stretch = v_loop.n * width < manner.v and u_loop.target == v_loop.n * width and u_loop.n * width >= manner.stretch_u
        most_u = manner.stretch_u if is_stretch else manner.u
        u, rest = _extended(_cut(u_loop, most_u // width, u_loop.target), v_loop, rest, most_u // width, width=width, step="source")
        most_v = manner.ragged_v if u_loop.target % LINE else manner.v
        v = _cut(v_loop, (manner.whole_v if v_loop.n * width <= manner.whole_v else most_v) // width, v_loop.source)
        v, rest = _extended(v, u.loop, rest, most_v // width, width=width, step="target")
        kernel = "transpose" if min(u.loop.n, v.loop.n) >= LANE // width > 1 else "strided"
        return Leaf(kernel, width, u, v, _around(rest, u, v))
    u, v = _cut(u_loop, LONGEST_ZIP, u_loop.target), _cut(v_loop, LONGEST_ZIP, v_loop.source)
    v, rest = _extended(v, u_loop, rest, UNZIPPED // width if v_loop.n * width % LINE == 0 else 0, width=width, step="target")
    return Leaf(kernel, width, u, v, _around(rest, u, v))


def stride(loop: Loop) -> float:
    """The shorter stride of a loop; of two that are equal, that in the target counts."""
    return min(1.01 * abs(loop.source), abs(loop.target))


def _interleaves(narrow: int, step: int, width: int) -> bool:
    """Whether a loop is that of a few rows which another takes an element of each in turn."""
    return narrow < LANE // width and narrow in (2, 4, 8) and step == narrow * width


def _around(rest: list[Loop], u: Side, v: Side) -> list[Outer]:
    around = [Outer(loop) for loop in rest]
    for leaf, side in ((1, u), (2, v)):
        if side.cut:
            per = side.loop.n // side.unit
            around.append(Outer(side.cut.blocks(per), leaf, side.cut.n, per))
    return around


def _cut(loop: Loop, most: int, across: int) -> Side:
    """A side of at most ``most`` iterations of the loop, whose offsets go ``across`` the other."""
    if loop.n <= most:
        return Side(loop, ((loop.n, across),))
    return Side(loop._replace(n=most), ((most, across),), cut=loop)


def _extended(side: Side, other: Loop, rest: list[Loop], most: int, *, width: int, step: str) -> tuple[Side, list[Loop]]:
    """The side with loops that follow it side by side, up to ``most`` elements; the last of them may be cut."""
    across = "target" if step == "source" else "source"
    while side.cut is None and side.loop.n < most:
        reach = width * side.loop.n
        found = next(((loop, whole) for loop in rest if getattr(loop, step) == reach and (whole := loop.along(side.loop))), None)
        if not found or not found[1].independent(other):
            break
        loop, whole = found
        rest = [left for left in rest if left is not loop]
        unit = side.loop.n
        outer = _cut(loop, max(1, most // unit), getattr(loop, across))
        side = Side(whole._replace(n=unit * outer.loop.n), side.steps + outer.steps, unit, outer.cut)
    return side, rest
