"""A property that sees too few cases fails, and none returns silently."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.cases import enough_cases

TESTS = Path(__file__).parents[1]
TEN = settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck), database=None)


def run(test: Callable[[], None], *cases: int) -> None:
    """Run a property as the suite does; `cases` is what its mark says."""
    mark = SimpleNamespace(args=cases) if cases else None
    with enough_cases(SimpleNamespace(obj=test, get_closest_marker=lambda name: mark)):  # type: ignore[arg-type]
        test()


@TEN
@given(st.integers(0, 10_000))
def rejects_nearly_all(number: int) -> None:
    assume(number == 0)  # which is always tried


@TEN
@given(st.integers(0, 10_000))
def rejects_half(number: int) -> None:
    assume(number % 2)


@TEN
@given(st.booleans())
def has_two_cases(_: bool) -> None:
    pass


def test_too_few_cases_are_a_failure() -> None:
    """The message says how many there were."""
    with pytest.raises(pytest.fail.Exception, match=r"only \d of 10 cases"):
        run(rejects_nearly_all)
    with pytest.raises(pytest.fail.Exception, match="only 2 of 10 cases"):
        run(has_two_cases)


def test_enough_cases_pass() -> None:
    """Rejected cases are replaced by others; a mark states that there are only a few."""
    run(rejects_half)
    run(has_two_cases, 2)


@pytest.mark.xfail(strict=True, reason="it has two cases of ten: shows that the suite counts them")
@TEN
@given(truth=st.booleans())
def test_the_suite_counts_cases(truth: bool) -> None:
    """Without the hook of tests/conftest.py this would pass."""


def blocks(node: ast.AST) -> Iterator[list[Any]]:
    """The lists of statements within a function, without those of functions within it."""
    for name in ("body", "orelse", "handlers", "finalbody"):
        statements = getattr(node, name, [])
        if statements and isinstance(statements, list):
            yield statements
            for each in statements:
                if not isinstance(each, ast.FunctionDef):
                    yield from blocks(each)


def test_no_property_returns_silently() -> None:
    """A `return` comes right after an assertion; a case that shows nothing is rejected by `assume`."""
    silent = []
    for path in sorted(TESTS.rglob("*.py")):
        for test in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(test, ast.FunctionDef):
                continue
            if not any(ast.unparse(each).startswith("given(") for each in test.decorator_list):
                continue
            for block in blocks(test):
                for before, each in zip([None, *block], block, strict=False):
                    if isinstance(each, ast.Return) and not isinstance(before, ast.Assert):
                        silent.append(f"{path.relative_to(TESTS)}:{each.lineno} {test.name}")
    assert silent == []
