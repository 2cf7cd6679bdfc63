"""The front's door: points, filters, knee, tables, page, and the release of a point."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import shoal
from shoal.engines.duckdb.engine import DuckDB
from shoal.errors import EngineError, PolicyError
from shoal.model.policy.policy_toml import parse_policy
from shoal.model.result.result import Status
from shoal.objectives import PropertyObjective, group_size, value_count
from shoal.reports.front_page import front_page

ROWS = [
    *[
        ("asian", "94142", "flu"),
        ("asian", "94141", "flu"),
        ("asian", "94139", "cold"),
        ("asian", "94139", "flu"),
    ],
    *[("asian", "94139", "cold"), ("black", "94138", "flu"), ("black", "94139", "cold")],
    *[("white", "94139", "cold"), ("white", "94141", "rash")],
]
HIERARCHIES = {
    "race": {"person": {"asian", "black", "white"}},
    "zip": {"941**": {"9413*": {"94138", "94139"}, "9414*": {"94141", "94142"}}},
}


@pytest.fixture
def people() -> pandas.DataFrame:
    """The survey's nine people, with a disease each."""
    return pandas.DataFrame(ROWS, columns=["race", "zip", "disease"])


def front_of(people: Any, **asked: Any) -> shoal.Front:
    return shoal.front(
        people,
        **{
            "quasi_identifiers": ["race", "zip"],
            "hierarchies": HIERARCHIES,
            "types": {"zip": "category"},
            "objectives": ["k", "discernibility"],
            "suppression": 0,
            "recoding": "levels",
            **asked,
        },
    )


def test_points_are_in_the_order_of_k(people: pandas.DataFrame) -> None:
    """Four of the six nodes are on the front, and every one is told with its recoding."""
    front = front_of(people)
    assert [(point.number, point.k, point.values["discernibility"], point.levels) for point in front] == [
        (0, 1, 15, (0, 0)),
        (1, 2, 33, (0, 2)),
        (2, 3, 45, (1, 1)),
        (3, 9, 81, (1, 2)),
    ]
    assert (front.exact, front.algorithm, front.evaluated, front.lattice) == (True, "exact", 6, 6)
    assert repr(front) == "Front(4 points of k, discernibility; exact, exact)"


def test_where_narrows_by_any_objective(people: pandas.DataFrame) -> None:
    """Bounds are inclusive; numbers of points stay as they were."""
    front = front_of(people, objectives=["k", "general-loss"])
    narrowed = front.where(k=(2, None), general_loss=(None, 0.7))
    assert [point.k for point in narrowed] == [
        point.k for point in front if point.k >= 2 and point.values["general-loss"] <= 0.7
    ]
    assert narrowed.points == tuple(front.points[point.number] for point in narrowed)
    with pytest.raises(PolicyError, match="no objective 'loss'"):
        front.where(loss=(1, 2))
    with pytest.raises(PolicyError, match="a pair"):
        front.where(k=5)  # type: ignore[arg-type]


def test_knee_is_furthest_from_the_line_between_the_ends(people: pandas.DataFrame) -> None:
    """Worked with the distance itself, on logarithms of k."""
    front = front_of(people)
    points = np.array([[np.log(point.k), -float(point.values["discernibility"])] for point in front])
    scaled = (points - points.min(axis=0)) / (points.max(axis=0) - points.min(axis=0))
    line = scaled[-1] - scaled[0]
    offsets = scaled - scaled[0]
    distances = (line[1] * offsets[:, 0] - line[0] * offsets[:, 1]) / np.linalg.norm(line)
    assert front.knee().number == int(np.argmax(-distances if distances.sum() < 0 else distances))
    with pytest.raises(PolicyError, match="no knee"):
        front.where(k=(99, None)).knee()


def test_frames_csv_and_json_tell_the_same(people: pandas.DataFrame, tmp_path: Path) -> None:
    """A line per point."""
    front = front_of(people)
    frame = front.to_frame()
    assert list(frame["k"]) == [1, 2, 3, 9]
    assert list(frame["level of zip"]) == [0, 2, 1, 2]
    front.to_csv(tmp_path / "front.csv")
    assert pandas.read_csv(tmp_path / "front.csv").to_dict() == frame.to_dict()
    told = json.loads(front.to_json())
    assert [point["k"] for point in told["points"]] == [1, 2, 3, 9]
    assert told["points"][1]["recoding"] == {"race": {"level": 0}, "zip": {"level": 2}}
    assert front.where(k=(99, None)).to_csv() == "point\n"


def test_a_point_is_released_on_the_audited_way(people: pandas.DataFrame) -> None:
    """With the k that the point has, whatever its number."""
    front = front_of(people)
    release = front.pick(2)
    assert release.verdict.holds
    assert (release.verdict.k, release.manifest.k, release.manifest.cost) == (3, 3, 45)
    assert release.manifest.algorithm == "front: exact"
    assert release.manifest.status == "feasible"
    assert set(release.data["zip"]) == {"9413*", "9414*"}
    with pytest.raises(PolicyError, match="no point 17"):
        front.pick(17)


def test_a_point_with_suppression_suppresses_what_it_says(people: pandas.DataFrame) -> None:
    """Two rows may go; the release has the others."""
    front = front_of(people, suppression=2)
    for point in front:
        release = front.pick(point)
        assert release.manifest.suppressed == point.suppressed <= 2
        assert len(release.data) == 9 - point.suppressed
        assert release.manifest.cost == point.values["discernibility"]


def test_sensitive_values_are_weighed_and_counted(people: pandas.DataFrame) -> None:
    """l at the top is 3: flu, cold and rash; three of one row and so on."""
    front = front_of(people, objectives=["k", "l", "spread-k", "spread-l"], sensitive=["disease"])
    top = next(point for point in front if point.k == 9)
    assert top.values == {"k": 9, "l": 3, "spread-k": 81, "spread-l": 4 * 4 + 4 * 4 + 1}
    named = front_of(people, objectives=["k", "l:disease"], sensitive=["disease"])
    assert max(point.values["l:disease"] for point in named) == 3


def test_ones_own_objective_is_a_function_of_the_released_rows(people: pandas.DataFrame) -> None:
    """The mean risk of a row, to be low; it is on the exact front of a small lattice."""
    risk = PropertyObjective("risk", lambda released: 1 / group_size(released), "sum", "lower")
    shared = PropertyObjective(
        "shared", lambda released: value_count(released, "disease"), columns=("disease",)
    )
    front = front_of(people, objectives=[risk, shared, "discernibility"], sensitive=["disease"])
    assert front.exact
    top = next(point for point in front if point.levels == (1, 2))
    assert top.values["risk"] == pytest.approx(1.0)
    short = PropertyObjective("short", lambda released: np.array([1]))
    with pytest.raises(PolicyError, match="a number for each of the"):
        front_of(people, objectives=["k", short])


def test_pbg_ea_is_the_same_with_any_number_of_threads(people: pandas.DataFrame) -> None:
    """It says that it proves nothing, unless it saw everything."""
    asked = {"algorithm": "pbg-ea", "seed": 3, "options": {"population": 2, "iterations": 1, "fresh": False}}
    one, two = (front_of(people, threads=threads, **asked) for threads in (1, 4))
    assert one.to_json().partition('"seconds"')[0] == two.to_json().partition('"seconds"')[0]
    assert one.points == two.points
    assert not one.exact
    assert "not proved complete" in repr(one)
    with pytest.raises(PolicyError, match="no option 'popluation'"):
        front_of(people, options={"popluation": 3})


def test_the_front_over_cuts_has_bounds(people: pandas.DataFrame) -> None:
    """Each k is solved exactly; of equal costs the larger k stays."""
    front = shoal.front(
        people,
        quasi_identifiers=["race", "zip"],
        types={"zip": "category"},
        objectives=["k", "discernibility"],
        recoding="cuts",
        ks=[2, 3, 4, 9],
        suppression="unlimited",
    )
    assert front.exact
    for point in front:
        alone = shoal.anonymize(
            people,
            quasi_identifiers=["race", "zip"],
            types={"zip": "category"},
            k=point.k,
            cost="discernibility",
            suppression="unlimited",
            algorithm="exact",
        )
        assert point.values["discernibility"] == alone.result.cost == point.bound
        assert (point.status, point.gap("discernibility")) == (Status.OPTIMAL, 0.0)
    costs = [point.values["discernibility"] for point in front]
    assert costs == sorted(set(costs))
    release = front.pick("knee")
    assert release.verdict.holds
    assert release.manifest.status == "optimal"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"objectives": ["kk"]}, "no objective 'kk'"),
        ({"objectives": []}, "a list of names"),
        ({"objectives": [7]}, "a list of names"),
        ({"objectives": "k"}, "write objectives="),
        ({"objectives": ["k", "k"]}, "named twice"),
        ({"objectives": ["l"]}, "needs a sensitive column"),
        ({"objectives": ["l:age"], "sensitive": ["disease"]}, "not a sensitive column"),
        ({"objectives": ["k:disease"], "sensitive": ["disease"]}, "measures no sensitive column"),
        ({"objectives": ["classification"]}, "needs a class attribute"),
        ({"suppression": "unlimited"}, "needs one"),
        ({"epsilons": [1]}, "each of the 2 objectives"),
        ({"algorithm": "annealing"}, "no algorithm 'annealing'"),
        ({"ks": [2]}, "recoding = 'rows' or 'cuts'"),
        ({"recoding": "cuts", "ks": [2], "objectives": ["k", "precision"]}, "over cuts the cost is"),
        ({"recoding": "cuts", "ks": [2], "objectives": ["discernibility", "k"]}, "k and one cost"),
        ({"recoding": "rows", "objectives": ["k", "discernibility", "ncp"]}, "over rows is of k and one"),
        ({"recoding": "rows", "objectives": ["k", "height"]}, "cannot be met row by row"),
        ({"recoding": "rows", "ks": [10]}, "larger than the table"),
        ({"recoding": "rows", "ks": [2.5]}, "whole numbers"),
        ({"recoding": "rows", "epsilons": [1, 1]}, "epsilons are for fronts over levels"),
        ({"recoding": "rows", "consistent": True}, "`consistent` demands one recoding per column"),
        ({"recoding": "trees"}, "'rows', 'levels', 'cuts' or 'auto'"),
        ({"risk": 0}, "above 0 and at most 1"),
        ({"risk": 1.5}, "above 0 and at most 1"),
        ({"quasi_identifiers": None}, "name the quasi_identifiers"),
    ],
)
def test_what_cannot_be_weighed_is_refused(
    people: pandas.DataFrame, asked: dict[str, Any], message: str
) -> None:
    """With what to write instead."""
    with pytest.raises(PolicyError, match=message):
        front_of(people, **asked)


def test_a_policy_states_a_front(tmp_path: Path) -> None:
    """Its table [front] is checked like the others, and models are refused rather than forgotten."""
    text = """
        [source]
        path = "people.csv"
        [attributes.race]
        role = "quasi-identifier"
        [privacy]
        k = 2
        [objective]
        suppression = 0
        [front]
        objectives = ["k", "discernibility"]
        epsilons = [1, 10]
        iterations = 3
    """
    pandas.DataFrame(ROWS, columns=["race", "zip", "disease"]).to_csv(tmp_path / "people.csv", index=False)
    policy = parse_policy(text, tmp_path)
    assert policy.front is not None
    assert policy.front.options == {"iterations": 3}
    assert policy.digest != parse_policy(text.replace("[1, 10]", "[1, 5]"), tmp_path).digest
    front = shoal.front(policy=policy)
    assert front.recoding == "levels"
    assert max(point.k for point in front) == 9
    modelled = text.replace("k = 2", 'k = 2\nmodels = [{ name = "k-anonymity", k = 2 }]')
    with pytest.raises(PolicyError, match='ignores models; say recoding = "rows"'):
        shoal.front(policy=parse_policy(modelled, tmp_path))
    persons = text.replace("k = 2", 'k = 2\nentity = "disease"')
    with pytest.raises(PolicyError, match="cannot support entity"):
        shoal.front(policy=parse_policy(persons, tmp_path))
    with pytest.raises(PolicyError, match="a policy is complete"):
        shoal.front(policy=policy, quasi_identifiers=["race"])
    with pytest.raises(PolicyError, match="unknown key in \\[front\\]"):
        parse_policy(text.replace("iterations", "generations"), tmp_path)


class Page(HTMLParser):
    """Reads a page: which elements are open, and what they refer to."""

    VOID = frozenset({"meta", "input", "br", "link", "img", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self.references += [value or "" for name, value in attributes if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def data_of(page: str) -> Any:
    return json.loads(re.search(r"const front = (.*);\n", page)[1])  # type: ignore[index]


def test_the_page_is_well_formed_and_asks_for_nothing_outside(people: pandas.DataFrame) -> None:
    """Every element is closed; there is no address in it."""
    page = front_of(people, objectives=["k", "discernibility", "general-loss"]).plot().html
    reader = Page()
    reader.feed(page)
    assert reader.open == []
    assert reader.references == []
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttpRequest|import\(", page)
    assert len(data_of(page)["points"]) >= 4


def test_the_page_shows_no_group_of_fewer_than_five_rows(people: pandas.DataFrame) -> None:
    """However small k is: a point with k = 1 would else show private rows."""
    front = front_of(people)
    shown = {point["point"]: point["examples"] for point in data_of(front.plot().html)["points"]}
    assert shown[0] == []
    assert shown[1] == [{"labels": ["asian", "941**"], "rows": 5}]
    assert shown[3] == [{"labels": ["person", "941**"], "rows": 9}]


def test_the_page_cannot_be_broken_by_a_value() -> None:
    """A label may hold the end of a script; it stays data."""
    page = front_page({"points": [], "label": "</script><script>alert(1)</script>\u2028"}).html
    assert page.count("</script>") == 1
    assert data_of(page)["label"].startswith("</script>")


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(people: pandas.DataFrame) -> None:
    """Its text is escaped; the frame may run scripts and nothing else."""
    shown = front_of(people).plot()._repr_html_()
    assert shown.startswith("<iframe ")
    assert 'sandbox="allow-scripts"' in shown
    assert "<script>" not in shown


def test_an_engine_that_is_handed_in_stays_open(people: pandas.DataFrame) -> None:
    """It counts for the front, and releases a point."""
    with DuckDB() as engine:
        front = front_of(people, engine=engine)
        assert front.pick(3, engine=engine).verdict.holds


def test_several_sensitive_columns_are_weighed_together() -> None:
    """Each has its own l; a release that is better in one may be worse in the other."""
    people = pandas.DataFrame(
        {"zip": ["1", "1", "2", "2"], "disease": ["a", "b", "a", "a"], "job": ["x", "x", "x", "y"]}
    )
    front = shoal.front(
        people,
        quasi_identifiers=["zip"],
        sensitive=["disease", "job"],
        objectives=["k", "l:disease", "l:job", "general-loss"],
        suppression=2,
    )
    values = {(point.values["l:disease"], point.values["l:job"]) for point in front}
    assert (2, 2) in values  # everything joined
    assert max(disease for disease, _ in values) == 2


def with_k(front: shoal.Front, k: int) -> shoal.Front:
    return replace(front, policy=replace(front.policy, k=k))


def test_no_group_below_the_policys_k_is_shown(people: pandas.DataFrame) -> None:
    """Neither its labels nor, over cuts, its values."""
    front = with_k(front_of(people), 7)
    shown = {point["point"]: point["examples"] for point in data_of(front.plot().html)["points"]}
    assert [shown[0], shown[1], shown[2]] == [[], [], []]
    assert shown[3] == [{"labels": ["person", "941**"], "rows": 9}]
    cuts = {"hierarchies": None, "suppression": "unlimited", "recoding": "cuts", "ks": [1]}
    told = with_k(front_of(people, **cuts), 3).facts()["points"][0]["recoding"]
    assert "94142" not in json.dumps(told)  # one row has it
    assert "94139" in json.dumps(told)


def test_a_point_below_the_policys_k_is_not_picked(people: pandas.DataFrame) -> None:
    """Not by its number, not by itself, and not as the knee."""
    front = with_k(front_of(people), 3)
    for choice in (1, front[1]):
        with pytest.raises(PolicyError, match="k = 2, and the policy demands 3"):
            front.pick(choice)
    assert front.pick("knee").manifest.k >= 3
    with pytest.raises(PolicyError, match="no point of the front has k = 10"):
        with_k(front, 10).pick("knee")


@pytest.mark.parametrize("objective", ["l", "l:disease"])
def test_the_l_of_a_point_is_demanded_of_its_release(people: pandas.DataFrame, objective: str) -> None:
    """And measured by the audit: the page promised it."""
    front = front_of(people, objectives=["k", objective, "discernibility"], sensitive=["disease"])
    for point in front:
        release = front.pick(point)
        if release.verdict.k is not None:
            assert release.manifest.audit["distinct-l-diversity"] == point.values[objective]
        assert (release.manifest.k, release.manifest.suppressed) == (point.k, point.suppressed)


def test_l_counts_values_as_the_audit_does(tmp_path: Path) -> None:
    """1 and 1.0 in a file are one number, and so one value."""
    (tmp_path / "s.csv").write_text("age,s\n1,1\n1,1.0\n2,1\n2,2\n")
    front = front_of(
        tmp_path / "s.csv",
        quasi_identifiers=["age"],
        hierarchies=None,
        types=None,
        sensitive=["s"],
        objectives=["k", "l", "discernibility"],
    )
    assert [point.values["l"] for point in front] == [1, 2]


def test_a_source_that_changed_since_is_refused(people: pandas.DataFrame, tmp_path: Path) -> None:
    """The values of a point are those of the table that was weighed."""
    people.to_csv(tmp_path / "people.csv", index=False)
    front = front_of(tmp_path / "people.csv")
    people[1:].to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(EngineError, match="no longer the table"):
        front.pick(2, path=tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("asked", [{"entity": "who"}, {"survey_weight": "disease"}, {"population": "p.csv"}])
def test_persons_and_populations_are_refused(people: pandas.DataFrame, asked: dict[str, Any]) -> None:
    """A front counts rows; k persons would be another k than the one it shows."""
    policy = replace(front_of(people).policy, **asked)
    with pytest.raises(PolicyError, match=f"cannot support {next(iter(asked))}"):
        shoal.front(people, policy)


def test_a_file_that_cannot_be_written_whole_stays_as_it_was(
    people: pandas.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk costs neither the old file nor a half one."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "front.csv").write_text("old")
    front = front_of(people)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EngineError, match="No space"):
        front.to_csv(tmp_path / "front.csv")
    assert [each.name for each in tmp_path.iterdir()] == ["front.csv"]
    assert (tmp_path / "front.csv").read_text() == "old"
