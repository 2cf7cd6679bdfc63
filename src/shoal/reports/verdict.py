"""The verdict in one line, what breaks it, and what has to be known before signing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.reports.numbers import number, share

Facts = Mapping[str, Any]

PERSONS, MODELS = "persons", "some privacy models"
"""What a policy can demand and a release alone may not tell."""

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
    demanded = bool(facts["policy"]["demanded"] or any(each["demanded"] for each in facts["audit"]["models"]))
    shown = demanded and not facts["unmeasured_demands"]
    holds = False if failures else True if shown else None
    return {
        "holds": holds,
        "line": _line(facts, holds, len(failures)),
        "failures": failures,
        "untrue": _untrue(facts["comparison"]) if _is_untrue(facts) else [],
        "warnings": [_sentence(each["message"]) for each in facts["warnings"]],
        "remarks": _remarks(facts),
    }


def _line(facts: Facts, holds: bool | None, failures: int) -> str:
    k, demanded = facts["audit"]["k"], number(facts["policy"]["k"])
    if holds is None and facts["unmeasured_demands"]:
        return (
            "What could be measured in the release shows no fault. This was measured only when it was made: "
            f"{', '.join(facts['unmeasured_demands'])}."
        )
    if holds is None:
        return f"Nothing was demanded; the smallest group has {number(k)} row(s)."
    if holds:
        if facts["audit"]["wildcard"] is not None and not facts["audit"]["holds"]:
            return (
                f"The demand holds only with * read as any value: every row is like at least {demanded} rows."
            )
        hidden = (
            f"every row hides among at least {demanded}" if facts["policy"]["demanded"] else "the models hold"
        )
        if facts["policy"]["demanded"] and len(facts["policy"]["sets"]) > 1:
            hidden += " on each set of columns that are known apart"
        return f"The release holds what was demanded: {hidden}."
    return f"The release does not hold what was demanded: {failures} finding(s)."


def _audit(facts: Facts) -> list[str]:
    """What the audit found, in its own words where it has some."""
    audit, found = facts["audit"], []
    if audit["failures"] is not None:
        return [_sentence(each) for each in audit["failures"]]
    if audit["holds_wildcard"]:
        return []
    if audit["groups_below"] and facts["policy"]["demanded"]:
        found.append(
            f"{number(audit['groups_below'])} group(s) with {number(audit['rows_below'])} row(s) are smaller "
            f"than k = {number(facts['policy']['k'])}; the smallest has {number(audit['k'])}."
        )
    found += [
        f"{each['name']} is broken: demanded is {each['demand']}, measured was {number(each['measured'])}."
        for each in audit["models"]
        if each["demanded"] and not each["holds"]
    ]
    return found if found or audit["holds"] else ["The audit does not hold."]


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _identity(facts: Facts) -> list[str]:
    found = [
        f"Column {each['name']!r} is an identifier by the policy, and it is in the release."
        for each in facts["variables"]
        if not each["holds"]
    ]
    if facts["release"]["digest_matches"] is False and not facts["audit"]["failures"]:
        found.append(
            "The file is not the one that its manifest is about: their digests differ. It was changed after "
            "it was released, or belongs to another manifest."
        )
    return found


def _others(facts: Facts) -> list[str]:
    found = []
    found += [
        f"Demanded, and not measured: {name}. No manifest tells that it was when the release was made."
        for name in facts["unmeasured_demands"]
        if not _measured_before(facts, name)
    ]
    if _is_untrue(facts) and not _are_means(facts):
        found += _untrue(facts["comparison"])
    found += [
        f"The attack {each['name']!r} succeeds in {share(each['rate'])} of cases; allowed are "
        f"{share(each['threshold'])}."
        for each in facts["attacks"]
        if not each["holds"]
    ]
    why = {each["what"]: each["why"] for each in facts["not_measured"]}
    tried = {each["name"] for each in facts["attacks"]}
    found += [
        f"The policy limits the attack {name!r}, which was not tried: {why.get('attack: ' + name, 'unknown')}"
        for name in facts["policy"]["attacks"]
        if name not in tried
    ]
    ledger = facts["ledger"]
    if ledger is not None and not ledger.get("holds", True):
        found.append("The ledger of earlier releases does not hold: an entry was changed or removed.")
    return found


def _measured_before(facts: Facts, name: str) -> bool:
    """Whether the manifest has what the release alone does not tell; it was published only if that held."""
    before, policy = facts["audit"]["by_manifest"], facts["policy"]
    if name == PERSONS:
        return bool((before.get(f"k-anonymity({policy['entity']})") or 0) >= policy["k"])
    return bool(before)


def _is_untrue(facts: Facts) -> bool:
    return facts["comparison"] is not None and not facts["comparison"].get("holds", True)


def _are_means(facts: Facts) -> bool:
    """Whether the manifest tells of means, and nothing but cells of quasi-identifiers is untrue."""
    compared = facts["comparison"]
    columns = {each["column"] for each in compared.get("untrue") or ()}
    more = compared.get("unreadable") or (compared.get("unpaired") or {}).get("rows")
    return (
        not facts["release"]["truthful"] and not more and columns <= {*facts["policy"]["quasi_identifiers"]}
    )


def _rows_counted(facts: Facts) -> str:
    counted = facts["audit"]["by_manifest"].get(f"k-anonymity({facts['policy']['entity']})")
    then = "" if counted is None else f" When it was made, each group had at least {number(counted)} persons."
    return (
        "The column that tells persons apart was dropped, so k and risks on this page are of rows. Where a "
        f"person has several rows, fewer people hide together, and the risk is higher.{then}"
    )


def _untrue(compared: Facts) -> list[str]:
    cells = compared.get("untrue_cells") or 0
    unread = sum(each["cells"] for each in compared.get("unreadable") or ())
    unpaired = (compared.get("unpaired") or {}).get("rows") or 0
    found = []
    if cells:
        found.append(f"{number(cells)} cell(s) of the release are not true of their row in the original.")
    if unpaired:
        found.append(f"{number(unpaired)} released row(s) are true of no row of the original.")
    if unread:
        found.append(f"{number(unread)} cell(s) cannot be read as anything that is true of the original.")
    return found or ["The release is not true of the original."]


def _remarks(facts: Facts) -> list[str]:
    """What holds, and still has to be known."""
    audit, proof = facts["audit"], facts["proof"]
    told = {each["message"] for each in facts["warnings"]}
    others = [each for each in audit["warnings"] if each not in told]
    found = [_sentence(each) for each in others]
    if audit["wildcard"] is not None and not audit["holds"]:
        found.append(
            "k holds only if a suppressed cell is read as any value. Read as a value of its own, "
            f"{number(audit['rows_below'])} row(s) stand in groups below k."
        )
    if len(facts["policy"]["sets"]) > 1:
        found.append(
            "k is that of each set of quasi-identifiers by itself. Risks and attacks on this page are of one "
            "who knows all of them together, who finds smaller groups."
        )
    if proof["status"] != "optimal":
        found.append(f"Loss of detail: {proof['words']}")
    if not facts["release"]["truthful"]:
        found.append(
            "Cells are means, medians or most frequent values of a group, and need not be true of their own "
            "row. The manifest says so, and nothing here judges it."
        )
    free = [each for each in facts["attacks"] if each["threshold"] is None and each["rate"] > 0]
    if free:
        rates = ", ".join(f"{each['name']} {share(each['rate'])}" for each in free)
        found.append(f"Attacks that succeed at times, and for which no threshold was stated: {rates}.")
    if PERSONS in facts["unmeasured_demands"]:
        found.append(_rows_counted(facts))
    elif any(each["what"] == PERSONS_AT_RISK for each in facts["not_measured"]):
        found.append(
            "The column that tells persons apart was dropped. Persons were counted in the original, row by "
            "row; risks and attacks on this page are of rows, and higher for a person who has several."
        )
    elif facts["policy"]["entity"] is None:
        found.append(
            "k counts rows. If one person can have several rows, name the column that tells persons apart."
        )
    few = facts["suppressed"]
    if 0 < few["rows"] < facts["policy"]["k"] and not others:
        found.append(
            f"Only {number(few['rows'])} row(s) are suppressed, fewer than k: who knows how the release was "
            "made learns that these few were rare."
        )
    return found
