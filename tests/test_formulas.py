"""A formula in any language gives the slot that the layout gives; each is compiled, executed or evaluated here.

There is no CUDA compiler here: CUDA's text is compiled as C, with its three qualifiers defined as nothing.
"""

import ctypes
import operator
import re
import subprocess
import sysconfig

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilelayout as tl
from strategies_written import some
from tilelayout.formulas import LANGUAGES, formula

FIGURE_1 = "f32[3,5]{1,0:T(2,2)}"
MERGED = "f32[3,5,7]{2,1,0:T(2,*,4)}"
SWIZZLED = "cute:S<1,0,2> o 3 o (4,4):(4,1)"
HUGE = tl.Layout((2**31, 2**31), [(0, 1, 2**31, 2**31), (1, 1, 2**31, -1), (None, 1, 2, 2**31 - 1)], slots=2**63 - 1)


def executed(text):
    names = {}
    exec(text, names)
    return names["slot"]


class Narrow(int):
    """An integer whose sums, products, quotients and remainders must fit in 64 bits."""


def _narrowly(name):
    def compute(self, other):
        value = getattr(int, name)(self, other)
        assert -(2**63) <= value < 2**63
        return Narrow(value)

    return compute


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Narrow, f"__{_name}__", _narrowly(f"__{_name}__"))
    setattr(Narrow, f"__r{_name}__", _narrowly(f"__r{_name}__"))


class TestPython:
    @given(some())
    def test_it_gives_the_slot(self, layout):
        slot = executed(formula(layout))
        assert [slot(*x) for x in np.ndindex(layout.shape)] == layout.offsets().ravel().tolist()

    @given(some())
    def test_nothing_passes_64_bits_on_the_way(self, layout):
        slot = executed(formula(layout))
        for x in np.ndindex(layout.shape):
            slot(*map(Narrow, x))

    @pytest.mark.parametrize("corner", [(0, 0), (0, 2**31 - 1), (2**31 - 1, 0), (2**31 - 1, 2**31 - 1)])
    def test_nothing_passes_64_bits_in_huge_layouts(self, corner):
        assert executed(formula(HUGE))(*map(Narrow, corner)) == HUGE(*corner)


class TestNumpy:
    @given(some(), st.sampled_from(["i1", "u2", "<i4", ">i8", "u8"]))
    def test_it_gives_the_slots_of_open_grids_of_any_dtype(self, layout, dtype):
        slot = executed(formula(layout, "numpy"))
        grid = np.ogrid[tuple(slice(size) for size in layout.shape)]
        if max(layout.shape, default=0) > np.iinfo(dtype).max:
            dtype = "i8"
        slots = slot(*(axis.astype(dtype) for axis in grid))
        assert slots.dtype == np.int64
        np.testing.assert_array_equal(slots, layout.offsets(), strict=slots.ndim > 0)

    @given(some())
    def test_numbers_will_do(self, layout):
        slot = executed(formula(layout, "numpy"))
        assert [int(slot(*x)) for x in np.ndindex(layout.shape)] == layout.offsets().ravel().tolist()


class TestC:
    @pytest.mark.parametrize("language", ["c", "cuda"])
    @given(st.lists(some(), min_size=25, max_size=25))
    @settings(max_examples=4)
    def test_it_gives_the_slot(self, tmp_path_factory, language, layouts):
        functions = compiled([formula(layout, language) for layout in layouts], tmp_path_factory.mktemp("c"))
        for layout, slot in zip(layouts, functions, strict=True):
            assert [slot(*x) for x in np.ndindex(layout.shape)] == layout.offsets().ravel().tolist()

    @pytest.mark.parametrize("language", ["c", "cuda"])
    def test_huge_layouts(self, tmp_path, language):
        (slot,) = compiled([formula(HUGE, language)], tmp_path)
        far = 2**31 - 1
        assert slot(far, 0) == HUGE(far, 0) == far * 2**31 + far
        assert f"{2**31}LL*x0" in formula(HUGE, language)


def compiled(texts, folder):
    """The functions of some texts, each under a name of its own, compiled in one go."""
    source, library = folder / "slots.c", folder / f"slots{sysconfig.get_config_var('SHLIB_SUFFIX')}"
    source.write_text("\n".join(re.sub(r"\bslot\(", f"slot_{n}(", text) for n, text in enumerate(texts)))
    compiler = (sysconfig.get_config_var("CC") or "cc").split()
    qualifiers = [f"-D__{name}__=" for name in ("host", "device", "forceinline")]
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    command = [*compiler, "-O0", "-shared", "-fPIC", *qualifiers, *warnings, str(source), "-o", str(library)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    functions = [getattr(ctypes.CDLL(str(library)), f"slot_{n}") for n in range(len(texts))]
    for function, text in zip(functions, texts, strict=True):
        function.restype = ctypes.c_int64
        function.argtypes = [ctypes.c_int64] * len(set(re.findall(r"\bx\d+", re.search(r"slot\((.*)\)", text)[1])))
    return functions


class TestMlir:
    @given(some())
    def test_it_gives_the_slot(self, layout):
        slot = AffineMap(formula(layout, "mlir"))
        assert [slot(*x) for x in np.ndindex(layout.shape)] == layout.offsets().ravel().tolist()

    @pytest.mark.parametrize(
        "text", ["affine_map<(d0) -> (d0 * d0)>", "affine_map<(d0) -> (4 floordiv d0)>", "affine_map<(d0) -> (d0 mod 0)>"]
    )
    def test_the_evaluator_refuses_what_is_not_affine(self, text):
        with pytest.raises(AssertionError):
            AffineMap(text)(3)


class AffineMap:
    """MLIR's affine maps of one result, evaluated as its grammar has them (mlir.llvm.org, Dialects/Affine).

    ``*``, ``floordiv`` and ``mod`` bind alike, from the left, and more than ``+`` and ``-``; one factor, and what divides, are constants.
    """

    def __init__(self, text):
        names, self.expression = re.fullmatch(r"affine_map<\((.*?)\) -> \((.*)\)>", text).groups()
        self.names = names.split(", ") if names else []
        assert self.names == [f"d{k}" for k in range(len(self.names))]

    def __call__(self, *coordinates):
        self.values = dict(zip(self.names, coordinates, strict=True))
        self.words = [*re.findall(r"floordiv|mod|d\d+|\d+|[-+*()]", self.expression), ""]
        assert "".join(self.words) == self.expression.replace(" ", "")
        value, _ = self.sum()
        assert self.words == [""]
        return value

    def sum(self):
        value, constant = self.product()
        while self.words[0] in ("+", "-"):
            sign = 1 if self.words.pop(0) == "+" else -1
            other, also = self.product()
            value, constant = value + sign * other, constant and also
        return value, constant

    def product(self):
        value, constant = self.atom()
        while self.words[0] in ("*", "floordiv", "mod"):
            word = self.words.pop(0)
            other, also = self.atom()
            assert also or (word == "*" and constant)
            assert word == "*" or other > 0
            value = {"*": operator.mul, "floordiv": operator.floordiv, "mod": operator.mod}[word](value, other)
            constant = constant and also
        return value, constant

    def atom(self):
        word = self.words.pop(0)
        if word == "(":
            inside = self.sum()
            assert self.words.pop(0) == ")"
            return inside
        if word == "-":
            value, constant = self.atom()
            return -value, constant
        return (self.values[word], False) if word.startswith("d") else (int(word), True)


class TestLatex:
    @given(some())
    def test_it_gives_the_slot(self, layout):
        lines = from_latex(formula(layout, "latex"))
        for x in np.ndindex(layout.shape):
            values = {f"x{axis}": coordinate for axis, coordinate in enumerate(x)}
            for name, meaning in lines:
                values[name] = eval(meaning, {}, values)
            assert values["slot"] == layout(*x)


def from_latex(text):
    """The names and what they stand for, in Python."""
    begin, *lines, end = text.splitlines()
    assert (begin, end) == (r"\begin{aligned}", r"\end{aligned}")
    assert all(line.endswith(r" \\") for line in lines[:-1])
    pairs = []
    for line in lines:
        plain = re.sub(r"([xm])_(?:(\d)(?!\d)|\{(\d+)\})", r"\1\2\3", line.removesuffix(r" \\"))
        plain = re.sub(r"\\lfloor (\w+) / (\d+) \\rfloor", r"(\1 // \2)", plain).replace(r"\bmod", "%")
        plain = re.sub(r"(?<![\w])(\d+) (?=[(xm])", r"\1*", plain)
        name, meaning = plain.split(" &= ")
        pairs.append(("slot" if name.startswith(r"\operatorname{slot}(") else name, meaning))
        assert "\\" not in meaning
    return pairs


class TestText:
    @pytest.mark.parametrize(
        ("layout", "slot"),
        [
            (FIGURE_1, ["12*(x0 // 2) + 4*(x1 // 2) + 2*(x0 % 2) + (x1 % 2)"]),
            (MERGED, ["m0 = 7*x1 + x2", "72*(x0 // 2) + 8*(m0 // 4) + 4*(x0 % 2) + (m0 % 4)"]),
            ("f32[3,5,7]{2,1,0:T(*,4)}", ["36*x0 + 7*x1 + x2"]),
            (SWIZZLED, ["m0 = 4*x0 + x1 + 3", "m1 = (m0 % 2) + (m0 // 4 % 2)", "2*(m0 // 2) + (m1 % 2)"]),
            ("cute:(4,3):(-1,4)", ["4*x1 + 3 - x0"]),
            ("f32[3,5]{1,0:T(8,128)}", ["128*x0 + x1"]),
            ("cute:(4,(2,4)):(2,(1,8))", ["8*(x1 // 2) + 2*x0 + (x1 % 2)"]),
            ("f32[1,1]{1,0:T(8,128)}", ["0"]),
            ("f32[]", ["0"]),
            ("f32[0,3]{1,0}", ["x1"]),
            ("cute:S<1,0,1> o 2 o 1:0", ["3"]),
        ],
    )
    def test_numbers_that_do_nothing_are_left_out(self, layout, slot):
        _, *lines = formula(layout).splitlines()
        assert [line.strip().removeprefix("return ") for line in lines] == slot

    def test_numpy(self):
        assert formula("{0:T(4)(2)}", "numpy", (3,)).splitlines()[4:] == ["    x0 = np.asarray(x0, np.int64)", "    return x0"]
        assert formula(tl.Layout((2, 3), []), "numpy").endswith("\n    return 0*x0 + 0*x1")
        assert formula("f32[]", "numpy").endswith("\n    return np.int64(0)")

    def test_c(self):
        assert formula(MERGED, "c") == (
            "#include <stdint.h>\n\nint64_t slot(int64_t x0, int64_t x1, int64_t x2)\n{\n    int64_t m0 = 7*x1 + x2;\n"
            "    return 72*(x0 / 2) + 8*(m0 / 4) + 4*(x0 % 2) + (m0 % 4);\n}"
        )
        assert "slot(void)" in formula("f32[]", "c")

    def test_cuda(self):
        assert formula(FIGURE_1, "cuda").startswith("__host__ __device__ __forceinline__ long long slot(long long x0, long long x1)\n{\n")

    def test_mlir(self):
        assert formula(MERGED, "mlir") == (
            "affine_map<(d0, d1, d2) -> ((d0 floordiv 2) * 72 + ((d1 * 7 + d2) floordiv 4) * 8 + (d0 mod 2) * 4 + ((d1 * 7 + d2) mod 4))>"
        )

    def test_latex(self):
        assert formula(MERGED, "latex").splitlines()[1:3] == [
            r"m_0 &= 7 x_1 + x_2 \\",
            r"\operatorname{slot}(x_0, x_1, x_2) &= "
            r"72 \lfloor x_0 / 2 \rfloor + 8 \lfloor m_0 / 4 \rfloor + 4 (x_0 \bmod 2) + (m_0 \bmod 4)",
        ]
        many = tl.Layout((2,) * 12, [(axis, 1, 2, 1 << axis) for axis in range(12)])
        assert "2048 x_{11} + 1024 x_{10} + 512 x_9" in formula(many, "latex")

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_each_language_takes_a_shape(self, language):
        assert formula("{1,0:T(2,2)}", language, shape=(3, 5)) == formula(FIGURE_1, language)

    @pytest.mark.parametrize("language", ["fortran", "Python", "", None, 3, ["c"], "c" * 5000])
    def test_unknown_languages(self, language):
        with pytest.raises(
            tl.LayoutError, match=r"^language=.* is none that formulas are written in; those are python, numpy, c, cuda, mlir, latex$"
        ):
            formula(FIGURE_1, language)

    @pytest.mark.parametrize("layout", ["nonsense", None, 7, "{1,0}"])
    def test_what_is_no_layout(self, layout):
        with pytest.raises(tl.LayoutError, match=r"the form of no notation|a layout is text|says nothing of sizes"):
            formula(layout)
