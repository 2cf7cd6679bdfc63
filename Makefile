# Two commands: `make demo` and `make test`. Both set up what they need in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGE := $(VENV)/.package
STAMP := $(VENV)/.development
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

MINUTES ?= 5
JOBS ?= 1
SEED ?= $(shell date +%s)000

.PHONY: demo test thorough fuzz check sanitize wheel clean

demo: $(PACKAGE)
	$(BIN)/shoal demo

# Without the servers that the script installs, the tests that need them are skipped and say so.
test: $(STAMP)
	-scripts/system-packages
	$(BIN)/python -m pytest -n auto --dist loadgroup -q

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

sanitize: $(STAMP)
	PATH="$(CURDIR)/$(BIN):$$PATH" tests/cpp/run

wheel: $(STAMP)
	$(BIN)/python -m pip wheel --no-deps -w dist .

# The package is installed, not linked: what the tests import is what a user gets.
$(PACKAGE): pyproject.toml CMakeLists.txt $(shell find src cpp -name '*.py' -o -name '*.cpp' -o -name '*.h' -o -name '*.pyi' -o -name '*.gz' -o -name '*.csv' -o -name '*.html' -o -name '*.css' -o -name '*.svg' -o -name '*.js')
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) .
	touch $@

$(STAMP): $(PACKAGE)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --group dev cmake ninja
	touch $@

clean:
	rm -rf $(VENV) build dist
