"""The worked example of the protocol: three holders of ZIP codes."""

from __future__ import annotations

from pathlib import Path

import pandas
import pytest

import shoal
from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import Suppression
from tests.joint.parties import identities, joint_policy, multiset, run_joint

ZIP = Hierarchy(tuple((code, f"{code[:4]}*", "*") for code in ("02138", "02139", "02141", "02142")))
ROWS = (
    ["02138", "02138", "02139", "02141"],
    ["02138", "02139", "02142", "02142", "02142"],
    ["02139", "02141"],
)


@pytest.mark.parametrize(
    ("suppression", "insider", "levels", "suppressed"),
    [(2, False, (0,), 2), (0, False, (1,), 0), (5, True, (1,), 5), (0, True, (2,), 0)],
)
def test_the_worked_example(
    tmp_path: Path, suppression: int, insider: bool, levels: tuple[int, ...], suppressed: int
) -> None:
    """Level 0 with two rows suppressed; level 1 without; with insiders 0214* does not hold, either."""
    known = identities(tmp_path, ("desk", "north", "south", "west"))
    policy = Policy(
        attributes=(Attribute(name="zip", role=Role.QUASI_IDENTIFIER, hierarchy=ZIP),),
        k=3,
        suppression=Suppression(suppression),
        algorithm="lattice",
    )
    tables = [pandas.DataFrame({"zip": rows, "stay": range(len(rows))}) for rows in ROWS]
    run = run_joint(joint_policy(policy, known, 3, insider=insider), known, tables, tmp_path / "release.csv")
    assert run.errors == {}
    assert run.finished is not None
    assert run.finished.result.recoding.levels == levels  # type: ignore[union-attr]
    assert run.finished.result.suppressed == suppressed
    assert len(multiset(tmp_path / "release.csv")) == 11 - suppressed
    if insider:
        return
    central = shoal.anonymize(
        pandas.concat(tables),
        quasi_identifiers=["zip"],
        hierarchies={"zip": ZIP},
        k=3,
        suppression=suppression,
        algorithm="lattice",
        path=tmp_path / "central.csv",
    )
    assert run.finished.result.nodes == central.result.nodes
    assert (run.finished.result.cost, run.finished.result.bound) == (
        central.result.cost,
        central.result.bound,
    )
    assert multiset(tmp_path / "release.csv") == multiset(tmp_path / "central.csv")
