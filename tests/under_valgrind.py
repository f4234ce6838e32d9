"""Every kernel on small and odd cases, short enough for valgrind: ``make valgrind``.

Not a test by itself: what valgrind says of the memory is. Valgrind has no AVX-512, so that the widest level is 256 there.
"""

import numpy as np

import three_ways
import tilelayout as tl
from tilelayout import cute
from tilelayout._kernels import copy, index, machines

XLA = [
    ((3, 5), (1, 0), [(2, 2)]),
    ((19, 37), (1, 0), [(8, 16), (2, 1)]),
    ((37, 19), (0, 1), [(4, 8)]),
    ((33, 65), (1, 0), [(8, 32), (4, 1)]),
    ((5, 3, 4), (1, 2, 0), [("*", 3), (2,)]),
    ((7, 9), (1, 0), [(3, 5), (2, 3)]),
    ((65, 33), (0, 1), []),
    ((100, 20), (1, 0), [(1, 32)]),
    ((), (), [(4,)]),
]


def large() -> None:
    """Copies and queries large enough to be streamed and shared among threads."""
    array = np.arange(2101 * 2051).astype(np.uint16).reshape(2101, 2051)
    layout = tl.layout("{0,1:T(8,128)(2,1)}", array.shape)
    packed = tl.pack(array, layout, fill=7, threads=2)
    assert (tl.unpack(packed, layout, threads=2) == array).all()
    slots = layout.index(np.argwhere(array % 3 == 1), threads=2)
    assert (layout.coordinates(slots, threads=2) == np.argwhere(array % 3 == 1)).all()


def narrow() -> None:
    """Elements that share bytes, of every width and sign."""
    for name, dtype in (("s4", np.int8), ("u4", np.uint8), ("s2", np.int8), ("u2", np.uint8), ("u1", np.uint8)):
        bits = int(name[1:])
        values = np.arange(37 * 11).reshape(37, 11) % (1 << bits)
        array = (values - (1 << bits - 1) if name[0] == "s" else values).astype(dtype)
        layout = tl.layout(f"{name}[37,11]{{1,0:T(8,8)E({bits})}}")
        assert (tl.unpack(tl.pack(array, layout), layout).astype(dtype) == array).all()


def swizzled() -> None:
    """Rows of which bits are flipped, and rows that are too short for that."""
    for text in ("S<3,3,3> o 0 o ((8,2),(64,3)):((64,1536),(1,512))", "S<3,1,4> o 0 o (16,32):(32,1)", "S<1,3,3> o 0 o (16,16):(16,1)"):
        layout = tl.layout(text)
        array = np.arange(layout.size, dtype=np.uint16).reshape(layout.shape)
        packed = tl.pack(array, layout)
        assert (packed[layout.offsets()] == array).all()
        assert (tl.unpack(packed, layout) == array).all()


def main() -> None:
    queries = index.LEVELS[: index.LEVELS.index(index.level()) + 1]
    for level in copy.LEVELS[: copy.LEVELS.index(copy.level()) + 1]:
        copy.set_level(level)
        machines.set_machine({"128": "sweeping", "256": "paired"}.get(level, "fetching"))
        if level in queries:
            index.set_level(level)
        for shape, order, tiles in XLA:
            for case in range(len(three_ways.DTYPES)):
                layout = tl.xla.Layout(order, tiles=tiles).bind(shape)
                three_ways.agree(layout, three_ways.xla(shape, order, tiles), shape, case)
        large()
        narrow()
        swizzled()
        print(f"{level}: as it should be", flush=True)
    a, b = cute.Layout((4, (2, 4)), (2, (1, 8))), cute.Layout((2, 4), (4, 1))
    assert [cute.composition(a, b)(c) for c in range(8)] == [a(b(c)) for c in range(8)]
    assert cute.logical_divide(a, cute.Layout(4, 2)).size == a.size


if __name__ == "__main__":
    main()
