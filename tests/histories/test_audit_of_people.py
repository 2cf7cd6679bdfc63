"""The audit's doors measure the promises about people, and say what fails in persons or households."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pandas
import pytest

import shoal
from shoal.auditor import Expected, audit_histories
from shoal.auditor.histories import judged
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import AuditError, PolicyError
from shoal.model.history.measured_histories import MeasuredEvents, MeasuredHistories
from shoal.model.history.promise import Promise
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.result.manifest_facts import ManifestError, manifest_facts
from tests.cli.command import shoal as command

QUASI = ["ward", "month"]
STAYS = "person,ward,month,bill\n" + "".join(
    f"{person},{ward},{month},1\n"
    for person, rows in {
        "a": "A1 B2",
        "b": "A1 B2",
        "c": "B2 A1",
        "d": "B2 A1",
        "e": "A1 B2 B2",
        "f": "A1 A1 B2",
    }.items()
    for ward, month in rows.split()
)
"""Every row is one of six persons; e and f are alone by their histories, and share any two rows."""


@pytest.fixture
def stays(tmp_path: Path) -> Path:
    path = tmp_path / "stays.csv"
    path.write_text(STAYS)
    return path


def test_a_table_with_the_column_of_persons_is_measured_in_three_ways(stays: Path) -> None:
    """Nothing is demanded of linked rows, so that somebody is alone is a warning."""
    audited = shoal.audit(stays, quasi_identifiers=QUASI, k=2, entity="person")
    assert audited.meets
    assert audited.linked is not None
    assert audited.linked.sentence == "2 of 6 persons are alone by their history"
    values = {each.key: each.value for each in audited.measured}
    assert values["k-anonymity(person)"] == 6
    assert values["whole-history(person)"] == 1
    # B2 twice, and A1 twice, are each in one person's history.
    assert values["known-events(person, 2)"] == 1
    (warning,) = [each for each in audited.findings if each.key == "linkable-rows"]
    assert "2 of 6 persons are alone by their history" in warning.words
    assert warning.level == "warning"
    facts = audited.to_dict()
    assert facts["linked"]["alone"] == 2  # type: ignore[index]
    assert facts["leaks"][0]["code"] == "linkable-rows"  # type: ignore[index]
    assert "2 of 6 persons are alone" in audited._repr_html_()


def test_whole_histories_that_are_demanded_fail_in_persons(stays: Path) -> None:
    """With linkable the same table does not meet k = 2, and names the promise."""
    audited = shoal.audit(stays, quasi_identifiers=QUASI, k=2, entity="person", linkable=True)
    assert not audited.meets
    assert audited.failures == [
        "whole-history(person) is broken by 2 persons: demanded is at least 2 persons with the same rows, "
        "and as many of them, in the same order, measured was 1"
    ]
    assert audited.warnings == []
    assert audited.verdict.audit == {
        "k-anonymity": 7,
        "k-anonymity(person)": 6,
        "whole-history(person)": 1,
        "holds": False,
    }


def test_known_events_lie_between_rows_and_histories(stays: Path) -> None:
    """One known row is shared by all six; two of them are not."""
    one = shoal.audit(stays, quasi_identifiers=QUASI, k=6, entity="person", linkable=True, known_events=1)
    assert one.meets
    two = shoal.audit(stays, quasi_identifiers=QUASI, k=2, entity="person", linkable=True, known_events=2)
    assert two.failures == [
        "known-events(person, 2) is broken by 2 persons: demanded is at least 2 persons who have any 2 rows "
        "of a person in the same order, measured was 1"
    ]


def test_households_are_counted_as_households(stays: Path) -> None:
    """The unit decides the words."""
    audited = shoal.audit(stays, quasi_identifiers=QUASI, k=2, household="person")
    assert audited.linked is not None
    assert audited.linked.sentence == "2 of 6 households are alone by their members"
    assert "whole-history(person) is broken by 2 households" in audited.failures[0]


def test_the_column_must_be_in_the_table(stays: Path) -> None:
    """Linked rows cannot be measured without what links them."""
    with pytest.raises(PolicyError, match="the table has no column 'patient'"):
        shoal.audit(stays, quasi_identifiers=QUASI, k=2, entity="patient", linkable=True)


def test_the_command_says_it_in_words_and_files(stays: Path, tmp_path: Path) -> None:
    """Flags, exit code, JUnit and SARIF."""
    junit, sarif = tmp_path / "audit.xml", tmp_path / "audit.sarif"
    done = command(
        tmp_path,
        *("audit", "stays.csv", "-q", "ward,month", "-k", "2", "--entity", "person", "--linkable"),
        *("--known-events", "2", "--junit", "audit.xml", "--sarif", "audit.sarif"),
    )
    assert done.returncode == 5
    assert "known-events(person, 2): at least 2 persons who have any 2 rows of a person" in done.stderr
    assert "fails for 2 persons" in done.stderr
    failed = [each.get("type") for each in ElementTree.parse(junit).iter("failure")]
    assert failed == ["known-events(person, 2)"]
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["known-events(person, 2)"]
    done = command(tmp_path, "audit", stays.name, "-q", "ward,month", "-k", "2", "--household", "person")
    assert "2 of 6 households are alone by their members" in done.stderr


MEASURED = MeasuredHistories(
    k=3,
    ordered=False,
    persons=9,
    rows=20,
    fewest_per_row=3,
    persons_in_small_groups=0,
    histories=4,
    fewest_per_history=2,
    persons_alone=0,
    persons_below=2,
    known=(MeasuredEvents(events=2, fewest=3), MeasuredEvents(events=3, too_many=5_000_000_000)),
)


def test_a_promise_is_judged_by_what_it_is_about() -> None:
    """The same measures keep one promise, break another, and leave a third open."""
    held = {
        known: [(each.key, each.measured, each.holds) for each in judged(MEASURED, promise, 3)]
        for known in (None, 2, 3)
        for promise in [Promise(column="p", known_events=known)]
    }
    rows = ("k-anonymity(p)", 3, True)
    assert held == {
        None: [rows, ("whole-history(p)", 2, False)],
        2: [rows, ("known-events(p, 2)", 3, True)],
        3: [rows, ("known-events(p, 3)", None, False)],
    }
    (_, verdict) = judged(MEASURED, Promise(column="p", known_events=3), 3)
    assert verdict.unmeasured is not None
    assert "5,000,000,000 combinations of 3 rows" in verdict.unmeasured


def test_a_release_that_breaks_its_promise_is_refused(stays: Path) -> None:
    """The verdict with its promises raises `AuditError`, and says what failed."""
    promise = Promise(column="person")
    with DuckDB() as engine:
        verdicts = audit_histories(engine, stays, QUASI, promise, 2)
    audited = shoal.audit(stays, quasi_identifiers=QUASI, k=2)
    expected = Expected(columns=(), rows=0, suppressed=0, groups=0, smallest=None)
    with pytest.raises(AuditError, match=r"whole-history\(person\) is broken by 2 persons"):
        audited.verdict.with_models(verdicts).check(expected)


PEOPLE = pandas.DataFrame(
    [
        (f"p{person}", 30 + person % 2, "AB"[(person + row) % 2], row)
        for row in range(3)
        for person in range(24)
        if row <= person % 3
    ],
    columns=["person", "age", "ward", "month"],
)


@pytest.mark.parametrize(
    ("stated", "promised", "measured"),
    [
        ({"order": "shuffle"}, (1, "multiset", False), "k-anonymity(person)"),
        ({"linkable": True}, ("all", "sequence", True), "whole-history(person)"),
        ({"linkable": True, "order": "shuffle"}, ("all", "multiset", True), "whole-history(person)"),
        ({"linkable": True, "known_events": 2}, (2, "sequence", True), "known-events(person, 2)"),
    ],
)
def test_the_manifest_says_what_is_promised(
    stated: dict[str, object], promised: tuple[object, ...], measured: str, tmp_path: Path
) -> None:
    """It names and explains the promise, its audit has the measure, and an audit measures it again."""
    source, path = tmp_path / "people.csv", tmp_path / "release.csv"
    PEOPLE.to_csv(source, index=False)
    linkable = "linkable" in stated
    release = shoal.anonymize(
        source,
        quasi_identifiers=["age", "ward", "month"],
        k=3,
        entity="person",
        path=path,
        seconds=1,
        algorithm="person-groups" if linkable else "local",
        **stated,  # type: ignore[arg-type]
    )
    promise = release.manifest.promise
    assert promise is not None
    assert tuple(promise[each] for each in ("known_events", "order", "rows_linkable")) == promised
    assert release.manifest.notes[0] == promise["sentence"]
    assert release.manifest.audit[measured] >= 3  # type: ignore[operator]
    assert release.manifest.audit["holds"]
    if not linkable:
        return
    audited = shoal.audit(path, quasi_identifiers=["age"], k=3)
    assert audited.manifest is not None
    assert audited.manifest.claimed[measured] == release.manifest.audit[measured]
    assert audited.manifest.holds
    # Somebody who edits the manifest is found out.
    manifest = tmp_path / "release.csv.manifest.json"
    facts = json.loads(manifest.read_text())
    facts["audit"][measured] += 1
    manifest.write_text(json.dumps(facts))
    wrong = shoal.audit(path, quasi_identifiers=["age"], k=3).manifest
    assert wrong is not None
    assert not wrong.holds
    with pytest.raises(ManifestError, match="promise"):
        manifest_facts(json.dumps({**facts, "promise": {**facts["promise"], "unit": "row"}}))


def test_a_policy_with_linkable_rows_audits_them(tmp_path: Path) -> None:
    """By the policy of a release its promise is measured; without the column it is not, and says so."""
    source, path = tmp_path / "people.csv", tmp_path / "release.csv"
    PEOPLE.to_csv(source, index=False)
    policy = policy_of(
        source=source,
        path=path,
        quasi_identifiers=["age", "ward", "month"],
        k=3,
        entity="person",
        linkable=True,
        algorithm="person-groups",
        seconds=1,
    )
    shoal.anonymize(policy=policy)
    audited = shoal.audit(path, policy=policy)
    assert audited.meets, audited.failures
    assert "whole-history(person)" in [each.key for each in audited.verdict.models]
    pandas.read_csv(path).drop(columns="person").to_csv(tmp_path / "without.csv", index=False)
    without = shoal.audit(tmp_path / "without.csv", policy=policy)
    assert "whole-history(person)" in without.unmeasured
