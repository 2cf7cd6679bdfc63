"""What results show of themselves in a notebook: the object's own facts, escaped, without a script."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from typing import Any

import pandas
import pytest

import shoal
from shoal.formatting.card import LONGEST, MOST_ROWS, STYLE, Badge, Card, Grid
from shoal.formatting.numbers import number, percent

HOSTILE = "<script>alert('age')</script> & $x$"
LABELS = ["<img src=x onerror=alert(1)>", "</style><b>b</b>"]
QUASI = [HOSTILE, "town"]
VOID = {"br", "hr", "img", "input", "link", "meta"}
ALLOWED = {
    *("div", "style", "p", "strong", "span", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr"),
    *("th", "td", "details", "summary", "i"),
}


class Page(HTMLParser):
    """The elements of a card, and that each is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.pairs: list[list[str]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        assert tag not in VOID
        self.open.append(tag)
        if tag == "dt":
            self.pairs.append(["", ""])
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text += f"{data} "
        if self.open[-1] == "dt":
            self.pairs[-1][0] += data
        elif self.open[-1] == "dd":
            self.pairs[-1][1] += data
        elif self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data

    @property
    def facts(self) -> dict[str, str]:
        return dict(self.pairs)

    def row(self, first: str) -> list[str]:
        """The row that begins with a cell."""
        return next(row for row in self.rows if row[0] == first)


@pytest.fixture(scope="module")
def people() -> pandas.DataFrame:
    """Sixteen people in columns with names that nobody should have."""
    return pandas.DataFrame(
        {
            HOSTILE: [20, 21, 22, 23, 30, 31, 32, 33] * 2,
            "town": [LABELS[0], LABELS[1]] * 8,
            "illness": ["flu", "cold", "flu", "gout"] * 4,
        }
    )


@pytest.fixture(scope="module")
def results(people: pandas.DataFrame) -> dict[str, Any]:
    """One of each result."""
    stated: dict[str, Any] = {"quasi_identifiers": QUASI, "k": 4, "sensitive": ["illness"]}
    release = shoal.anonymize(people, nodes=100, **stated)
    policy = shoal.Policy(
        attributes=tuple(shoal.Attribute(name=each, role=shoal.Role.QUASI_IDENTIFIER) for each in QUASI), k=4
    )
    runs = shoal.compare(people, policy, algorithms=["local", "exact", "cells"])
    return {
        "Release": release,
        "Manifest": release.manifest,
        "Verdict": release.verdict,
        "Inspected": shoal.inspect(people, quasi_identifiers=QUASI),
        "Audited": shoal.audit(people, **stated),
        "Front": shoal.front(people, quasi_identifiers=QUASI, ks=[2, 4, 8], nodes=100),
        "RiskReport": shoal.risk(people, quasi_identifiers=QUASI, highest=0.1),
        "runs": runs,
        "Compared": runs[0],
        "AttackReport": shoal.attack(release.data, original=people, **stated),
        "Utility": shoal.utility(
            release.data, original=people, quasi_identifiers=QUASI, sensitive=["illness"], queries=20
        ),
        "Explanation": shoal.explain(people, nodes=100, algorithm="exact", **stated),
    }


NAMES = (
    *("Release", "Manifest", "Verdict", "Inspected", "Audited", "Front", "RiskReport", "runs", "Compared"),
    *("AttackReport", "Utility", "Explanation"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_escaped_and_has_no_script(results: dict[str, Any], name: str) -> None:
    """Only plain elements, none with a handler or an address, every table with a caption and scopes."""
    card = results[name]._repr_html_()
    page = Page(card)
    assert page.open == []
    assert {tag for tag, _ in page.elements} <= ALLOWED
    for tag, attributes in page.elements:
        assert set(attributes) <= {"class", "style", "scope", "title", "aria-hidden"}
        assert tag != "th" or attributes["scope"] in ("col", "row")
        assert "style" not in attributes or re.fullmatch(r"width:[\d.]+%", attributes["style"] or "")
    assert sum(tag == "style" for tag, _ in page.elements) == 1
    assert "http" not in card
    assert "url(" not in card


@pytest.mark.parametrize("name", ["Release", "Verdict", "Inspected", "Audited", "RiskReport", "Utility"])
def test_a_card_shows_hostile_names_as_text(results: dict[str, Any], name: str) -> None:
    """A name that looks like an element is read as it is written."""
    assert HOSTILE in Page(results[name]._repr_html_()).text


def test_every_rule_of_the_style_is_of_a_card_alone() -> None:
    """Nothing else on a notebook's page changes."""
    rules = re.sub(r"@media[^{]*\{(.*?\}[^{}]*)\}", r"\1", STYLE)
    selectors = [each for rule in re.findall(r"([^{}]+)\{", rules) for each in rule.split(",")]
    assert len(selectors) > 20
    assert all(each.startswith(".shoal-card.shoal-card") for each in selectors)


def test_a_release_shows_its_figures(results: dict[str, Any]) -> None:
    """Those of the manifest, of the audit, and of each column."""
    release = results["Release"]
    page = Page(release._repr_html_())
    assert page.facts["k measured"] == str(release.verdict.k)
    assert page.facts["rows"] == f"{release.verdict.measured.rows} of {release.manifest.rows}"
    assert page.facts["groups"] == str(release.manifest.groups)
    assert page.facts["general loss"] == number(release.manifest.cost)
    for column in release.columns:
        shown = page.row(column.name if len(column.name) <= 32 else f"{column.name[:29]}...")
        assert shown[1:4] == [percent(column.loss), str(column.values), str(column.labels)]
    assert release.manifest.status in page.text
    assert "audit holds" in page.text


def test_a_printed_release_reads_well(results: dict[str, Any]) -> None:
    """The outcome, the proof and the columns, without a number of sixteen digits; `repr` stays."""
    release = results["Release"]
    lines = str(release).splitlines()
    assert lines[0].startswith(f"{release.manifest.status}   detail kept ")
    assert lines[0].endswith("suppressed 0 rows (0 %)   audit holds")
    assert f"{release.manifest.groups} groups, the smallest of {release.verdict.k}" in lines[2]
    assert lines[3].startswith("column ")
    assert not re.search(r"\d\.\d{6}", str(release))
    assert repr(release).startswith("Release(")
    assert f"gap={release.manifest.gap}" in repr(release)


def test_an_inspected_table_shows_its_columns(results: dict[str, Any]) -> None:
    """With counts, likely roles and reasons."""
    inspected = results["Inspected"]
    page = Page(inspected._repr_html_())
    assert page.facts["rows"] == str(inspected.rows)
    assert page.facts["unique rows"] == f"{inspected.unique_rows} ({percent(inspected.unique_rows / 16)})"
    for column in inspected.columns:
        role = [column.likely_role.value, column.reason]
        counts = [str(column.missing), str(column.distinct)]
        assert page.row(column.name)[1:6] == [column.kind, *counts, *role]


def test_an_audit_that_fails_says_so_in_words(results: dict[str, Any]) -> None:
    """The badge, each failure, and the rows at risk."""
    audited = results["Audited"]
    assert not audited.meets
    page = Page(audited._repr_html_())
    assert "does not hold" in page.text
    assert all(failure in page.text for failure in audited.failures)
    assert page.row("k-anonymity")[2:4] == [str(audited.k), "no"]
    for each in audited.at_risk:
        assert [str(each.below), str(each.rows), percent(each.share)] in page.rows


def test_a_verdict_shows_what_was_demanded_and_measured(results: dict[str, Any]) -> None:
    """In a row per demand."""
    verdict = results["Verdict"]
    page = Page(verdict._repr_html_())
    row = page.row("k-anonymity")
    assert row == ["k-anonymity", "groups of at least 4 rows", str(verdict.k), "yes", "nothing"]


def test_a_front_shows_its_points(results: dict[str, Any]) -> None:
    """All of them, with their k and loss."""
    front = results["Front"]
    page = Page(front._repr_html_())
    assert page.facts["points"] == str(len(front))
    for point in front:
        row = page.row(str(point.number))
        assert row[1:4] == [str(point.k), percent(point.risk), number(float(point.values["general-loss"]))]
    assert front.suggestion in page.text


def test_a_risk_report_shows_each_attacker(results: dict[str, Any]) -> None:
    """And that a limit is exceeded."""
    report = results["RiskReport"]
    page = Page(report._repr_html_())
    prosecutor = report.prosecutor
    highest = [percent(prosecutor.highest), percent(prosecutor.average), percent(prosecutor.share_above)]
    assert page.row("prosecutor")[1:4] == highest
    assert "above the limits" in page.text
    assert all(failure in page.text for failure in report.failures)


def test_a_comparison_shows_every_run(results: dict[str, Any]) -> None:
    """The list of runs is a table; refused ones come with the reason."""
    runs = results["runs"]
    assert isinstance(runs, list)
    page = Page(runs._repr_html_())
    for run in runs:
        row = page.row(run.algorithm)
        assert run.status in row or run.why in row
    assert number(runs[0].ncp) in page.row("local")


def test_attacks_without_limits_are_not_praised(results: dict[str, Any]) -> None:
    """Where a policy allows anything, the card does not say that a release withstands."""
    report = results["AttackReport"]
    page = Page(report._repr_html_())
    assert not any(each.judged for each in report.results)
    assert "no limits were set" in page.text
    for each in report.results:
        assert page.row(each.name)[4] == percent(each.rate)
    assert set(report.skipped) <= {row[0] for row in page.rows}


def test_a_manifest_and_a_utility_show_their_figures(results: dict[str, Any]) -> None:
    """Those of the object."""
    manifest, utility = results["Manifest"], results["Utility"]
    page = Page(manifest._repr_html_())
    assert page.facts["k"] == str(manifest.k)
    assert page.row("source")[1] == manifest.source_digest[:12]
    page = Page(utility._repr_html_())
    assert page.facts["median error of a query"] == percent(utility.queries.median_error)
    for each in utility.columns:
        assert page.row(each.name)[2] == number(each.distance)


def test_an_explanation_shows_its_columns_and_constraints(results: dict[str, Any]) -> None:
    """The same tables as its text."""
    found = results["Explanation"]
    page = Page(found._repr_html_())
    assert all(attribute.words in page.text for attribute in found.attributes)
    assert {price.constraint for price in found.constraints} <= {row[0] for row in page.rows}


def test_long_tables_are_folded_and_long_cells_cut() -> None:
    """Nothing is lost: the rest of a table opens, and the title has the whole cell."""
    cell = "x" * (LONGEST + 1)
    rows = tuple((str(place), cell) for place in range(MOST_ROWS + 3))
    shown = Card(title="t", tables=(Grid(caption="c", head=("a", "b"), rows=rows),)).html()
    page = Page(shown)
    assert f"{3:,} more" in page.text
    assert len(page.rows) == len(rows) + 2
    assert html.escape(f'title="{cell}"', quote=False) in shown
    assert cell not in page.text


def test_control_characters_cannot_leave_a_cell() -> None:
    """Signs that turn text around or move a cursor are spaces."""
    shown = Card(title="a\u202eb\x1b[2J", badges=(Badge(text="\n"),)).html()
    assert "\u202e" not in shown
    assert "\x1b" not in shown
