"""A manifest that is there and cannot be read, or lies about what a table shows, fails the audit."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal.api.audit import audit_by_policy
from shoal.auditor.formats.junit import junit_xml
from shoal.auditor.formats.sarif import sarif_json
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.policy.policy import Policy
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.result import manifest_facts as reading
from shoal.model.result.manifest_facts import FIELDS, ManifestError, manifest_facts
from shoal.pipeline.check_manifest import check_against_table, failed_check
from tests.unit.test_manifest import FIELDS as CONTRACT

Facts = dict[str, Any]

PEOPLE = "who,age,zip,ill\n" + "".join(
    f"p{at},{20 + at % 6},{'ab'[at % 2]},{('flu', 'gout')[at // 4 % 2]}\n" for at in range(24)
)
ODD = "p90,90,c,flu\n"
"""A row that is suppressed."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    """The policy of a release that suppresses rows, counts persons and demands a model."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "people.csv").write_text(PEOPLE + ODD)
    policy = policy_of(
        source=folder / "people.csv",
        path=folder / "release.csv",
        quasi_identifiers=["age", "zip"],
        identifiers=["who"],
        entity="who",
        sensitive=["ill"],
        models=[{"name": "distinct-l-diversity", "attribute": "ill", "l": 2}],
        k=2,
        suppression=1,
        cost="general-loss",
        algorithm="exact",
        seed=3,
    )
    assert shoal.anonymize(policy=policy).manifest.suppressed == 1
    return policy


@pytest.fixture
def place(made: Policy) -> Iterator[Path]:
    """The manifest's file, as it was written again when the test is over."""
    assert isinstance(made.release, Path)
    path = made.release.with_name("release.csv.manifest.json")
    told = path.read_bytes()
    yield path
    path.write_bytes(told)


def audited(policy: Policy, **more: Any) -> shoal.Audited:
    """The audit by the release's own policy, beside its original."""
    return shoal.audit(policy.release, policy=policy, **{"original": policy.source, **more})


def edited(place: Path, edit: Callable[[Facts], object]) -> None:
    """Change a manifest."""
    facts = json.loads(place.read_text())
    edit(facts)
    place.write_text(json.dumps(facts))


def put(name: str, value: object) -> Callable[[Facts], object]:
    """Another value of a field."""
    return lambda facts: facts.update({name: value})


MEASURED: dict[str, dict[str, Callable[[Facts], object]]] = {
    "algorithm": {"another": put("algorithm", "k-optimize")},
    "cost_metric": {"another": put("cost_metric", "ncp")},
    "k": {"less": put("k", 1), "more": put("k", 3)},
    "rows": {"more": put("rows", 27), "with suppressed": lambda f: f.update(rows=36, suppressed=12)},
    "suppressed": {"none": put("suppressed", 0), "more": put("suppressed", 5)},
    "groups": {"less": lambda f: f.update(groups=f["groups"] - 1)},
    "cost": {
        "less": lambda f: f.update(cost=f["cost"] / 2, bound=f["cost"] / 2),
        "none": lambda f: f.update(cost=None, bound=None, gap=None),
    },
    "bound": {"above": lambda f: f.update(bound=f["cost"] + 1), "below": put("bound", 0.0)},
    "gap": {"another": put("gap", 0.5), "none": put("gap", None)},
    "status": {"unknown": put("status", "lucky"), "without a proof": lambda f: f.update(bound=0.0, gap=1.0)},
    "seed": {"another": put("seed", 4)},
    "treatments": {"one more": put("treatments", {"bill": {"name": "drop", "truthful": True}})},
    "promise": {
        "none": put("promise", None),
        "a larger k": lambda f: f["promise"].update(k=50),
        "linkable rows": lambda f: f["promise"].update(rows_linkable=True),
    },
    "order": {"another": put("order", "shuffle")},
    "truthful_recoding": {"another": put("truthful_recoding", False)},
    "release_digest": {"another": put("release_digest", "0" * 64), "of a frame": put("release_digest", None)},
    "recoding": {
        "a column less": lambda f: f["recoding"].pop("zip"),
        "a foreign column": lambda f: f["recoding"].update(bill=[]),
        "a label more": lambda f: f["recoding"]["zip"].append({"label": "z", "values": ["z"]}),
        "another label": lambda f: f["recoding"]["age"][0].update(label="[1, 2]"),
        "means": lambda f: f["recoding"].update(age={"center": "mean"}),
    },
    "audit": {
        "k": lambda f: f["audit"].update({"k-anonymity": 50}),
        "persons": lambda f: f["audit"].update({"k-anonymity(who)": 50}),
        "a model": lambda f: f["audit"].update({"distinct-l-diversity": 9}),
        "a model less": lambda f: f["audit"].pop("distinct-l-diversity"),
        "a model more": lambda f: f["audit"].update({"t-closeness": 0.01}),
        "holds": lambda f: f["audit"].update(holds=False),
    },
    "model": {"another": put("model", "AG_TS")},
    "truthful": {"no": put("truthful", False)},
    "columns": {
        "companions": lambda f: f["columns"]["age"].update(companions=["age_low", "age_high"]),
        "other companions": lambda f: f["columns"]["age"].update(companions=["bill", "bill"]),
        "one companion": lambda f: f["columns"]["age"].update(companions=["bill"]),
        "a struct": lambda f: f["columns"]["age"].update(nested=True),
    },
}
"""Per field edits that the table, its original and its policy contradict."""

NOT_MEASURED = {
    "shoal": "0.0.0",
    "status": "feasible",  # whether a cost is the least possible only a search can tell
    "seconds": 99.0,
    "nodes": 12_345,
    "policy_digest": "0" * 64,  # then the manifest is about another policy, as it may be
    "source_digest": "0" * 64,  # a warning: the original may be the same table in another form
    "notes": ["Trust me."],
    "trace": [],
    "warnings": [],
    "orders": {},
    "choice": None,
    "reading": {},
    # Who has the certificate and the source can check it: `shoal check`.
    "certificate": {"digest": "0" * 64, "kind": "cuts", "nodes": 1, "verified": True},
    "phases": {"count": 0.1},
}
"""Edits that nobody can tell from the truth."""


def test_each_field_is_measured_or_said_not_to_be() -> None:
    """A new field of the contract is looked at, or named here."""
    assert {*MEASURED, *NOT_MEASURED} == {*FIELDS} == {*CONTRACT} & {*FIELDS}


def test_an_honest_manifest_holds(made: Policy) -> None:
    """With the original, with the policy alone, with other columns, conservatively; and all is compared."""
    found = audited(made)
    assert (found.meets, found.failures, found.warnings) == (True, [], [])
    assert found.manifest is not None
    assert {"k", "groups", "rows", "source_rows", "cost", "holds", "k-anonymity(who)", "labels.age"} <= {
        *found.manifest.claimed
    }
    assert audited(made, original=None).meets
    assert shoal.audit(made.release, quasi_identifiers=["age"]).meets
    assert audited(made, suppressed_cells="conservative").meets


@pytest.fixture(scope="module")
def held(made: Policy) -> Iterator[Callable[[Facts], shoal.Audited]]:
    """The audit of the release beside its original, with another manifest; measured once for all of them."""
    with DuckDB() as engine:
        found = audit_by_policy(engine, made.release, made, k=2, original=made.source, lenient=True)

        def with_manifest(facts: Facts) -> shoal.Audited:
            try:
                told = manifest_facts(json.dumps(facts))
            except ManifestError as error:
                return replace(found, manifest=failed_check(made.release, error))
            check = check_against_table(engine, made.release, told, found, made, made.source)
            return replace(found, manifest=check)

        yield with_manifest


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(edit, id=f"{field}, {words}")
        for field, edits in MEASURED.items()
        for words, edit in edits.items()
    ],
)
def test_a_lie_fails(
    edit: Callable[[Facts], object], held: Callable[[Facts], shoal.Audited], place: Path
) -> None:
    """Each claim that can be measured, one at a time; the message has no cell."""
    facts = json.loads(place.read_text())
    edit(facts)
    found = held(facts)
    assert not found.meets
    assert {each.key for each in found.findings if not each.holds} <= {
        "manifest",
        "manifest-claims",
        "release-digest",
    }
    (words,) = found.failures
    assert "release.csv.manifest.json" in words
    assert not re.search(r"p9\d|gout|\b9[01]\b", words)


@pytest.mark.parametrize("field", NOT_MEASURED)
def test_what_nobody_can_measure_is_not_judged(
    field: str, held: Callable[[Facts], shoal.Audited], place: Path
) -> None:
    """The documented list; a source that is another file is told."""
    found = held({**json.loads(place.read_text()), field: NOT_MEASURED[field]})
    assert found.meets
    assert [each[:41] for each in found.warnings] == (
        ["the original is not the file that the man"] if field == "source_digest" else []
    )


def test_a_lie_fails_from_end_to_end(made: Policy, place: Path) -> None:
    """As the file is read, by the policy and by the columns alone."""
    edited(place, lambda facts: facts.update(groups=facts["groups"] + 1))
    for asked in ({"policy": made}, {"quasi_identifiers": ["age", "zip"]}, {"quasi_identifiers": ["zip"]}):
        assert "groups is" in shoal.audit(made.release, **asked).failures[0]  # type: ignore[arg-type]


def test_group_costs_are_measured_without_the_original(tmp_path: Path) -> None:
    """Discernibility, also beside a group at the top of every column."""
    source = tmp_path / "people.csv"
    source.write_text("age\n" + "1\n" * 3 + "2\n" * 3)
    for cost in ("discernibility", "groups", "average-group-size", "suppressed-rows"):
        policy = policy_of(
            source=source,
            path=tmp_path / "r.csv",
            quasi_identifiers=["age"],
            k=2,
            cost=cost,
            algorithm="lattice",
        )
        shoal.anonymize(policy=policy)
        assert shoal.audit(policy.release, policy=policy).meets
        edited(tmp_path / "r.csv.manifest.json", lambda f: f.update(cost=f["cost"] + 1, bound=f["cost"] + 1))
        found = shoal.audit(policy.release, quasi_identifiers=["age"])
        assert [f"the cost ({cost})" in each for each in found.failures] == [True]


def deep(levels: int) -> bytes:
    """Lists in lists."""
    return b'{"shoal": ' + b"[" * levels + b"]" * levels + b"}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not JSON, or was cut off"),
        (b"{", "not JSON, or was cut off"),
        (b"[]", "not an object"),
        (b"{}", "'shoal' is missing"),
        (b"\xff\xfe{}", "not UTF-8"),
        (deep(100_000), "nested too deeply"),
        (b'{"shoal": NaN}', "NaN"),
        (b'{"shoal": -Infinity}', "-Infinity"),
        (b'{"cost": 1e999}', "beyond all doubles"),
        (b'{"k": 5, "k": 50}', "twice"),
        (b'{"rows": ' + b"9" * 5_000 + b"}", "not JSON"),
    ],
)
def test_what_cannot_be_read_is_refused(content: bytes, words: str) -> None:
    """With the reason, as the end of a sentence, and never with another error."""
    with pytest.raises(ManifestError, match=f"^it.*{re.escape(words)}|^its.*{re.escape(words)}"):
        manifest_facts(content)


def test_what_cannot_be_read_fails(made: Policy, place: Path) -> None:
    """One sentence with the manifest and the way out, in all forms of output; and the way out works."""
    place.write_bytes(b"{")
    found = shoal.audit(made.release, policy=made)
    assert (found.meets, found.unreadable_manifest) == (False, "release.csv.manifest.json")
    (said,) = found.failures
    assert said.startswith("the manifest release.csv.manifest.json cannot be checked against the table: it")
    assert "--no-manifest" in said
    assert 'type="manifest"' in junit_xml(found, "release.csv")
    (run,) = json.loads(sarif_json(found, "release.csv", "0"))["runs"]
    assert [each["ruleId"] for each in run["results"]] == ["manifest"]
    assert run["invocations"][0]["exitCode"] == 5
    assert shoal.audit(made.release, policy=made, manifest=False).meets


def test_every_beginning_of_a_manifest_is_cut_off(made: Policy, place: Path) -> None:
    """Wherever it ends too early."""
    whole = place.read_bytes().rstrip()
    for end in range(0, len(whole), 97):
        with pytest.raises(ManifestError, match="cut off"):
            manifest_facts(whole[:end])
    assert manifest_facts(whole)["k"] == 2


@pytest.mark.parametrize("field", [name for name, each in FIELDS.items() if each.needed])
def test_a_field_that_is_missing_or_of_another_kind_fails(field: str, made: Policy, place: Path) -> None:
    """Nothing is guessed."""
    facts = json.loads(place.read_text())
    for strange in ({}, [], True, "?", -1):
        wrong = copy.deepcopy(facts)
        wrong[field] = strange
        if FIELDS[field].fits(strange):
            continue
        with pytest.raises(ManifestError, match=f"'{field}' is not"):
            manifest_facts(json.dumps(wrong))
    del facts[field]
    with pytest.raises(ManifestError, match=f"'{field}' is missing"):
        manifest_facts(json.dumps(facts))


def test_a_manifest_of_any_size_is_not_read(
    made: Policy, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of gigabytes is not taken into memory."""
    monkeypatch.setattr(reading, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr("shoal.pipeline.read_manifest.MOST_BYTES", 1 << 20)
    place.write_bytes(b" " * ((1 << 20) + 1))
    assert "larger than 1 MiB" in shoal.audit(made.release, policy=made).failures[0]


def test_what_is_no_file_fails(made: Policy, place: Path) -> None:
    """A folder, or a link to nowhere, in the place of the manifest."""
    told = place.read_bytes()
    place.unlink()
    assert shoal.audit(made.release, policy=made).meets
    place.symlink_to("nowhere")
    assert "it is no file" in shoal.audit(made.release, policy=made).failures[0]
    place.unlink()
    place.mkdir()
    assert "it is no file" in shoal.audit(made.release, policy=made).failures[0]
    place.rmdir()
    place.write_bytes(told)


@pytest.mark.parametrize("broken", [b"{", None])
def test_appended_rows_fail_whatever_the_manifest_is(
    broken: bytes | None, made: Policy, tmp_path: Path
) -> None:
    """Cut off, or another release's: neither disarms the audit."""
    assert isinstance(made.release, Path)
    release = tmp_path / "release.csv"
    text = made.release.read_text()
    release.write_text(text + "".join(line + "\n" for line in text.splitlines()[1:3]))
    beside = made.release.with_name("release.csv.manifest.json").read_bytes()
    release.with_name("release.csv.manifest.json").write_bytes(beside if broken is None else broken)
    found = shoal.audit(release, policy=made)
    assert not found.meets
    assert found.verdict.measured.groups_below == 0


def test_a_digest_that_was_made_to_fit_hides_no_rows(made: Policy, tmp_path: Path) -> None:
    """Whoever appends rows and corrects the digest is caught by the rows."""
    assert isinstance(made.release, Path)
    release = tmp_path / "release.csv"
    text = made.release.read_text()
    release.write_text(text + text.splitlines()[1] + "\n")
    facts = json.loads(made.release.with_name("release.csv.manifest.json").read_text())
    facts["release_digest"] = hashlib.sha256(release.read_bytes()).hexdigest()
    release.with_name("release.csv.manifest.json").write_text(json.dumps(facts))
    assert "rows is 25 and not 24" in shoal.audit(release, quasi_identifiers=["age", "zip"]).failures[0]


def test_a_release_that_was_saved_again_fails_and_says_so(made: Policy, tmp_path: Path) -> None:
    """Other line ends are other bytes: harmless, perhaps; without the manifest it can be measured."""
    assert isinstance(made.release, Path)
    release = tmp_path / "release.csv"
    release.write_bytes(made.release.read_bytes().replace(b"\n", b"\r\n"))
    beside = made.release.with_name("release.csv.manifest.json").read_bytes()
    release.with_name("release.csv.manifest.json").write_bytes(beside)
    found = shoal.audit(release, policy=made)
    (words,) = found.failures
    assert "changed or saved again after its release" in words
    assert "--no-manifest" in words
    assert shoal.audit(release, policy=made, manifest=False).meets


def test_a_folder_is_held_against_its_manifest(tmp_path: Path) -> None:
    """Its files have a digest, too."""
    (tmp_path / "people").mkdir()
    frame = pandas.DataFrame({"age": [1, 1, 2, 2], "bill": [1, 2, 3, 4]})
    frame.to_parquet(tmp_path / "people" / "part.parquet")
    asked: dict[str, Any] = {"quasi_identifiers": ["age"]}
    shoal.anonymize(tmp_path / "people", path=tmp_path / "out", k=2, **asked)
    assert shoal.audit(tmp_path / "out", **asked).meets
    (part,) = (tmp_path / "out").glob("*.parquet")
    shutil.copy(part, tmp_path / "out" / "more.parquet")
    found = shoal.audit(tmp_path / "out", **asked)
    assert {each.key for each in found.findings if not each.holds} == {"release-digest", "manifest-claims"}


def test_a_report_and_an_explanation_say_what_is_wrong(made: Policy, place: Path) -> None:
    """One sentence each; the report is made all the same, the explanation with another search."""
    told = place.read_text()
    place.write_text(told[: len(told) // 2])
    report = shoal.report(made.release, policy=made)
    assert not report.holds
    assert any("cut off" in each for each in report.facts["verdict"]["failures"])
    with pytest.raises(shoal.AuditError, match="cut off"):
        shoal.report(made.release)
    assert shoal.report(made.release, policy=made, manifest=False).facts["proof"]["status"] == "unknown"
    with pytest.raises(shoal.AuditError, match="--again"):
        shoal.explain(policy=made, constraints=False)
    assert shoal.explain(policy=made, constraints=False, again=True).taken_from == "search"
    place.write_text(told)
    edited(place, put("groups", 3))
    assert any(
        "groups is" in each for each in shoal.report(made.release, policy=made).facts["verdict"]["failures"]
    )
