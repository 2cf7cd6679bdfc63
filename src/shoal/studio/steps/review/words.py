"""Measurements in words for readers without background knowledge. No page code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal import Release, RiskReport, Utility, privacy
from shoal.formatting.detail import MEANS_OVER_CELLS, points
from shoal.formatting.numbers import number, percent


def model_words(key: str) -> str:
    """What a model measures, by its key."""
    name = key.partition("(")[0].partition(" ")[0]
    return privacy.MODELS[name].measures if name in privacy.MODELS else ""


def proof(release: Release) -> tuple[str, str]:
    """What is known of the loss: a word, and a sentence."""
    word, sentence = _loss(release)
    if (release.manifest.certificate or {}).get("verified") is True:
        sentence += "; by its manifest an independent checker verified that"
    return word, sentence


def _loss(release: Release) -> tuple[str, str]:
    facts, gap = release.manifest, release.manifest.gap
    by_detail = facts.cost_metric in MEANS_OVER_CELLS
    if facts.status == "optimal":
        return "Proved", f"no other {facts.kind} lose less"
    if facts.status == "minimal":
        return "Minimal", "no column can be released one level finer"
    stopped = "stopped by a user; " if release.result.interrupted else ""
    if gap is None:
        return "Best found", f"{stopped}how much less could be lost is not known"
    if gap >= 0.9995:
        return "Best found", f"{stopped}the search ended before it could prove how much could be saved"
    if by_detail and facts.cost is not None and facts.bound is not None:
        better = points(facts.cost, facts.bound)
        return "Best found", f"{stopped}at most {better} more of the detail could be kept"
    return "Best found", f"{stopped}at most {percent(gap)} could be saved"


def risk_words(after: RiskReport) -> list[str]:
    """Sentences next to the figures."""
    counted = after.counted
    many = after.sizes.rows if after.persons is None else after.persons.count
    sentences = [
        f"Whoever tries to match everybody with the release is right about "
        f"{number(round(after.marketer.expected, 1))} of {many:,} {counted}, and does not know which."
    ]
    if after.persons is not None:
        sentences.append(f"{after.persons.sentence()}.")
    if after.household is not None:
        sentences.append(
            f"Whoever looks up the members of households one by one is expected to find "
            f"{number(round(after.household.expected_households, 1))} of {after.household.households:,} "
            f"households; {after.household.alone_by_composition:,} are alone by their members."
        )
    if after.journalist is None:
        sentences.append(
            "The journalist, who does not know who is in the table, was not measured: nothing is known about "
            "the population. That risk is never above the prosecutor's."
        )
    return [*sentences, *(f"{note[:1].upper()}{note[1:]}." for note in after.notes)]


def utility_words(utility: Utility, *, trained: bool) -> list[tuple[str, str]]:
    """What a release is good for, in sentences: a name, a sentence."""
    facts: Mapping[str, Any] = utility.to_dict()
    sentences = []
    queries, pairs = facts.get("queries"), facts.get("association")
    if queries and queries.get("median_error") is not None:
        sentences.append(
            (
                "Counting rows",
                f"Half of {queries['tried']:,} random questions (how many rows in a range of one to three "
                f"columns?) are answered within {percent(queries['median_error'])} of the truth.",
            )
        )
    if pairs and pairs.get("mean_change") is not None:
        sentences.append(
            (
                "Columns that go together",
                f"How strongly two columns go together changed by {number(round(pairs['mean_change'], 3))} "
                "on average, on a scale from 0 to 1.",
            )
        )
    model = facts.get("classifier")
    if model:
        sentences.append(
            (
                f"Predicting {model['target']}",
                f"A model that learned from the release is right about {percent(model['released'])} of the "
                f"original rows; from the original, {percent(model['original'])}; without looking at any "
                f"column, {percent(model['baseline'])}.",
            )
        )
    elif not trained:
        sentences.append(("Models", "None was trained: scikit-learn is not installed here."))
    return sentences
