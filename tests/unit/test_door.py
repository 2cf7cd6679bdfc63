"""Out of the Python doors come only errors that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal.api._door import door

PEOPLE = pandas.DataFrame({"age": [20, 21] * 4, "ill": ["a", "b"] * 4})
ASKED: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2}
HALF, HUGE = "\ud800", 10**400


@door
def encoded(titles: list[str]) -> list[bytes]:
    """The titles as bytes."""
    return [title.encode() for title in titles]


@pytest.mark.parametrize(
    ("called", "words"),
    [
        (lambda: shoal.read_policy(5), "path takes str | Path; given was something else, of type int"),
        (lambda: shoal.preview(PEOPLE, rows="9"), "rows takes int"),
        (lambda: shoal.preview(PEOPLE, columns=[None]), "columns takes Sequence[str] | None"),
        (lambda: shoal.front(PEOPLE, quasi_identifiers=["age"], ks=5), "ks takes Sequence[int]"),
        (lambda: shoal.attack(PEOPLE, quasi_identifiers=["age"], earlier=3), "earlier takes Sequence[Any]"),
        (lambda: shoal.attack(PEOPLE, quasi_identifiers=["age"], ledger=1.5), "ledger takes Ledger | str"),
        (lambda: shoal.recoding_sql(Path("x.csv"), 1.5), "policy takes Policy | None"),
        (lambda: shoal.report(PEOPLE, **ASKED, explanation=5), "explanation takes Explanation | None"),
        (lambda: shoal.audit(PEOPLE, **ASKED, engine=5), "engine takes SqlEngine | None"),
        (lambda: encoded([HALF]), "titles has half a character"),
        (lambda: shoal.anonymize(PEOPLE, **ASKED, gap=HUGE), "gap must be smaller"),
        (lambda: shoal.anonymize(PEOPLE, **ASKED, bins={"age": 1e308}), "bin must be a positive number"),
        (lambda: shoal.anonymize(PEOPLE, **ASKED, levels={"age": (None, 1)}), "min_level must be"),
        (lambda: shoal.risk(PEOPLE, quasi_identifiers=["age"], sampling_fraction=HUGE), "is a share"),
        (lambda: shoal.column(PEOPLE, "age", hierarchy=shoal.Recipe(widths=(HUGE,))), "must be a number"),
        (lambda: shoal.privacy.RecursiveLDiversity(attribute="ill", c=HUGE, l=2), "c must be a number"),
        (lambda: shoal.privacy.DistinctLDiversity(attribute="ill", l=2**63), "l must be at most 2^62"),
        (lambda: shoal.Hierarchy((("20", HALF), ("21", HALF))), "line 1: a cell has half a character"),
        (lambda: shoal.Hierarchy.from_dict({"*": [float("nan")]}), "a number is not finite"),
        (lambda: shoal.DuckDB(memory=5), "memory must be a size"),
        (lambda: shoal.DuckDB(threads=10**30), "threads must be at least 1"),
    ],
)
def test_an_argument_that_cannot_be_meant_is_named(called: Callable[[], object], words: str) -> None:
    """It is a policy error, whatever the argument would have broken inside, and no value is quoted."""
    with pytest.raises(shoal.PolicyError) as caught:
        called()
    assert words in str(caught.value)
    assert HALF not in str(caught.value)


def test_an_unknown_argument_is_a_type_error() -> None:
    """As Python has it."""
    with pytest.raises(TypeError, match="unexpected keyword"):
        shoal.preview(PEOPLE, lines=5)  # type: ignore[call-arg]


def test_a_failure_although_all_arguments_fit_stays_as_it_is() -> None:
    """It is our bug, and must not look like the user's."""

    @door
    def broken(rows: int) -> int:
        return {}[rows]

    with pytest.raises(KeyError):
        broken(5)


def test_what_works_by_duck_typing_stays_allowed() -> None:
    """An iterable of columns need not be a list."""
    assert shoal.preview(PEOPLE, columns=pandas.Index(["age"])).columns == ("age",)


def test_a_ledger_whose_name_no_file_can_have_is_refused() -> None:
    """A zero byte in a name is the system's limit, and no traceback."""
    with pytest.raises(shoal.EngineError, match="its name has a zero byte"):
        shoal.anonymize(PEOPLE, **ASKED, ledger="\0")
