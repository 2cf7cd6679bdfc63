"""The audit of any table by privacy models, with nothing known but its cells."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import shoal
from shoal import privacy
from shoal.auditor import Expected, audit
from shoal.model.policy.evidence import Evidence
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.people import People, SensitiveColumn
from tests.unit.conftest import FRAMES, Columns, store

ILL = shoal.Attribute(name="ill", role=shoal.Role.SENSITIVE)
PAY = shoal.Attribute(name="pay", role=shoal.Role.SENSITIVE)
TABLE: Columns = {
    "age": ["[1, 2]", "[1, 2]", "[1, 2]", "3", "3", "3", "*", "*"],
    "ill": ["a", "b", "a", "c", "c", "c", None, None],
    "pay": [1, 2, 3, 9, 9, 10, None, None],
    "who": ["p", "p", "q", "r", "s", "t", "u", None],
    "weight": [1.5, 2.0, 2.0, 3.0, 3.0, 3.0, 0.5, None],
}
# The groups have ill aab and ccc, pay 1 2 3 and 9 9 10; rows of * that tell nothing belong to none.
EXPECTED: list[tuple[privacy.PrivacyModel, float, int, int]] = [
    (privacy.DistinctLDiversity(attribute="ill", l=2), 1, 1, 3),
    (privacy.PSensitivity(attribute="pay", p=3), 2, 1, 3),
    (privacy.EntropyLDiversity(attribute="ill", l=1), 1, 0, 0),
    (privacy.AlphaKAnonymity(attribute="ill", alpha=0.7), 1, 1, 3),
    (privacy.AlphaKAnonymity(attribute="ill", alpha=0.7, values=("a", "b")), 2 / 3, 0, 0),
    (privacy.TCloseness(attribute="ill", t=0.4), 0.5, 2, 6),
    (privacy.BetaLikeness(attribute="ill", beta=0.5, enhanced=False), 1, 2, 6),
    (privacy.KAnonymity(3, "who"), 2, 1, 3),
    (privacy.KMap(k=6), 5.5, 1, 3),
    (privacy.AverageRisk(threshold=0.3), 2 / 6, 2, 6),
]


@pytest.mark.parametrize(("model", "value", "groups", "rows"), EXPECTED, ids=lambda each: str(each)[:40])
@pytest.mark.parametrize("kind", ["csv", "parquet", *FRAMES])
def test_each_model_is_measured_by_its_definition(
    kind: str, model: privacy.PrivacyModel, value: float, groups: int, rows: int, tmp_path: Path
) -> None:
    """Worst value, groups and rows that fail; by hand on two groups of three."""
    evidence = Evidence(sensitive=(ILL, PAY), entities=("who",), survey_weight="weight")
    with shoal.DuckDB() as engine:
        verdict = audit(engine, store(kind, TABLE, tmp_path), ["age"], 3, models=[model], evidence=evidence)
    (found,) = verdict.models
    assert found.measured == pytest.approx(value)
    assert (found.groups_failing, found.rows_failing, found.holds) == (groups, rows, groups == 0)
    assert verdict.holds == (groups == 0)
    assert (verdict.k, verdict.measured.suppressed) == (3, 2)
    if groups:
        with pytest.raises(shoal.AuditError, match=model.name):
            verdict.check(_expected(verdict))


def _expected(verdict: shoal.Verdict) -> Any:
    found = verdict.measured
    return Expected(
        columns=verdict.columns,
        rows=found.rows,
        suppressed=found.suppressed,
        groups=found.groups,
        smallest=found.smallest,
    )


def test_a_table_of_stars_breaks_no_model(tmp_path: Path) -> None:
    """There is no group that could."""
    source = store("csv", {"age": ["*", "*"], "ill": [None, None]}, tmp_path)
    with shoal.DuckDB() as engine:
        verdict = audit(
            engine,
            source,
            ["age"],
            2,
            models=[privacy.DistinctLDiversity(attribute="ill", l=1), privacy.AverageRisk(preset="ema")],
            evidence=Evidence(sensitive=(ILL,)),
        )
    assert verdict.holds
    assert [each.measured for each in verdict.models] == [None, None]


def test_groups_that_are_alike_are_judged_once() -> None:
    """Counts of all of them, by brute force over random groups; an entity does not hide that they are."""
    random = np.random.default_rng(3)
    of_entry = np.sort(random.integers(0, 40, 300))
    codes = np.column_stack([random.integers(0, 3, 300), np.arange(300)]).astype(np.int32)
    counts = random.integers(1, 3, 300)
    column = SensitiveColumn(name="ill", counts=(1, 1, 1), values=("a", "b", "c"))
    who = SensitiveColumn(name="who", counts=(1,) * 300)
    measured = MeasuredGroups(
        people=People(columns=(column, who)),
        rows=np.bincount(of_entry, counts, 40).astype(np.int64),
        of_entry=of_entry,
        codes=codes,
        counts=counts,
    )
    model = privacy.AlphaKAnonymity(attribute="ill", alpha=0.5)
    assert measured.columns_of(model) == [0]
    different, of_group = measured.alike([0])
    assert len(different) <= 40
    for group in range(40):
        expected: dict[tuple[int, ...], int] = {}
        for entry in np.flatnonzero(of_entry == group):
            key = (int(codes[entry, 0]),)
            expected[key] = expected.get(key, 0) + int(counts[entry])
        assert dict(different[of_group[group]].facts) == expected


def test_a_value_that_is_spelled_otherwise_is_the_same_value(tmp_path: Path) -> None:
    """1 and 1.0 are one number, in the source as in what was written."""
    frame = pandas.DataFrame({"age": ["x"] * 4, "pay": ["1", "1.0", "2", "2.0"]})
    with shoal.DuckDB() as engine:
        verdict = audit(
            engine,
            frame,
            ["age"],
            2,
            models=[privacy.DistinctLDiversity(attribute="pay", l=2)],
            evidence=Evidence(sensitive=(PAY,)),
        )
    assert verdict.models[0].measured == 2


def test_a_group_of_stars_is_judged_by_what_it_still_tells(tmp_path: Path) -> None:
    """Who matches no other group is in it; rows of stars without any other cell tell nothing."""
    path = tmp_path / "stars.csv"
    path.write_text("age,ill\n1,flu\n1,cold\n*,flu\n*,flu\n")
    models, evidence = [privacy.DistinctLDiversity(attribute="ill", l=2)], Evidence(sensitive=(ILL,))
    with shoal.DuckDB() as engine:
        verdict = audit(engine, path, ["age"], 2, models=models, evidence=evidence)
        assert not verdict.holds
        assert verdict.models[0].rows_failing == 2
        path.write_text("age,ill\n1,flu\n1,cold\n*,\n*,\n")
        assert audit(engine, path, ["age"], 2, models=models, evidence=evidence).holds
