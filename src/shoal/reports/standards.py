"""The same facts in the order that regulators use.

Fields of the anonymization report that the European Medicines Agency (policy 0070) and Health Canada (public
release of clinical information) share; the three criteria of Opinion 05/2014 of the Article 29 Working Party
(WP216); terms of ISO/IEC 20889:2018. Sentences are ours; the numbers are those of the report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.formatting.numbers import listed
from shoal.formatting.risk_words import ThresholdRow, threshold_rows
from shoal.reports.numbers import number, odds, share
from shoal.reports.verdict import PERSONS

Facts = Mapping[str, Any]

YOURS = "For the publisher to state: no table contains it."


def standards(facts: Facts) -> dict[str, Any]:
    """The three mappings.

    Parameters
    ----------
    facts
        Everything else that the report shows.
    """
    return {
        "regulators": _regulators(facts),
        "wp216": [_criterion(facts, name) for name in ("singling out", "linkability", "inference")],
        "iso20889": _terms(facts["variables"], facts),
    }


def _regulators(facts: Facts) -> list[dict[str, str]]:
    policy, audit, risk = facts["policy"], facts["audit"], facts["risk"]
    after, before = risk.get("after"), risk.get("before")
    demand = (
        f"k-anonymity with k = {number(policy['k'])}"
        if policy["demanded"]
        else "k was measured, none demanded"
    )
    models = "".join(f"; {model['demand']}" for model in audit["models"] if model["demanded"])
    tried = listed([attack["name"] for attack in facts["attacks"] if attack["tried"]]) or "none"
    rows = [
        ("Context and recipients of the data", YOURS, "policy"),
        ("Anonymization methodology", f"{demand}{models}; measured in the release itself", "policy"),
        ("Direct identifiers", listed(policy["identifiers"]) or "none named", "variables"),
        ("Indirect identifiers (quasi-identifiers)", listed(policy["quasi_identifiers"]), "variables"),
        ("Technique per variable", f"{len(facts['variables'])} columns, one line each", "variables"),
        ("Plausible adversaries and attacks", f"tried: {tried}", "attacks"),
        ("Risk metric", "highest and average chance that a row is matched to the right person", "risk"),
        ("Risk threshold", _thresholds(facts), "risk"),
        ("Initial risk", _risk(before, "the original was not given"), "risk"),
        ("Residual risk", _risk(after, "not measured"), "risk"),
        ("Data utility", _utility(facts), "utility"),
        ("Conclusion", facts["verdict"]["line"], "summary"),
    ]
    return [{"field": field, "answer": answer, "section": section} for field, answer, section in rows]


def thresholds_of(facts: Facts) -> list[ThresholdRow]:
    """The residual risk next to the thresholds that people know, and to the policy's own."""
    after, policy = facts["risk"]["after"], facts["policy"]
    return [] if after is None else threshold_rows(after, policy["k"] if policy["demanded"] else None)


def _thresholds(facts: Facts) -> str:
    """Which thresholds the release meets, in a line."""
    rows = thresholds_of(facts)
    if not rows:
        return "the residual risk was not measured"
    return "; ".join(f"{share(row.limit)} ({row.who}): {row.words}" for row in rows)


def _risk(risk: Facts | None, without: str) -> str:
    if risk is None:
        return without
    prosecutor = risk["prosecutor"]
    return f"highest {share(prosecutor['highest'])}, average {share(prosecutor['average'])}"


def _utility(facts: Facts) -> str:
    if facts["loss"] is None:
        return f"not measured: {facts['loss_missing']}"
    return f"{facts['loss']['words']}; {facts['suppressed']['words']}"


def _criterion(facts: Facts, name: str) -> dict[str, Any]:
    attacks = [attack for attack in facts["attacks"] if attack["criterion"] == name]
    questions = {
        "singling out": "Can one person's row be isolated?",
        "linkability": "Can rows of one person in two tables be brought together?",
        "inference": "Can a person's sensitive value be deduced?",
    }
    tried = [attack for attack in attacks if attack["tried"]]
    judged = [attack for attack in tried if attack["judged"]]
    free = [attack for attack in tried if not attack["judged"]]
    words, holds, open_question = [], None, False
    if name == "singling out":
        words.append(_measured(facts))
        holds = facts["audit"]["holds"] if facts["policy"]["demanded"] else None
        if holds and PERSONS in facts["unmeasured_demands"]:
            words.append("Rows were counted here, not persons.")
            holds, open_question = None, True
    if judged:
        words.append(f"Attacks against what is allowed: {_rates(judged)}.")
        broken = holds is False or not all(model["holds"] for model in judged)
        holds = False if broken else None if open_question else True
    if free:
        words.append(f"Attacks without a threshold: {_rates(free)}.")
        # What succeeds and is not judged leaves the question open, unless something else answers it: no.
        if name != "singling out" and holds and any(attack["rate"] > 0 for attack in free):
            holds = None
    if not tried:
        words.append("No attack on this was tried.")
    return {"criterion": name, "question": questions[name], "words": " ".join(words), "holds": holds}


def _rates(attacks: Sequence[Facts]) -> str:
    return ", ".join(f"{attack['name']} {share(attack['rate'])}" for attack in attacks)


def _measured(facts: Facts) -> str:
    smallest = facts["audit"]["k"]
    if smallest is None:
        return "There is no group to be found in: every row is suppressed."
    # Of persons, where they could be counted: four rows of one person hide nobody.
    after = facts["risk"]["after"]
    chance = 1 / smallest if after is None else max(1 / smallest, after["prosecutor"]["highest"])
    if chance >= 1:
        return "Somebody is alone in a group: singled out by the quasi-identifiers."
    return (
        f"The smallest group has {number(smallest)} rows: somebody who knows the quasi-identifiers of a "
        f"person finds the right row by a chance of at most {odds(chance)}."
    )


def _terms(variables: Sequence[Facts], facts: Facts) -> list[dict[str, Any]]:
    columns: dict[str, list[str]] = {}
    for variable in variables:
        for term in variable["terms"]:
            columns.setdefault(term, []).append(variable["name"])
    rows = [{"term": term, "columns": names} for term, names in columns.items()]
    if facts["suppressed"]["rows"]:
        rows.append({"term": "record suppression", "columns": [], "words": facts["suppressed"]["words"]})
    model = "k-anonymity model" if facts["policy"]["demanded"] else "none demanded"
    rows.append({"term": "formal privacy measurement model", "columns": [], "words": model})
    return rows
