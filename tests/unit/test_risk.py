"""The risk of tables: by hand, against plain counting, and what is refused."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal.auditor.risk import Population, measure_risk
from shoal.auditor.risk import subsets as subsets_module
from shoal.errors import PolicyError
from shoal.model.policy.policy_arguments import policy_of
from shoal.model.table.coded_cells import CodedCells
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.sampled_cells import SampledCells
from tests.agreement.thoroughness import examples

# ARX, TestRiskQuasiIdentifiers: "calculated by hand" there.
ARX_PEOPLE = pd.DataFrame(
    [
        ("20", "Female", "CA"),
        ("30", "Female", "CA"),
        ("40", "Female", "TX"),
        ("20", "Male", "NY"),
        ("40", "Male", "CA"),
    ],
    columns=["age", "sex", "state"],
)
# sdcMicro, reference of francdat: its four keys and its weights.
FRANCDAT = pd.DataFrame(
    {
        "Key1": [1, 1, 1, 3, 4, 4, 6, 1],
        "Key2": [2, 2, 2, 3, 3, 3, 2, 2],
        "Key3": [5, 1, 1, 1, 1, 1, 1, 5],
        "Key4": [1, 1, 1, 5, 4, 1, 5, 1],
        "w": [18.0, 45.5, 39.0, 17.0, 541.0, 8.0, 5.0, 92.0],
    }
)
KEYS = ["Key1", "Key2", "Key3", "Key4"]


def people(*rows: tuple[object, ...], columns: tuple[str, ...] = ("age", "zip")) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(columns))


def test_distinction_and_separation_are_those_of_arx() -> None:
    """All seven sets of its three columns."""
    report = shoal.risk(ARX_PEOPLE, quasi_identifiers=["sex", "state", "age"])
    found = {frozenset(each.columns): (each.distinction, each.separation) for each in report.subsets}
    assert found == {
        frozenset(["sex"]): (0.4, 0.6),
        frozenset(["state"]): (0.6, 0.7),
        frozenset(["age"]): (0.6, 0.8),
        frozenset(["sex", "state"]): (0.8, 0.9),
        frozenset(["age", "state"]): (1.0, 1.0),
        frozenset(["sex", "age"]): (1.0, 1.0),
        frozenset(["sex", "age", "state"]): (1.0, 1.0),
    }


def test_prosecutor_by_hand() -> None:
    """Groups of 1, 2 and 3 rows: highest 1, average 3/6, above 0.4 the first two groups, 3 rows of 6."""
    table = people((1, "a"), (2, "b"), (2, "b"), (3, "c"), (3, "c"), (3, "c"))
    report = shoal.risk(table, quasi_identifiers=["age", "zip"], threshold=0.4)
    assert (report.prosecutor.highest, report.prosecutor.average) == (1, 0.5)
    assert report.prosecutor.share_above == 0.5
    assert report.prosecutor.expected == 3
    assert report.sample_uniqueness == 1 / 6
    assert report.journalist is None
    assert report.population is None
    assert report.to_dict()["sizes"] == [[1, 1], [2, 1], [3, 1]]


def test_a_risk_of_the_threshold_is_not_above_it() -> None:
    """A third, whichever way it was computed."""
    table = people((1, "a"), (1, "a"), (1, "a"))
    assert shoal.risk(table, quasi_identifiers=["age"], threshold=1 / 3).prosecutor.share_above == 0
    assert shoal.risk(table, quasi_identifiers=["age"], threshold=0.333).prosecutor.share_above == 1


def test_rows_of_stars_belong_to_no_group() -> None:
    """They are suppressed, also for sets of columns."""
    report = shoal.risk(people(("*", "*"), ("*", "*"), (1, "a"), (1, "a")), quasi_identifiers=["age", "zip"])
    assert (report.rows, report.sizes.suppressed, report.prosecutor.highest) == (4, 2, 0.5)
    assert [each.distinction for each in report.subsets] == [0.5, 0.5, 0.5]


def test_journalist_by_a_population_of_equal_cells() -> None:
    """Groups of 1 and 2 rows, of 4 and 2 people: 1/4, 1/2, 1/2.

    Highest 1/2; over the rows (1/4 + 1 ) / 3 = 5/12; over the people 2/6, which is less.
    """
    table = people((1, "a"), (2, "b"), (2, "b"))
    everybody = people(*[(1, "a")] * 4, *[(2, "b")] * 2, (3, "c"))
    report = shoal.risk(table, quasi_identifiers=["age", "zip"], population=everybody, threshold=0.3)
    assert report.journalist is not None
    assert report.journalist.highest == 0.5
    assert report.journalist.average == pytest.approx(5 / 12)
    assert report.journalist.share_above == pytest.approx(2 / 3)
    assert report.marketer.average == pytest.approx(5 / 12)
    assert report.marketer.expected == pytest.approx(1.25)
    assert report.population is not None
    assert (report.population.size, report.population.measured) == (7, 0)


def test_the_average_journalist_risk_is_over_the_people_where_that_is_more() -> None:
    """Groups of 1 and 3 rows, of 1 and 9 people: over rows (1 + 3/9) / 4 = 1/3, over people 2/10."""
    table = people((1, "a"), *[(2, "b")] * 3)
    everybody = people((1, "a"), *[(2, "b")] * 9)
    report = shoal.risk(table, quasi_identifiers=["age"], population=everybody)
    assert report.journalist is not None
    assert report.journalist.average == pytest.approx(1 / 3)
    assert report.population is not None
    assert report.population.measured == 0.25
    # One row of a group of 2, three of a group of 10: over rows (1/2 + 3/10) / 4 = 1/5, over people 2/12.
    everybody = people(*[(1, "a")] * 2, *[(2, "b")] * 10)
    again = shoal.risk(table, quasi_identifiers=["age"], population=everybody).journalist
    assert again is not None
    assert again.average == pytest.approx(1 / 5)
    # Nine rows of a group of 9 in 9, one of 1 in 1: 2/10 over both.
    table = people((1, "a"), *[(2, "b")] * 9)
    same = shoal.risk(table, quasi_identifiers=["age"], population=table).journalist
    assert same is not None
    assert same.average == pytest.approx(0.2)


def test_people_of_the_population_belong_to_the_group_whose_cells_cover_them() -> None:
    """A release in intervals and beginnings of codes, of which the population tells the values."""
    release = people(("[20, 29]", "941**"), ("[20, 29]", "941**"), ("[30, 39]", "941**"))
    everybody = people(
        (20, "94101"), (25, "94133"), (29, "94199"), (30, "94142"), (31, "94305"), (44, "94101")
    )
    report = shoal.risk(release, quasi_identifiers=["age", "zip"], population=everybody)
    assert report.journalist is not None
    assert report.journalist.highest == 1  # one person is 30 to 39 there
    assert report.marketer.expected == pytest.approx(2 / 3 + 1)
    assert report.population is not None
    assert report.population.measured == pytest.approx(1 / 3)


def test_where_cells_overlap_a_person_belongs_to_each_group() -> None:
    """A release of mixed levels with single stars."""
    release = people(("*", "94101"), ("[20, 29]", "*"), ("25", "94101"))
    everybody = people((25, "94101"), (25, "94101"), (22, "94305"), (70, "94101"))
    report = shoal.risk(release, quasi_identifiers=["age", "zip"], population=everybody)
    assert report.marketer.expected == pytest.approx(1 / 3 + 1 / 3 + 1 / 2)


def test_labels_of_a_hierarchy_are_read_by_it() -> None:
    """Without the hierarchy nobody of the population is found, and the rows are taken for all people."""
    release = people(("young", "a"), ("young", "a"), ("old", "a"))
    everybody = people((20, "a"), (25, "a"), (29, "a"), (70, "a"), (80, "a"), (90, "a"))
    tree = {"*": {"young": ["20", "25", "29"], "old": ["70", "80", "90"]}}
    read = shoal.risk(release, quasi_identifiers=["age"], population=everybody, hierarchies={"age": tree})
    assert read.journalist is not None
    assert read.journalist.highest == pytest.approx(1 / 3)
    assert not read.notes
    blind = shoal.risk(release, quasi_identifiers=["age"], population=everybody)
    assert blind.journalist is not None
    assert blind.journalist.highest == 1
    assert blind.notes == (
        "in 2 group(s) the population has fewer people than the table has rows; each is taken for "
        "all of its people",
    )


def test_survey_weights_are_those_of_sdcmicro() -> None:
    """Reference of sdcMicro, indivRisk: highest 0.40235948, and the sum of what it prints."""
    report = shoal.risk(FRANCDAT, quasi_identifiers=KEYS, survey_weight="w", threshold=0.2)
    assert report.individual is not None
    assert report.individual.highest == pytest.approx(0.40235948, abs=5e-9)
    printed = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert report.individual.expected == pytest.approx(sum(printed), abs=5e-8)
    assert report.individual.share_above == 2 / 8
    assert report.journalist is not None
    assert report.journalist.highest == 1 / 5
    assert report.population is not None
    assert report.population.size == 766  # 765.5 people by weight
    assert report.to_dict()["sizes"] == [[1, 4], [2, 2]]  # "4 obs. violate 2-anonymity" there


def test_with_the_size_of_the_population_the_journalist_is_estimated() -> None:
    """One of two rows of four people: log 2 for a unique row, as in mu-Argus with equal weights."""
    report = shoal.risk(people((1, "a"), (2, "b")), quasi_identifiers=["age"], population_size=4)
    assert report.journalist is not None
    assert report.journalist.highest == pytest.approx(math.log(2))
    assert report.journalist.by == "population size"
    by_share = shoal.risk(people((1, "a"), (2, "b")), quasi_identifiers=["age"], sampling_fraction=0.5)
    assert by_share.journalist == report.journalist


def test_persons_are_counted_where_one_has_several_rows() -> None:
    """Three rows of one person are a group of one."""
    table = people((1, "p"), (1, "p"), (1, "p"), (2, "q"), (2, "r"), columns=("age", "who"))
    assert shoal.risk(table, quasi_identifiers=["age"]).prosecutor.highest == 0.5
    by_person = shoal.risk(table, quasi_identifiers=["age"], entity="who")
    assert by_person.prosecutor.highest == 1
    assert by_person.rows == 5
    assert next(by_person.lines()).startswith("5 rows   3 persons   2 groups")
    assert "unique 33.33 % of the persons" in next(by_person.lines())


def test_the_identifying_columns_have_reasons() -> None:
    """One column is different in each row, one in none; a third is not named as a quasi-identifier."""
    table = pd.DataFrame({"nr": range(40), "land": ["x"] * 40, "ZipCode": ["94101"] * 40})
    report = shoal.risk(table, quasi_identifiers=["nr", "land"])
    found = {each.column: (each.reason, each.known) for each in report.identifying}
    assert found == {
        "nr": ("by itself it leaves 100.0 % of the rows unique", True),
        "ZipCode": ("its name says 'zip', and it is not a quasi-identifier here", False),
    }


def test_a_column_without_which_few_rows_are_unique_is_identifying() -> None:
    """Neither column alone makes a row unique; both together all."""
    table = people(*((age, f"z{code}") for age in range(4) for code in range(4)))
    report = shoal.risk(table, quasi_identifiers=["age", "zip"])
    assert [each.reason for each in report.identifying] == [
        "without it 0 % of the rows are unique instead of 100.0 %"
    ] * 2


def test_many_columns_are_measured_in_small_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all sets would take too long: those of one and two columns, and the whole; the report says so."""
    monkeypatch.setattr(subsets_module, "MOST_WORK", 50)
    table = pd.DataFrame({f"c{i}": [0, 1, i, 2 * i] for i in range(4)})
    report = shoal.risk(table, quasi_identifiers=list(table.columns))
    assert Counter(len(each.columns) for each in report.subsets) == {1: 4, 2: 6, 4: 1}
    assert report.notes == ("of the sets of columns only those of up to 2 were measured, and the whole",)


def test_more_combinations_than_a_key_can_tell_are_measured_column_by_column() -> None:
    """Seven columns of a thousand values each."""
    table = pd.DataFrame({f"c{i}": range(1000) for i in range(7)})
    report = shoal.risk(table, quasi_identifiers=list(table.columns))
    assert Counter(len(each.columns) for each in report.subsets) == {1: 7, 7: 1}
    assert all(each.distinction == each.separation == 1 for each in report.subsets)
    assert report.notes == ("of the sets of columns only those of up to 1 were measured, and the whole",)


def test_demands_hold_or_fail_with_words() -> None:
    """Limits are of the attacker that is named."""
    table = people((1, "a"), (1, "a"), (2, "b"), (2, "b"))
    asked = {"quasi_identifiers": ["age"], "threshold": 0.4}
    assert shoal.risk(table, **asked).to_dict()["holds"] is None  # type: ignore[arg-type]
    assert shoal.risk(table, **asked, highest=0.5, average=0.5, above=1).holds  # type: ignore[arg-type]
    failing = shoal.risk(table, **asked, highest=0.2, average=0.1, above=0)  # type: ignore[arg-type]
    assert not failing.holds
    assert failing.failures == [
        "the highest prosecutor risk is 0.5, and at most 0.2 is allowed",
        "the average prosecutor risk is 0.5, and at most 0.1 is allowed",
        "100 % of the rows have a prosecutor risk above 0.4, and at most 0 % may",
    ]
    everybody = people(*[(1, "a")] * 5, *[(2, "b")] * 5)
    milder = shoal.risk(table, **asked, population=everybody, attacker="journalist", highest=0.2)  # type: ignore[arg-type]
    assert milder.holds


def test_a_policy_names_the_columns_and_the_threshold(tmp_path: Path) -> None:
    """Its k makes the threshold; columns that the release was made without are not missed."""
    path = tmp_path / "policy.toml"
    path.write_text(
        '[attributes.age]\nrole = "quasi-identifier"\n[attributes.who]\nrole = "identifier"\n'
        '[privacy]\nk = 4\nentity = "who"\n'
    )
    report = shoal.risk(people((1, "a"), (1, "a"), (2, "b")), policy=path)
    assert report.threshold == 0.25
    assert report.quasi_identifiers == ("age",)
    with pytest.raises(PolicyError, match="leave out quasi_identifiers"):
        shoal.risk(people((1, "a")), policy=path, quasi_identifiers=["age"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"quasi_identifiers": []}, "name the quasi-identifiers"),
        ({"quasi_identifiers": ["Age"]}, "Did you mean 'age'"),
        ({"quasi_identifiers": ["age"], "threshold": 2}, "the threshold is a risk, 0 to 1"),
        ({"quasi_identifiers": ["age"], "population_size": 1}, "only 1 people"),
        ({"quasi_identifiers": ["age"], "population_size": 2.5}, "a number of people"),
        ({"quasi_identifiers": ["age"], "sampling_fraction": 0}, "a share, above 0"),
        ({"quasi_identifiers": ["age"], "sampling_fraction": 0.5, "population_size": 9}, "in one way only"),
        ({"quasi_identifiers": ["age"], "survey_weight": "zip"}, "zip"),
        ({"quasi_identifiers": ["age"], "survey_weight": "w"}, "no column 'w'"),
        (
            {"quasi_identifiers": ["age"], "population": pd.DataFrame({"x": [1]})},
            "table of the population has no",
        ),
        ({"quasi_identifiers": ["age"], "attacker": "spy", "highest": 1}, "an attacker is one of"),
        ({"quasi_identifiers": ["age"], "attacker": "journalist", "highest": 1}, "depends on the population"),
        ({"quasi_identifiers": ["age"], "highest": 1.5}, "a number from 0 to 1"),
        ({"quasi_identifiers": ["age"], "entity": "zip", "survey_weight": "who"}, "one row per person"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: dict[str, object], words: str) -> None:
    """With words that say what was asked and what to do."""
    with pytest.raises(PolicyError, match=words):
        shoal.risk(people((1, "a", 9), (2, "b", 9), columns=("age", "zip", "who")), **arguments)  # type: ignore[arg-type]


def test_a_table_without_rows_is_refused() -> None:
    """There is no risk to measure."""
    with pytest.raises(PolicyError, match="no rows"):
        shoal.risk(pd.DataFrame({"age": []}), quasi_identifiers=["age"])


def test_a_table_of_stars_alone_has_no_risk_and_valid_json() -> None:
    """No group, no attacker who finds anybody."""
    report = shoal.risk(people(("*", "*"), ("*", "*")), quasi_identifiers=["age", "zip"], population_size=100)
    facts = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert facts["prosecutor"]["highest"] == 0
    assert facts["population"]["dankar"] is None
    assert list(report.lines())


def test_no_cell_of_the_table_is_told() -> None:
    """Neither in the facts nor in the lines: names of columns and numbers alone."""
    secret = ["Quaggamire", "zebulon@quagga.example", "123-45-6789", "94105-1234"]
    table = pd.DataFrame({f"c{i}": [text, f"{text}x", f"{text}y"] for i, text in enumerate(secret)})
    report = shoal.risk(table, quasi_identifiers=["c0", "c1"], population_size=50)
    told = json.dumps(report.to_dict()) + "\n".join(report.lines())
    assert not any(text in told for text in (*secret, "quagga"))


def test_a_file_and_a_frame_are_one_table(tmp_path: Path) -> None:
    """Numbers, texts and missing cells are read alike."""
    table = people((1, "a"), (2, None), (2, None), (1, "b"))
    path = tmp_path / "people.csv"
    table.to_csv(path, index=False)
    asked = {"quasi_identifiers": ["age", "zip"], "population_size": 40}
    assert shoal.risk(path, **asked).to_dict() == shoal.risk(table, **asked).to_dict()  # type: ignore[arg-type]


Row = tuple[str | None, ...]
CELLS = st.sampled_from(["1", "2", "3", "[1, 2]", "{2, 3}", "*", None])
VALUES = st.sampled_from(["1", "2", "3", None])
MEANING: dict[str | None, set[str | None]] = {
    "[1, 2]": {"1", "2"},
    "{2, 3}": {"2", "3"},
    "*": {"1", "2", "3", None},
    **{value: {value} for value in ("1", "2", "3", None)},
}
NAMES = ("x", "y", "z")


class Plain:
    """An engine that is loops over rows, as much as measuring risk wants of one."""

    def columns(self, source: list[Row]) -> tuple[str, ...]:
        return NAMES

    def cells(self, source: list[Row], columns: Sequence[str]) -> CodedCells:
        groups = Counter(tuple(row[NAMES.index(name)] for name in columns) for row in source)
        texts = [list(dict.fromkeys(column)) for column in zip(*groups, strict=True)] or [[] for _ in columns]
        codes = [[known.index(cell) for known, cell in zip(texts, row, strict=True)] for row in groups]
        return CodedCells(
            columns=tuple(columns),
            cells=tuple(tuple(each) for each in texts),
            codes=np.array(codes, np.int32).reshape(len(groups), len(columns)),
            counts=np.array(list(groups.values()), np.int64),
        )

    def group_sizes(self, source: list[Row], quasi_identifiers: Sequence[str]) -> GroupSizes:
        told = [row for row in source if set(row) != {"*"}]
        sizes = Counter(self.cells(told, quasi_identifiers).counts.tolist())
        return GroupSizes(
            sizes=np.array(sorted(sizes), np.int64),
            groups=np.array([sizes[each] for each in sorted(sizes)], np.int64),
            suppressed=len(source) - len(told),
        )

    def sample(self, source: list[Row], column: str, most: int) -> SampledCells:
        texts = sorted({row[NAMES.index(column)] or "" for row in source} - {""})
        return SampledCells(column=column, distinct=len(texts), texts=tuple(texts))

    def measure_people(self, *asked: object) -> MeasuredGroups:
        raise NotImplementedError


@given(
    rows=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=14),
    others=st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=20),
)
@settings(max_examples=examples(100), deadline=None)
def test_risks_are_those_of_plain_counting(rows: list[Row], others: list[Row]) -> None:
    """Groups, people of the population and sets of columns, with stars, mixed levels and missing cells."""
    everybody = others + [tuple(min(MEANING[cell], key=str) for cell in row) for row in rows]
    population = Population(cells=Plain().cells(everybody, NAMES))
    report = measure_risk(Plain(), rows, NAMES, threshold=0.3, population=population)
    told = [row for row in rows if set(row) != {"*"}]
    risks = [1 / told.count(row) for row in told]
    assert report.prosecutor.highest == max(risks, default=0)
    assert report.prosecutor.expected == pytest.approx(sum(risks))
    assert report.prosecutor.share_above == pytest.approx(
        sum(risk > 0.3 for risk in risks) / max(1, len(told))
    )
    assert report.journalist is not None
    assert report.journalist.expected == pytest.approx(
        sum(
            1
            / max(
                told.count(row),
                sum(
                    all(value in MEANING[cell] for cell, value in zip(row, person, strict=True))
                    for person in everybody
                ),
            )
            for row in told
        )
    )
    for found in report.subsets:
        seen = [tuple(row[NAMES.index(name)] for name in found.columns) for row in told]
        pairs = list(combinations(seen, 2))
        assert found.distinction == pytest.approx(len(set(seen)) / max(1, len(seen)))
        assert found.separation == pytest.approx(
            sum(one != other for one, other in pairs) / max(1, len(pairs))
        )
    assert len(report.subsets) == 7


def test_what_the_policy_counts_otherwise_is_told() -> None:
    """Persons whose column was dropped are rows here, and sets are known together."""
    released = pd.DataFrame({"age": ["1", "1"], "zip": ["a", "b"]})
    asked = policy_of(quasi_identifiers=["age", "zip"], k=2, entity="name", sets=[["age"], ["zip"]])
    notes = shoal.risk(released, policy=asked).notes
    assert [each[:19] for each in notes] == ["the column 'name', ", "the policy demands "]
    assert shoal.risk(released, policy=policy_of(quasi_identifiers=["age", "zip"], k=2)).notes == ()
