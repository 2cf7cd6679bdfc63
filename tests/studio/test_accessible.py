"""axe-core finds nothing wrong with any step, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from shoal.studio.workspace import Workspace
from tests.accessibility import violations
from tests.patience import PATIENCE
from tests.studio.conftest import STUDIO_OF, Studio, comes, step
from tests.studio.test_review import opened, table

READY = {
    "See the data": "How unique rows are",
    "Say what must hold": "The policy so far",
    "Find the best release": "Review this release",
    "Privacy against detail": "Make the front",
    "Before and after": "Counting rows",
    "Write and sign": "The release holds what was demanded",
}
"""Step -> what is on its page once it is drawn."""


def searched(workspace: Workspace) -> None:
    """A table with a release."""
    opened(workspace, table(workspace.folders.opened[0]))
    assert workspace.search("First").job.wait(PATIENCE)


@pytest.fixture(scope="module")
def page(browser: Any, one_studio: Studio) -> Iterator[Any]:
    """One page for all steps; its policy would forbid what looks at it."""
    one_studio.anew(searched)
    context = browser.new_context(viewport={"width": 1360, "height": 900}, bypass_csp=True)
    shown = context.new_page()
    STUDIO_OF[shown] = one_studio
    shown.set_default_timeout(1000 * PATIENCE)
    shown.goto(one_studio.address)
    yield shown
    context.close()


@pytest.mark.parametrize("name", READY)
def test_a_step_is_for_everybody(page: Any, name: str) -> None:
    """Names, roles, contrast, order: what a machine can judge."""
    step(page, name)
    comes(page, page.get_by_text(READY[name]))
    found = {colours: violations(page, colours) for colours in ("light", "dark")}
    assert found == {"light": [], "dark": []}
