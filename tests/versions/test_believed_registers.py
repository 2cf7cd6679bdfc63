"""What a version may demand, whom it recognises, and what its audit believes of registers."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import shoal
from shoal.auditor.versions.measured import audit_versions
from shoal.engines.connection import engine_for
from shoal.errors import AuditError, PolicyError, ShoalWarning
from shoal.model.result.register import Register
from shoal.pipeline.extending.previous import previous_release
from tests.versions.test_extended_releases import HEADER, people, release, write

DIVERSE = {"name": "distinct-l-diversity", "attribute": "diagnosis", "l": 2}


@pytest.fixture(scope="module")
def two_versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of sixty people and the version after it, which two left and thirty joined."""
    folder = tmp_path_factory.mktemp("versions")
    release(write(folder / "one.csv", people(0, 60)), folder / "r1.csv")
    release(
        write(folder / "two.csv", people(2, 58) + people(60, 30)), folder / "r2.csv", extend=folder / "r1.csv"
    )
    return folder


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([DIVERSE], [], r"r1.csv was released with distinct-l-diversity on 'diagnosis' \(l = 2\); state it"),
        ([DIVERSE], [{**DIVERSE, "l": 1}], "state it again"),
        ([], [DIVERSE], "was released without distinct-l-diversity on 'diagnosis'"),
    ],
)
def test_a_version_states_the_models_of_the_one_before(
    tmp_path: Path, first: list[Any], second: list[Any], words: str
) -> None:
    """A model that a version leaves out lets values change, and a later version could not mend that."""
    rows = [(f"P{at}", 30, "M", "flu" if at % 2 else "gout") for at in range(6)]
    source = write(tmp_path / "one.csv", rows)
    release(source, tmp_path / "r1.csv", models=first)
    with pytest.raises(PolicyError, match=words):
        release(source, tmp_path / "r2.csv", models=second, extend=tmp_path / "r1.csv")


def test_an_audit_measures_the_models_that_the_register_states(tmp_path: Path) -> None:
    """Without a policy, too: nobody has to remember what a release satisfies."""
    rows = [(f"P{at}", 30, "M", "flu" if at % 2 else "gout") for at in range(6)]
    source = write(tmp_path / "one.csv", rows)
    release(source, tmp_path / "r1.csv", models=[DIVERSE])
    release(source, tmp_path / "r2.csv", models=[DIVERSE], extend=tmp_path / "r1.csv")
    audited = shoal.audit(tmp_path / "r2.csv", quasi_identifiers=["age", "sex"], against=tmp_path / "r1.csv")
    keys = {each.key for each in audited.verdict.models}
    assert {"distinct-l-diversity(versions)", "m-invariance(diagnosis)"} <= keys


@pytest.mark.parametrize("written", [str.lower, lambda key: f"0{key}"], ids=["case", "zero"])
def test_keys_that_are_written_in_another_way_are_refused(
    tmp_path: Path, written: Callable[[str], str]
) -> None:
    """Everybody would have left and joined: no row of today is one of the version before."""
    rows = people(0, 20)
    release(write(tmp_path / "one.csv", rows), tmp_path / "r1.csv")
    second = write(tmp_path / "two.csv", [(written(each[0]), *each[1:]) for each in rows])
    with pytest.raises(
        PolicyError, match=r"no row of r1\.csv is in today's table by 'patient': is it written"
    ):
        release(second, tmp_path / "r2.csv", extend=tmp_path / "r1.csv")


def test_a_key_of_another_type_is_refused(tmp_path: Path) -> None:
    """A Parquet file whose keys were numbers with a gap once has 7.0 where it had 7."""
    frame = pd.DataFrame(people(0, 20), columns=list(HEADER)).assign(patient=range(20))
    frame.to_parquet(tmp_path / "one.parquet")
    frame.astype({"patient": float}).to_parquet(tmp_path / "two.parquet")
    release(tmp_path / "one.parquet", tmp_path / "r1.csv")
    with pytest.raises(PolicyError, match=r"no row of r1\.csv is in today's table"):
        release(tmp_path / "two.parquet", tmp_path / "r2.csv", extend=tmp_path / "r1.csv")


def test_few_recognised_rows_are_a_warning(tmp_path: Path) -> None:
    """If most left, or most keys changed, somebody should look; who has looked acknowledges it."""
    rows = [(f"P{at}", 30, "M", "flu") for at in range(20)]
    release(write(tmp_path / "one.csv", rows), tmp_path / "r1.csv")
    source = write(tmp_path / "two.csv", [*rows[:8], *((f"N{at}", 30, "M", "flu") for at in range(9))])
    with pytest.warns(ShoalWarning, match=r"only 8 of the 20 rows of r1\.csv"):
        release(source, tmp_path / "r2.csv", extend=tmp_path / "r1.csv")
    made = release(source, tmp_path / "r2.csv", extend=tmp_path / "r1.csv", acknowledge=["few-recognised"])
    assert made.warnings == ()


def test_two_runs_take_the_same_rows_along(tmp_path: Path) -> None:
    """Else who is missing from both runs left, and who is missing from one did not."""
    rows = [(f"P{at}", 30, "M", f"d{at}") for at in range(20)]
    release(write(tmp_path / "one.csv", rows), tmp_path / "r1.csv")
    source = write(tmp_path / "two.csv", rows[1:])
    key = tmp_path / "key"
    key.write_text("0123456789abcdef" * 2)
    more: dict[str, Any] = {"extend": tmp_path / "r1.csv"}
    made = [release(source, tmp_path / f"r{at}.csv", **more) for at in (2, 3)]
    assert made[0].manifest.versions["withdrawn"] == 2  # type: ignore[index]
    assert (tmp_path / "r2.csv").read_bytes() == (tmp_path / "r3.csv").read_bytes()
    release(source, tmp_path / "keyed.csv", key_file=key, **more)
    assert (tmp_path / "keyed.csv").read_bytes() != (tmp_path / "r2.csv").read_bytes()


def test_withdrawn_rows_are_those_of_this_version(tmp_path: Path) -> None:
    """Rows that went earlier are not counted again, though they are in the source."""
    rows = [(f"P{at}", 30, "M", "flu") for at in range(20)]
    release(write(tmp_path / "one.csv", rows), tmp_path / "r1.csv")
    source = write(tmp_path / "two.csv", rows[1:])
    release(source, tmp_path / "r2.csv", extend=tmp_path / "r1.csv")
    made = release(source, tmp_path / "r3.csv", extend=tmp_path / "r2.csv")
    assert made.manifest.versions is not None
    assert (made.manifest.versions["withdrawn"], made.manifest.versions["left"]) == (0, 0)


def test_an_audit_demands_the_k_that_is_stated(two_versions: Path) -> None:
    """The register's k is what was promised once, not what somebody demands now."""
    new, old, columns = two_versions / "r2.csv", two_versions / "r1.csv", ["age", "sex"]
    (stated,) = shoal.audit(new, quasi_identifiers=columns, k=50, against=old).verdict.models
    assert (stated.holds, stated.demand.split()[2]) == (False, "50")
    (own,) = shoal.audit(new, quasi_identifiers=columns, against=old).verdict.models
    assert (own.holds, own.demand.split()[2]) == (True, "3")


def without_the_gone(register: Register) -> Register:
    """As if nobody had left: they could come back."""
    return replace(register, gone=(), part_of_gone=np.array([], np.int64))


def with_merged_histories(register: Register) -> Register:
    """As if the rows of a group had all been there before: the next version could split off the new ones."""
    first: dict[int | None, int] = {}
    for part, history in enumerate(register.parts):
        first.setdefault(history[-1], part)
    merged = np.array([first[history[-1]] for history in register.parts], np.int64)
    return replace(
        register,
        part_of_row=merged[register.part_of_row],
        part_of_gone=merged[register.part_of_gone],
    )


@pytest.mark.parametrize(
    ("forged", "words"),
    [
        (without_the_gone, "does not list the rows of all versions"),
        (with_merged_histories, "does not divide the rows as the versions divide them"),
    ],
)
def test_the_audit_refuses_a_register_that_forgets(
    two_versions: Path, forged: Callable[[Register], Register], words: str
) -> None:
    """What the next version will believe is checked now."""
    new, old = (previous_release(two_versions / name) for name in ("r2.csv", "r1.csv"))
    with engine_for(new.path) as engine:
        both: dict[str, Any] = {"previous": old.register, "k": 3}
        assert audit_versions(engine, new.path, old.path, register=new.register, **both)
        with pytest.raises(AuditError, match=words):
            audit_versions(engine, new.path, old.path, register=forged(new.register), **both)


def test_an_audit_names_the_version_to_compare_with(two_versions: Path, tmp_path: Path) -> None:
    """The third version is compared with the second, and not with the first."""
    shutil.copytree(two_versions, tmp_path / "all")
    release(two_versions / "two.csv", tmp_path / "all" / "r3.csv", extend=tmp_path / "all" / "r2.csv")
    with pytest.raises(AuditError, match="does not extend that one directly; name the version before it"):
        shoal.audit(
            tmp_path / "all" / "r3.csv", quasi_identifiers=["age", "sex"], against=tmp_path / "all" / "r1.csv"
        )


def test_quasi_identifiers_keep_their_order(two_versions: Path, tmp_path: Path) -> None:
    """The sentence says so: both policies have the same columns."""
    with pytest.raises(PolicyError, match="has age, sex; state the same, in this order"):
        release(
            two_versions / "two.csv",
            tmp_path / "r.csv",
            extend=two_versions / "r1.csv",
            quasi_identifiers=["sex", "age"],
        )


def test_a_release_without_register_is_not_released_twice(tmp_path: Path) -> None:
    """Row by row, the same source gives other bytes with row_key: two releases that are no versions."""
    source = write(tmp_path / "one.csv", people(0, 20))
    release(source, tmp_path / "rows.csv", row_key=None, algorithm="mondrian")
    with pytest.raises(PolicyError, match=r"rows\.csv was recoded row by row and cannot be extended"):
        release(source, tmp_path / "r2.csv", extend=tmp_path / "rows.csv")
    release(source, tmp_path / "columns.csv", row_key=None)
    with pytest.raises(PolicyError, match="Extend it only if the file has the same SHA-256"):
        release(source, tmp_path / "r2.csv", extend=tmp_path / "columns.csv")
    release(source, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "columns.csv").read_bytes()


def test_a_manifest_does_not_tell_which_value_vanished(tmp_path: Path) -> None:
    """The one of 29 left, and two went along: the label represents the ages that it represented."""
    rows = [(f"P{at}", 20 + at, "M", "flu") for at in range(10)]
    older = [(f"Q{at}", 50, "M", "flu") for at in range(10)]
    first = release(write(tmp_path / "one.csv", rows + older), tmp_path / "r1.csv", k=10)
    new = [(f"N{at}", 20, "M", "flu") for at in range(3)]
    second = release(
        write(tmp_path / "two.csv", rows[:9] + older + new), tmp_path / "r2.csv", extend=tmp_path / "r1.csv"
    )
    assert second.manifest.versions["stay"] == 17  # type: ignore[index]
    assert second.manifest.recoding == first.manifest.recoding
    assert first.manifest.recoding["age"][0] == {"label": "[20, 29]", "values": list(range(20, 30))}  # type: ignore[index]


def test_a_column_of_stars_stays_one(tmp_path: Path) -> None:
    """The manifest of a version lists the star as that of the first one does, and the audit holds."""
    source = write(tmp_path / "one.csv", [(f"P{at}", 20 + at, "M", "flu") for at in range(10)])
    first = release(source, tmp_path / "r1.csv", k=10)
    second = release(source, tmp_path / "r2.csv", k=10, extend=tmp_path / "r1.csv")
    assert first.manifest.recoding["age"] == [{"label": "*", "values": []}]
    assert second.manifest.recoding == first.manifest.recoding
    assert shoal.audit(tmp_path / "r2.csv", quasi_identifiers=["age", "sex"], k=10).meets


def test_a_mistyped_key_is_named(tmp_path: Path) -> None:
    """The sentence says that there is no such column, and which was perhaps meant."""
    source = write(tmp_path / "one.csv", people(0, 20))
    with pytest.raises(PolicyError, match=r"names no column 'patiant'.*Did you mean 'patient'\?"):
        release(source, tmp_path / "r1.csv", row_key="patiant")
