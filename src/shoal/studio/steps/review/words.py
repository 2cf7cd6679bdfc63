"""Measurements in words for readers without background knowledge. No page code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal import Release, RiskReport, Utility, privacy
from shoal.formatting.detail import MEANS_OVER_CELLS, points
from shoal.formatting.numbers import number, percent
from shoal.studio.anonymity_words import NOT_TOGETHER, further, hides

ATTACKS = {
    "linkage": (
        "Find a person's row",
        "Has everybody's exact values, from your own table: nobody could have more.",
    ),
    "history": (
        "Follow a person through their rows",
        "Knows some events of a person, or all of them, from your own table.",
    ),
    "homogeneity": ("Read a value off a group", "Knows somebody's values, and that they are in the table."),
    "background-knowledge": ("Rule out one value", "Also knows one sensitive value that the person has not."),
    "skewness": ("Learn that a value is likelier", "Knows how frequent each value is in the whole release."),
    "similarity": ("Learn what a value is like", "Knows which sensitive values mean nearly the same."),
    "minimality": (
        "Reason from the search",
        "Has everybody's exact values, and knows how it was chosen.",
    ),
    "composition": ("Combine with an earlier release", "Has an earlier release of the same people."),
    "complementary": ("Join an earlier release", "Has an earlier release of the same people."),
    "unsorted": ("Use the order of rows", "Has another release with rows in the same order."),
    "association-cover": ("Combine several views", "Has other tables made from the same rows."),
    "downcoding": (
        "Undo the generalization",
        "Has the release and the hierarchies, takes it for minimal.",
    ),
}
"""Per attack a name, and what its attacker has."""


def model_words(key: str) -> str:
    """What a model measures, by its key."""
    name = key.partition("(")[0].partition(" ")[0]
    return privacy.MODELS[name].measures if name in privacy.MODELS else ""


def verdict_line(release: Release, sets: int = 0) -> tuple[bool, str]:
    """Whether the demands hold in the written bytes, and a line about it.

    Parameters
    ----------
    release
        What was released.
    sets
        How many sets of columns its policy takes for known apart.
    """
    verdict = release.verdict
    if not verdict.meets:
        return False, "; ".join(verdict.failures) or "The demands do not hold in the written file."
    if verdict.wildcards is not None:
        reading = f"Every row is like at least {number(verdict.wildcards.smallest)} rows"
        return (
            True,
            f"{reading}, where suppressed cells may be anything; {verdict.demanded:,} were demanded.",
        )
    if verdict.k is None:
        return True, "No released row has a value by which it could be recognized."
    others = ""
    if further(verdict):
        many = "the other demand holds" if further(verdict) == 1 else "the other demands hold"
        others = f", and {many}"
    apart = NOT_TOGETHER if sets > 1 else ""
    return True, f"{hides(verdict, sets)}; {verdict.demanded:,} were demanded{others}.{apart}"


def proof(release: Release) -> tuple[str, str]:
    """What is known of the loss: a word, and a sentence."""
    word, sentence = _loss(release)
    if (release.manifest.certificate or {}).get("verified") is True:
        sentence += "; proof verified by an independent checker"
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


def chance(risk: float) -> str:
    """A risk in plain words: a share, and one in how many."""
    if risk <= 0:
        return "0 %"
    return f"{percent(risk)}, 1 in {number(round(1 / risk, 1) if risk > 0.1 else round(1 / risk))}"


def risk_rows(
    after: RiskReport, before: RiskReport | None
) -> list[tuple[str, str, float | None, float | None]]:
    """Questions about risk: the question, what it means, and the answers before and after, as shares."""
    counted = after.counted
    threshold = percent(after.threshold)

    def pair(of: Any) -> tuple[float | None, float | None]:
        return (None if before is None else of(before)), of(after)

    rows = [
        (
            "The person who is easiest to find",
            "Prosecutor: knows that the person is in the table. The highest chance to pick the right row.",
            *pair(lambda found: found.prosecutor.highest),
        ),
        (
            f"{counted.capitalize()} above a risk of {threshold}",
            "The share of those who are easier to find than your policy's k allows.",
            *pair(lambda found: found.prosecutor.share_above),
        ),
        (
            "All of them on average",
            f"Marketer: matches everybody, and is right about this share of the {counted}.",
            *pair(lambda found: found.marketer.average),
        ),
        (
            f"{counted.capitalize()} that no other is like",
            "Unique rows: anybody who knows the values knows the row."
            if after.persons is None
            else "Unique persons: what is known of them, a row or all that can be linked, is of nobody else.",
            *pair(lambda found: found.sample_uniqueness),
        ),
    ]
    if after.journalist is not None:
        rows.insert(
            1,
            (
                "The easiest to find, if nobody knows who is in the table",
                "Journalist: looks among the population. The highest chance.",
                *pair(lambda found: None if found.journalist is None else found.journalist.highest),
            ),
        )
    return rows


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
