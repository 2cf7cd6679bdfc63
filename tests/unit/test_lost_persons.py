"""Persons whose column was dropped: counted in the original, row by row, or said not to be measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.measure.persons import Persons
from shoal.auditor.original.paired_rows import paired_rows
from shoal.cli.audit import lines
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.coded_cells import CodedCells
from shoal.privacy import KAnonymity
from tests.agreement.thoroughness import examples
from tests.paper_setting import as_in_the_paper

pytestmark = pytest.mark.filterwarnings("ignore:the release keeps the order:shoal.ShoalWarning")

STAYS = "who,age,ill\n" + "".join(f"P{row // 2},{30 + row // 6},{'fg'[row % 2]}{row}\n" for row in range(24))
"""Twelve patients with two stays each; six stays per age."""
RARE = "P99,99,h\n"


def stays(folder: Path, *, rare: bool = True, **more: Any) -> Policy:
    """A policy that counts patients, whose column is an identifier; one row is too rare."""
    source = folder / "stays.csv"
    source.write_text(STAYS + (RARE if rare else ""))
    asked: dict[str, Any] = {"k": 3, "suppression": 1, "cost": "general-loss", **more}
    return policy_of(
        **as_in_the_paper(
            source=source,
            path=folder / "release.csv",
            quasi_identifiers=["age"],
            identifiers=["who"],
            entity="who",
            **asked,
        )
    )


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_persons_are_counted_in_the_source_that_the_policy_names(suppressed: str, tmp_path: Path) -> None:
    """And the verdict says where; what was measured when the release was made is the same number."""
    policy = stays(tmp_path, suppressed=suppressed)
    release = shoal.anonymize(policy=policy)
    found = shoal.audit(policy.release, policy=policy)
    (model,) = found.verdict.models
    assert (found.meets, model.measured, model.at_least) == (True, 3, False)
    by = {"drop": "order", "mask": "position"}[suppressed]
    assert model.where == f"persons counted in the original, paired row by row by {by}"
    assert f"measured 3 ({model.where})" in "\n".join(lines(found, 3))
    assert found.manifest is not None
    assert found.manifest.claimed["k-anonymity(who)"] == release.manifest.audit["k-anonymity(who)"] == 3
    (made,) = release.verdict.models
    assert made.where == "persons counted by the column that was dropped, row by row as written"


def test_without_an_original_nothing_is_said_to_hold(tmp_path: Path) -> None:
    """The word does not appear: the demand was not measured, and the way out is told."""
    policy = stays(tmp_path)
    shoal.anonymize(policy=policy)
    assert policy.source is not None
    (tmp_path / "stays.csv").rename(tmp_path / "moved.csv")
    found = shoal.audit(policy.release, policy=policy)
    assert (found.meets, found.holds, found.breaks, found.unmeasured) == (
        False,
        False,
        False,
        ("k-anonymity(who)",),
    )
    (words,) = found.failures
    assert "k-anonymity(who) demands at least 3 persons in each group, and that was not measured" in words
    assert "--original FILE" in words
    assert "holds" not in "\n".join([*lines(found, 3), words]).lower()
    (told,) = [each for each in found.findings if each.key == "k-anonymity(who)"]
    assert (told.holds, told.words) == (False, words)
    assert found.to_dict()["models"]["k-anonymity(who)"]["holds"] is False  # type: ignore[index]
    again = shoal.audit(policy.release, policy=policy, original=tmp_path / "moved.csv")
    assert again.meets
    unnamed = policy_of(quasi_identifiers=["age"], identifiers=["who"], entity="who", k=3)
    assert "was dropped from the table" in shoal.audit(policy.release, policy=unnamed).failures[0]


def test_too_few_persons_are_found(tmp_path: Path) -> None:
    """A table that another tool released: four rows in each group, of two persons."""
    original = tmp_path / "original.csv"
    original.write_text("who,age,bill\n" + "".join(f"P{row // 2},{row},{row}\n" for row in range(8)))
    table = tmp_path / "table.csv"
    table.write_text(
        "age,bill\n" + "".join(f'"[{row // 4 * 4}, {row // 4 * 4 + 3}]",{row}\n' for row in range(8))
    )
    asked: dict[str, Any] = {"quasi_identifiers": ["age"], "entity": "who", "original": original}
    assert shoal.audit(table, k=2, **asked).meets
    found = shoal.audit(table, k=3, **asked)
    assert not found.meets
    assert "k-anonymity(who) is broken by 2 group(s) with 8 row(s)" in found.failures[0]
    assert [each.breaks for each in found.offending.described] == [("k-anonymity(who)",)] * 2
    with pytest.raises(shoal.PolicyError, match="no column 'who'"):
        shoal.audit(table, k=2, quasi_identifiers=["age"], entity="who")
    with pytest.raises(shoal.PolicyError, match="neither the table nor the original has the column 'whom'"):
        shoal.audit(table, k=2, **{**asked, "entity": "whom"})


def test_rows_in_another_order_are_not_counted(tmp_path: Path) -> None:
    """Their cells are not true of the rows at their place, so nobody is counted."""
    policy = stays(tmp_path, rare=False)
    shoal.anonymize(policy=policy)
    head, *rows = (tmp_path / "release.csv").read_text().splitlines()
    (tmp_path / "release.csv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    found = shoal.audit(policy.release, policy=policy, manifest=False)
    assert found.unmeasured == ("k-anonymity(who)",)
    assert "cannot be paired" in found.failures[0]


def test_a_population_is_not_measured_again_and_the_rest_is(tmp_path: Path) -> None:
    """As persons: not measured is not met, and k is measured all the same."""
    population = tmp_path / "all.csv"
    population.write_text("age\n" + "1\n" * 9 + "2\n" * 9)
    source = tmp_path / "some.csv"
    source.write_text("age\n" + "1\n" * 3 + "2\n" * 3)
    policy = policy_of(
        cost="discernibility",
        suppression="unlimited",
        consistent=True,
        source=source,
        path=tmp_path / "release.csv",
        quasi_identifiers=["age"],
        k=2,
        models=[{"name": "k-map", "k": 5}],
        population=population,
    )
    shoal.anonymize(policy=policy)
    found = shoal.audit(policy.release, policy=policy)
    assert (found.k, found.meets, found.breaks, found.unmeasured) == (3, False, False, ("k-map",))


class _Disordered(DuckDB):
    """An engine that writes the rows in another order than it was told."""

    def apply(self, source: Any, counted: Any, application: Any, place: Any = None) -> Any:
        data = super().apply(source, counted, application, place)
        if place is None:
            return data.iloc[[*range(1, len(data)), 0]]
        head, first, *rows = Path(place).read_text().splitlines()
        Path(place).write_text("\n".join([head, *rows, first]) + "\n")
        return data


def test_a_release_in_another_order_is_refused_when_it_is_made(tmp_path: Path) -> None:
    """Persons are kept beside the written rows in their order, which is verified and not assumed."""
    policy = stays(tmp_path, rare=False)
    with _Disordered() as engine, pytest.raises(shoal.AuditError, match="not in the order"):
        shoal.anonymize(policy=policy, engine=engine)
    assert not (tmp_path / "release.csv").exists()
    frame = pandas.read_csv(tmp_path / "stays.csv")
    with _Disordered() as engine, pytest.raises(shoal.AuditError, match="not in the order"):
        shoal.anonymize(
            frame, quasi_identifiers=["age"], identifiers=["who"], entity="who", k=3, engine=engine
        )


def test_a_report_counts_persons_in_the_original(tmp_path: Path) -> None:
    """With it they are measured; without it the report says what was not, and no stamp says that it holds."""
    policy = stays(tmp_path)
    shoal.anonymize(policy=policy)
    made = shoal.report(policy.release, policy=policy, original=policy.source)
    assert made.facts["verdict"]["holds"] is True
    (model,) = [each for each in made.facts["audit"]["models"] if each["demanded"]]
    assert (model["name"], model["measured"]) == ("k-anonymity(who)", 3)
    assert "Highest risk for a person" in made.html
    (tmp_path / "stays.csv").unlink()
    alone = shoal.report(policy.release, policy=policy)
    assert (alone.facts["verdict"]["holds"], alone.facts["unmeasured_demands"]) == (None, ["persons"])
    assert "Measured in part" in alone.html
    assert "Holds" not in alone.html


class _Table:
    """Rows in memory, as an engine reads them."""

    def columns(self, source: pandas.DataFrame) -> tuple[str, ...]:
        return tuple(source.columns)

    def rows(self, source: pandas.DataFrame, columns: Sequence[str]) -> CodedCells:
        coded = [pandas.factorize(source[name]) for name in columns]
        return CodedCells(
            columns=tuple(columns),
            cells=tuple(tuple(map(str, texts)) for _, texts in coded),
            codes=np.column_stack([codes for codes, _ in coded]).astype(np.int32),
            counts=np.ones(len(source), np.int64),
        )

    cells = rows


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12))
@settings(max_examples=examples(60), deadline=None)
def test_never_more_persons_are_counted_than_there_are(people: list[tuple[int, int, int]]) -> None:
    """Whichever rows were left out, and however alike the others are: at most the true number per group."""
    original = pandas.DataFrame(people, columns=["who", "age", "left"]).astype(str)
    kept = original[original["left"] != "0"]
    assume(not kept.empty)
    released = pandas.DataFrame({"age": np.where(kept["age"].astype(int) < 2, "[0, 1]", "[2, 3]")})
    policy = policy_of(quasi_identifiers=["age"], k=1)
    table = _Table()
    paired = paired_rows(table, released, original[["who", "age"]], policy, also=("who",))
    persons = Persons(column="who", paired=paired)
    groups = persons.groups(["age"])
    assert groups.labels is not None
    truth = kept.assign(age=released["age"].to_numpy()).groupby("age")["who"].nunique()
    labels = [groups.labels.cells[0][code] for code in groups.labels.codes[:, 0].tolist()]
    counted = np.bincount(groups.of_entry, minlength=len(labels)).tolist()
    assert sum(groups.rows.tolist()) == len(kept)
    for label, number in zip(labels, counted, strict=True):
        assert 1 <= number <= truth[label]
        if persons.certain.all():
            assert number == truth[label]
    verdict = persons.verdict("k-anonymity(who)", KAnonymity(2, "who"), groups)
    assert verdict.holds <= bool((truth >= 2).all())
