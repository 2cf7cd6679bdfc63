"""What a report says of what was measured: verdict, proof, techniques, standards."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from shoal.cost import METRICS
from shoal.errors import EngineError, PolicyError
from shoal.formatting.numbers import listed
from shoal.model.policy.column_set import ColumnSet
from shoal.reports import pdf
from shoal.reports.facts import facts_of
from shoal.reports.numbers import number, odds, seconds, share
from shoal.reports.page import report_page
from shoal.reports.proof import cost_words, proof
from shoal.reports.texts import css_text, cut, visible
from tests.report.gathered import HOSTILE, attack, audit, comparison, gathered, hostile, manifest, policy


def test_a_release_that_holds_says_so_in_one_line() -> None:
    """k, risk before and after, proof, loss and suppressed rows are there to be read."""
    facts = facts_of(gathered())
    assert facts["verdict"]["holds"] is True
    assert (
        facts["verdict"]["line"] == "The release holds what was demanded: every row hides among at least 3."
    )
    assert facts["verdict"]["failures"] == []
    assert facts["audit"]["k"] == 5
    assert facts["risk"]["before"]["prosecutor"]["highest"] == 1
    assert facts["risk"]["after"]["prosecutor"]["highest"] == 0.2
    assert facts["suppressed"] == {
        "rows": 2,
        "share": 2 / 12,
        "masked": 0,
        "dropped": 2,
        "held_back": False,
        "words": "2 of 12 rows (16.7 %) suppressed",
    }
    assert facts["loss"] == {
        "metric": "general-loss",
        "value": 0.25,
        "share": True,
        "words": "25 % of detail lost (general-loss)",
    }
    assert facts["release"]["digest_matches"] is True


def failures(**more: object) -> str:
    """What a report of the release that holds says if one thing is changed."""
    verdict = facts_of(gathered(**more))["verdict"]
    assert verdict["holds"] is False
    return " ".join(verdict["failures"])


def test_everything_that_breaks_a_demand_breaks_the_verdict() -> None:
    """Small groups, models, a changed file, untrue cells, attacks, a present identifier, a broken ledger."""
    assert "1 group(s) with 1 row(s) are smaller than k = 3" in failures(audit=audit(fails=True))
    broken = audit()
    broken["models"]["distinct-l-diversity"] |= {"holds": False, "measured": 1}
    assert "distinct-l-diversity is broken" in failures(audit={**broken, "holds": False})
    assert "their digests differ" in failures(manifest=manifest(release_digest="00" * 32))
    assert "4 cell(s)" in failures(comparison=comparison(holds=False, untrue_cells=4))
    assert "cannot be read" in failures(
        comparison=comparison(holds=False, unreadable=[{"column": "age", "cells": 3}])
    )
    assert "'linkage' succeeds in 90 %" in failures(attacks={"linkage": attack("linkability", 0.9, 0.3)})
    columns = {"age": {"distinct": 1}, "zip": {"distinct": 1}, "name": {"distinct": 10}}
    assert "'name' is an identifier" in failures(
        release={"name": "r.csv", "rows": 10, "columns": columns, "digest": None}
    )
    assert "ledger" in failures(ledger={"holds": False, "words": "Line 3 was changed."})
    assert "'composition', which was not tried: no earlier release is given." in failures(
        policy=replace(policy(), attacks={"composition": 0.1})
    )


def test_the_words_of_the_audit_are_kept() -> None:
    """Where the audit says why, the report says it, as a sentence."""
    told = {**audit(fails=True), "failures": ["the manifest makes wrong claims"]}
    assert facts_of(gathered(audit=told))["verdict"]["failures"] == ["The manifest makes wrong claims."]


def test_without_a_demand_there_is_no_verdict() -> None:
    """A measurement is called a measurement."""
    bare = {**audit(fails=True), "holds": True, "groups_below": 0, "models": {}}
    facts = facts_of(gathered(demanded=False, audit=bare, attacks={}))
    assert facts["verdict"]["holds"] is None
    assert facts["verdict"]["line"] == "Nothing was demanded; the smallest group has 1 row(s)."
    assert "Measured" in report_page(facts).html


def test_a_demand_that_was_not_measured_is_not_said_to_hold() -> None:
    """k of persons cannot be seen in a release without the column that tells them apart."""
    more = {
        "missing": {"persons": "They are not in the release."},
        "unmeasured_demands": ("persons",),
        "policy": replace(policy(), entity="name"),
        "attacks": {},
    }
    facts = facts_of(gathered(**more, manifest=manifest(audit={"k-anonymity(name)": 4, "holds": True})))
    page = report_page(facts).html
    assert facts["verdict"]["holds"] is None
    assert "This was measured only when it was made: persons." in facts["verdict"]["line"]
    assert any("at least 4 persons" in each for each in facts["verdict"]["remarks"])
    assert "Measured in part" in page
    assert "Holds" not in page
    assert "Highest risk of a row" in page
    assert facts["standards"]["wp216"][0]["holds"] is None
    for told in (None, manifest(audit={"k-anonymity": 4}), manifest(audit={"k-anonymity(name)": 2})):
        assert facts_of(gathered(**more, manifest=told))["verdict"]["failures"] == [
            "Demanded, and not measured: persons. There is no manifest to show that it was when the release "
            "was made."
        ]


@pytest.mark.parametrize(
    ("said", "key", "line", "shown"),
    [
        (
            {"entity": "name"},
            "k-anonymity(name)",
            "every row hides among rows of at least 3 persons",
            "persons",
        ),
        (
            {"entity": "name", "linkable": True},
            "whole-history(name)",
            "every person's history is that of at least 3 persons",
            "all rows of a person, and how many there are",
        ),
        (
            {"entity": "name", "linkable": True, "known_events": 2},
            "known-events(name, 2)",
            "up to 2 known rows of a person are rows of at least 3 persons",
            "up to 2 rows of a person, and not how many there are",
        ),
        (
            {"household": "name"},
            "whole-history(name)",
            "every household has the same members as at least 3 households",
            "all members of a household",
        ),
    ],
    ids=["a", "b", "c", "household"],
)
def test_the_first_page_counts_people(said: dict[str, Any], key: str, line: str, shown: str) -> None:
    """Each promise about people is named with its attacker; the fewest alike are persons or households."""
    kept = tuple(each for each in policy().attributes if each.name != "name")
    measured = {key: {"demand": "3", "measured": 4, "holds": True}}
    facts = facts_of(
        gathered(
            policy=replace(policy(), k=3, attributes=kept, **said),
            audit={**gathered().audit, "models": measured, "holds": True, "failures": []},
            attacks={},
        )
    )
    assert (facts["people"]["fewest"], facts["people"]["by_manifest"]) == (4, False)
    assert line in facts["verdict"]["line"]
    page = report_page(facts).html
    unit = "households" if "household" in said else "persons"
    assert f"Fewest {unit} alike (k)" in page
    assert "What is promised about people" in page
    assert shown in page
    plain = facts_of(gathered())
    assert plain["people"]["promise"] is None
    assert "Every row is taken for a person of its own" in report_page(plain).html


def test_wildcards_are_said_to_promise_less() -> None:
    """A release whose k holds only with * as any value is not said to hold without that."""
    read = {**audit(fails=True), "k-anonymity-wildcard": 3, "holds-wildcard": True}
    verdict = facts_of(gathered(audit=read))["verdict"]
    assert verdict["holds"] is True
    assert "only with * read as any value" in verdict["line"]
    assert any("Read as a separate value" in each for each in verdict["remarks"])


def test_sets_that_are_known_apart_promise_less() -> None:
    """Nobody is told that rows hide among k whatever is known, beside a risk of all columns together."""
    columns = [each.name for each in gathered().policy.quasi_identifiers]
    apart = replace(gathered().policy, sets=tuple(ColumnSet(columns=(name,)) for name in columns))
    verdict = facts_of(gathered(policy=apart))["verdict"]
    assert verdict["line"].endswith(
        "on each set of columns that are known apart. All columns together may identify single rows."
    )
    assert any("knows all of them together" in each for each in verdict["remarks"])


def test_wildcards_excuse_nothing_else() -> None:
    """A file that was changed after its release fails, however its stars are read."""
    changed = ["the file is not the one that its manifest is about"]
    read = {**audit(fails=True), "k-anonymity-wildcard": 3, "holds-wildcard": True, "failures": changed}
    verdict = facts_of(gathered(audit=read))["verdict"]
    assert verdict["failures"] == ["The file is not the one that its manifest is about."]
    assert verdict["holds"] is False


@pytest.mark.parametrize(
    ("more", "short", "words"),
    [
        (
            {},
            "least loss among cuts of the columns' orders, proved",
            "none that meets all that its policy demands",
        ),
        (
            {"status": "feasible", "gap": 0.12, "bound": 0.22},
            "other cuts of the columns' orders could keep at most 3 points more of the detail",
            "A cell keeps 75 % of its detail on average. Among cuts of the columns' orders, none could keep "
            "more than 78 %.",
        ),
        (
            {"status": "feasible", "cost_metric": "discernibility", "cost": 25, "gap": 0.12, "bound": 22},
            "the least loss among cuts of the columns' orders is at most 12 % lower",
            "none can cost less than 22, which is 88 % of the cost of this one",
        ),
        ({"status": "feasible", "gap": None, "bound": None}, "no bound", "It proves nothing about others"),
        ({"status": "minimal", "gap": None}, "no finer levels would do", "one level finer"),
    ],
)
def test_a_proof_is_told_in_plain_words(more: dict[str, object], short: str, words: str) -> None:
    """What each status means for somebody who will never run a search."""
    told = proof(manifest(**more))
    assert told["short"] == short
    assert words in told["words"]


def test_every_cost_is_explained() -> None:
    """A metric that the package has has a line in the report."""
    assert all(cost_words(name) for name in METRICS)
    assert cost_words("gone") is None


def test_no_proof_without_a_manifest() -> None:
    """Nothing is made up of a table that another tool released."""
    assert proof(None)["status"] == "unknown"
    assert "how it was chosen is unknown" in proof(None)["words"]


def techniques(columns: dict[str, dict[str, object]], **more: object) -> dict[str, dict[str, object]]:
    """The line of each column of a release with these columns."""
    release = {"name": "r.csv", "rows": 10, "columns": columns, "digest": None}
    facts = facts_of(gathered(release=release, **more))
    return {each["name"]: each for each in facts["variables"]}


def column(*labels: str, stars: float = 0.0) -> dict[str, object]:
    """A released column with these labels."""
    shown = [{"label": each, "share": (1 - stars) / max(1, len(labels))} for each in labels]
    return {"distinct": len(labels), "suppressed": stars, "labels": shown}


def test_each_column_has_its_technique_in_the_terms_of_the_standard() -> None:
    """Removed, kept, generalized, suppressed in part or altogether."""
    found = techniques(
        {
            "age": column("[30, 39]", "[40, 59]"),
            "zip": column("02121", stars=0.25),
            "illness": {"distinct": 4},
        }
    )
    assert found["age"]["terms"] == ["generalization (rounding)"]
    assert found["age"]["words"] == "Generalized to 2 labels."
    assert (found["age"]["distinct_before"], found["age"]["distinct_after"]) == (9, 2)
    assert found["age"]["losses"] == {"general-loss": 0.5}
    assert found["zip"]["terms"] == ["local suppression"]
    assert found["zip"]["words"] == "25 % of its cells read *."
    assert found["illness"]["done"] == "kept"
    assert (found["name"]["done"], found["name"]["terms"]) == ("removed", ["masking"])


def test_a_foreign_table_is_judged_by_its_labels() -> None:
    """Intervals, ends and hidden digits are seen without a manifest; a plain label is not said to be kept."""
    alone = {"manifest": None, "original": None, "comparison": None, "utility": None, "risk_before": None}
    found = techniques({"age": column("<30", ">=30"), "zip": column("021**", "022**")}, **alone)
    assert found["age"]["terms"] == ["generalization (top and bottom coding)"]
    assert found["zip"]["terms"] == ["generalization (trailing signs masked)"]
    found = techniques({"age": column("adult"), "zip": column("*", stars=1.0)}, **alone)
    assert found["age"]["done"] == "unknown"
    assert found["zip"]["words"] == "Every cell reads *."


def test_nothing_is_said_to_be_kept_that_is_not_known_to_be() -> None:
    """A bin is one value in the manifest and none of the source; a foreign column may be changed."""
    binned = manifest(recoding={"age": [{"label": "[20, 25)", "values": ["[20, 25)"]}]})
    rough = policy(bins={"age": 5})
    found = techniques({"age": column("[20, 25)"), "zip": column("1")}, manifest=binned, policy=rough)
    assert found["age"]["words"] == "Generalized to 1 labels."
    alone = {"manifest": None, "original": None, "comparison": None, "utility": None, "risk_before": None}
    found = techniques({"age": column("a"), "zip": column("1"), "illness": {"distinct": 4}}, **alone)
    assert found["illness"]["words"] == "In the release; whether it was changed is not known."
    swapped = comparison(holds=False, untrue_cells=3, untrue=[{"column": "illness", "cells": 3}])
    found = techniques(
        {"age": column("a"), "zip": column("1"), "illness": {"distinct": 4}}, comparison=swapped
    )
    assert found["illness"]["words"] == "3 cells are not true of the original."


def test_centroids_are_no_generalization() -> None:
    """A release whose cells are means says so, and is not called truthful."""
    facts = facts_of(gathered(manifest=manifest(truthful=False)))
    lines = {each["name"]: each for each in facts["variables"]}
    assert lines["age"]["terms"] == ["microaggregation"]
    assert any("need not be true of their own row" in each for each in facts["verdict"]["remarks"])


def test_means_are_not_judged_by_the_width_of_cells() -> None:
    """A mean looks as narrow as an exact value; its loss is the cost of the search, and it breaks nothing."""
    untrue = comparison(holds=False, untrue_cells=4, untrue=[{"column": "age", "cells": 4}])
    means = manifest(truthful=False, cost_metric="sse", cost=0.3)
    facts = facts_of(gathered(manifest=means, comparison=untrue, attacks={}))
    assert facts["verdict"]["failures"] == []
    assert facts["loss"]["metric"] == "sse"
    assert facts["comparison"]["losses"]["general-loss"] is None
    foreign = facts_of(gathered(manifest=None, comparison=untrue))
    assert foreign["loss"] is None
    assert foreign["loss_missing"] == "some cells are not true of the original"


def test_the_three_criteria_are_answered_or_said_to_be_open() -> None:
    """Singling out by the audit, the others by attacks; without a threshold there is no verdict."""
    wp216 = {each["criterion"]: each for each in facts_of(gathered())["standards"]["wp216"]}
    assert wp216["singling out"]["holds"] is True
    assert "1 in 5" in wp216["singling out"]["words"]
    assert wp216["linkability"]["holds"] is True
    assert wp216["inference"]["holds"] is None
    assert wp216["inference"]["words"] == "Attacks without a threshold: homogeneity 50 %."
    failing = {each["criterion"]: each for each in facts_of(gathered(fails=True))["standards"]["wp216"]}
    assert failing["singling out"]["holds"] is False
    assert failing["linkability"]["holds"] is False


def test_an_attack_without_a_threshold_leaves_inference_open() -> None:
    """One that is within its threshold does not speak for another that has none and succeeds."""
    two = {"homogeneity": attack("inference", 0.0, 0.1), "skewness": attack("inference", 0.4, None)}
    wp216 = {each["criterion"]: each for each in facts_of(gathered(attacks=two))["standards"]["wp216"]}
    assert wp216["inference"]["holds"] is None
    two["skewness"] = attack("inference", 0.4, 0.5)
    wp216 = {each["criterion"]: each for each in facts_of(gathered(attacks=two))["standards"]["wp216"]}
    assert wp216["inference"]["holds"] is True
    assert wp216["linkability"] == {
        "criterion": "linkability",
        "question": "Can rows of one person in two tables be brought together?",
        "words": "No attack on this was tried.",
        "holds": None,
    }


def test_regulators_find_their_fields() -> None:
    """Risks, variables, threshold, conclusion; what only a person knows is left to them."""
    fields = {each["field"]: each["answer"] for each in facts_of(gathered())["standards"]["regulators"]}
    assert fields["Initial risk"] == "highest 100 %, average 100 %"
    assert fields["Residual risk"] == "highest 20 %, average 20 %"
    assert fields["Direct identifiers"] == "name"
    assert fields["Risk threshold"] == (
        "33.3 % (the policy: 1/k, with k = 3): met for everybody; 20 % (readers within an organisation, or "
        "bound by an agreement): met for everybody; 9 % (public release: European Medicines Agency (policy "
        "0070) and Health Canada): not met; 5 % (where it must be strict): not met"
    )
    assert "For the publisher to state" in fields["Context and recipients of the data"]


def test_no_value_of_the_original_is_told() -> None:
    """The manifest's recoding lists values that rows had before; neither page nor JSON has them."""
    secret = manifest()
    secret["recoding"]["age"] = [
        {"label": "[30, 39]", "values": ["secret-31", "secret-36"]},
        {"label": "[40, 59]", "values": ["secret-47"]},
    ]
    report = report_page(facts_of(gathered(manifest=secret)))
    assert "secret" not in report.html
    assert "secret" not in report.to_json()


def test_the_same_facts_make_the_same_bytes() -> None:
    """A report can be compared with another by its digest."""
    first, second = (report_page(facts_of(gathered())) for _ in range(2))
    assert first.html == second.html
    assert first.to_json() == second.to_json()
    assert json.loads(first.to_json())["format"] == "shoal-report-1"


def test_of_many_labels_the_frequent_ones_are_told() -> None:
    """Twenty, and how many more there are."""
    many = [{"label": f"v{index:02}", "share": (index + 1) / 1378} for index in range(52)]
    columns = {"age": {"distinct": 52, "suppressed": 0.0, "labels": many}, "zip": column("1")}
    release = {"name": "r.csv", "rows": 10, "columns": columns, "digest": None}
    facts = facts_of(gathered(release=release, utility=None))
    assert [each["label"] for each in facts["labels"]["age"]["shown"]] == [f"v{n}" for n in range(32, 52)]
    assert facts["labels"]["age"]["more"] == 32
    assert "and 32 more labels" in report_page(facts).html


def test_hostile_texts_are_escaped_in_the_page_itself() -> None:
    """No tag of theirs is in the source, in text, attributes, charts or the style sheet."""
    page = report_page(facts_of(hostile(HOSTILE))).html
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("<style") == 1
    assert page.count("</style>") == 1
    assert "\u202e" not in page


def test_a_report_is_saved_by_the_ending_of_its_name(tmp_path: object) -> None:
    """.html and .json are written; another ending is refused with those that there are."""
    report = report_page(facts_of(gathered()))
    assert report.save(f"{tmp_path}/r.html").read_text(encoding="utf-8") == report.html
    assert json.loads(report.save(f"{tmp_path}/r.json").read_text(encoding="utf-8")) == json.loads(
        report.to_json()
    )
    with pytest.raises(PolicyError, match=r"\.html, \.json or \.pdf"):
        report.save(f"{tmp_path}/r.docx")
    assert 'sandbox=""' in report._repr_html_()


def test_without_a_browser_the_way_out_of_a_pdf_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """Open the page and print it."""
    monkeypatch.setattr(pdf, "browser", lambda: None)
    with pytest.raises(EngineError, match=r"none was found.*print it"):
        report_page(facts_of(gathered())).save(f"{tmp_path}/r.pdf")


def test_numbers_are_told_as_people_read_them() -> None:
    """Separators, per cents that say something, odds, times, folded lists."""
    assert [number(each) for each in (1204518, 0.03125, 51237.04, None)] == [
        "1,204,518",
        "0.03125",
        "51,237.0",
        "not measured",
    ]
    assert [share(each) for each in (0, 1, 0.5, 0.0312, 0.99999, 0.000001)] == [
        "0 %",
        "100 %",
        "50 %",
        "3.1 %",
        "above 99.9 %",
        "below 0.01 %",
    ]
    assert [odds(each) for each in (1, 0.1, 1 / 30162, 0)] == ["certain", "1 in 10", "1 in 30,162", "none"]
    assert [seconds(each) for each in (0.5, 150, 7300)] == ["0.5 s", "2 min 30 s", "2 h 1 min"]
    assert listed([str(each) for each in range(53)]).endswith("18, 19 and 33 more")


def test_texts_of_others_stay_texts() -> None:
    """Hidden signs are spelled out, long ones cut, and a style sheet's string cannot be left."""
    assert visible("a\u202eb\tc") == "a[U+202E]b c"
    assert cut("n" * 300) == "n" * 79 + "…"
    assert css_text('"}</style>') == '"\\22 \\7d \\3c \\2f style\\3e "'


def test_an_attack_that_had_nothing_to_try_says_nothing() -> None:
    """No earlier release is no proof that releases cannot be linked."""
    idle = {**attack("linkability", 0.0, 0.0), "tried": 0, "succeeded": 0, "judged": False}
    facts = facts_of(replace(gathered(), attacks={"composition": idle}))
    (linkability,) = (each for each in facts["standards"]["wp216"] if each["criterion"] == "linkability")
    assert linkability["words"] == "No attack on this was tried."
    assert linkability["holds"] is None
