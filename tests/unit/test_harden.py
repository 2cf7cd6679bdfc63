"""`harden`: what becomes coarser, what stays as it is, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

import shoal
from shoal.errors import PolicyError
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.recoding.local_recoding import Span
from shoal.model.table.domain import Domain
from shoal.pipeline.hardening import harden as hardening
from shoal.pipeline.hardening.attackable import Attackable
from shoal.pipeline.hardening.coarser import paired, widened

PLACES = Hierarchy(
    (
        ("harbour", "town", "county"),
        ("centre", "town", "county"),
        ("hills", "hills", "county"),
        ("coast", "coast", "county"),
    )
)
"""`town` is divided in two, so a group with that label has rows of both; `county` is divided in three."""


def people() -> pd.DataFrame:
    """Ninety of the centre, ten each of hills and coast, and one of the harbour with four neighbours."""
    places = ["centre"] * 90 + ["hills"] * 10 + ["coast"] * 10 + ["harbour"] + ["centre"] * 4
    streets = ["a"] * 110 + ["b"] * 5
    return pd.DataFrame({"place": places, "street": streets})


def released(table: pd.DataFrame, **more: Any) -> shoal.Release:
    """A release of all columns, row by row."""
    request = {"quasi_identifiers": list(table.columns), "k": 5, "algorithm": "local", **more}
    return shoal.anonymize(table, **request)


def test_a_label_that_names_a_rare_value_becomes_coarser() -> None:
    """`town` says that somebody of street b is of the rare harbour; `county` does not."""
    table = people()
    plain, hard = (
        released(table, hierarchies={"place": PLACES}, options={"values": "hierarchy"}, harden=harden)
        for harden in (False, True)
    )
    assert plain.data is not None
    assert hard.data is not None
    assert set(plain.data[table["street"] == "b"]["place"]) == {"town"}
    assert set(hard.data[table["street"] == "b"]["place"]) == {"county"}
    assert plain.data[table["street"] == "a"].equals(hard.data[table["street"] == "a"])
    assert hard.result.cost > plain.result.cost
    assert hard.result.bound == plain.result.bound
    assert hard.result.status == "feasible"
    attacked = {
        name: shoal.attack(
            data, quasi_identifiers=["place", "street"], k=5, hierarchies={"place": PLACES}, original=table
        )
        for name, data in (("plain", plain.data), ("hard", hard.data))
    }
    right = {
        name: {each.name: each.succeeded for each in report.results}["downcoding"]
        for name, report in attacked.items()
    }
    assert right == {"plain": 2, "hard": 0}
    assert "made 5 cells coarser" in hard.manifest.notes[-2]


def test_what_is_likely_by_chance_stays() -> None:
    """Five people of two equally frequent sexes: some are of each, as everybody knows."""
    table = pd.DataFrame(
        {"sex": ["F", "M"] * 50 + ["F", "F", "M", "M", "F"], "street": ["a"] * 100 + ["b"] * 5}
    )
    sexes = Hierarchy((("F", "person"), ("M", "person")))
    request = {"hierarchies": {"sex": sexes}, "options": {"values": "hierarchy"}}
    plain, hard = released(table, **request), released(table, **request, harden=True)
    assert plain.data is not None
    assert plain.data.equals(hard.data)
    assert plain.result.cost == hard.result.cost
    assert "found nothing that it could make coarser" in hard.manifest.notes[-2]
    assert "2 of these could be guessed" in hard.manifest.notes[-1]


NUMBERS = Domain(name="age", kind="number", values=tuple(range(20, 52)))
COLORS = Domain(name="color", kind="category", values=("blue", "green", "red", "white", "yellow"))


def test_ends_move_outwards_to_blocks_that_are_likely_to_have_a_row() -> None:
    """Of 32 equally frequent ages, ten rows likely have one in a block of two at each end."""
    assert widened(NUMBERS, Span(range(3, 22)), 10, lambda first, last: last - first) == Span(range(2, 22))
    assert widened(NUMBERS, Span(range(5, 7)), 10, lambda first, last: last - first) == Span(range(5, 7))
    wide = widened(NUMBERS, Span(range(5, 30)), 2, lambda first, last: last - first)
    assert wide.codes[0] == 0
    assert wide.codes[-1] == 31


def test_a_missing_value_stays_in_a_widened_interval() -> None:
    """It is the last code, and in no interval."""
    domain = Domain(name="age", kind="number", values=(*range(20, 52), None))
    wide = widened(domain, Span((*range(5, 30), 32)), 2, lambda first, last: last - first)
    assert wide == Span((*range(32), 32))


@pytest.mark.parametrize(("unlikely", "codes"), [([1], (0, 1, 2)), ([2], (0, 2, 3)), ([4], (0, 3, 4))])
def test_a_rare_member_of_a_set_brings_its_neighbour(unlikely: list[int], codes: tuple[int, ...]) -> None:
    """Pairs are fixed: 0 and 1, 2 and 3; the odd one at the end takes the last before it."""
    members = tuple(sorted({0, 2 if unlikely == [1] else 0, *unlikely}))
    assert paired(COLORS, Span(members), unlikely) == Span(codes)


def random_table(seed: int) -> pd.DataFrame:
    """Skewed columns of every kind, with missing cells."""
    random = Random(seed)
    rows = [
        {
            "age": None if random.random() < 0.05 else min(99, 18 + int(random.expovariate(0.05))),
            "place": random.choices(["harbour", "centre", "hills", "coast"], [1, 30, 4, 2])[0],
            "color": random.choices(COLORS.values, [20, 9, 4, 2, 1])[0],
        }
        for _ in range(240)
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("algorithm", ["local", "mondrian", "k-member", "lattice", "exact"])
def test_whichever_search_made_it_a_hardened_release_is_audited(algorithm: str, seed: int) -> None:
    """The audit measures k in what is handed out, and the attack is right about no more rows than before."""
    table = random_table(seed)
    request: dict[str, Any] = {
        "quasi_identifiers": list(table.columns),
        "k": 4,
        "hierarchies": {"place": PLACES},
        "algorithm": algorithm,
    }
    plain, hard = (shoal.anonymize(table, **request, harden=harden) for harden in (False, True))
    again = shoal.anonymize(table, **request, harden=True)
    assert hard.data is not None
    assert hard.verdict.holds
    assert hard.data.equals(again.data)
    assert hard.result.cost >= plain.result.cost
    if algorithm in ("lattice", "exact"):
        assert hard.data.equals(plain.data)
        assert "harden` changed nothing" in hard.manifest.notes[-1]
        return
    right = [
        next(
            each.succeeded
            for each in shoal.attack(
                release.data,
                quasi_identifiers=list(table.columns),
                k=4,
                hierarchies={"place": PLACES},
                original=table,
                attacks=["downcoding"],
            ).results
        )
        for release in (plain, hard)
    ]
    assert right[1] <= right[0]
    assert hard.result.cost > plain.result.cost, "so skewed a table has something to harden"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"harden": "yes"}, "harden is true or false"),
        ({"harden": True, "require_optimal": True}, "it is not optimal"),
        ({"harden": True, "algorithm": "microaggregate"}, "leave harden out"),
    ],
)
def test_what_hardening_cannot_do_is_refused(more: dict[str, Any], message: str) -> None:
    """Before any row is read."""
    with pytest.raises(PolicyError, match=message):
        released(random_table(0)[["age"]], **more)


def test_the_policys_digest_tells_a_hardened_release() -> None:
    """Two policies that differ in it make different releases."""
    plain, hard = (released(people(), harden=harden).manifest.policy_digest for harden in (False, True))
    assert plain != hard


def test_a_very_large_release_says_that_it_was_not_attacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody requested the attack; hardening runs it whatever the size."""
    monkeypatch.setattr("shoal.pipeline.hardening.harden.MOST_CELLS", 1)
    assert "was not measured" in released(people()).manifest.notes[-1]
    assert "rightly" in released(people(), harden=True).manifest.notes[-1]


@pytest.mark.parametrize("harden", [False, True])
def test_the_report_states_what_is_left(tmp_path: Path, harden: bool) -> None:
    """One sentence for the person who signs, whether or not the release was hardened."""
    people().to_csv(tmp_path / "people.csv", index=False)
    policy = tmp_path / "people.toml"
    policy.write_text(
        '[source]\npath = "people.csv"\n[attributes.place]\nrole = "quasi-identifier"\n'
        '[attributes.street]\nrole = "quasi-identifier"\n'
        f"[privacy]\nk = 5\nharden = {str(harden).lower()}\n"
        '[release]\npath = "release.csv"\n'
    )
    read = shoal.read_policy(policy)
    shoal.anonymize(read.source, read)
    page = shoal.report(tmp_path / "release.csv", policy=policy).html
    assert "released as finely as k allows" in page
    assert ("<dt>Hardened</dt>" in page) == harden


def rare_request(**more: Any) -> dict[str, Any]:
    """What makes two rounds: a label of two parts under another label of two parts."""
    tree = Hierarchy(
        (
            ("a", "ab", "abc", "all"),
            ("b", "ab", "abc", "all"),
            ("c", "c", "abc", "all"),
            ("d", "d", "d", "all"),
            ("e", "e", "e", "all"),
        )
    )
    return {"hierarchies": {"place": tree}, "options": {"values": "hierarchy"}, "harden": True, **more}


def rare() -> pd.DataFrame:
    """Many of b, a few of d and e, and one of a with four of b in another street; c is rare, too."""
    places = ["b"] * 200 + ["d"] * 10 + ["e"] * 10 + ["c"] * 5 + ["a"] + ["b"] * 4
    return pd.DataFrame({"place": places, "street": ["x"] * 225 + ["y"] * 5})


def test_labels_rise_until_nothing_unlikely_is_certain() -> None:
    """`ab` reveals the rare a, `abc` the rare half of it; only the label above both reveals nothing."""
    table = rare()
    hard = released(table, **rare_request())
    assert hard.data is not None
    assert set(hard.data[table["street"] == "y"]["place"]) == {"all"}


def test_ctrl_c_releases_the_last_whole_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a search, what was reached counts, and the result says that it was interrupted."""
    rounds = []

    def interrupted(*arguments: Any, **more: Any) -> Any:
        rounds.append(arguments)
        if len(rounds) > 1:
            raise KeyboardInterrupt
        return coarser_lines(*arguments, **more)

    coarser_lines = hardening._coarser_lines
    monkeypatch.setattr(hardening, "_coarser_lines", interrupted)
    table = rare()
    hard = released(table, **rare_request())
    assert hard.data is not None
    assert hard.result.interrupted
    assert set(hard.data[table["street"] == "y"]["place"]) == {"abc"}
    assert "More was left to do" in hard.manifest.notes[-2]


def test_a_round_that_a_model_refuses_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model of another package may admit two groups and not their union."""
    monkeypatch.setattr(hardening, "admissible", lambda *_: False)
    table = rare()
    hard = released(table, **rare_request())
    assert hard.data is not None
    assert set(hard.data[table["street"] == "y"]["place"]) == {"ab"}
    assert "`harden` made nothing coarser: time or Ctrl-C" in hard.manifest.notes[-2]


def test_a_release_that_would_reveal_more_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coarser labels can have parts of their own to reason about; then nothing is changed."""
    refinement, rights = Attackable.refinement, [0, 1]
    monkeypatch.setattr(Attackable, "refinement", lambda self: replace(refinement(self), right=rights.pop(0)))
    table = rare()
    hard = released(table, **rare_request())
    assert hard.data is not None
    assert set(hard.data[table["street"] == "y"]["place"]) == {"ab"}
    assert "`harden` made nothing coarser" in hard.manifest.notes[-2]
