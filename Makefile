# Two commands: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PACKAGE := $(VENV)/.package
STAMP := $(VENV)/.development
DOCS := $(VENV)/.documentation
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

MINUTES ?= 5
JOBS ?= 1
SEED ?= $(shell date +%s)000
CPP = $(shell find cpp tests/cpp -name '*.cpp' -o -name '*.h')

.PHONY: demo test thorough fuzz check format stub policy sanitize unit docs wheel sdist clean

demo: $(PACKAGE)
	$(BIN)/shoal demo

# Without the servers that the script installs, the tests that need them are skipped and say so.
test: $(STAMP)
	-scripts/system-packages
	$(BIN)/python -m pytest -n auto --dist loadgroup -q

# What every system can run: no servers, no browser.
unit: $(STAMP)
	$(BIN)/python -m pytest -n auto -q tests/unit

# Every property on all of its random cases; the suite tries a quarter of them.
thorough: $(STAMP)
	SHOAL_THOROUGH=1 $(BIN)/python -m pytest -n auto --dist loadgroup -q -m hypothesis

# Hostile tables x random policies x every search and door, judged by a plain reader. The seed makes it repeatable.
fuzz: $(STAMP)
	@echo "seed $(SEED)"
	$(BIN)/python -m tests.fuzz --seed $(SEED) --minutes $(MINUTES) --jobs $(JOBS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CPP)

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

# What type checkers know of the core; a test compares it with the core that is installed.
stub: $(STAMP)
	$(BIN)/python -m nanobind.stubgen -m shoal._core -o src/shoal/_core.pyi
	$(BIN)/python -m nanobind.stubgen -m shoal._checker -o src/shoal/_checker.pyi

# What follows from the description of the policy keys: typed arguments, reference page, JSON schema.
policy: $(STAMP)
	$(BIN)/python scripts/policy-pages

sanitize: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" tests/cpp/run

# The documentation site in build/site; a broken link or a public name without a page is an error.
docs: $(DOCS)
	# Not --quiet: it would hide the warnings that --strict counts.
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

wheel: $(STAMP)
	$(BIN)/python -m pip wheel --no-deps -w dist .

sdist: $(STAMP)
	$(BIN)/python -m build --sdist -o dist .

# The package is installed, not linked: what the tests import is what a user gets.
$(PACKAGE): pyproject.toml CMakeLists.txt $(shell find src cpp -name '*.py' -o -name '*.cpp' -o -name '*.h' -o -name '*.pyi' -o -name '*.gz' -o -name '*.csv' -o -name '*.html' -o -name '*.css' -o -name '*.svg' -o -name '*.js')
	test -e $(VENV)/pyvenv.cfg || $(PYTHON) -m venv $(VENV)
	$(PIP) .
	touch $@

$(STAMP): $(PACKAGE)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --group dev cmake ninja
	touch $@

$(DOCS): $(PACKAGE)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --group docs
	touch $@

clean:
	rm -rf $(VENV) build dist
