"""Advice after a run: measured figures, never a changed release."""

from __future__ import annotations

import re
from typing import Any

import pandas
import pytest

import shoal
from shoal.pipeline import advice as advising

LONELY = [20, 20, 21, 21] * 50 + [90]
"""Two hundred young people and an old one."""

TABLE = pandas.DataFrame({"age": LONELY})
ASKED: dict[str, Any] = {"quasi_identifiers": ["age"], "k": 2}


SCATTERED = pandas.DataFrame(
    {"age": [at % 17 for at in range(60)], "pay": [at * at % 23 for at in range(60)]}
)
"""People of whom each is near some others."""


def loss(**stated: Any) -> float:
    """What a release of the scattered people loses."""
    cost = shoal.anonymize(SCATTERED, quasi_identifiers=["age", "pay"], k=3, **stated).manifest.cost
    assert cost is not None
    return cost


def told(start: str, **stated: Any) -> float:
    """The figure in the line of advice that begins so."""
    lines = shoal.anonymize(SCATTERED, quasi_identifiers=["age", "pay"], k=3, **stated).advice
    (line,) = [each for each in lines if each.startswith(start)]
    return float(line.removeprefix(start))


def test_a_release_row_by_row_tells_what_columns_would_lose() -> None:
    """By a search that ran: as much as the policy with consistent loses, or more."""
    said = told("one recoding per column (--consistent) would lose at most ")
    assert loss() < loss(consistent=True) <= said <= 1


def test_a_consistent_release_tells_what_row_by_row_would_lose() -> None:
    """By a search that ran: as much as the policy without consistent loses, or more."""
    said = told("row by row (without --consistent), the release would lose at most ", consistent=True)
    assert loss() <= said < loss(consistent=True)


def test_a_few_rows_that_force_much_loss_are_told_with_figures() -> None:
    """One old person makes everybody's age coarse; without that row nothing would be lost but the row."""
    release = shoal.anonymize(TABLE, **ASKED, consistent=True)
    line = release.advice[1]
    assert line.startswith("allowing 0.5 % of the rows to be suppressed would cut the loss from ")
    figures = [float(text) for text in re.findall(r"0\.\d+(?= to| *$)", line)]
    allowed = shoal.anonymize(TABLE, **ASKED, consistent=True, suppression="0.5%", algorithm="lattice")
    assert figures == pytest.approx([release.manifest.cost, allowed.manifest.cost], rel=1e-3)


@pytest.mark.parametrize("suppression", ["5%", "unlimited"])
def test_suppression_that_is_allowed_is_not_advised(suppression: str) -> None:
    """The policy has it already."""
    lines = shoal.anonymize(TABLE, **ASKED, consistent=True, suppression=suppression).advice
    assert not any("suppressed" in line for line in lines)


def test_suppression_that_saves_little_is_not_advised() -> None:
    """Every group is needed, so no few rows save a tenth of the loss."""
    table = pandas.DataFrame({"age": [1, 2, 3, 4] * 100})
    lines = shoal.anonymize(table, quasi_identifiers=["age"], k=150, consistent=True).advice
    assert not any("suppressed" in line for line in lines)


def test_a_named_algorithm_gets_no_advice() -> None:
    """Who names it has chosen."""
    assert shoal.anonymize(TABLE, **ASKED, algorithm="local").advice == ()


def test_a_release_that_loses_nothing_gets_no_advice() -> None:
    """No other could be better."""
    release = shoal.anonymize(TABLE.iloc[:-1], **ASKED)
    assert (release.manifest.cost, release.advice) == (0, ())


def test_a_large_table_gets_no_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search on it would not be cheap."""
    monkeypatch.setattr(advising, "MOST_CELLS", 2)
    assert shoal.anonymize(TABLE, **ASKED).advice == ()


def test_a_kind_that_is_not_possible_is_not_told() -> None:
    """A proof, limits of levels or a cost may leave no choice; the lines that are left are true."""
    for stated in ({"require_optimal": True}, {"levels": {"age": (1, 1)}}, {"cost": "height"}):
        lines = shoal.anonymize(TABLE, **ASKED, **stated).advice
        assert not any("row by row" in line or "per column" in line for line in lines)


def test_ctrl_c_ends_the_advice_and_not_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release is published before advice is sought."""

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(advising, "solve", interrupted)
    release = shoal.anonymize(TABLE, **ASKED)
    assert release.advice == ()
    assert not release.result.interrupted
    assert len(release.data) == len(TABLE)


def test_advice_is_the_same_every_time() -> None:
    """Its searches are limited by nodes."""
    first, second = (shoal.anonymize(TABLE, **ASKED, consistent=True).advice for _ in range(2))
    assert first == second
