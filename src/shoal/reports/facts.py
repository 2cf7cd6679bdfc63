"""Everything that a report shows, as one plain dictionary: the page is drawn from it, and it is the JSON.

No cell of the original is in it. Of the original come columns' names and numbers; labels are those of the
release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.model.policy.attribute import Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import UNLIMITED
from shoal.model.result.manifest_facts import is_truthful_recoding
from shoal.reports.frequent_labels import frequent, with_frequent_labels
from shoal.reports.numbers import number, share
from shoal.reports.people import people
from shoal.reports.proof import cost_words, proof
from shoal.reports.standards import standards
from shoal.reports.variables import variables
from shoal.reports.verdict import verdict

FORMAT = "shoal-report-1"

Facts = Mapping[str, Any]
Stated = Literal["policy", "arguments", "manifest"]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """What was measured, each part as its `to_dict` returns it; `None` if not measured.

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
        Where the demands come from, and whether there is a k: a policy always has one, flags need not.
    release, original
        `name`, `rows`, `columns` (name -> `distinct`, and of quasi-identifiers of the release `suppressed`
        and `labels`), `digest`.
    manifest
        The manifest next to the release.
    audit, risk_before, risk_after, comparison, utility, explain, ledger
        As their functions in `shoal.api` return them.
    persons_before
        How persons are hidden in the original, where the release does not have their column.
    attacks
        Name -> result.
    maps
        Of each column of cells the `column`, its `cells` and how many rows have none.
    raised
        What was raised before the release was made, in sentences.
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
    persons_before: Facts | None = None
    attacks: Mapping[str, Facts] = field(default_factory=dict)
    maps: Sequence[Facts] = ()
    comparison: Facts | None = None
    utility: Facts | None = None
    explain: Facts | None = None
    ledger: Facts | None = None
    raised: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    unmeasured_demands: tuple[str, ...] = ()


def facts_of(parts: Gathered) -> dict[str, Any]:
    """The report as a dictionary of plain numbers, texts and lists.

    Parameters
    ----------
    parts
        What was measured.
    """
    before = None if parts.original is None else parts.original["columns"]
    facts: dict[str, Any] = {
        "format": FORMAT,
        "shoal": parts.shoal,
        "title": parts.title,
        "author": parts.author,
        "date": parts.date,
        "signed_by": parts.signed_by,
        "purpose": parts.purpose,
        "release": _release(parts),
        "original": None if parts.original is None else _table(parts.original),
        "policy": _policy(parts),
        "audit": _audit(parts),
        "people": None,
        "warnings": _warnings(parts),
        "raised": list(parts.raised),
        "suppressed": _suppressed(parts),
        "proof": proof(parts.manifest),
        "loss": _loss(parts),
        "loss_missing": _why_no_loss(parts),
        "risk": {"before": _plain(parts.risk_before), "after": _plain(parts.risk_after)},
        "variables": variables(
            parts.policy, parts.release["columns"], before, parts.manifest, parts.comparison
        ),
        "labels": {
            name: frequent(column["labels"])
            for name, column in parts.release["columns"].items()
            if "labels" in column
        },
        "maps": [dict(each) for each in parts.maps],
        "attacks": [{"name": name, **attack} for name, attack in parts.attacks.items()],
        "comparison": _compared(parts),
        "utility": with_frequent_labels(parts.utility),
        "explain": _explained(parts.explain),
        "ledger": _plain(parts.ledger),
        "not_measured": [{"what": what, "why": why} for what, why in parts.missing.items()],
        "unmeasured_demands": list(parts.unmeasured_demands),
    }
    facts["people"] = people(
        parts.policy,
        parts.manifest,
        facts["audit"]["models"],
        facts["audit"]["by_manifest"],
        facts["risk"],
        parts.persons_before,
    )
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
            {"name": attribute["name"], "released": attribute.get("released"), "words": attribute["words"]}
            for attribute in facts.get("attributes", ())
        ],
        "constraints": [
            {key: constraint.get(key) for key in wanted} for constraint in facts.get("constraints", ())
        ],
    }


def _table(table: Facts) -> dict[str, Any]:
    return {
        "name": table["name"],
        "rows": table["rows"],
        "columns": list(table["columns"]),
        "digest": table.get("digest"),
    }


def _release(parts: Gathered) -> dict[str, Any]:
    manifest = parts.manifest
    promised = None if manifest is None else manifest.get("release_digest")
    digest = parts.release.get("digest")
    return {
        **_table(parts.release),
        "digest_matches": digest == promised if digest and promised else None,
        "manifest": None if manifest is None else _manifest(manifest),
        "truthful": True if manifest is None else is_truthful_recoding(manifest),
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


def _policy(parts: Gathered) -> dict[str, Any]:
    policy = parts.policy

    def named(role: Role) -> list[str]:
        return [attribute.name for attribute in policy.attributes if attribute.role is role]

    return {
        "stated": parts.stated == "policy",
        "by_manifest": parts.stated == "manifest",
        "demanded": parts.demanded,
        "k": policy.k,
        "quasi_identifiers": [quasi_identifier.name for quasi_identifier in policy.quasi_identifiers],
        "sensitive": named(Role.SENSITIVE),
        "identifiers": named(Role.IDENTIFIER),
        "class": policy.class_attribute,
        "sets": [list(each.columns) for each in policy.sets],
        "set_ks": [each.k or policy.k for each in policy.sets],
        "entity": policy.entity,
        "linkable": policy.linkable,
        "known_events": policy.known_events,
        "household": policy.household,
        "survey_weight": policy.survey_weight,
        "cost": policy.cost,
        "cost_words": cost_words(policy.cost),
        # Of linkable rows any number may go, unless a limit is stated.
        "suppression": str(policy.suppression.stated)
        if policy.promise is None or policy.suppression.given
        else UNLIMITED,
        "suppressed": policy.suppressed,
        "attacks": dict(policy.attacks),
        "harden": policy.harden,
        "accept_unverified": policy.accept_unverified,
        "digest": policy.digest,
    }


def _audit(parts: Gathered) -> dict[str, Any]:
    audit = parts.audit
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
        "offending": [dict(group) for group in audit.get("offending", ())],
        "offending_groups": audit.get("offending_groups"),
        "failures": list(audit["failures"]) if "failures" in audit else None,
        "warnings": list(audit.get("warnings", ())),
        "by_manifest": _promised(parts.manifest),
        "semantics": audit.get("semantics"),
        "models": [_model(name, model) for name, model in (audit.get("models") or {}).items()],
    }


def _warnings(parts: Gathered) -> list[dict[str, Any]]:
    """Current warnings, and those that the manifest has from when the release was made."""
    warnings = [dict(leak) for leak in parts.audit.get("leaks", ())]
    before = (parts.manifest or {}).get("warnings")
    for warning in before if isinstance(before, list | tuple) else ():
        if {"code", "columns", "message"} <= warning.keys() and not any(
            _same(warning, other) for other in warnings
        ):
            warnings.append({**warning, "columns": list(warning["columns"])})
    return warnings


def _same(one: Facts, other: Facts) -> bool:
    return one["code"] == other["code"] and [*one["columns"]] == [*other["columns"]]


def _promised(manifest: Facts | None) -> dict[str, Any]:
    """What was measured when the release was made, including what cannot be measured in the release."""
    known = {} if manifest is None else manifest
    measured = {**(known.get("audit") or {}), **((known.get("versions") or {}).get("audit") or {})}
    return {name: value for name, value in measured.items() if not name.startswith("holds")}


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


def _suppressed(parts: Gathered) -> dict[str, Any]:
    """Rows that are masked or were dropped, as far as the manifest or the original shows."""
    masked = int(parts.audit.get("suppressed") or 0)
    source = None
    if parts.original is not None:
        source = int(parts.original["rows"])
    elif parts.manifest is not None:
        source = int(parts.manifest["rows"])
    dropped = 0 if source is None else max(0, source - int(parts.release["rows"]))
    rows = masked + dropped
    of = source or int(parts.release["rows"])
    part = rows / of if of else 0.0
    # Rows that an extended release lacks wait, or went with others: no limit of the policy is about them.
    held_back = "extends" in ((parts.manifest or {}).get("versions") or {})
    if source is None:
        words = f"{number(masked)} rows read * throughout; how many were dropped is not known"
    else:
        what = "held back" if held_back else "suppressed"
        words = f"{number(rows)} of {number(of)} rows ({share(part)}) {what}"
    return {
        "rows": rows,
        "share": part,
        "masked": masked,
        "dropped": None if source is None else dropped,
        "held_back": held_back,
        "words": words,
    }


def _compared(parts: Gathered) -> dict[str, Any] | None:
    comparison = _plain(parts.comparison)
    if comparison is not None and not _covered(parts):
        comparison["losses"] = {
            name: None if name in _OF_CELLS else value
            for name, value in (comparison.get("losses") or {}).items()
        }
    return comparison


def _covered(parts: Gathered) -> bool:
    """Whether released cells cover what their rows had: a false value has no meaningful width."""
    return parts.comparison is not None and bool(parts.comparison.get("holds", True))


def _why_no_loss(parts: Gathered) -> str:
    if parts.original is None:
        return "the original was not given"
    return "some cells are not true of the original" if not _covered(parts) else "no measure applies"


_LOSSES: Sequence[str] = ("general-loss", "ncp", "precision", "suppressed-cells")
_OF_CELLS = ("general-loss", "ncp", "precision", "entropy")
"""Losses that depend on what a released value covers."""


def _loss(parts: Gathered) -> dict[str, Any] | None:
    """The one number of lost detail for the first page: a share where there is one, else the cost."""
    losses = (parts.comparison or {}).get("losses") or {}
    for metric in _LOSSES[:3] if _covered(parts) else ():
        if losses.get(metric) is not None:
            value = float(losses[metric])
            return {
                "metric": metric,
                "value": value,
                "share": True,
                "words": f"{share(value)} of detail lost ({metric})",
            }
    if parts.manifest is not None and parts.manifest.get("cost") is not None:
        metric, cost = str(parts.manifest["cost_metric"]), parts.manifest["cost"]
        of_one = metric in _LOSSES[:3]
        printed = share(cost) if of_one else number(cost)
        return {"metric": metric, "value": cost, "share": of_one, "words": f"{printed} ({metric})"}
    return None
