"""Two sites release what `tds` releases of the joined table, byte by byte."""

from __future__ import annotations

import asyncio
import csv
import json
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import shoal
from shoal.algorithms.cuts._tree_cuts import recoding_by
from shoal.algorithms.cuts.tds import Tds
from shoal.cost import METRICS
from shoal.joint.two_party.site import Site
from shoal.joint.two_party.specialization import Specialized, specialize
from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.budget import Budget
from shoal.model.policy.policy import Policy
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import FrequencyTable
from shoal.network.peer import Peer
from tests.agreement.thoroughness import examples
from tests.patience import PATIENCE

from .two_sites import both_ends, run_both, with_release, write_csv

pytestmark = pytest.mark.filterwarnings("ignore::shoal.ShoalWarning")

TREE = "a;vowel;*\ne;vowel;*\nb;consonant;*\nc;consonant;*\nd;consonant;*\n"
KINDS = ("number", "sparse", "tree", "listed", "sorted", "date", "binned")


@dataclass(frozen=True)
class Case:
    """A joined table, who has which column, and k."""

    columns: dict[str, list[object]]
    kinds: dict[str, str]
    of_first: tuple[str, ...]
    classes: list[str]
    files: tuple[list[int], list[int]]
    k: int
    cost: str


def cells(kind: str, rows: int) -> st.SearchStrategy[list[object]]:
    """Cells of a column of a kind."""
    values: dict[str, Sequence[object]] = {
        "number": range(20, 28),
        "sparse": [*range(5), ""],
        "binned": range(20, 35, 2),
        "tree": ["a", "b", "c", "d", "e"],
        "listed": ["low", "mid", "high"],
        "sorted": ["x", "y", "z"],
        "date": [f"2001-0{month}-01" for month in range(1, 6)],
    }
    return st.lists(st.sampled_from(values[kind]), min_size=rows, max_size=rows)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Random joined tables."""
    rows = draw(st.integers(2, 24))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=2, max_size=4))
    names = [f"q{number}" for number in range(len(kinds))]
    first = draw(st.lists(st.sampled_from(names), min_size=1, max_size=len(names) - 1, unique=True))
    classes = draw(st.lists(st.sampled_from("ynm"), min_size=rows, max_size=rows))
    order = st.permutations(range(rows))
    return Case(
        {name: draw(cells(kind, rows)) for name, kind in zip(names, kinds, strict=True)},
        dict(zip(names, kinds, strict=True)),
        tuple(name for name in names if name in first),
        classes,
        (draw(order), draw(order)),
        draw(st.integers(1, min(4, rows))),
        draw(st.sampled_from(["general-loss", "ncp", "discernibility", "classification"])),
    )


def attribute(name: str, kind: str, folder: Path) -> Attribute:
    more: dict[str, object] = {
        "number": {},
        "sparse": {"type": "number"},
        "binned": {"bin": 4},
        "tree": {"hierarchy": folder / "tree.csv"},
        "listed": {"order": ("low", "mid", "high"), "type": "category"},
        "sorted": {"order": "sorted", "type": "category"},
        "date": {"type": "date"},
    }[kind]
    return Attribute(name=name, role=Role.QUASI_IDENTIFIER, **more)  # type: ignore[arg-type]


def policy_of(case: Case, folder: Path) -> Policy:
    (folder / "tree.csv").write_text(TREE)
    return Policy(
        attributes=(
            Attribute(name="id", role=Role.IDENTIFIER),
            *(attribute(name, kind, folder) for name, kind in case.kinds.items()),
            Attribute(name="class", role=Role.CLASS),
        ),
        k=case.k,
        cost=case.cost,
        algorithm="tds",
        release=folder / "central.csv",
    )


def files_of(case: Case, folder: Path) -> tuple[Path, Path, Path]:
    """The joined table in the first site's order, and the file of each site."""
    ids = [f"p{number:02d}" for number in range(len(case.classes))]
    every = {"id": ids, **case.columns, "class": case.classes, "note": [f"n{each}" for each in ids]}
    own = ["id", *case.of_first, "class", "note"]
    rest = [name for name in case.columns if name not in case.of_first]
    one, two = case.files

    def chosen(names: Sequence[str], order: Sequence[int]) -> dict[str, list[object]]:
        return {name: [every[name][row] for row in order] for name in names}

    return (
        write_csv(folder / "joined.csv", chosen([*own, *rest], one)),
        write_csv(folder / "first.csv", chosen(own, one)),
        write_csv(folder / "second.csv", chosen([*rest, "class", "id"], two)),
    )


def domain_of(name: str, kind: str, values: Sequence[object]) -> tuple[Domain, list[int]]:
    """A domain of whole numbers, with a hierarchy or without, and the codes of cells."""
    present = sorted({int(str(value), 36) for value in values})
    tree = None
    if kind == "tree":
        rows = [(str(each), f"half {each // 2}", f"fifth {each // 5}", "*") for each in present]
        size = len(present)
        tree = tree_of(rows, range(size), [row[0] for row in rows], missing=False, given=True)
    domain = Domain(name=name, kind="number", values=tuple(present), tree=tree)
    return domain, [present.index(int(str(value), 36)) for value in values]


@st.composite
def splits(draw: st.DrawFn) -> tuple[FrequencyTable, tuple[int, ...], int]:
    """A coded joined table, the columns of the first site, and k."""
    people, columns = draw(st.integers(2, 40)), draw(st.integers(2, 4))
    made = []
    for place in range(columns):
        most = draw(st.sampled_from([1, 3, 9]))
        values = draw(st.lists(st.integers(0, most), min_size=people, max_size=people))
        made.append(domain_of(f"q{place}", draw(st.sampled_from(["tree", "plain"])), values))
    labels = draw(st.lists(st.integers(0, 2), min_size=people, max_size=people))
    table = FrequencyTable(
        domains=tuple(domain for domain, _ in made),
        codes=np.array([codes for _, codes in made], np.int32).T.copy(),
        counts=np.ones(people, np.int64),
        labels=("n", "o", "y"),
        label_counts=np.eye(3, dtype=np.int64)[labels],
    )
    first = draw(st.lists(st.integers(0, columns - 1), min_size=1, max_size=columns - 1, unique=True))
    return table, tuple(sorted(first)), draw(st.integers(1, min(5, people)))


def site_of(table: FrequencyTable, places: Sequence[int], k: int) -> Site:
    """The site that has some columns of a table."""
    quasi = [Attribute(name=each.name, role=Role.QUASI_IDENTIFIER) for each in table.domains]
    return Site(
        policy=Policy(attributes=tuple(quasi), k=k, algorithm="tds"),
        columns=tuple(table.domains[place].name for place in places),
        others=(),
        ids=tuple(f"{person:03d}" for person in range(table.rows)),
        table=replace(
            table,
            domains=tuple(table.domains[place] for place in places),
            codes=np.ascontiguousarray(table.codes[:, list(places)]),
        ),
        order=np.arange(table.rows),
        digest="",
    )


@given(splits())
@settings(max_examples=examples(400), deadline=None, suppress_health_check=list(HealthCheck))
def test_both_sites_cut_where_tds_cuts(split: tuple[FrequencyTable, tuple[int, ...], int]) -> None:
    """On coded tables of any shape: the cuts of both sites together are those of `tds`, and no others."""
    table, first, k = split
    second = tuple(place for place in range(len(table.domains)) if place not in first)
    problem = Problem(table=table, k=k, cost=METRICS["general-loss"](), limit=0)
    central = Tds().solve(problem, Budget())

    def site(places: Sequence[int]) -> Callable[[Peer], Awaitable[Specialized]]:
        return lambda peer: specialize(peer, site_of(table, places, k), seconds=PATIENCE)

    ends = asyncio.run(both_ends(site(first), site(second)))
    cuts = dict(zip((*first, *second), (*ends[0].cuts, *ends[1].cuts), strict=True))
    assert recoding_by(table, [cuts[place] for place in range(len(table.domains))]) == central.recoding
    np.testing.assert_array_equal(ends[0].leaves.of_person, ends[1].leaves.of_person)
    assert ends[0].nodes + ends[1].nodes == central.nodes + 1  # each looks at everything joined


@given(cases())
@settings(max_examples=examples(32), deadline=None, suppress_health_check=list(HealthCheck))
def test_two_sites_release_what_tds_releases(case: Case) -> None:
    """The written bytes are those of `tds` on the joined table, and so are cost, status and recoding."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        policy = policy_of(case, folder)
        joined, first, second = files_of(case, folder)
        central = shoal.anonymize(joined, policy)
        both = run_both(with_release(policy, folder / "both.csv"), first, second)
        assert (folder / "both.csv").read_bytes() == (folder / "central.csv").read_bytes()
        assert both.first.release is not None
        one, other = both.first.release.manifest, central.manifest
        assert (one.cost, one.status, one.recoding, one.groups, one.release_digest) == (
            *(other.cost, other.status, other.recoding, other.groups, other.release_digest),
        )
        assert both.second.digest == one.release_digest
        assert both.first.transcript == both.second.transcript


EDUCATION = ["9th", "9th", "10th", "10th", "11th", "12th", "Bach", "Bach", "Bach", "Mast", "Mast", "Doct"]
TWELVE = {
    "id": list(range(1, 13)),
    "sex": list("MMMFFFFMFMFF"),
    "age": [30, 34, 32, 37, 38, 41, 42, 44, 44, 44, 45, 44],
    "class": list("nnnnnyyynyyy"),
}
SCHOOL = "".join(
    f"{leaf};{kind};*\n"
    for leaf, kind in zip(
        ["9th", "10th", "11th", "12th", "Bach", "Mast", "Doct"],
        ["Secondary"] * 4 + ["University"] * 3,
        strict=True,
    )
)
AGES = "".join(f"{age};{'under 40' if age < 40 else '40 and over'};*\n" for age in range(30, 46))


def twelve(folder: Path) -> tuple[Policy, Path, Path]:
    """The worked example: the first site has education, the second sex and age."""
    (folder / "education.csv").write_text(SCHOOL)
    (folder / "age.csv").write_text(AGES)
    quasi = Role.QUASI_IDENTIFIER
    policy = Policy(
        attributes=(
            Attribute(name="id", role=Role.IDENTIFIER),
            Attribute(name="education", role=quasi, hierarchy=folder / "education.csv"),
            Attribute(name="sex", role=quasi, order="sorted"),
            Attribute(name="age", role=quasi, hierarchy=folder / "age.csv"),
            Attribute(name="class", role=Role.CLASS),
        ),
        k=2,
        algorithm="tds",
        release=folder / "both.csv",
    )
    first = {"id": TWELVE["id"], "education": EDUCATION, "class": TWELVE["class"]}
    return policy, write_csv(folder / "first.csv", first), write_csv(folder / "second.csv", TWELVE)


def test_the_worked_example_goes_down_as_computed(tmp_path: Path) -> None:
    """Scores and instructions of the first two steps are those computed by hand; then all groups hold."""
    both = run_both(*twelve(tmp_path))
    scores = [(way, frame.head) for way, frame in both.frames if frame.kind == 2]
    said = {(way, head["step"]): head for way, head in scores}

    def score(way: str, step: int) -> float | None:
        told = said[way, step]["score"]
        return None if told is None else float(Fraction(int(told[0]), int(told[1])) / 2**30)

    assert score("sent", 0) == pytest.approx(0.0583, abs=5e-5)
    assert score("received", 0) == pytest.approx(0.0936, abs=5e-5)
    assert score("sent", 1) is None
    assert score("received", 1) == pytest.approx(0.0069, abs=5e-5)
    assert score("sent", 2) is None
    assert score("received", 2) is None
    [age, sex] = [frame for way, frame in both.frames if frame.kind == 3]
    # People are numbered by their identifiers as texts: 1, 10, 11, 12, 2, ...
    people = sorted(TWELVE["id"], key=str)
    assert dict(zip(people, age.arrays[1].tolist(), strict=True)) == {
        each: int(each > 5) for each in range(1, 13)
    }
    assert sex.arrays[0].tolist() == [0, 1]
    with (tmp_path / "both.csv").open() as file:
        released = Counter((row["education"], row["sex"], row["age"]) for row in csv.DictReader(file))
    assert released == {
        ("*", "M", "under 40"): 3,
        ("*", "F", "under 40"): 2,
        ("*", "M", "40 and over"): 2,
        ("*", "F", "40 and over"): 5,
    }
    manifest = json.loads((tmp_path / "both.csv.manifest.json").read_text())
    assert manifest["audit"]["k-anonymity"] == 2
    assert manifest["groups"] == 4
    assert any("best score" in note for note in manifest["notes"])
