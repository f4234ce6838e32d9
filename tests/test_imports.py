"""What is imported when: of the package itself next to nothing, and the rest where it is first used."""

import ast
import pickle
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import tilelayout as tl
from tilelayout.notations import LANGUAGES

STUB = Path(tl.__file__).with_suffix(".pyi").read_text(encoding="utf-8")


def answer(code):
    """What code prints in a process of its own."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def imported(code):
    """The modules of the package, and numpy if at all, that are imported once code has run."""
    listed = answer(f"import sys\n{code}\nprint(*(name for name in sys.modules if name.partition('.')[0] in ('tilelayout', 'numpy')))")
    return {name for name in listed.split() if name == "numpy" or not name.startswith("numpy.")}


class TestOnDemand:
    def test_the_package_alone(self):
        assert imported("import tilelayout") == {"tilelayout", "tilelayout._lazy"}

    @pytest.mark.parametrize("words", [["--help"], [], ["--version"]])
    def test_the_help_of_all_commands(self, words):
        found = imported(
            f"import tilelayout.cli, io\nsys.stdout, out = io.StringIO(), sys.stdout\ntilelayout.cli.main({words})\nsys.stdout = out"
        )
        assert "numpy" not in found
        assert found <= {"tilelayout", "tilelayout._lazy", "tilelayout._version", "tilelayout.errors"} | {
            f"tilelayout.cli{name}" for name in ("", ".arguments", ".commands", ".output", ".parser")
        }

    @pytest.mark.parametrize(
        ("text", "shape", "language"),
        [
            ("f32[3,5]{1,0:T(2,2)}", None, "xla"),
            ("[1, 0, 1 p(4)]", (6, 8), "morello"),
            ("(4,(2,4)):(2,(1,8))", None, "cute"),
            ("strides=(4,1)", (3, 4), "strides"),
            ("affine_map<(d0, d1) -> (d1, d0)>", (3, 4), "mlir"),
        ],
    )
    def test_a_text_brings_its_own_language(self, text, shape, language):
        found = imported(f"import tilelayout\ntilelayout.layout({text!r}, {shape})")
        languages = {name for name in LANGUAGES if f"tilelayout.notations.{name}" in found}
        assert languages == {language}
        assert {"tilelayout.hlo", "tilelayout.drawing", "tilelayout.files", "tilelayout.presets"}.isdisjoint(found)
        assert ("tilelayout.cute" in found) == (language == "cute")

    def test_a_layout_reaches_the_rooms_above_it(self):
        code = "from tilelayout.digits import Layout\nlayout = Layout((6, 8), [(1, 4, 2, 24), (0, 1, 6, 4), (1, 1, 4, 1)])"
        assert answer(f"{code}\nprint(layout.to('xla'), layout._repr_svg_()[:4], layout.explain()[:5])") == "{1,0:T(6,4)} <svg shape"

    def test_a_pickle_is_read_where_nothing_was_imported(self):
        layout = tl.layout("f32[3,5]{1,0:T(2,2)}")
        assert answer(f"import pickle; print(pickle.loads({pickle.dumps(layout)!r})(2, 3))") == "17"

    def test_names_asked_for_by_many_threads_at_once(self):
        code = (
            "import tilelayout as tl\nfrom concurrent.futures import ThreadPoolExecutor\n"
            "with ThreadPoolExecutor(8) as pool:\n"
            "    print(all(pool.map(lambda k: getattr(tl, tl.__all__[k % len(tl.__all__)]) is not None, range(400))))"
        )
        assert answer(code) == "True"


class TestNames:
    def test_all_that_the_stub_says_and_nothing_else_is_public(self):
        said = {alias.asname for node in ast.parse(STUB).body if isinstance(node, ast.ImportFrom) for alias in node.names}
        assert tl.__all__ == sorted(said)
        assert len(ast.parse(STUB).body) == len(said)

    @pytest.mark.parametrize("name", tl.__all__)
    def test_every_name_is_there_and_stays(self, name):
        assert getattr(tl, name) is getattr(tl, name) is vars(tl)[name]

    def test_no_function_has_the_name_of_a_module(self):
        """Importing the module would put it in the function's place."""
        modules = {path.stem if path.suffix else path.name for path in Path(tl.__file__).parent.iterdir()}
        rooms = {name for name in tl.__all__ if type(getattr(tl, name)) is type(tl)}
        assert modules & set(tl.__all__) <= rooms

    def test_all_of_them_at_once(self):
        assert answer("from tilelayout import *\nprint(layout('f32[2]')(1), cute.size((2, 3)), relayout.__name__)") == "1 6 relayout"

    def test_modules_are_found_in_whatever_order(self):
        assert (
            answer("import tilelayout as tl; print(tl.errors.LayoutError is tl.LayoutError, tl.notations.layout is tl.layout)")
            == "True True"
        )

    def test_languages_are_found_in_whatever_order(self):
        assert answer("from tilelayout import notations; print(notations.tvm.parse('HW'), notations.xla.parse('{0}'))") == "HW->HW {0}"

    def test_what_is_not_there(self):
        with pytest.raises(AttributeError, match=r"module 'tilelayout' has no attribute 'layuot'"):
            tl.layuot  # noqa: B018
        assert not hasattr(tl, "__wrapped__")
        with pytest.raises(ImportError, match="cannot import name 'nothing'"):
            from tilelayout import nothing  # noqa: F401
        with pytest.raises(AttributeError, match=r"module 'tilelayout.notations' has no attribute 'latin'"):
            tl.notations.latin  # noqa: B018

    def test_dir_names_them_all(self):
        assert {"layout", "cute", "__version__", "__doc__"} <= set(dir(tl))


ARCHITECTURE = Path(__file__).parents[1] / "ARCHITECTURE.md"


def floors():
    """The floor of each room in the table, by the names of its modules."""
    rows = re.findall(r"^\| ([0-9]) \| (.*?) \|", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    named = [(int(floor), name) for floor, names in rows for name in re.findall(r"`([^`]+)`", names) if not name.startswith("src/")]
    return {tuple(name.removesuffix(".py").removesuffix("/__init__").strip("/").split("/")): floor for floor, name in named}


PACKAGE = Path(tl.__file__).parent
#: Every module's file; a package has its folder's name.
MODULES = {path.relative_to(PACKAGE).with_suffix("").parts: path for path in PACKAGE.rglob("*.py")}
MODULES = {module[:-1] if module[-1] == "__init__" else module: path for module, path in MODULES.items()}
#: What the core hands out of the rooms above it.
UPWARDS = {(("digits",), ("notations", "LANGUAGES")), (("digits",), ("describe", "explain")), (("digits",), ("drawing", "draw"))}


def imports(*, for_types):
    """Each module with each name of the package that it imports, those that are only ``for_types`` as well or not."""
    for module, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        guarded = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
        typing = {inner for node in guarded for inner in ast.walk(node)}
        package = module if path.stem == "__init__" else module[:-1]
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level and (for_types or node not in typing):
                base = (*package[: len(package) + 1 - node.level], *(node.module or "").split("."))
                yield from ((module, tuple(filter(None, (*base, name.name)))) for name in node.names)


@pytest.mark.skipif(not ARCHITECTURE.exists(), reason="the page is not installed")
class TestFloors:
    floors = floors() if ARCHITECTURE.exists() else {}

    def room(self, module):
        return next((module[:k] for k in range(len(module), 0, -1) if module[:k] in self.floors), None)

    def test_no_room_imports_from_above(self):
        rooms = {(self.room(module), self.room(other)) for module, other in imports(for_types=True)}
        up = {(home, other) for home, other in rooms if home and other and self.floors[other] > self.floors[home]}
        assert up == {(home, other[:1]) for home, other in UPWARDS}

    def test_which_languages_are_above_their_list(self):
        rooms = {name: self.room(tuple(language.own.__name__.split(".")[1:])) for name, language in LANGUAGES.items()}
        assert {name for name, room in rooms.items() if self.floors[room] > self.floors["notations",]} == {"preset"}

    def test_no_circle_of_imports(self):
        modules = set(MODULES)
        graph = {module: set() for module in modules}
        for module, other in imports(for_types=False):
            found = other if other in modules else other[:-1]
            if found in modules and found != module and (module, other) not in UPWARDS:
                graph[module].add(found)
        assert set(TopologicalSorter(graph).static_order()) == modules

    def test_all_rooms_are_there(self):
        package = Path(tl.__file__).parent
        assert len(self.floors) > 60
        for module in self.floors:
            where = package.joinpath(*module)
            assert where.is_dir() or where.with_suffix(".py").is_file(), module

    def test_all_modules_have_a_room(self):
        assert {module for module in MODULES if not self.room(module)} == {(), ("_kernels",), ("reference",)}

    def test_all_kernels_have_a_row(self):
        sources = ARCHITECTURE.parent / "src" / "_kernels"
        rows = re.findall(r"`src/_kernels/(?:\{([\w,]+)\}|(\w+))\.pyx`", ARCHITECTURE.read_text(encoding="utf-8"))
        named = [name for several, one in rows for name in (several or one).split(",")]
        assert sorted(named) == sorted(path.stem for path in sources.glob("*.pyx"))
