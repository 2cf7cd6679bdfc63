"""`shoal compare`: what each algorithm makes of a table, measured by the definitions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import shoal
from shoal.algorithms import ALGORITHMS
from shoal.api.compare import VARIANTS, compare
from shoal.cli.app import app

POLICY = """
[source]
path = "people.csv"
[attributes.age]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
type = "category"
[attributes.job]
role = "class"
[privacy]
k = 2
[objective]
cost = "{cost}"
{model}
"""


def policy_in(folder: Path, cost: str = "ncp", model: str = "") -> Path:
    """A policy and its table of eight people."""
    rows = [f"{20 + n % 4},{('02138', '02139', '10001')[n % 3]},{'ab'[n % 2]}" for n in range(8)]
    (folder / "people.csv").write_text("age,zip,job\n" + "\n".join(rows) + "\n")
    path = folder / "policy.toml"
    path.write_text(POLICY.format(cost=cost, model=model))
    return path


def test_every_algorithm_is_run_or_says_why_not(tmp_path: Path) -> None:
    """One entry each; what ran is measured, and no proved optimum of a wider space is beaten."""
    runs = {run.algorithm: run for run in compare(policy=shoal.read_policy(policy_in(tmp_path)), seconds=0.5)}
    assert set(runs) == {*ALGORITHMS, *VARIANTS}
    for run in runs.values():
        assert (run.ncp is None) == (run.why is not None)
    assert runs["exact"].status == "optimal"
    assert runs["exact"].ncp == pytest.approx(runs["exact"].cost)
    exact = runs["exact"].ncp
    assert exact is not None
    for name in ("k-optimize", "hill-climb", "exhaustive"):
        found = runs[name].ncp
        assert found is not None
        assert found >= exact


def test_a_cost_that_an_algorithm_does_not_know_is_replaced_and_told(tmp_path: Path) -> None:
    """MinGen knows precision alone."""
    (run,) = compare(policy=shoal.read_policy(policy_in(tmp_path)), algorithms=["mingen"])
    assert run.minimized == "precision"


def test_only_algorithms_of_the_named_model_run(tmp_path: Path) -> None:
    """And each k is tried."""
    policy = shoal.read_policy(policy_in(tmp_path, model='recoding_model = "CG_"'))
    runs = compare(policy=policy, ks=[2, 3], seconds=0.5)
    assert {run.k for run in runs} == {2, 3}
    assert "exact" not in {run.algorithm for run in runs}
    assert "local" in {run.algorithm for run in runs}


def test_only_algorithms_of_columns_run_where_the_policy_says_consistent(tmp_path: Path) -> None:
    """The flag says it, too."""
    path = policy_in(tmp_path, model="consistent = true")
    names = {run.algorithm for run in compare(policy=shoal.read_policy(path), seconds=0.1)}
    assert names >= {"exact", "subtree", "lattice", "datafly"}
    assert not any(name.startswith(("local", "mondrian", "cells")) for name in names)
    asked = ["compare", str(policy_in(tmp_path)), "--consistent", "--seconds", "0.1", "--json"]
    assert {each["algorithm"] for each in json.loads(CliRunner().invoke(app, asked).stdout)} == names


def test_the_command_prints_a_table_and_leaves_no_file(tmp_path: Path) -> None:
    """For people, as Markdown, and for programs."""
    path = policy_in(tmp_path)
    before = sorted(tmp_path.iterdir())
    asked = ["compare", str(path), "--algorithms", "exact,lattice", "-k", "2,3", "--quiet"]
    plain = CliRunner().invoke(app, asked)
    assert plain.exit_code == 0
    head, *lines = plain.stdout.splitlines()
    assert head.split() == [
        *("algorithm", "k", "status", "gap", "NCP", "DM", "CM"),
        *("groups", "smallest", "suppressed", "seconds", "minimized"),
    ]
    assert [line.split()[:3] for line in lines] == [
        ["exact", "2", "optimal"],
        ["lattice", "2", "optimal"],
        ["exact", "3", "optimal"],
        ["lattice", "3", "optimal"],
    ]
    marked = CliRunner().invoke(app, [*asked, "--markdown"])
    assert all(line.startswith("| ") and line.endswith(" |") for line in marked.stdout.splitlines())
    facts = json.loads(CliRunner().invoke(app, [*asked, "--json"]).stdout)
    assert [each["algorithm"] for each in facts] == ["exact", "lattice", "exact", "lattice"]
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--algorithms", "exakt"], "there is no algorithm 'exakt'"),
        (["-k", "two"], "-k is a list of whole numbers"),
        (["--algorithms", "local values"], "an option behind an algorithm is NAME=VALUE"),
        (["--algorithms", "local words=sets"], "algorithm 'local' has no option 'words'"),
    ],
)
def test_a_slip_is_named(asked: list[str], message: str, tmp_path: Path) -> None:
    """With exit code 2."""
    result = CliRunner().invoke(app, ["compare", str(policy_in(tmp_path)), *asked])
    assert result.exit_code == 2
    assert message in result.stderr
