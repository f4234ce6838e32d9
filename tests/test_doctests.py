"""The examples in the docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import tilelayout

FOUND = (module.name for module in pkgutil.walk_packages(tilelayout.__path__, "tilelayout."))
MODULES = sorted(name for name in FOUND if "_kernels" not in name and not name.endswith("__main__"))


@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    tests = [test for module in MODULES for test in finder.find(importlib.import_module(module)) if test.examples]
    assert len(tests) > 40
