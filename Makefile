# Everything runs in a private environment, .venv, which the first command makes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNELS := $(wildcard src/_kernels/*.pyx src/_kernels/include/*.h src/tilelayout/_kernels/*.pxd) setup.py pyproject.toml

.PHONY: demo sanitize test test-wheel test-slow test-engines test-live test-cuda test-browser fuzz mutate valgrind bench bench-suite docs lint build dist wheels clean help

help:  ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

$(VENV)/.made: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group build --group test
	@touch $@

$(VENV)/.built: $(VENV)/.made $(KERNELS)
	TILELAYOUT_KERNELS=0 $(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

$(VENV)/.demo: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --no-deps --group demo
	@touch $@

$(VENV)/.lint: $(VENV)/.made
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@

$(VENV)/.peers: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --group peers
	@touch $@

$(VENV)/.live: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --group live
	@touch $@

$(VENV)/.cuda: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --group cuda
	@touch $@

$(VENV)/.docs: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(VENV)/.fuzz: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@

build: $(VENV)/.built  ## build the kernels in place and install for editing

demo: $(VENV)/.demo  ## pack real weights for a TPU, check them and time it
	$(BIN)/python bench/demo.py

test: $(VENV)/.built  ## the test suite
	$(BIN)/python -m pytest -q --numprocesses auto --dist worksteal

test-slow: $(VENV)/.demo  ## the exhaustive tests, and real weights (a download of 90 MB)
	$(BIN)/python -m pytest -q -m slow --numprocesses auto --dist worksteal

test-engines: $(VENV)/.built  ## tests of copies for every kind of machine, of which make test has a third for each
	$(BIN)/python -m pytest -q -m "engines and not slow" --every-engine --numprocesses auto --dist worksteal

SANITIZED := build/sanitized
SANITIZERS := address,undefined

# This bounds the memory of a process, of which ASan needs all that there is.
UNBOUND := tests/test_hostile_numbers.py::test_layouts_that_no_memory_holds

sanitize: $(VENV)/.built  ## the tests that watch kernels, with these built with ASan and UBSan (gcc)
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED) && cp -r *.md Makefile LICENSE MANIFEST.in setup.py pyproject.toml src tests docs bench $(SANITIZED)
	rm -f $(SANITIZED)/src/tilelayout/_kernels/*.so
	cd $(SANITIZED) && TILELAYOUT_CHECKED=1 CFLAGS="-fsanitize=$(SANITIZERS) -fno-sanitize-recover=undefined" LDFLAGS="-fsanitize=$(SANITIZERS)" \
	  $(CURDIR)/$(BIN)/python setup.py --quiet build_ext --inplace
	cd $(SANITIZED) && watchers=$$(PYTHONPATH=tests $(CURDIR)/$(BIN)/python -m mutation.watchers) && \
	  LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONPATH=src:tests \
	  $(CURDIR)/$(BIN)/python -m pytest -q -p no:cacheprovider --numprocesses auto --dist worksteal --hypothesis-profile=brief \
	  --deselect $(UNBOUND) $$watchers

test-live: $(VENV)/.live  ## the tests that ask libtpu's TPU compiler, oneDNN, TVM and MLIR (no device needed, a large download)
	$(BIN)/python -m pytest -q -m live

# A process for each file, so that one library's hold of the GPU is not in the way of another's.
test-cuda: $(VENV)/.cuda  ## the tests that ask a GPU (Hopper, with CUDA's nvcc; a large download)
	$(BIN)/python -m pytest -q -m cuda --numprocesses 7 --dist loadfile tests/cuda

test-browser: $(VENV)/.built  ## the pages of explore in a real browser (apt-get install chromium chromium-driver)
	$(BIN)/python -m pytest -q -m browser

fuzz: $(VENV)/.fuzz  ## every parser and reader under coverage-guided fuzzing, a minute each; MINUTES=10 for longer
	PYTHONPATH=tests $(BIN)/python -m fuzz --minutes $(or $(MINUTES),1)

mutate: $(VENV)/.built  ## wrong changes to the core, one at a time, that the tests must notice (an hour or more)
	$(BIN)/python tests/mutation/mutate.py

valgrind: $(VENV)/.built  ## every kernel under valgrind (Debian's package valgrind)
	PYTHONMALLOC=malloc PYTHONPATH=src:tests valgrind -q --error-exitcode=9 --suppressions=tests/valgrind.supp $(BIN)/python tests/under_valgrind.py

bench: $(VENV)/.peers  ## measure beside targets and peers, print it, and write bench/REPORT.md
	$(BIN)/python bench/report.py --save

bench-suite: $(VENV)/.built  ## the same workloads under pytest-benchmark
	$(BIN)/python -m pytest -q bench --benchmark-only --benchmark-columns=median,iqr,rounds --benchmark-sort=fullname --benchmark-group-by=func --benchmark-max-time=0.2

docs: $(VENV)/.docs  ## the documentation, in build/docs
	$(BIN)/python -m sphinx -q -n -W docs build/docs

lint: $(VENV)/.lint $(VENV)/.built  ## ruff, mypy, cython-lint, and the stubs against the kernels
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint src/_kernels
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml --allowlist tests/stubtest-allowlist.txt tilelayout._kernels

dist: $(VENV)/.made  ## wheel and sdist
	$(BIN)/python -m pip install --quiet build
	rm -rf dist && $(BIN)/python -m build --no-isolation

INSTALLED := build/installed

test-wheel: dist  ## the suite against the installed wheel, where there is no source
	rm -rf $(INSTALLED) && $(PYTHON) -m venv $(INSTALLED)/venv
	$(INSTALLED)/venv/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(INSTALLED)/venv/bin/python -m pip install --quiet dist/*.whl --group test
	cp -r tests bench docs README.md CHANGELOG.md Makefile pyproject.toml $(INSTALLED)
	cd $(INSTALLED) && venv/bin/python -m pytest -q --numprocesses auto --dist worksteal

wheels: test-wheel  ## wheel and sdist, checked, and the suite against the installed wheel
	$(BIN)/python -m pip install --quiet twine auditwheel
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/auditwheel show dist/*.whl

clean:  ## remove all that was made
	rm -rf $(VENV) build dist src/tilelayout.egg-info src/tilelayout/_kernels/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
