"""Reports to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.gathered import HOSTILE, gathered, hostile


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports as files: a release that holds, one that fails, and one whose names and labels are hostile."""
    from shoal.reports.facts import facts_of
    from shoal.reports.page import report_page

    folder = tmp_path_factory.mktemp("report")
    given = {"holds": gathered(), "fails": gathered(fails=True), "hostile": hostile(HOSTILE)}
    return {name: report_page(facts_of(each)).save(folder / f"{name}.html") for name, each in given.items()}
