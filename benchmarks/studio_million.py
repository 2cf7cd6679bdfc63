"""A million rows through the studio: how long its user waits, from the file to the reviewed release.

    .venv/bin/python benchmarks/studio_million.py [ROWS]

The table is the bundled Adult, repeated, with ages, hours and survey weights changed at random, so that rows
differ as those of a large register do. A browser opens it by its path, starts the search that the studio
suggests, and waits until every part of the review is there. Each line has the seconds that passed, the
processor seconds of the studio and its workers, and the load of the machine: without it the first say little.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import duckdb  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from tests.studio.conftest import Studio  # noqa: E402

import shoal  # noqa: E402

ROWS = 1_000_000
MOST_SECONDS = 1_800
WAITS = "!document.querySelector('.waiting')"


def table(path: Path, rows: int) -> None:
    """Write the bundled table, repeated and jittered, as a CSV file."""
    adult = shoal.datasets.adult_path()
    jittered = """
        cast(greatest(17, least(90, age + floor(random() * 7) - 3)) AS integer) AS age,
        cast(fnlwgt * (0.9 + 0.2 * random()) AS integer) AS fnlwgt,
        cast(greatest(1, least(99, "hours-per-week" + floor(random() * 7) - 3)) AS integer)
            AS "hours-per-week"
    """
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(0.5)")
        connection.execute(f"CREATE TABLE adult AS FROM read_csv('{adult}')")
        (own,) = connection.execute("SELECT count(*) FROM adult").fetchone() or (1,)
        connection.execute(
            f"COPY (SELECT adult.* REPLACE ({jittered}) FROM range({rows // own + 1}), adult LIMIT {rows}) "
            f"TO '{path}' (HEADER)"
        )


def processor_seconds(studio: Studio) -> float:
    """The processor time of the studio and of all that it has started, also of what has ended."""
    ticks, parents = {}, {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(place.name)] = int(fields[1])
        ticks[int(place.name)] = sum(map(int, fields[11:15]))
    own = {studio.process.pid}
    while more := {each for each, parent in parents.items() if parent in own} - own:
        own |= more
    return sum(ticks.get(each, 0) for each in own) / os.sysconf("SC_CLK_TCK")


@contextmanager
def timed(studio: Studio, what: str) -> Iterator[None]:
    """Print what a part of the way took."""
    began, used = time.monotonic(), processor_seconds(studio)
    yield
    seconds, processor = time.monotonic() - began, processor_seconds(studio) - used
    load = os.getloadavg()[0]
    print(f"{what:<34}{seconds:>8.1f} s{processor:>10.1f} s processor{load:>8.1f} load", flush=True)


def way(page: Any, studio: Studio, file: str) -> None:
    """From the file to the review."""
    page.get_by_label("Path", exact=True).fill(file)
    known = page.get_by_role("heading", name="How unique rows are")
    with timed(studio, "open: columns, roles, uniqueness"):
        with timed(studio, "  of it, until rows are shown"):
            page.get_by_label("Path", exact=True).press("Enter")
            page.get_by_role("heading", name="The first rows").or_(known).first.wait_for()
        known.wait_for()
    page.goto(studio.origin + "/search")
    with timed(studio, "search: a release, audited"):
        page.get_by_role("button", name="Start the search").click()
        page.get_by_role("button", name="Review this release").wait_for()
    with timed(studio, "review: complete"):
        page.get_by_role("button", name="Review this release").click()
        page.get_by_role("heading", name="Usefulness").wait_for()
        page.wait_for_function(WAITS)


def main() -> None:
    """Make the table, start a studio, go the way, end it."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    folder = Path(tempfile.mkdtemp()) / "tables"
    folder.mkdir()
    table(folder / "people.csv", rows)
    print(f"{rows:,} rows, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    studio = Studio(folder, folder.parent)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            page = browser.new_context(viewport={"width": 1360, "height": 900}).new_page()
            page.set_default_timeout(1000 * MOST_SECONDS)
            page.goto(studio.address)
            way(page, studio, "people.csv")
            browser.close()
    finally:
        studio.end()
        shutil.rmtree(folder.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
