"""Everything that a report tells, as one plain dictionary: the page is drawn from it, and it is the JSON.

No cell of the original is in it. Of the original come columns' names and numbers; labels are those of the
release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.reports.frequent_labels import frequent, with_frequent_labels
from shoal.reports.numbers import number, share
from shoal.reports.proof import cost_words, proof
from shoal.reports.standards import standards
from shoal.reports.variables import variables
from shoal.reports.verdict import verdict

FORMAT = "shoal-report-1"

Facts = Mapping[str, Any]
Stated = Literal["policy", "arguments", "manifest"]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What was measured, each part as its own `to_dict` tells it; `None` is what was not measured.

    Parameters
    ----------
    shoal
        The version that measures.
    title, author, date
        Of the report; the date as text.
    signed_by, purpose
        Who releases it, and what for.
    policy
        What was demanded.
    stated, demanded
        Who says what is demanded, and whether a k is: a policy always has one, and flags need not.
    release, original
        `name`, `rows`, `columns` (name -> `distinct`, and of quasi-identifiers of the release `suppressed`
        and `labels`), `digest`.
    manifest
        What lies beside the release.
    audit, risk_before, risk_after, comparison, utility, explain, ledger
        As their doors tell them.
    attacks
        Name -> result.
    missing
        What was not measured -> why, and what to do about it.
    unmeasured_demands
        Those of them that were demanded.
    """

    shoal: str
    title: str
    author: str | None = None
    date: str
    signed_by: str | None = None
    purpose: str | None = None
    policy: Policy
    stated: Stated = "policy"
    demanded: bool = True
    release: Facts
    original: Facts | None = None
    manifest: Facts | None = None
    audit: Facts
    risk_before: Facts | None = None
    risk_after: Facts | None = None
    attacks: Mapping[str, Facts] = field(default_factory=dict)
    comparison: Facts | None = None
    utility: Facts | None = None
    explain: Facts | None = None
    ledger: Facts | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    unmeasured_demands: tuple[str, ...] = ()


def facts_of(given: Gathered) -> dict[str, Any]:
    """The report as a dictionary of plain numbers, texts and lists.

    Parameters
    ----------
    given
        What was measured.
    """
    before = None if given.original is None else given.original["columns"]
    facts: dict[str, Any] = {
        "format": FORMAT,
        "shoal": given.shoal,
        "title": given.title,
        "author": given.author,
        "date": given.date,
        "signed_by": given.signed_by,
        "purpose": given.purpose,
        "release": _release(given),
        "original": None if given.original is None else _table(given.original),
        "policy": _policy(given),
        "audit": _audit(given),
        "warnings": _warnings(given),
        "suppressed": _suppressed(given),
        "proof": proof(given.manifest),
        "loss": _loss(given),
        "loss_missing": _why_no_loss(given),
        "risk": {"before": _plain(given.risk_before), "after": _plain(given.risk_after)},
        "variables": variables(
            given.policy, given.release["columns"], before, given.manifest, given.comparison
        ),
        "labels": {
            name: frequent(each["labels"])
            for name, each in given.release["columns"].items()
            if "labels" in each
        },
        "attacks": [{"name": name, **each} for name, each in given.attacks.items()],
        "comparison": _compared(given),
        "utility": with_frequent_labels(given.utility),
        "explain": _explained(given.explain),
        "ledger": _plain(given.ledger),
        "not_measured": [{"what": what, "why": why} for what, why in given.missing.items()],
        "unmeasured_demands": list(given.unmeasured_demands),
    }
    facts["verdict"] = verdict(facts)
    facts["standards"] = standards(facts)
    return facts


def _plain(facts: Facts | None) -> dict[str, Any] | None:
    return None if facts is None else dict(facts)


def _explained(facts: Facts | None) -> dict[str, Any] | None:
    """What of an explanation a report needs; sizes of groups that are not released are not part of it."""
    if facts is None:
        return None
    wanted = ("constraint", "cost", "gap", "status", "saves")
    return {
        "attributes": [
            {"name": each["name"], "released": each.get("released"), "words": each["words"]}
            for each in facts.get("attributes", ())
        ],
        "constraints": [{key: each.get(key) for key in wanted} for each in facts.get("constraints", ())],
    }


def _table(table: Facts) -> dict[str, Any]:
    return {
        "name": table["name"],
        "rows": table["rows"],
        "columns": list(table["columns"]),
        "digest": table.get("digest"),
    }


def _release(given: Gathered) -> dict[str, Any]:
    manifest = given.manifest
    promised = None if manifest is None else manifest.get("release_digest")
    digest = given.release.get("digest")
    return {
        **_table(given.release),
        "digest_matches": digest == promised if digest and promised else None,
        "manifest": None if manifest is None else _manifest(manifest),
        "truthful": True if manifest is None else bool(manifest.get("truthful", True)),
        "notes": [] if manifest is None else list(manifest.get("notes", ())),
    }


def _manifest(manifest: Facts) -> dict[str, Any]:
    """What of a manifest may be passed on: not the recoding, which names values that rows had before."""
    names = (
        "shoal",
        "algorithm",
        "seed",
        "model",
        "rows",
        "policy_digest",
        "source_digest",
        "release_digest",
    )
    return {name: manifest.get(name) for name in names}


def _policy(given: Gathered) -> dict[str, Any]:
    policy = given.policy

    def named(role: Role) -> list[str]:
        return [each.name for each in policy.attributes if each.role is role]

    return {
        "stated": given.stated == "policy",
        "by_manifest": given.stated == "manifest",
        "demanded": given.demanded,
        "k": policy.k,
        "quasi_identifiers": [each.name for each in policy.quasi_identifiers],
        "sensitive": named(Role.SENSITIVE),
        "identifiers": named(Role.IDENTIFIER),
        "class": policy.class_attribute,
        "sets": [list(each) for each in policy.sets],
        "entity": policy.entity,
        "survey_weight": policy.survey_weight,
        "cost": policy.cost,
        "cost_words": cost_words(policy.cost),
        "suppression": str(policy.suppression.stated),
        "suppressed": policy.suppressed,
        "attacks": dict(policy.attacks),
        "accept_unverified": policy.accept_unverified,
        "digest": policy.digest,
    }


def _audit(given: Gathered) -> dict[str, Any]:
    audit = given.audit
    return {
        "k": audit["k-anonymity"],
        "wildcard": audit.get("k-anonymity-wildcard"),
        "holds_wildcard": bool(audit.get("holds-wildcard", False)),
        "holds": bool(audit["holds"]),
        "rows": audit["rows"],
        "groups": audit["groups"],
        "groups_below": audit.get("groups_below") or 0,
        "rows_below": audit.get("rows_below") or 0,
        "sizes": audit.get("sizes"),
        "at_risk": audit.get("at_risk"),
        "offending": [dict(each) for each in audit.get("offending", ())],
        "offending_groups": audit.get("offending_groups"),
        "failures": list(audit["failures"]) if "failures" in audit else None,
        "warnings": list(audit.get("warnings", ())),
        "by_manifest": _promised(given.manifest),
        "semantics": audit.get("semantics"),
        "models": [_model(name, each) for name, each in (audit.get("models") or {}).items()],
    }


def _warnings(given: Gathered) -> list[dict[str, Any]]:
    """What the detector says now, and what the manifest says that it said when the release was made."""
    found = [dict(each) for each in given.audit.get("leaks", ())]
    before = (given.manifest or {}).get("warnings")
    for each in before if isinstance(before, list | tuple) else ():
        if {"code", "columns", "message"} <= each.keys() and not any(_same(each, other) for other in found):
            found.append({**each, "columns": list(each["columns"])})
    return found


def _same(one: Facts, other: Facts) -> bool:
    return one["code"] == other["code"] and [*one["columns"]] == [*other["columns"]]


def _promised(manifest: Facts | None) -> dict[str, Any]:
    """What was measured when the release was made: also what the release alone does not tell."""
    told = {} if manifest is None else manifest.get("audit") or {}
    return {name: value for name, value in told.items() if not name.startswith("holds")}


def _model(name: str, model: Facts) -> dict[str, Any]:
    demand = model.get("demand")
    return {
        "name": name,
        "demanded": bool(model.get("demanded", demand)),
        "demand": demand or "nothing",
        "measured": model.get("measured"),
        "holds": model.get("holds", True),
        "groups_failing": model.get("groups_failing") or 0,
        "rows_failing": model.get("rows_failing") or 0,
    }


def _suppressed(given: Gathered) -> dict[str, Any]:
    """Rows that are masked or were dropped, as far as manifest or original tell."""
    masked = int(given.audit.get("suppressed") or 0)
    source = None
    if given.original is not None:
        source = int(given.original["rows"])
    elif given.manifest is not None:
        source = int(given.manifest["rows"])
    dropped = 0 if source is None else max(0, source - int(given.release["rows"]))
    rows = masked + dropped
    of = source or int(given.release["rows"])
    part = rows / of if of else 0.0
    if source is None:
        words = f"{number(masked)} rows read * throughout; how many were dropped is not known"
    else:
        words = f"{number(rows)} of {number(of)} rows ({share(part)}) suppressed"
    return {
        "rows": rows,
        "share": part,
        "masked": masked,
        "dropped": None if source is None else dropped,
        "words": words,
    }


def _compared(given: Gathered) -> dict[str, Any] | None:
    found = _plain(given.comparison)
    if found is not None and not _covered(given):
        found["losses"] = {
            name: None if name in _OF_CELLS else value for name, value in (found.get("losses") or {}).items()
        }
    return found


def _covered(given: Gathered) -> bool:
    """Whether released cells cover what their rows had: the width of a false value is no loss of detail."""
    return given.comparison is not None and bool(given.comparison.get("holds", True))


def _why_no_loss(given: Gathered) -> str:
    if given.original is None:
        return "the original was not given"
    return "some cells are not true of the original" if not _covered(given) else "no measure applies"


_LOSSES: Sequence[str] = ("general-loss", "ncp", "precision", "suppressed-cells")
_OF_CELLS = ("general-loss", "ncp", "precision", "entropy")
"""Losses that look at what a released value covers."""


def _loss(given: Gathered) -> dict[str, Any] | None:
    """The one number of lost detail for the first page: a share where there is one, else the cost."""
    losses = (given.comparison or {}).get("losses") or {}
    for metric in _LOSSES[:3] if _covered(given) else ():
        if losses.get(metric) is not None:
            value = float(losses[metric])
            return {
                "metric": metric,
                "value": value,
                "share": True,
                "words": f"{share(value)} of detail lost ({metric})",
            }
    if given.manifest is not None and given.manifest.get("cost") is not None:
        metric, cost = str(given.manifest["cost_metric"]), given.manifest["cost"]
        of_one = metric in _LOSSES[:3]
        told = share(cost) if of_one else number(cost)
        return {"metric": metric, "value": cost, "share": of_one, "words": f"{told} ({metric})"}
    return None
