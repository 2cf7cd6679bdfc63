"""What a manifest claims about a table, with what the table shows: one measured claim after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.auditor.manifest_check import NEAR, Claim
from shoal.auditor.measure.models import ModelVerdict
from shoal.auditor.measure.verdict import Verdict
from shoal.auditor.original.column_check import same_text
from shoal.model.history.promise_given import promise_given
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.group_sizes import GroupSizes

_OF_LOGARITHMS = 1e-5
"""How far apart entropies may be: costs round logarithms to 2^-20 bit."""

_OF_THE_RELEASE = ("k-anonymity", "k-anonymity-wildcard", "holds", "holds-wildcard")
"""What its audit reports in addition to the models that a policy demands."""

_NARROWED = ("general-loss", "ncp", "entropy")
"""Costs that the cells only bound where rows are suppressed: labels name released values only."""


@dataclass(frozen=True, kw_only=True)
class TableFacts:
    """What is known of the table that a manifest is checked against.

    Parameters
    ----------
    rows
        All its rows.
    sizes
        The groups of the columns that the manifest names, `*` read as a value; `None` if it does not say
        which they are, or if there are several sets of them.
    verdict
        What the audit measured, if it was by the policy that the manifest names by its digest.
    policy
        That policy.
    labels
        Per column whose labels the manifest lists, the texts of its cells; `None` is the missing one.
    originals
        Rows of the original, if it is known.
    losses
        Losses by metric, measured against the original by the manifest's own policy.
    promised
        What was measured of the promise that the manifest gives about linkable rows.
    knows_sets
        Whether the manifest's algorithm can have several sets of quasi-identifiers, which it does not record.
    """

    rows: int
    sizes: GroupSizes | None = None
    verdict: Verdict | None = None
    policy: Policy | None = None
    labels: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    originals: int | None = None
    losses: Mapping[str, float | None] | None = None
    promised: tuple[ModelVerdict, ...] = ()
    knows_sets: bool = False


def measured_claims(facts: Mapping[str, Any], table: TableFacts) -> tuple[Claim, ...]:
    """All claims of a manifest about a table that can be measured.

    Parameters
    ----------
    facts
        The manifest, whole.
    table
        The table.
    """
    measured = [*_of_groups(facts, table), *_of_rows(facts, table), *_of_policy(facts, table)]
    measured += _of_promise(facts, table, {each.name for each in measured})
    cost = _cost(facts, table)
    return (*measured, *_of_labels(facts, table), *(() if cost is None else (cost,)))


def _of_groups(facts: Mapping[str, Any], table: TableFacts) -> list[Claim]:
    verdict, sizes = table.verdict, table.sizes
    measured: tuple[int | None, int] | None = None
    if sizes is not None:
        measured = sizes.smallest, sizes.count
    elif verdict is not None:
        measured = verdict.k, verdict.measured.groups
    if measured is None:
        return []
    return [
        Claim(name="k", claimed=facts["audit"]["k-anonymity"], measured=measured[0]),
        Claim(name="groups", claimed=facts["groups"], measured=measured[1]),
    ]


def _of_rows(facts: Mapping[str, Any], table: TableFacts) -> list[Claim]:
    """Claims about released rows (without suppressed ones, unless they are masked) and source rows."""
    rows, suppressed, stars = facts["rows"], facts["suppressed"], _stars(table)
    masked = table.rows == rows and (stars is None or stars >= suppressed)
    claims = [Claim(name="rows", claimed=rows if masked else rows - suppressed, measured=table.rows)]
    knows_sets = table.knows_sets
    if masked and stars is not None and not _may_be_a_group(facts, stars - suppressed, knows_sets=knows_sets):
        claims.append(Claim(name="suppressed", claimed=suppressed, measured=stars))
    if table.originals is not None:
        claims.append(
            Claim(
                name="source_rows",
                claimed=rows,
                measured=table.originals,
                subject="the number of source rows",
            )
        )
    return claims


def _stars(table: TableFacts) -> int | None:
    """Rows of the table whose quasi-identifiers all read `*`."""
    if table.sizes is not None:
        return table.sizes.suppressed
    return None if table.verdict is None else table.verdict.measured.suppressed


def _may_be_a_group(facts: Mapping[str, Any], rows: int, *, knows_sets: bool) -> bool:
    """Whether this many rows of `*` can be a group that was generalized to the top of every column."""
    columns = facts.get("recoding", {}).values()
    on_top = all(
        any(entry["label"] == SUPPRESSED for entry in each) if isinstance(each, list) else each.get("level")
        for each in columns
    )
    return bool(on_top) and (rows >= facts["k"] or knows_sets or not facts["audit"]["holds"])


def _of_policy(facts: Mapping[str, Any], table: TableFacts) -> list[Claim]:
    """Claims about what the manifest's policy states, and what its models measure."""
    policy, verdict, audit = table.policy, table.verdict, facts["audit"]
    if policy is None:
        return []
    requested: dict[str, object] = {"k": policy.k, "cost_metric": policy.cost, "seed": policy.seed}
    requested["model"] = None if policy.recoding_model is None else policy.recoding_model.value
    if policy.algorithm != "auto":
        requested["algorithm"] = policy.algorithm
    claims = [
        Claim(
            name=f"asked.{name}",
            claimed=facts.get(name),
            measured=value,
            subject=f"the {name} that was requested",
        )
        for name, value in requested.items()
    ]
    claims += _of_treatments(facts, policy)
    if verdict is None:
        return claims
    wildcards = verdict.wildcards
    if wildcards is not None:
        measured = {"k-anonymity-wildcard": wildcards.smallest, "holds-wildcard": verdict.meets}
        claims += [
            Claim(name=name, claimed=audit[name], measured=value)
            for name, value in measured.items()
            if name in audit
        ]
    claimed = {**audit, **((facts.get("versions") or {}).get("audit") or {})}
    for each in verdict.models:
        # With suppressed rows, a model that compares with the whole table compared with a larger one.
        if each.unmeasured is None and (not each.compares_with_table or facts["suppressed"] == 0):
            claims.append(
                Claim(
                    name=each.key,
                    claimed=claimed.get(each.key),
                    measured=each.measured,
                    at_least=each.at_least,
                )
            )
    known = {*_OF_THE_RELEASE, *(each.key for each in verdict.models)}
    claims += [
        Claim(name=name, claimed=value, measured=None) for name, value in audit.items() if name not in known
    ]
    if not verdict.unmeasured:
        claims.append(Claim(name="holds", claimed=audit["holds"], measured=verdict.holds))
    return claims


def _of_promise(facts: Mapping[str, Any], table: TableFacts, known: set[str]) -> list[Claim]:
    """Claims about linkable rows, whatever the policy of the audit."""
    return [
        Claim(name=each.key, claimed=facts["audit"].get(each.key), measured=each.measured)
        for each in table.promised
        if each.key not in known and each.unmeasured is None
    ]


def _of_treatments(facts: Mapping[str, Any], policy: Policy) -> list[Claim]:
    """Claims about other columns, the order of rows and people; earlier manifests have none."""
    claims = []
    if "treatments" in facts:
        stated = {each.name: each.treatment for each in policy.attributes if each.treatment is not None}
        claims.append(
            Claim(
                name="asked.treatments",
                claimed={name: each["name"] for name, each in facts["treatments"].items()},
                measured={name: each.name for name, each in stated.items()},
                subject="the list of treatments that were requested",
            )
        )
    if "promise" in facts:
        claims.append(
            Claim(
                name="asked.promise",
                claimed=_without_words(facts["promise"]),
                measured=_without_words(promise_given(policy)),
                subject="the promise about people that was requested",
            )
        )
    if "order" in facts:
        subject = "the order of rows that was requested"
        claims.append(
            Claim(name="asked.order", claimed=facts["order"], measured=policy.order, subject=subject)
        )
    return claims


def _without_words(promise: Mapping[str, Any] | None) -> dict[str, object] | None:
    """A promise without its sentence, which another version may word differently."""
    return None if promise is None else {key: each for key, each in promise.items() if key != "sentence"}


def _of_labels(facts: Mapping[str, Any], table: TableFacts) -> list[Claim]:
    """Per column whose labels it lists, how many labels only the manifest or only the table has."""
    claims = []
    for name, cells in table.labels.items():
        listed = {_reads(entry["label"]) for entry in facts["recoding"][name]}
        unshared = (listed ^ {_reads(cell) for cell in cells}) - {SUPPRESSED}
        words = f"the number of labels of {name!r} that only the manifest or only the table has"
        claims.append(Claim(name=f"labels.{name}", claimed=0, measured=len(unshared), subject=words))
    return claims


def _reads(label: str | None) -> object:
    """The value of a label: numbers and dates can be written in several ways; an empty cell is missing."""
    return None if not label else label if label == SUPPRESSED else same_text(label)


def _cost(facts: Mapping[str, Any], table: TableFacts) -> Claim | None:
    """The cost by its metric, as far as the cells show it."""
    metric, cost = facts["cost_metric"], facts["cost"]
    if cost is None:
        return None
    by_groups, words = _cost_by_groups(facts, table), f"the cost ({metric})"
    if metric in by_groups:
        return Claim(name="cost", claimed=cost, measured=by_groups[metric], subject=words)
    loss = None if table.losses is None else table.losses.get(metric)
    if loss is None or (metric == "classification" and _on_top(facts, table) != 0):
        return None
    narrowed = metric in _NARROWED and facts["suppressed"] > 0
    within = _OF_LOGARITHMS if metric == "entropy" else NEAR
    return Claim(name="cost", claimed=cost, measured=loss, at_least=narrowed, subject=words, within=within)


def _cost_by_groups(facts: Mapping[str, Any], table: TableFacts) -> dict[str, int | float]:
    """The costs that follow from the sizes of groups and the number of suppressed rows."""
    rows, suppressed, recoding = facts["rows"], facts["suppressed"], facts.get("recoding", {})
    costs: dict[str, int | float] = {"suppressed-rows": suppressed}
    levels = [each["level"] for each in recoding.values() if isinstance(each, dict) and "level" in each]
    if recoding and len(levels) == len(recoding):
        costs["height"] = sum(levels)
    sizes, held = table.sizes, facts["audit"]["holds"]
    if sizes is None or not held or _labels_repeat(recoding):
        return costs
    top = max(0, _on_top(facts, table) or 0)
    groups = sizes.count + (top > 0)
    squares = sum(size * size * times for size, times in sizes.pairs)
    return {
        **costs,
        "discernibility": squares + top * top + suppressed * rows,
        "groups": rows - groups,
        "average-group-size": rows / max(1, groups),
    }


def _on_top(facts: Mapping[str, Any], table: TableFacts) -> int | None:
    """Rows at the top of every column: a group that reads as suppressed rows do."""
    stars = _stars(table)
    return None if stars is None else stars - (facts["suppressed"] if table.rows == facts["rows"] else 0)


def _labels_repeat(recoding: Mapping[str, Any]) -> bool:
    """Whether two values of a column are printed alike, so that groups can be, too."""
    listed = [[entry["label"] for entry in each] for each in recoding.values() if isinstance(each, list)]
    return any(len(set(each)) < len(each) for each in listed)
