"""The verdict in one line, what breaks it, and what has to be known before signing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.formatting.attack_words import failure_words
from shoal.formatting.verdict_line import verdict_line
from shoal.model.result.version_words import TOGETHER
from shoal.reports.numbers import number, share

Facts = Mapping[str, Any]

PERSONS, MODELS, VERSIONS = "persons", "some privacy models", "versions"
"""Demands of a policy that may not be measurable in the release alone."""

PERSONS_AT_RISK = "risk for persons"
"""What stays unmeasured also where k of persons was counted in the original."""


def verdict(facts: Facts) -> dict[str, Any]:
    """Whether what was demanded holds.

    Parameters
    ----------
    facts
        Everything that was measured.

    Returns
    -------
    dict
        `holds` is `None` where nothing was demanded, or not all that was demanded could be measured.
    """
    failures = [*_audit(facts), *_identity(facts), *_others(facts)]
    demanded = bool(
        facts["policy"]["demanded"] or any(model["demanded"] for model in facts["audit"]["models"])
    )
    shown = demanded and not facts["unmeasured_demands"]
    holds = False if failures else True if shown else None
    return {
        "holds": holds,
        "line": _line(facts, holds, len(failures)),
        "failures": failures,
        "untrue": _untrue(facts["comparison"]) if _is_untrue(facts) else [],
        "warnings": _warnings(facts),
        "remarks": _remarks(facts),
    }


def _warnings(facts: Facts) -> list[str]:
    """What was raised on the way, and what the detector finds now, each sentence once."""
    raised: list[str] = [*facts["raised"]]  # as on the pages: they may begin with a column's name
    found = (_sentence(warning["message"]) for warning in facts["warnings"])
    return [*raised, *(each for each in found if not any(other.startswith(each) for other in raised))]


def _line(facts: Facts, holds: bool | None, failures: int) -> str:
    policy, audit = facts["policy"], facts["audit"]
    return verdict_line(
        holds=holds,
        failures=failures,
        unmeasured=facts["unmeasured_demands"],
        k=policy["k"] if policy["demanded"] else None,
        smallest=audit["k"],
        promise=facts["people"]["promise"],
        known_events=policy["known_events"],
        sets=len(policy["sets"]),
        wildcards=audit["wildcard"] is not None and not audit["holds"],
    )


def _audit(facts: Facts) -> list[str]:
    """What the audit found, in its own words where it has some."""
    audit, failures = facts["audit"], []
    if audit["failures"] is not None:
        return [_sentence(failure) for failure in audit["failures"]]
    if audit["holds_wildcard"]:
        return []
    if audit["groups_below"] and facts["policy"]["demanded"]:
        failures.append(
            f"{number(audit['groups_below'])} group(s) with {number(audit['rows_below'])} row(s) are smaller "
            f"than k = {number(facts['policy']['k'])}; the smallest has {number(audit['k'])}."
        )
    failures += [
        f"{model['name']} is broken: demanded is {model['demand']}, measured was {number(model['measured'])}."
        for model in audit["models"]
        if model["demanded"] and not model["holds"]
    ]
    return failures if failures or audit["holds"] else ["The audit does not hold."]


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _identity(facts: Facts) -> list[str]:
    failures = [
        f"Column {variable['name']!r} is an identifier by the policy, and it is in the release."
        for variable in facts["variables"]
        if not variable["holds"]
    ]
    if facts["release"]["digest_matches"] is False and not facts["audit"]["failures"]:
        failures.append(
            "The file is not the one that its manifest is about: their digests differ. It was changed after "
            "it was released, or belongs to another manifest."
        )
    return failures


def _others(facts: Facts) -> list[str]:
    failures = []
    failures += [
        f"Demanded, and not measured: {name}. There is no manifest to show that it was when the release was "
        "made."
        for name in facts["unmeasured_demands"]
        if not _measured_before(facts, name)
    ]
    if _is_untrue(facts) and not _are_means(facts):
        failures += _untrue(facts["comparison"])
    failures += [failure_words(attack["name"], attack) for attack in facts["attacks"] if not attack["holds"]]
    why = {part["what"]: part["why"] for part in facts["not_measured"]}
    tried = {attack["name"] for attack in facts["attacks"]}
    failures += [
        f"The policy limits the attack {name!r}, which was not tried: {why.get('attack: ' + name, 'unknown')}"
        for name in facts["policy"]["attacks"]
        if name not in tried
    ]
    ledger = facts["ledger"]
    if ledger is not None and not ledger.get("holds", True):
        failures.append("The ledger of earlier releases does not hold: an entry was changed or removed.")
    return failures


def _measured_before(facts: Facts, name: str) -> bool:
    """Whether the manifest has what cannot be measured in the release; it was published only if that held."""
    before, policy = facts["audit"]["by_manifest"], facts["policy"]
    if name == PERSONS:
        return bool((before.get(f"k-anonymity({policy['entity']})") or 0) >= policy["k"])
    if name == VERSIONS:
        return bool((before.get(TOGETHER) or 0) >= policy["k"])
    return bool(before)


def _is_untrue(facts: Facts) -> bool:
    return facts["comparison"] is not None and not facts["comparison"].get("holds", True)


def _are_means(facts: Facts) -> bool:
    """Whether the manifest mentions means, and only cells of quasi-identifiers are untrue."""
    compared = facts["comparison"]
    columns = {column["column"] for column in compared.get("untrue") or ()}
    more = compared.get("unreadable") or (compared.get("unpaired") or {}).get("rows")
    return (
        not facts["release"]["truthful"] and not more and columns <= {*facts["policy"]["quasi_identifiers"]}
    )


def _rows_counted(facts: Facts) -> str:
    counted = facts["audit"]["by_manifest"].get(f"k-anonymity({facts['policy']['entity']})")
    then = "" if counted is None else f" When it was made, each group had at least {number(counted)} persons."
    return (
        "The column that identifies persons was dropped, so k and the tables of risk on this page are about "
        f"rows. Where a person has several rows, fewer people hide together, and the risk is higher.{then}"
    )


def _untrue(compared: Facts) -> list[str]:
    cells = compared.get("untrue_cells") or 0
    unread = sum(column["cells"] for column in compared.get("unreadable") or ())
    unpaired = (compared.get("unpaired") or {}).get("rows") or 0
    sentences = []
    if cells:
        sentences.append(f"{number(cells)} cell(s) of the release are not true of their row in the original.")
    if unpaired:
        sentences.append(f"{number(unpaired)} released row(s) are true of no row of the original.")
    if unread:
        sentences.append(f"{number(unread)} cell(s) cannot be read as anything that is true of the original.")
    return sentences or ["The release is not true of the original."]


def _remarks(facts: Facts) -> list[str]:
    """What holds, and still has to be known."""
    audit, proof = facts["audit"], facts["proof"]
    shown = {_sentence(warning["message"]) for warning in facts["warnings"]} | {*_warnings(facts)}
    others = [warning for warning in audit["warnings"] if _sentence(warning) not in shown]
    remarks = [_sentence(other) for other in others]
    if audit["wildcard"] is not None and not audit["holds"]:
        remarks.append(
            "k holds only if a suppressed cell is read as any value. Read as a separate value, "
            f"{number(audit['rows_below'])} row(s) are in groups below k."
        )
    if len(facts["policy"]["sets"]) > 1:
        remarks.append(
            "k is that of each set of quasi-identifiers by itself. Risks and attacks on this page are of one "
            "who knows all of them together, who finds smaller groups."
        )
    if proof["status"] != "optimal":
        remarks.append(f"Loss of detail: {proof['words']}")
    if not facts["release"]["truthful"]:
        remarks.append(
            "Cells are means, medians or most frequent values of a group, and need not be true of their own "
            "row. The manifest states this, and this report does not judge it."
        )
    free = [attack for attack in facts["attacks"] if attack["threshold"] is None and attack["rate"] > 0]
    if free:
        rates = ", ".join(f"{attack['name']} {share(attack['rate'])}" for attack in free)
        remarks.append(f"Attacks that succeed at times, and for which no threshold was stated: {rates}.")
    if PERSONS in facts["unmeasured_demands"]:
        remarks.append(_rows_counted(facts))
    elif any(part["what"] == PERSONS_AT_RISK for part in facts["not_measured"]):
        remarks.append(
            "The column that identifies persons was dropped. Persons were counted in the original, row by "
            "row; the tables of risk and the attacks on this page are of rows, and higher for a person who "
            "has several."
        )
    elif facts["people"]["promise"] is None:
        remarks.append(
            "k counts rows. If one person can have several rows, name the column that identifies persons."
        )
    few = facts["suppressed"]
    if 0 < few["rows"] < facts["policy"]["k"] and not others and not few["held_back"]:
        remarks.append(
            f"Only {number(few['rows'])} row(s) are suppressed, fewer than k: somebody who knows how the "
            "release was made learns that these few were rare."
        )
    return remarks
