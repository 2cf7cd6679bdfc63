"""Privacy models from the front door to the manifest."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

import shoal
from shoal import privacy
from shoal.auditor import ModelVerdict, Verdict, weakest
from shoal.engines.duckdb.engine import DuckDB
from shoal.model.recoding.recoding import CutRecoding
from shoal.model.table.measurement import Measurement
from tests.paper_setting import as_in_the_paper
from tests.unit.conftest import FILES, FRAMES, Columns, load, store
from tests.unit.searches import Given, make_known

pytestmark = pytest.mark.usefixtures("plain")

STAYS: Columns = {
    "person": ["a", "b", "c", "a", "b", "c", "d", "d", "e", "f"],
    "age": [30, 31, 30, 31, 45, 46, 45, 46, 47, 47],
    "illness": ["flu", "hiv", "flu", "cold", "flu", "flu", "flu", None, "cold", "hiv"],
    "cost": [10, 20, 10, 30, 9, 100, 20, 30, 9, 10],
    "ward": ["x", "x", "x", "x", "y", "y", "y", "y", "y", "y"],
    "weight": ["1.5", "2", "3", "4", "5", "6", "7", "8", "0.25", "9"],
}
PEOPLE: Columns = {"age": [30] * 4 + [31] * 3 + [32] * 2 + [45] * 5 + [46] * 3 + [47] * 9}
ILLNESS: dict[str, Any] = {"sensitive": ["illness"]}
HIERARCHY = {"*": {"viral": ["flu", "cold"], "other": ["hiv"]}}

MODELS: dict[str, dict[str, Any]] = {
    "k-anonymity": {"models": [{"name": "k-anonymity", "k": 4}]},
    "distinct": {"models": [{"name": "distinct-l-diversity", "attribute": "illness", "l": 3}], **ILLNESS},
    "entropy": {"models": [{"name": "entropy-l-diversity", "attribute": "illness", "l": 2}], **ILLNESS},
    "recursive": {
        "models": [{"name": "recursive-l-diversity", "attribute": "illness", "c": 2.5, "l": 2}],
        **ILLNESS,
    },
    "equal": {"models": [{"name": "t-closeness", "attribute": "illness", "t": 0.3}], **ILLNESS},
    "ordered": {
        "models": [privacy.TCloseness(attribute="cost", t=0.2, ground="ordered")],
        "sensitive": ["cost"],
    },
    "hierarchical": {
        "models": [privacy.TCloseness(attribute="illness", t=0.2, ground="hierarchical")],
        "hierarchies": {"illness": HIERARCHY},
        **ILLNESS,
    },
    "p-sensitivity": {"models": [privacy.PSensitivity(attribute="illness", p=2)], **ILLNESS},
    "alpha": {"models": [privacy.AlphaKAnonymity(attribute="illness", alpha=0.5)], **ILLNESS},
    "alpha of one": {
        "models": [{"name": "alpha-k-anonymity", "attribute": "illness", "alpha": 0.2, "values": ["hiv"]}],
        **ILLNESS,
    },
    "beta": {"models": [privacy.BetaLikeness(attribute="illness", beta=0.7)], **ILLNESS},
    "delta-disclosure": {"models": [privacy.DeltaDisclosure(attribute="illness", delta=1.0)], **ILLNESS},
    "average-risk": {"models": [{"name": "average-risk", "threshold": 0.25}]},
    "weights": {"models": [{"name": "k-map", "k": 8}], "survey_weight": "weight"},
    "entity": {"entity": "person"},
    "dropped entity": {"entity": "person", "identifiers": ["person"]},
    "dropped weights": {
        "models": [{"name": "k-map", "k": 8}],
        "survey_weight": "weight",
        "identifiers": ["weight", "person"],
    },
    "joint": {
        "models": [privacy.DistinctLDiversity(attribute="illness", l=2, joint=True)],
        "sensitive": ["illness", "ward"],
    },
    "several": {
        "models": [
            {"name": "distinct-l-diversity", "attribute": "illness", "l": 2},
            {"name": "distinct-l-diversity", "attribute": "cost", "l": 2},
        ],
        "sensitive": ["illness", "cost"],
        "entity": "person",
    },
}


def released(source: Any, target: Path | None = None, **asked: Any) -> shoal.Release:
    return shoal.anonymize(
        source,
        **as_in_the_paper(quasi_identifiers=["age"], algorithm="plain", path=target, **{"k": 2, **asked}),
    )


def groups(table: Columns) -> dict[object, list[int]]:
    found: dict[object, list[int]] = {}
    for row, label in enumerate(table["age"]):
        found.setdefault(str(label), []).append(row)
    found.pop("*", None)
    return found


@pytest.mark.parametrize("model", MODELS)
def test_each_model_holds_in_every_kind_of_table(model: str, tmp_path: Path) -> None:
    """The release has its rows, the audit measured each model, and every kind of table gives the same."""
    asked = MODELS[model]
    twin: tuple[object, object] | None = None
    for kind in ("csv", "parquet", *FRAMES):
        source = store(kind, STAYS, tmp_path)
        target = tmp_path / f"release.{kind}" if kind in FILES else None
        release = released(source, target, **asked)
        assert release.verdict.holds, kind
        assert len(release.verdict.models) == len(asked.get("models", ())) + ("entity" in asked)
        assert release.manifest.audit == {
            "k-anonymity": release.verdict.k,
            **{each.key: each.measured for each in release.verdict.models},
            "holds": True,
        }
        found = release.manifest.audit, release.manifest.recoding
        twin = twin or found
        assert found == twin, kind
        table = load(release.path if release.path is not None else release.data)
        assert len(table["age"]) == 10 - release.manifest.suppressed, kind


def test_what_is_measured_is_what_a_reader_counts() -> None:
    """The least distinct values, and the greatest share, of the groups of the released frame."""
    import pandas

    models = [
        privacy.DistinctLDiversity(attribute="illness", l=2),
        privacy.AlphaKAnonymity(attribute="illness", alpha=0.75),
        privacy.AverageRisk(threshold=0.5),
    ]
    release = released(pandas.DataFrame(STAYS), models=models, **ILLNESS)
    table = load(release.data)
    told = [Counter(table["illness"][row] for row in rows) for rows in groups(table).values()]
    assert release.manifest.audit["distinct-l-diversity"] == min(len(each) for each in told)
    shares = [max(each.values()) / sum(each.values()) for each in told]
    assert release.manifest.audit["alpha-k-anonymity"] == max(shares)
    assert release.manifest.audit["average-risk"] == len(told) / len(table["age"])


def test_t_closeness_compares_with_the_source_and_not_with_the_release() -> None:
    """Two of six rows are suppressed; the distribution is that of the six."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 1, 1, 2, 3], "ill": ["a", "a", "b", "b", "c", "c"]})
    release = released(
        frame, models=[privacy.TCloseness(attribute="ill", t=0.4)], sensitive=["ill"], suppression=2
    )
    assert release.manifest.suppressed == 2
    assert math.isclose(float(str(release.manifest.audit["t-closeness"])), 1 / 3)


def test_an_ordered_distance_follows_the_size_of_numbers(tmp_path: Path) -> None:
    """9 lies beside 10 and far from 100, also in a CSV file, whose cells are text."""
    costs = {"age": [1, 1, 2, 2], "cost": [9, 100, 10, 100]}
    model = privacy.TCloseness(attribute="cost", t=1, ground="ordered")
    for kind in ("csv", "pandas"):
        target = tmp_path / "r.csv" if kind == "csv" else None
        release = released(store(kind, costs, tmp_path), target, models=[model], sensitive=["cost"])
        # Of 9, 10, 100 with shares 1/4, 1/4, 1/2: (1/2, 0, 1/2) is 1/4 moved by one of two steps away.
        assert release.manifest.audit["t-closeness"] == pytest.approx(1 / 8)


def test_a_stated_order_of_a_sensitive_column_is_heeded() -> None:
    """Mild, grave, lethal: not the order of the alphabet."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 2, 2], "ill": ["mild", "lethal", "grave", "lethal"]})
    asked: dict[str, Any] = {
        "models": [privacy.TCloseness(attribute="ill", t=1, ground="ordered")],
        "sensitive": ["ill"],
    }
    ordered = released(frame, orders={"ill": ["mild", "grave", "lethal"]}, **asked)
    assert ordered.manifest.audit["t-closeness"] == pytest.approx(1 / 8)
    assert released(frame, **asked).manifest.audit["t-closeness"] == pytest.approx(1 / 4)


def test_a_hierarchy_of_a_sensitive_column_can_be_a_recipe() -> None:
    """It is built from the column's values, as for a quasi-identifier."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 2, 2], "cost": [1, 8, 2, 7]})
    release = released(
        frame,
        models=[privacy.TCloseness(attribute="cost", t=1, ground="hierarchical")],
        sensitive=["cost"],
        hierarchies={"cost": shoal.Recipe(widths=[5])},
    )
    assert release.manifest.audit["t-closeness"] == pytest.approx(1 / 4)


def test_a_missing_sensitive_value_is_a_value(tmp_path: Path) -> None:
    """It makes a group more diverse, in a file as in a frame."""
    table = {"age": [1, 1, 2, 2], "ill": ["a", None, "a", None]}
    for kind in ("csv", "parquet", *FRAMES):
        target = tmp_path / f"r.{kind}" if kind in FILES else None
        models = [privacy.DistinctLDiversity(attribute="ill", l=2)]
        release = released(store(kind, table, tmp_path), target, models=models, sensitive=["ill"])
        assert (release.manifest.groups, release.manifest.audit["distinct-l-diversity"]) == (2, 2)


def test_k_counts_persons_when_an_entity_is_named() -> None:
    """Three rows of one person are one person."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 1, 2, 2], "who": ["a", "a", "a", "b", "c"]})
    rows = released(frame)
    persons = released(frame, entity="who", identifiers=["who"], suppression=0)
    assert rows.manifest.groups == 2
    assert persons.manifest.groups == 0  # the column reads * throughout
    assert persons.manifest.audit == {"k-anonymity": None, "k-anonymity(who)": 3, "holds": True}
    assert list(persons.data.columns) == ["age"]


def test_more_persons_than_there_are_is_infeasible() -> None:
    """The message says what all rows together have."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 1, 2], "who": ["a", "a", "a", "b"]})
    with pytest.raises(shoal.InfeasibleError, match=r"at least 3 persons.*measure 2"):
        released(frame, entity="who", k=3)


def test_rows_without_a_person_are_one_person(tmp_path: Path) -> None:
    """Who knows whose they are: no more than one is sure."""
    table = {"age": [1, 1, 1, 1], "who": [None, None, "", "a"]}
    for kind in ("csv", "parquet", "pandas", "polars", "pyarrow"):
        for dropped in ([], ["who"]):
            target = tmp_path / f"r.{kind}" if kind in FILES else None
            release = released(store(kind, table, tmp_path), target, entity="who", identifiers=dropped)
            assert release.manifest.audit["k-anonymity(who)"] == 2


@pytest.mark.parametrize("dropped", [[], ["person"]], ids=["kept", "dropped"])
@pytest.mark.parametrize("marks", [[None, "", float("nan")], [1, 1.0, "1"]], ids=["missing", "numbers"])
def test_marks_that_read_alike_are_one_person(marks: list[object], dropped: list[str]) -> None:
    """Whether the column is released or dropped: one person in three spellings is no group of three."""
    person = pandas.Series([*marks, "a", "b", "c"], dtype=object)
    frame = pandas.DataFrame({"age": [20, 20, 20, 30, 30, 30], "person": person})
    release = shoal.anonymize(
        frame,
        cost="discernibility",
        suppression="unlimited",
        consistent=True,
        quasi_identifiers=["age"],
        k=2,
        entity="person",
        identifiers=dropped,
    )
    assert (release.verdict.k, release.verdict.audit["k-anonymity(person)"]) in ((3, 3), (6, 4))


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
@pytest.mark.parametrize("kind", ["csv", "parquet", *FRAMES])
@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"entity": "who"}, {"k-anonymity(who)": 2}),
        ({"survey_weight": "weight", "models": [privacy.KMap(k=3)]}, {"k-map": 3.5}),
    ],
    ids=["persons", "weights"],
)
def test_persons_and_weights_of_dropped_columns_are_measured(
    kind: str, suppressed: str, asked: dict[str, Any], told: dict[str, float], tmp_path: Path
) -> None:
    """Row by row beside what was written, suppressed rows dropped or masked."""
    table = {
        "age": [1, 9, 1, 2, 2, 2, 9],
        "who": ["a", "z", "b", "c", "c", "d", "z"],
        "weight": ["1", "0.1", "2.5", "3", "3", "3", "0.1"],
    }
    release = released(
        store(kind, table, tmp_path),
        tmp_path / f"release.{kind}" if kind in FILES else None,
        identifiers=["who", "weight"],
        suppressed=suppressed,
        cost="general-loss",
        **asked,
    )
    assert release.manifest.suppressed == 2
    assert release.manifest.audit == {"k-anonymity": 2, **told, "holds": True}
    table = load(release.path or release.data)
    assert list(table) == ["age"]
    assert len(table["age"]) == (7 if suppressed == "mask" else 5)
    assert table["age"].count("*") == (2 if suppressed == "mask" else 0)


@pytest.mark.parametrize("kind", ["csv", "pandas"])
@pytest.mark.parametrize("other", ["csv", "parquet", "polars"])
def test_people_of_a_population_are_counted_by_what_the_release_prints(
    kind: str, other: str, tmp_path: Path
) -> None:
    """k-map and delta-presence of the groups, whatever the two tables are stored in."""
    source = store(kind, STAYS, tmp_path)
    folder = tmp_path / "other"
    folder.mkdir()
    population = store(other, PEOPLE, folder)
    release = released(
        source,
        tmp_path / "r.csv" if kind == "csv" else None,
        population=population,
        models=[privacy.KMap(k=6), privacy.DeltaPresence(most=0.5)],
    )
    table, ages = load(release.path or release.data), Counter(PEOPLE["age"])
    like = {label: sum(n for age, n in ages.items() if _stands_for(label, age)) for label in groups(table)}
    assert release.manifest.audit["k-map"] == min(like.values())
    shares = [len(rows) / like[label] for label, rows in groups(table).items()]
    assert release.manifest.audit["delta-presence"] == max(shares)
    assert release.manifest.groups == len(like)


def _stands_for(label: object, age: int) -> bool:
    ends = [int(part) for part in str(label).strip("[]").split(", ")]
    return ends[0] <= age <= ends[-1]


def test_a_label_covers_the_people_whom_it_hides_a_row_among() -> None:
    """A group with 32-year-olds of the population alone reads [30, 32], or nobody would count them."""
    import pandas

    frame = pandas.DataFrame({"age": [30, 30, 31, 31, 90, 90]})
    people = pandas.DataFrame({"age": [30, 30, 31, 31, 32, 32, 32, *[90] * 7]})
    release = released(frame, population=people, models=[privacy.KMap(k=7)])
    assert list(release.data["age"]) == ["[30, 32]"] * 4 + ["90"] * 2
    assert release.manifest.audit["k-map"] == 7


def test_everybody_is_counted_where_all_columns_read_star() -> None:
    """The people of the population are in the one group that the release makes."""
    import pandas

    frame = pandas.DataFrame({"age": [30, 30, 31, 31]})
    people = pandas.DataFrame({"age": [30, 30, 31, 31, 32, 32, 32]})
    release = released(frame, population=people, models=[privacy.KMap(k=7)])
    assert list(release.data["age"]) == ["*"] * 4
    assert release.manifest.audit == {"k-anonymity": None, "k-map": 7, "holds": True}


def test_delta_presence_with_a_lower_bound_is_a_demand_on_everybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """People whom no row is like would be known to be absent."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 2, 2]})
    people = pandas.DataFrame({"age": [1, 1, 1, 2, 2, 2, 3, 3]})
    asked: dict[str, Any] = {
        "population": people,
        "models": [privacy.DeltaPresence(least=0.4, most=0.9)],
        "suppression": 0,
    }
    make_known(monkeypatch, "plain", Given)
    monkeypatch.setattr(Given, "recoding", CutRecoding(((1, 2),)), raising=False)
    with pytest.raises(shoal.AuditError, match=r"delta-presence is broken by 1 group\(s\) with 0 row"):
        released(frame, **asked)
    monkeypatch.setattr(Given, "recoding", CutRecoding(((),)), raising=False)
    assert released(frame, **asked).manifest.audit["delta-presence"] == 0.5


def test_a_population_that_does_not_contain_the_source_is_refused() -> None:
    """The message counts rows and quotes no value."""
    import pandas

    frame = pandas.DataFrame({"age": [77, 77, 2, 2]})
    people = pandas.DataFrame({"age": [77, 2, 2, 2]})
    with pytest.raises(shoal.PolicyError, match=r"does not contain the source: 2 row\(s\)") as caught:
        released(frame, population=people, models=[privacy.KMap(k=2)])
    assert "77" not in str(caught.value)


def test_a_population_without_a_quasi_identifier_is_refused() -> None:
    """It names the column."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1]})
    with pytest.raises(shoal.PolicyError, match="the population has no column 'age'"):
        released(frame, population=pandas.DataFrame({"aeg": [1, 1]}), models=[privacy.KMap(k=2)])


@pytest.mark.parametrize("bad", ["", "-1", "many", "inf", "nan"])
@pytest.mark.parametrize("kind", ["csv", "polars"])
def test_a_weight_that_is_none_is_refused_by_its_row(kind: str, bad: str, tmp_path: Path) -> None:
    """Missing, negative or no number: column and row, and not the cell."""
    table = {"age": [1, 1, 1], "weight": ["2", bad or None, "3"]}
    with pytest.raises(shoal.PolicyError, match=r"1 row\(s\) of column 'weight'.*the first is row 2") as e:
        released(
            store(kind, table, tmp_path),
            tmp_path / "r.csv" if kind == "csv" else None,
            survey_weight="weight",
            models=[privacy.KMap(k=2)],
        )
    assert "many" not in str(e.value)


BREAKS: dict[str, tuple[dict[str, Any], Callable[[list[str]], list[str]], str]] = {
    "distinct": (
        {"models": [privacy.DistinctLDiversity(attribute="ill", l=2)], "sensitive": ["ill"]},
        lambda rows: [row.replace("b", "a") for row in rows],
        "distinct-l-diversity is broken by 2 group",
    ),
    "t-closeness": (
        {"models": [privacy.TCloseness(attribute="ill", t=0.1)], "sensitive": ["ill"]},
        lambda rows: [rows[0], rows[1], rows[2].replace("b", "a"), *rows[3:]],
        "t-closeness is broken by 1 group",
    ),
    "unknown value": (
        {"models": [privacy.DistinctLDiversity(attribute="ill", l=2)], "sensitive": ["ill"]},
        lambda rows: [rows[0], rows[1].replace("a", "zz"), *rows[2:]],
        "values that the source does not have",
    ),
    "k-map": (
        {"models": [privacy.KMap(k=2)], "survey_weight": "weight"},
        lambda rows: [row.replace(",1.5", ",0.5") for row in rows],
        "k-map is broken by 2 group",
    ),
    "average-risk": (
        {"models": [privacy.AverageRisk(threshold=0.5)], "k": 1},
        lambda rows: [rows[0], rows[1].replace(",1,", ",3,"), *rows[2:]],
        "average-risk is broken",
    ),
    "rows of a dropped entity": (
        {"entity": "who"},
        lambda rows: [*rows, rows[-1]],
        "it should have 4 rows, but the audit measured 5",
    ),
}


@pytest.mark.parametrize(("asked", "edit", "words"), BREAKS.values(), ids=BREAKS.keys())
def test_a_release_that_breaks_a_model_is_refused_and_destroyed(
    asked: dict[str, Any],
    edit: Callable[[list[str]], list[str]],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hand changes the staged file; the audit reads it, and nothing stays behind."""
    table = {
        "who": ["Ann", "Bob", "Cid", "Dee"],
        "age": [1, 1, 2, 2],
        "ill": ["a", "b", "a", "b"],
        "weight": ["1.5", "1.5", "1.5", "1.5"],
    }
    source = store("csv", table, tmp_path)
    honest = DuckDB.apply

    def dishonest(self: DuckDB, source: Any, counted: Any, application: Any, target: Any) -> Any:
        released = honest(self, source, counted, application, target)
        target.write_text("".join(edit(target.read_text().splitlines(keepends=True))))
        return released

    monkeypatch.setattr(DuckDB, "apply", dishonest)
    with pytest.raises(shoal.AuditError, match=words) as caught:
        released(source, tmp_path / "release.csv", suppression=0, **asked)
    assert caught.value.exit_code == 5
    assert list(tmp_path.iterdir()) == [source]


def test_a_search_that_breaks_a_release_model_is_a_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the search found is checked against the counts, before anything is written."""
    source = store("csv", {"age": [1, 1, 2, 2]}, tmp_path)
    make_known(monkeypatch, "plain", Given)
    monkeypatch.setattr(Given, "recoding", CutRecoding(((1,),)), raising=False)
    with pytest.raises(shoal.InternalError, match="average-risk"):
        released(source, tmp_path / "r.csv", models=[privacy.AverageRisk(threshold=0.3)])
    assert list(tmp_path.iterdir()) == [source]


def test_models_of_one_name_have_keys_of_their_own() -> None:
    """By what they look at, and then by their number."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 2, 2], "ill": ["a", "b", "a", "b"], "pay": [1, 2, 1, 2]})
    release = released(
        frame,
        sensitive=["ill", "pay"],
        models=[
            privacy.TCloseness(attribute="ill", t=1),
            privacy.TCloseness(attribute="pay", t=1),
            privacy.TCloseness(attribute="pay", t=1, ground="ordered"),
            privacy.KAnonymity(2),
        ],
    )
    assert list(release.manifest.audit) == [
        "k-anonymity",
        "t-closeness(ill)",
        "t-closeness(pay)",
        "t-closeness(pay) 2",
        "k-anonymity(k=2)",
        "holds",
    ]


def test_the_manifest_of_models_is_json(tmp_path: Path) -> None:
    """Measured values are plain numbers."""
    release = released(store("csv", STAYS, tmp_path), tmp_path / "r.csv", **MODELS["beta"])
    written = json.loads((tmp_path / "r.csv.manifest.json").read_text())
    assert written["audit"] == release.manifest.audit
    assert release.verdict.to_dict()["models"]


def test_a_model_of_ones_own_is_taken() -> None:
    """A class of the user's, handed over as an object."""
    import pandas

    from shoal.model.table.people import Group, People

    class EvenGroups(privacy.GroupModel):
        name = "even-groups"
        supersets_are_admitted = False
        demand = "an even number of rows"

        def measure(self, group: Group, people: People) -> float:
            return group.rows % 2

        def admits(self, group: Group, people: People) -> bool:
            return group.rows % 2 == 0

    frame = pandas.DataFrame({"age": [1, 1, 1, 2, 2, 2, 3, 3]})
    release = released(frame, models=[EvenGroups()], suppression=0)
    assert release.manifest.groups == 2
    assert release.manifest.audit["even-groups"] == 0


def test_all_sensitive_columns_are_known_to_others_in_a_joint_demand() -> None:
    """Also one that no model protects by itself."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 1, 1], "ill": ["a", "b", "a", "b"], "ward": ["x", "x", "y", "y"]})
    model = privacy.DistinctLDiversity(attribute="ill", l=2, joint=True)
    assert released(frame, sensitive=["ill", "ward"], models=[model]).verdict.holds
    frame["ward"] = ["x", "y", "x", "y"]
    with pytest.raises(shoal.InfeasibleError, match="distinct-l-diversity"):
        released(frame, sensitive=["ill", "ward"], models=[model])
    assert released(frame, sensitive=["ill"], models=[model]).verdict.holds


@pytest.mark.parametrize(
    "algorithm",
    ["exact", "k-optimize", "hill-climb", "exhaustive", "subtree", "lattice", "datafly"],
)
def test_people_whom_no_row_is_like_are_no_group_and_cost_nothing(algorithm: str) -> None:
    """Rows that count nothing change neither groups nor suppressed rows."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 4, 4], "sex": ["f", "f", "m", "m"]})
    more = pandas.DataFrame({"age": [2, 3, 4], "sex": ["f", "m", "f"]})
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "k": 2, "algorithm": algorithm}
    release = shoal.anonymize(
        frame, population=pandas.concat([frame, more]), models=[privacy.KMap(k=1)], **asked
    )
    assert release.manifest.suppressed == 0
    assert release.manifest.groups == len(release.data.drop_duplicates())
    assert release.verdict.measured.rows == 4


@pytest.mark.parametrize("cost", ["discernibility", "classification", "general-loss", "ncp", "entropy"])
def test_every_cost_is_defined_where_people_have_no_row(cost: str) -> None:
    """As it is without them, if the domains are the same."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1, 2, 2, 3], "sex": list("fmfmf"), "class": list("xyxyx")})
    people = pandas.concat([frame, frame])
    people["sex"] = list("fmfmfmfmfm")
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age", "sex"],
        "class_attribute": "class",
        "k": 2,
        "cost": cost,
        "algorithm": "plain",
    }
    both = [
        shoal.anonymize(frame, **asked),
        shoal.anonymize(frame, population=people, models=[privacy.KMap(k=1)], **asked),
    ]
    assert both[0].manifest.cost == both[1].manifest.cost


def test_a_value_that_a_model_names_wrongly_is_told_without_the_others() -> None:
    """The values of a sensitive column are private."""
    import pandas

    frame = pandas.DataFrame({"age": [1, 1], "ill": ["gout", "flu"]})
    model = privacy.AlphaKAnonymity(attribute="ill", alpha=0.5, values=("goutt",))
    with pytest.raises(shoal.PolicyError, match="has no value 'goutt'") as caught:
        released(frame, models=[model], sensitive=["ill"])
    assert "flu" not in str(caught.value)


def test_of_several_sets_the_least_safe_value_is_told() -> None:
    """Others know one set at a time, and the one that tells them most decides."""
    frame = pandas.DataFrame(
        {"age": [1, 1, 1, 2, 2, 2], "ward": list("xyxyxy"), "illness": ["a", "b", "a", "c", "b", "c"]}
    )
    release = shoal.anonymize(
        frame,
        quasi_identifiers=["age", "ward"],
        sets=[["ward"], ["age"]],
        k=3,
        sensitive=["illness"],
        algorithm="datafly",
        models=[privacy.DistinctLDiversity(attribute="illness", l=1)],
    )
    told = {
        len(set(part["illness"]))
        for name in ("age", "ward")
        for label, part in release.data.groupby(name)
        if label != "*"
    }
    assert release.manifest.audit["distinct-l-diversity"] == min(told)
    one, two = (
        Verdict(
            quasi_identifiers=("age",),
            columns=("age",),
            demanded=1,
            measured=Measurement(rows=9, suppressed=0, groups=3, smallest=3, groups_below=0, rows_below=0),
            models=(
                ModelVerdict(
                    key="m",
                    demand="",
                    measured=value,
                    holds=True,
                    groups_failing=0,
                    rows_failing=0,
                    lower_is_safer=lower,
                ),
            ),
        )
        for value, lower in ((3, False), (2, False))
    )
    for verdicts in ([one, two], [two, one]):
        assert weakest(verdicts).models[0].measured == 2


@pytest.mark.parametrize("name", ["k-anonymity", "holds"])
def test_a_model_of_ones_own_does_not_hide_the_k_of_the_release(name: str) -> None:
    """Whatever it is called: the manifest says the measured k, and whether all holds."""

    class Lenient(privacy.GroupModel):
        supersets_are_admitted = True
        demand = "anything"

        def measure(self, group: Any, people: Any) -> float:
            return 99

        def admits(self, group: Any, people: Any) -> bool:
            return True

    Lenient.name = name
    audit = released(pandas.DataFrame(STAYS), models=[Lenient()]).manifest.audit
    assert audit == {"k-anonymity": 2, f"{name}(anything)": 99, "holds": True}


@pytest.mark.parametrize("suppressed", ["drop", "mask"])
def test_rows_without_a_value_do_not_lower_the_average_risk(suppressed: Any) -> None:
    """Of seven rows nothing would be told; they are no second group beside the three at a risk of 1/3."""
    ages = [2, 2, 1, 3, 1, 1, 1, 1, 2, 3]
    release = shoal.anonymize(
        pandas.DataFrame({"age": ages, "ward": list("aababaabaa")}),
        quasi_identifiers=["age", "ward"],
        k=2,
        algorithm="mu-argus",
        options={"combinations": "all"},
        models=[privacy.AverageRisk(threshold=0.25)],
        suppression=0,
        suppressed=suppressed,
    )
    assert release.verdict.holds


@pytest.mark.parametrize("kind", ["csv", "parquet", *FRAMES])
def test_an_empty_sensitive_value_is_a_missing_one(kind: str, tmp_path: Path) -> None:
    """In every kind of table: {missing, empty} is no diverse group, and no two persons."""
    ill = [None, "", "a", "b"]
    table = {"age": [1, 1, 2, 2], "illness": ill, "who": ill}
    for number, asked in enumerate(({"entity": "who", "l": 1}, {"l": 2})):
        least = asked.pop("l")
        release = released(
            store(kind, table, tmp_path),
            tmp_path / f"r{number}.{kind}" if kind in FILES else None,
            models=[privacy.DistinctLDiversity(attribute="illness", l=least)],
            suppression=0,
            **ILLNESS,
            **asked,
        )
        assert release.verdict.k is None  # the column reads * throughout
        assert release.manifest.audit["distinct-l-diversity"] == 3
