"""The part of the fuzzer that every run of the suite tries: few seeds, always the same."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import shoal
from tests.fuzz.attempt import attempt
from tests.fuzz.instance import Column, Instance
from tests.fuzz.judge import Finding, judge
from tests.fuzz.policies import instance
from tests.fuzz.printed import as_test
from tests.fuzz.shrink import shrunk

SEEDS = range(5000, 5060)
PLAIN = (
    *("judge", "cells", "groups", "losses", "brute_force", "recodings", "seen", "instance", "values"),
    *("additions", "treated", "linked"),
)


@pytest.mark.parametrize("seeds", [SEEDS[start : start + 15] for start in range(0, len(SEEDS), 15)], ids=str)
def test_fixed_seeds_find_nothing(seeds: range) -> None:
    """Whoever finds something here runs `python -m tests.fuzz --only SEED` for a small test of it."""
    with shoal.DuckDB(threads=1) as engine:
        found = {seed: [each.code for each in attempt(instance(seed), engine).findings] for seed in seeds}
    assert {seed: codes for seed, codes in found.items() if codes} == {}


@pytest.mark.parametrize("module", PLAIN)
def test_the_judge_imports_nothing_of_shoal(module: str) -> None:
    """A reader that shares code with the search shares its mistakes."""
    tree = ast.parse((Path(__file__).parent / f"{module}.py").read_text("utf-8"))
    names = [each.module or "" for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    names += [alias.name for each in ast.walk(tree) if isinstance(each, ast.Import) for alias in each.names]
    ours = {name.removeprefix("tests.fuzz.") for name in names if name.startswith("tests.fuzz")}
    assert not [name for name in names if name.split(".")[0] == "shoal"]
    assert ours <= set(PLAIN)
    assert [name for name in names if name.startswith("tests.") and "fuzz" not in name] in (
        [],
        ["tests.histories.definitions"],
    )


TOWNS = Instance(
    columns=(
        Column("town", "text", ("a", "a", "b", "b", "c")),
        Column("row", "int", (1000, 1001, 1002, 1003, 1004)),
    ),
    request={
        "quasi_identifiers": ["town"],
        "k": 2,
        "algorithm": "exact",
        "cost": "discernibility",
        "suppression": 1,
        "orders": {"town": "sorted"},
    },
    door="pandas",
)


class Told:
    """A release as a judge sees it, to be tampered with."""

    error, said, message, besides, written, stood = None, "", "", "", "", None
    files: frozenset[str] = frozenset()

    def __init__(self, towns: list[str | None], **claimed: object) -> None:
        self.columns, self.structs = ["town", "row"], dict[str, list[object]]()
        self.rows = [(town, 1000 + row) for row, town in enumerate(towns)]
        self.manifest = {
            "rows": 5, "k": 2, "suppressed": 1, "seed": 0, "groups": 2, "cost": 13, "bound": 13,
            "status": "optimal", "algorithm": "exact", "cost_metric": "discernibility",
            "audit": {"k-anonymity": 2, "holds": True},
        } | claimed  # fmt: skip


@pytest.mark.parametrize(
    ("told", "codes"),
    [
        (Told(["a", "a", "b", "b"]), set()),
        (Told(["a", "a", "b", "a"]), {"untrue-cell", "k-broken", "manifest:k-anonymity", "cost"}),
        (
            Told(["a", "a", "b"]),
            {"k-broken", "too-many-suppressed", "manifest:suppressed", "manifest:k-anonymity", "cost"},
        ),
        (Told(["a", "a", "b", "b"], cost=14), {"cost", "not-optimal", "optimal-with-gap"}),
        (Told(["a", "a", "b", "b"], bound=14, status="feasible"), {"bound-above-cost", "bound-too-high"}),
        (Told(["a", "a", "b", "b"], groups=3), {"manifest:groups"}),
        (
            Told(
                ["a", "a", "b", "b"], recoding={"town": [{"label": "{a, b, ... 6 #1}", "values": ["a", "b"]}]}
            ),
            {"short-label"},
        ),
        (
            Told(
                ["a", "a", "{x, y, ... 6 #1}", "{x, y, ... 6 #1}"],
                recoding={"town": [{"label": "{x, y, ... 6 #1}", "values": list("uvwxyz")}]},
            ),
            {"untrue-cell"},
        ),
    ],
)
def test_the_judge_sees_what_was_tampered_with(told: Told, codes: set[str]) -> None:
    """A judge that cannot condemn proves nothing."""
    assert {each.code for each in judge(TOWNS, told)} == codes


AGES = Instance(
    columns=(
        Column("age", "int", (1, 2, 8, 9)),
        Column("cost", "int", (120, 180, 260, 310)),
        Column("row", "int", (1000, 1001, 1002, 1003)),
    ),
    request={
        "quasi_identifiers": ["age"],
        "k": 2,
        "algorithm": "mondrian",
        "cost": "ncp",
        "companions": True,
        "order": "shuffle",
        "treatments": {"cost": {"name": "round", "to": 100}},
    },
    door="pandas",
)
RIGHT = ("[8, 9]", 8, 9, 300, 1002), ("[1, 2]", 1, 2, 100, 1000), ("[1, 2]", 1, 2, 200, 1001)
LAST = ("[8, 9]", 8, 9, 300, 1003)


@pytest.mark.parametrize(
    ("last", "codes"),
    [
        (LAST, set()),
        (("[8, 9]", 9, 9, 300, 1003), {"addition-finer", "addition-untrue", "k-broken"}),
        (("[8, 9]", 8, 9, 310, 1003), {"treatment:round"}),
        (("[8, 9]", 8, 9, None, 1003), {"treated-missing"}),
        (("[8, 9]", 8, 9, 300, 1002), {"shape"}),
    ],
)
def test_the_judge_sees_additions_and_treatments_tampered_with(
    last: tuple[object, ...], codes: set[str]
) -> None:
    """Rows in any order are no fault; a finer bound, a cell that was not treated and a copied row are."""
    told = Told([], rows=4, suppressed=0, cost=0, bound=0, algorithm="mondrian", cost_metric="ncp")
    told.columns = ["age", "age_low", "age_high", "cost", "row"]
    told.rows = [*RIGHT, last]  # type: ignore[list-item]
    assert {each.code for each in judge(AGES, told)} == codes


def test_a_finding_is_shrunk_and_printed_as_a_test() -> None:
    """What does not matter is dropped, and the rest is Python that makes it again."""
    large = instance(5003)
    small = shrunk(large, lambda each: each.rows > 1)
    assert (small.rows, len(small.columns)) == (2, 2)
    names: dict[str, object] = {}
    exec(as_test(small, Finding("k-broken", "a group of 1"), 7), names)
    assert "test_k_broken_of_seed_7" in names
