"""Releases that extend others, from files: labels, registers, ledgers, refusals, and what attacks find."""

from __future__ import annotations

import csv
import hashlib
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import AuditError, InfeasibleError, PolicyError
from shoal.model.result.register import Register, RegisterError, register_path
from shoal.pipeline.extending import extension
from shoal.pipeline.extending.held_back import GONE, Chosen, Versions
from shoal.pipeline.extending.previous import previous_release
from tests.agreement.thoroughness import examples

HEADER = ("patient", "age", "sex", "diagnosis")
Rows = Sequence[tuple[str, int, str, str]]


def people(first: int, count: int, *, seed: int = 0) -> list[tuple[str, int, str, str]]:
    """Rows of patients, numbered from `first`."""
    draw = random.Random(seed + first)
    return [
        (f"P{number}", draw.randrange(20, 60), draw.choice("MF"), draw.choice(["flu", "asthma", "gout"]))
        for number in range(first, first + count)
    ]


def write(path: Path, rows: Rows) -> Path:
    """A CSV file."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return path


def release(source: Any, path: Path, **more: Any) -> shoal.Release:
    """A release that can be extended."""
    stated: dict[str, Any] = {
        "quasi_identifiers": ["age", "sex"],
        "identifiers": ["patient"],
        "sensitive": ["diagnosis"],
        "k": 3,
        "row_key": "patient",
        "algorithm": "exact",
        **more,
    }
    return shoal.anonymize(source, path=path, **stated)


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a release."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def threads(*paths: Path) -> Counter[tuple[Any, ...]]:
    """The labels that each row has in each version, found by the registers and counted.

    Its own reading of the files: the attacker who can line up the rows of all versions.
    """
    seen: dict[str, list[Any]] = {}
    for version, path in enumerate(paths):
        register = json.loads(register_path(path).read_text())
        marks = [register["rows"][at : at + 32] for at in range(0, len(register["rows"]), 32)]
        for mark, row in zip(marks, read(path), strict=True):
            seen.setdefault(mark, [None] * len(paths))[version] = (row["age"], row["sex"])
    return Counter(map(tuple, seen.values()))


@pytest.fixture
def day(tmp_path: Path) -> Path:
    """A release of sixty people."""
    release(write(tmp_path / "one.csv", people(0, 60)), tmp_path / "r1.csv")
    return tmp_path


def test_rows_that_stay_keep_their_labels(day: Path) -> None:
    """The next version has every row that stays word for word, and new rows in groups of k new ones."""
    made = release(
        write(day / "two.csv", people(0, 60) + people(60, 40)), day / "r2.csv", extend=day / "r1.csv"
    )
    together = threads(day / "r1.csv", day / "r2.csv")
    assert all(old == new for old, new in together if old is not None)
    assert min(together.values()) >= 3
    facts = made.manifest.versions
    assert facts is not None
    assert (facts["version"], facts["stay"], facts["left"]) == (2, 60, 0)
    assert facts["joined"] + facts["waiting"] == 40  # type: ignore[operator]
    assert facts["joined"] == len(read(day / "r2.csv")) - 60
    assert facts["audit"] == {"k-anonymity(versions)": 3} or facts["audit"]["k-anonymity(versions)"] > 3  # type: ignore[index]
    assert made.verdict.holds


def test_a_label_stays_though_the_person_at_its_end_left(tmp_path: Path) -> None:
    """`[20, 29]` does not become `[20, 28]` when the one of 29 leaves, and 25, which is new, joins it."""
    first = [(f"P{at}", 20 + at, "M", "flu") for at in range(10)]
    first += [(f"Q{at}", 50, "M", "flu") for at in range(10)]
    release(write(tmp_path / "one.csv", first), tmp_path / "r1.csv", k=10)
    second = [each for each in first if each[1] != 29] + [(f"N{at}", 25, "M", "flu") for at in range(10)]
    with pytest.raises(InfeasibleError, match="no row can be released"):
        release(write(tmp_path / "x.csv", second[:9]), tmp_path / "x-r.csv", k=10, extend=tmp_path / "r1.csv")
    release(write(tmp_path / "two.csv", second), tmp_path / "r2.csv", k=10, extend=tmp_path / "r1.csv")
    assert Counter(row["age"] for row in read(tmp_path / "r1.csv")) == {"[20, 29]": 10, "50": 10}
    assert Counter(row["age"] for row in read(tmp_path / "r2.csv")) == {"[20, 29]": 10, "50": 10}


def test_a_value_without_a_label_waits(day: Path) -> None:
    """Nobody released a person of 99: three of them wait, and the summary counts them."""
    old = [(f"N{at}", 99, "M", "flu") for at in range(5)]
    made = release(write(day / "two.csv", people(0, 60) + old), day / "r2.csv", extend=day / "r1.csv")
    assert made.manifest.versions is not None
    assert made.manifest.versions["waiting"] == 5


@settings(max_examples=examples(16), deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4), st.booleans())
def test_all_versions_together_hide_everybody(
    tmp_path_factory: pytest.TempPathFactory, seed: int, versions: int, models: bool
) -> None:
    """Random joins, leaves, birthdays and new diagnoses: in all files no row is among fewer than k."""
    draw = random.Random(seed)
    folder = tmp_path_factory.mktemp("versions")
    demands: Any = [{"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}] if models else []
    table = people(0, 40, seed=draw.randrange(1000))
    paths, number = [folder / "r0.csv"], 40
    release(write(folder / "0.csv", table), paths[0], k=2, models=demands, suppression="10%")
    for version in range(1, versions):
        table = [each for each in table if draw.random() > 0.1]
        table = [
            (name, min(59, age + (draw.random() < 0.1)), sex, "flu" if draw.random() < 0.05 else diagnosis)
            for name, age, sex, diagnosis in table
        ]
        table += people(number, draw.randrange(12))
        number += 12
        paths.append(folder / f"r{version}.csv")
        made = release(
            write(folder / f"{version}.csv", table), paths[-1], k=2, models=demands, extend=paths[-2]
        )
        assert made.verdict.holds
        assert min(threads(*paths).values()) >= 2
        assert {row["age"] for row in read(paths[-1])} <= {row["age"] for row in read(paths[0])}


def everybody(versions: Versions) -> Chosen:
    """The guard turned off."""
    return Chosen(kept=versions.group != GONE, stay=0, joined=0, left=0, waiting=0, withdrawn=0, unlabelled=0)


@pytest.mark.parametrize("change", ["joins", "leaves"])
def test_the_audit_refuses_what_the_guard_would_not_hold_back(
    day: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """With the guard turned off, one who joins or leaves alone is found in the written rows."""
    rows = people(0, 60)
    of_group = Counter((row["age"], row["sex"]) for row in read(day / "r1.csv"))
    large = next(at for at, row in enumerate(read(day / "r1.csv")) if of_group[row["age"], row["sex"]] > 3)
    name, age, sex, _ = rows[large]
    rows = (
        [*rows, ("N1", age, sex, "flu")] if change == "joins" else [each for each in rows if each[0] != name]
    )
    monkeypatch.setattr(extension, "chosen", everybody)
    with pytest.raises(AuditError, match=r"k-anonymity\(versions\) demands at least 3 rows"):
        release(write(day / "two.csv", rows), day / "r2.csv", extend=day / "r1.csv")
    assert not list(day.glob("r2*"))


def test_the_audit_refuses_values_that_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """m-invariance: a part whose diagnoses are others than before tells whose diagnosis changed."""
    demands: Any = [{"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}]
    rows = [(f"P{at}", 30, "M", "flu" if at % 2 else "asthma") for at in range(6)]
    release(write(tmp_path / "one.csv", rows), tmp_path / "r1.csv", models=demands)
    second = [
        *rows[:5],
        ("P5", 30, "M", "gout"),
        *((f"N{at}", 30, "M", ["flu", "gout"][at % 2]) for at in range(4)),
    ]
    made = release(
        write(tmp_path / "two.csv", second), tmp_path / "r2.csv", models=demands, extend=tmp_path / "r1.csv"
    )
    assert made.manifest.versions is not None
    assert made.manifest.versions["joined"] == 4
    assert made.manifest.versions["withdrawn"] >= 3  # type: ignore[operator]
    monkeypatch.setattr(extension, "chosen", everybody)
    with pytest.raises(AuditError, match=r"m-invariance\(diagnosis\)"):
        release(
            write(tmp_path / "two.csv", second),
            tmp_path / "r3.csv",
            models=demands,
            extend=tmp_path / "r1.csv",
        )


def test_attacks_find_nothing_in_an_extended_release_and_somebody_in_a_fresh_one(day: Path) -> None:
    """The same people released afresh are singled out by both versions together; extended they are not."""
    source = write(day / "two.csv", people(0, 60) + people(60, 30))
    release(source, day / "r2.csv", extend=day / "r1.csv")
    release(source, day / "fresh.csv", cost="ncp")

    def found(path: Path) -> int:
        report = shoal.attack(
            path,
            quasi_identifiers=["age", "sex"],
            sensitive=["diagnosis"],
            k=3,
            original=source,
            earlier=[day / "r1.csv"],
            attacks=["composition", "unsorted"],
        )
        return sum(each.succeeded for each in report.results)

    assert found(day / "r2.csv") == 0
    assert found(day / "fresh.csv") > 0


def test_audit_measures_both_versions(day: Path) -> None:
    """`shoal.audit(against=...)` repeats the measurement, and refuses a version of another release."""
    source = write(day / "two.csv", people(0, 55) + people(60, 30))
    release(source, day / "r2.csv", extend=day / "r1.csv")
    audited = shoal.audit(day / "r2.csv", quasi_identifiers=["age", "sex"], k=3, against=day / "r1.csv")
    (verdict,) = audited.verdict.models
    assert (verdict.key, verdict.holds) == ("k-anonymity(versions)", True)
    assert verdict.measured == min(threads(day / "r1.csv", day / "r2.csv").values())
    release(source, day / "other.csv")
    with pytest.raises(AuditError, match="does not extend that one"):
        shoal.audit(day / "other.csv", quasi_identifiers=["age", "sex"], k=3, against=day / "r1.csv")


def test_a_ledger_has_one_chain_of_versions(tmp_path: Path) -> None:
    """A release is extended once, from a ledger that has it; the lines say what extends what."""
    one, two = people(0, 60), people(0, 60) + people(60, 30)
    ledger = tmp_path / "releases.jsonl"
    release(write(tmp_path / "one.csv", one), tmp_path / "r1.csv", ledger=ledger)
    source = write(tmp_path / "two.csv", two)
    made = release(source, tmp_path / "r2.csv", ledger=ledger, extend=tmp_path / "r1.csv")
    assert made.warnings == ()
    entries = shoal.ledger.Ledger(ledger).read().entries
    assert entries[1].facts["extends"] == entries[0].facts["release_digest"]
    with pytest.raises(PolicyError, match=r"line 3 of the ledger extends r1\.csv already"):
        release(source, tmp_path / "r3.csv", ledger=ledger, extend=tmp_path / "r1.csv")
    with pytest.raises(PolicyError, match=r"the ledger has no release with the content of r1\.csv"):
        release(source, tmp_path / "r3.csv", ledger=tmp_path / "other.jsonl", extend=tmp_path / "r1.csv")
    assert not (tmp_path / "r3.csv").exists()


def test_a_killed_run_does_not_end_the_chain_of_versions(day: Path) -> None:
    """An announced version whose file is not there does not count; once the file is there, it does."""
    ledger, source = day / "releases.jsonl", write(day / "two.csv", people(0, 60) + people(60, 30))
    release(day / "one.csv", day / "r1.csv", ledger=ledger)
    release(source, day / "r2.csv", ledger=ledger, extend=day / "r1.csv")
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:-1]))  # announced, and not confirmed
    with pytest.raises(PolicyError, match=r"extends r1\.csv already"):
        release(source, day / "r3.csv", ledger=ledger, extend=day / "r1.csv")
    (day / "r2.csv").unlink()
    with pytest.warns(shoal.errors.ShoalWarning) as warned:
        release(source, day / "r3.csv", ledger=ledger, extend=day / "r1.csv")
    assert any("nobody confirmed it" in str(each.message) for each in warned)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"k": 4}, "k is 4, and rows of r1.csv are hidden among 3"),
        ({"quasi_identifiers": ["age"]}, "has the quasi-identifiers of the release"),
        ({"extend": "none.csv"}, "cannot read"),
        ({"row_key": "sex"}, "give that column the role identifier"),
        ({"row_key": None}, "extend needs row_key"),
        ({"suppressed": "mask"}, "cannot have suppressed"),
        ({"models": [{"name": "t-closeness", "attribute": "diagnosis", "t": 0.5}]}, "cannot have the model"),
        ({"path": None}, "the release must be a file"),
        ({"require_optimal": True}, "nothing is searched or proved"),
        ({"path": "r1.csv"}, "the release that is extended itself"),
    ],
)
def test_what_cannot_be_extended_is_refused(day: Path, more: dict[str, Any], words: str) -> None:
    """One sentence, and no file."""
    frame = pd.DataFrame(people(0, 60), columns=list(HEADER))
    path = more.pop("path", "r2.csv")
    extend = day / more.pop("extend", "r1.csv")
    before = sorted(day.iterdir())
    with pytest.raises((PolicyError, shoal.errors.EngineError), match=words):
        release(frame, None if path is None else day / path, **{"extend": extend, **more})  # type: ignore[arg-type]
    assert sorted(day.iterdir()) == before


def test_rows_without_a_key_or_with_the_same_one_are_refused(tmp_path: Path) -> None:
    """Nobody could recognise them tomorrow."""
    rows = people(0, 20)
    with pytest.raises(PolicyError, match=r"1 row\(s\) have no value in 'patient'"):
        release(write(tmp_path / "a.csv", [*rows, ("", 30, "M", "flu")]), tmp_path / "r.csv")
    with pytest.raises(PolicyError, match=r"1 row\(s\) have a value in 'patient', the row_key, that"):
        release(write(tmp_path / "a.csv", [*rows, rows[0]]), tmp_path / "r.csv")
    with pytest.raises(PolicyError, match="one recoding per column"):
        release(write(tmp_path / "a.csv", rows), tmp_path / "r.csv", algorithm="mondrian")


def test_files_that_do_not_belong_together_are_refused(day: Path) -> None:
    """A release without its register, with another one, or changed after its release is not extended."""
    source, register = write(day / "two.csv", people(0, 60)), register_path(day / "r1.csv")
    kept = register.read_bytes()
    register.unlink()
    with pytest.raises(PolicyError, match=r"register r1.csv.register.json is not next to r1.csv"):
        release(source, day / "r2.csv", extend=day / "r1.csv")
    register.write_bytes(kept.replace(b'"k":3', b'"k":2'))
    with pytest.raises(PolicyError, match="is not the register that the manifest"):
        release(source, day / "r2.csv", extend=day / "r1.csv")
    register.write_bytes(kept)
    with (day / "r1.csv").open("a") as file:
        file.write("30,M,flu\n")
    with pytest.raises(PolicyError, match="is not the file that its manifest describes"):
        release(source, day / "r2.csv", extend=day / "r1.csv")


def test_a_register_names_no_key_and_only_its_owner_reads_it(day: Path) -> None:
    """Marks are keyed digests; the manifest has the register's digest and nothing of it."""
    register = register_path(day / "r1.csv")
    assert register.stat().st_mode & 0o077 == 0
    assert b"P1" not in register.read_bytes()
    manifest = (day / "r1.csv.manifest.json").read_text()
    assert "P1" not in manifest
    salt = json.loads(register.read_text())["salt"]
    assert salt not in manifest
    assert Register.parsed(register.read_bytes()).to_json() == register.read_bytes()


@pytest.mark.parametrize("fault", ["{}", "[", '{"register": 2}', "null"])
def test_a_broken_register_is_no_register(fault: str) -> None:
    """Whatever the file has, the answer is one sentence."""
    with pytest.raises(RegisterError):
        Register.parsed(fault.encode())


@pytest.mark.parametrize("kind", ["parquet", "pandas", "shuffled"])
def test_other_tables_and_orders_are_extended_alike(tmp_path: Path, kind: str) -> None:
    """Parquet files, data frames and shuffled rows: the register follows the written order."""
    one = pd.DataFrame(people(0, 40), columns=list(HEADER))
    two = pd.DataFrame(people(0, 36) + people(40, 30), columns=list(HEADER))
    suffix = "parquet" if kind == "parquet" else "csv"
    paths = [tmp_path / f"r1.{suffix}", tmp_path / f"r2.{suffix}"]
    sources: list[Any] = [one, two]
    if kind == "parquet":
        sources = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
        one.to_parquet(sources[0])
        two.to_parquet(sources[1])
    order = {"order": "shuffle"} if kind == "shuffled" else {}
    release(sources[0], paths[0], **order)
    made = release(sources[1], paths[1], extend=paths[0], **order)
    assert made.verdict.holds
    assert made.manifest.versions is not None
    assert made.manifest.versions["left"] == 4
    audited = shoal.audit(paths[1], quasi_identifiers=["age", "sex"], k=3, against=paths[0])
    assert audited.verdict.holds


def test_levels_are_extended_as_levels(tmp_path: Path) -> None:
    """With hierarchies of the policy, a value that nobody had gets the label of its level."""
    ages = shoal.Hierarchy([(str(age), f"{age // 10 * 10}s", "*") for age in range(20, 70)])
    sexes = shoal.Hierarchy([("M", "*"), ("F", "*")])
    settings: Any = {"hierarchies": {"age": ages, "sex": sexes}, "algorithm": "lattice"}
    rows = [each for each in people(0, 80) if each[1] != 33]
    release(write(tmp_path / "one.csv", rows), tmp_path / "r1.csv", **settings)
    new = [(f"N{at}", 33, rows[0][2], "flu") for at in range(3)]
    made = release(
        write(tmp_path / "two.csv", rows + new), tmp_path / "r2.csv", extend=tmp_path / "r1.csv", **settings
    )
    assert made.manifest.versions is not None
    assert made.manifest.versions["joined"] == 3
    assert made.manifest.recoding == json.loads((tmp_path / "r1.csv.manifest.json").read_text())["recoding"]
    assert min(threads(tmp_path / "r1.csv", tmp_path / "r2.csv").values()) >= 3


@pytest.mark.parametrize("step", range(5))
def test_a_run_that_ends_while_it_publishes_leaves_nothing_that_contradicts(
    day: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """At whichever step it ends, what is there is extended only if file, manifest and register fit."""
    source, target = write(day / "two.csv", people(0, 60) + people(60, 30)), day / "r2.csv"
    release(write(day / "old.csv", people(100, 60)), target)  # a release that is replaced
    steps, names = 0, {target.name, f"{target.name}.manifest.json", register_path(target).name}

    class Killed(BaseException):
        """The process ends here."""

    def counted(real: Any) -> Any:
        def step_of(path: Path, *args: Any, **more: Any) -> Any:
            nonlocal steps
            if path.name in names:
                steps += 1
                if steps > step:
                    raise Killed
            return real(path, *args, **more)

        return step_of

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", counted(Path.replace))
        patched.setattr(Path, "unlink", counted(Path.unlink))
        try:
            release(source, target, extend=day / "r1.csv")
        except Killed:
            ended = True
        else:
            ended = False
    assert ended == (step < 4)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    if (day / "r2.csv.manifest.json").exists():
        assert json.loads((day / "r2.csv.manifest.json").read_text())["release_digest"] == digest
    # The new manifest waits, the old one goes aside, the file and its manifest are named, the register last.
    refusals = {2: "has no manifest", 3: "is not the register that the manifest"}
    if step in refusals:
        with pytest.raises(PolicyError, match=refusals[step]):
            previous_release(target)
    else:
        assert previous_release(target).register.versions[-1] == digest


def test_doors_that_search_refuse_a_policy_that_extends(day: Path) -> None:
    """What compares, explains or prints other recodings has nothing to say of a version."""
    policy = shoal.read_policy(_policy_file(day))
    for door in (shoal.explain, shoal.compare, shoal.front, shoal.recoding_sql):
        with pytest.raises(PolicyError, match="the policy extends a release"):
            door(policy=policy)  # type: ignore[operator]


def test_a_policy_file_extends_what_it_names_next_to_it(day: Path) -> None:
    """Paths are relative to the policy; notes say what is extended, and the report repeats them."""
    release_made = shoal.anonymize(policy=_policy_file(day))
    assert release_made.manifest.notes[0].startswith("Extends r1.csv as version 2: 60 rows stay")
    report = shoal.report(release=day / "r2.csv", policy=_policy_file(day))
    assert "Extends r1.csv as version 2" in report.html


def _policy_file(day: Path) -> Path:
    write(day / "two.csv", people(0, 60) + people(60, 30))
    policy = day / "two.toml"
    policy.write_text(
        """
[source]
path = "two.csv"
[attributes]
patient = { role = "identifier" }
age = { role = "quasi-identifier" }
sex = { role = "quasi-identifier" }
diagnosis = { role = "sensitive" }
[privacy]
k = 3
[release]
path = "r2.csv"
row_key = "patient"
extend = "r1.csv"
"""
    )
    return policy


def test_a_policy_that_extends_is_audited_with_what_it_extends(day: Path) -> None:
    """Both versions are measured; without a register that stays open, in the audit and in the report."""
    policy, path = _policy_file(day), day / "r2.csv"
    shoal.anonymize(policy=policy)
    audited = shoal.audit(path, policy=policy, original=day / "two.csv")
    assert audited.meets
    assert "k-anonymity(versions)" in {each.key for each in audited.verdict.models}
    facts = shoal.report(release=path, policy=policy, original=day / "two.csv").facts
    assert facts["verdict"]["holds"]
    assert "k-anonymity(versions)" in {each["name"] for each in facts["audit"]["models"]}
    register_path(day / "r1.csv").unlink()
    audited = shoal.audit(path, policy=policy)
    assert (audited.meets, audited.unmeasured) == (False, ("k-anonymity(versions)",))
    report = shoal.report(release=path, policy=policy, original=day / "two.csv")
    assert report.facts["verdict"]["holds"] is None
    assert "versions" in report.facts["unmeasured_demands"]
    held = 90 - len(read(path))
    assert report.facts["suppressed"]["words"].startswith(f"{held} of 90 rows")
    assert "Rows held back" in report.html
    assert "Suppressed rows" not in report.html
