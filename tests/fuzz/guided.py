"""One target under atheris, guided by which lines of the library an input reaches: what ``python -m fuzz`` starts for each."""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings

import atheris

with atheris.instrument_imports(include=["tilelayout"]):
    import tilelayout

    for module in pkgutil.walk_packages(tilelayout.__path__, "tilelayout."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:  # a room for a package that is not here
                continue

from fuzz import targets


def main() -> None:
    """``guided.py TARGET [libFuzzer's options and folders]``"""
    name = sys.argv.pop(1)
    warnings.simplefilter("error")
    atheris.Setup(sys.argv, lambda data: targets.tried(name, data) and None)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
