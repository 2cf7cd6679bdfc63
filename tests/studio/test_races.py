"""One tab opens another table while another tab is still at the last one: nothing of the two is mixed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from shoal import PolicyError
from shoal.studio.parts import MOST_SIGNS, _cut
from shoal.studio.steps.choose.requests import Choosing, release_point
from shoal.studio.steps.release.state import WRITING, order_of
from shoal.studio.steps.release.write_form import _begin, _stop
from shoal.studio.steps.search import run_actions
from shoal.studio.workspace import Run, Workspace
from tests.studio.test_release_step import run as run
from tests.studio.test_release_step import workspace as workspace


def reopened(workspace: Workspace) -> None:
    """Open a table anew, as another tab would."""
    workspace.open(workspace.needed_table())


def test_a_run_of_a_closed_table_begins_nothing(workspace: Workspace, run: Run) -> None:
    """Its policy is for another table: not searched again, not reviewed, not taken, not written."""
    order = order_of(workspace, run)
    reopened(workspace)
    run_actions.search_on(workspace, run)
    run_actions.choose(workspace, run)
    before = workspace.draft
    run_actions.take_policy(workspace, run)
    _begin(workspace, order)
    _stop(workspace)
    assert (workspace.runs, workspace.chosen, workspace.draft) == ([], None, before)
    assert WRITING not in workspace.jobs


def test_a_point_of_a_closed_tables_front_is_not_released(workspace: Workspace) -> None:
    """The front that a tab still shows is of the table before."""
    choosing = workspace.state(Choosing)
    choosing.made = workspace.draft.copy()
    reopened(workspace)
    with pytest.raises(PolicyError, match="closed"):
        release_point(workspace, choosing, cast(Any, None), cast(Any, SimpleNamespace(number=1, k=2)))
    assert workspace.runs == []


def test_a_grid_gets_the_beginning_of_a_long_cell() -> None:
    """A cell of ten million signs would stop the page."""
    assert len(_cut("x" * 10_000_000)) == MOST_SIGNS + 1
    assert _cut("x" * MOST_SIGNS) == "x" * MOST_SIGNS
