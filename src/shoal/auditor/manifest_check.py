"""A manifest held against the table that it lies beside, or is the comment on.

What it claims and can be measured is compared, one claim after the other; a claim that is not so fails. What
nobody can measure in a table (seconds, nodes, the bound of a search) is taken from no one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.auditor.measure.verdict import Verdict
from shoal.auditor.original.column_check import same_text
from shoal.model.policy.policy import Policy
from shoal.model.table.domain import SUPPRESSED
from shoal.model.table.group_sizes import GroupSizes

_WITHOUT = "without its manifest (--no-manifest; in Python manifest=False)"

_NEAR = 1e-9
"""How far numbers may be apart that are equal but for the last digits of doubles."""

_OF_LOGARITHMS = 1e-5
"""The same of entropies: logarithms are rounded to 2^-20 bit in costs."""

_OF_THE_RELEASE = ("k-anonymity", "k-anonymity-wildcard", "holds", "holds-wildcard")
"""What its audit tells besides the models that a policy demands."""

_NARROWED = ("general-loss", "ncp", "entropy")
"""Costs of which the cells tell a bound alone beside suppressed rows: labels name released values only."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One thing that a manifest says, and what is measured.

    Parameters
    ----------
    name
        What it is about, for programs.
    claimed, measured
        What the manifest says, and what the table shows.
    at_least
        Whether what was measured is only the least that it can be.
    subject
        What it is about, in words, if the name does not say it.
    within
        How far the two may be apart.
    """

    name: str
    claimed: object
    measured: object
    at_least: bool = False
    subject: str = ""
    within: float = _NEAR

    @property
    def holds(self) -> bool:
        """Whether the manifest is right, but for the last digits of doubles."""
        one, other = self.claimed, self.measured
        if isinstance(one, bool) or isinstance(other, bool) or not _are_numbers(one, other):
            return one == other
        assert isinstance(one, int | float)
        assert isinstance(other, int | float)
        near = one == other
        if not _are_whole(one, other):
            near = math.isclose(one, other, rel_tol=_NEAR, abs_tol=self.within)
        return near or (self.at_least and one > other)

    @property
    def words(self) -> str:
        """What is not so."""
        least = "at least " if self.at_least else ""
        return f"{self.subject or self.name} is {least}{_shown(self.measured)} and not {_shown(self.claimed)}"


@dataclass(frozen=True, kw_only=True)
class ManifestCheck:
    """What a manifest says of a table, and what is found there.

    Parameters
    ----------
    file
        The name of the manifest's file; of a table of a database that of the table, whose comment it is.
    release_digest, digest
        The digest that it says the release has, and the one that the file has; `None` of a table of a
        database, which has none.
    claims
        What it says and could be measured, with what is measured now.
    truthful
        Whether it says that cells are true of their rows: not where values were replaced by means.
    fault
        Why it cannot be read, or is about another table; `None` if it is this table's.
    is_comment
        Whether it is the comment on a table of a database.
    other_original
        Whether the original that was given is another file than the one that it says the release was made
        from; it may be the same table in another form.
    """

    file: str
    release_digest: str | None = None
    digest: str | None = None
    claims: tuple[Claim, ...] = ()
    truthful: bool = True
    fault: str | None = None
    is_comment: bool = False
    other_original: bool = False

    @property
    def claimed(self) -> dict[str, object]:
        """What it says, by name."""
        return {each.name: each.claimed for each in self.claims}

    @property
    def measured(self) -> dict[str, object]:
        """What was measured of it, by name."""
        return {each.name: each.measured for each in self.claims}

    @property
    def same_file(self) -> bool:
        """Whether the file is the one that the manifest is about; nothing speaks against it of a table."""
        return self.digest is None or self.release_digest == self.digest

    @property
    def contradicted(self) -> list[str]:
        """What it claims and is not so, in words."""
        return [each.words for each in self.claims if not each.holds]

    @property
    def holds(self) -> bool:
        """Whether table and manifest belong together."""
        return self.fault is None and self.same_file and not self.contradicted

    @property
    def failures(self) -> dict[str, str]:
        """What does not fit, by the name of the check, in words."""
        if self.fault is not None:
            return {
                "manifest": f"the manifest {self._named} cannot be held against the table: {self.fault}. "
                f"Restore it, or measure the table {_WITHOUT}"
            }
        found = {}
        if not self.same_file:
            found["release-digest"] = (
                f"the file is not the one that its manifest {self.file} is about: its digest differs, so it "
                "was changed or saved again after its release, or the manifest is another's. If it was saved "
                f"again on purpose, measure it {_WITHOUT}"
            )
        if self.contradicted:
            found["manifest-claims"] = (
                f"the manifest {self._named} claims what is not so: {'; '.join(self.contradicted)}"
            )
        return found

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "file": self.file,
            "fault": self.fault,
            "release_digest": self.release_digest,
            "digest": self.digest,
            "same_file": self.same_file,
            "claimed": self.claimed,
            "measured": self.measured,
            "holds": self.holds,
        }

    @property
    def _named(self) -> str:
        return f"in the comment on {self.file}" if self.is_comment else self.file


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is known of a table that a manifest is held against.

    Parameters
    ----------
    rows
        All its rows.
    sizes
        The groups of the columns that the manifest tells of, `*` read as a value; `None` if it does not tell
        which they are, or others than those of all of them together.
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
    knows_sets: bool = False


def claims(facts: Mapping[str, Any], seen: Seen) -> tuple[Claim, ...]:
    """All that a manifest says of a table and that can be measured.

    Parameters
    ----------
    facts
        The manifest, whole.
    seen
        The table.
    """
    found = [*_of_groups(facts, seen), *_of_rows(facts, seen), *_of_policy(facts, seen)]
    cost = _cost(facts, seen)
    return (*found, *_of_labels(facts, seen), *(() if cost is None else (cost,)))


def _of_groups(facts: Mapping[str, Any], seen: Seen) -> list[Claim]:
    verdict, sizes = seen.verdict, seen.sizes
    told: tuple[int | None, int] | None = None
    if sizes is not None:
        told = sizes.smallest, sizes.count
    elif verdict is not None:
        told = verdict.k, verdict.measured.groups
    if told is None:
        return []
    return [
        Claim(name="k", claimed=facts["audit"]["k-anonymity"], measured=told[0]),
        Claim(name="groups", claimed=facts["groups"], measured=told[1]),
    ]


def _of_rows(facts: Mapping[str, Any], seen: Seen) -> list[Claim]:
    """Released rows: all but the suppressed ones, or all, where those are masked; and the source's."""
    rows, suppressed, stars = facts["rows"], facts["suppressed"], _stars(seen)
    masked = seen.rows == rows and (stars is None or stars >= suppressed)
    found = [Claim(name="rows", claimed=rows if masked else rows - suppressed, measured=seen.rows)]
    knows_sets = seen.knows_sets
    if masked and stars is not None and not _may_be_a_group(facts, stars - suppressed, knows_sets=knows_sets):
        found.append(Claim(name="suppressed", claimed=suppressed, measured=stars))
    if seen.originals is not None:
        found.append(
            Claim(
                name="source_rows", claimed=rows, measured=seen.originals, subject="the number of source rows"
            )
        )
    return found


def _stars(seen: Seen) -> int | None:
    """Rows of the table whose quasi-identifiers all read `*`."""
    if seen.sizes is not None:
        return seen.sizes.suppressed
    return None if seen.verdict is None else seen.verdict.measured.suppressed


def _may_be_a_group(facts: Mapping[str, Any], rows: int, *, knows_sets: bool) -> bool:
    """Whether so many rows of `*` can be a group that was generalized to the top of every column."""
    columns = facts.get("recoding", {}).values()
    on_top = all(
        any(entry["label"] == SUPPRESSED for entry in each) if isinstance(each, list) else each.get("level")
        for each in columns
    )
    return bool(on_top) and (rows >= facts["k"] or knows_sets or not facts["audit"]["holds"])


def _of_policy(facts: Mapping[str, Any], seen: Seen) -> list[Claim]:
    """What the policy of the manifest's digest says itself, and what its models measure."""
    policy, verdict, audit = seen.policy, seen.verdict, facts["audit"]
    if policy is None:
        return []
    asked: dict[str, object] = {"k": policy.k, "cost_metric": policy.cost, "seed": policy.seed}
    asked["model"] = None if policy.recoding_model is None else policy.recoding_model.value
    if policy.algorithm != "auto":
        asked["algorithm"] = policy.algorithm
    found = [
        Claim(
            name=f"asked.{name}",
            claimed=facts.get(name),
            measured=value,
            subject=f"the {name} that was asked for",
        )
        for name, value in asked.items()
    ]
    if verdict is None:
        return found
    wildcards = verdict.wildcards
    if wildcards is not None:
        told = {"k-anonymity-wildcard": wildcards.smallest, "holds-wildcard": verdict.meets}
        found += [
            Claim(name=name, claimed=audit[name], measured=value)
            for name, value in told.items()
            if name in audit
        ]
    for each in verdict.models:
        # Beside suppressed rows, a model that compares with the whole table had another one to compare with.
        if each.unmeasured is None and (not each.compares_with_table or facts["suppressed"] == 0):
            found.append(
                Claim(
                    name=each.key,
                    claimed=audit.get(each.key),
                    measured=each.measured,
                    at_least=each.at_least,
                )
            )
    known = {*_OF_THE_RELEASE, *(each.key for each in verdict.models)}
    found += [
        Claim(name=name, claimed=value, measured=None) for name, value in audit.items() if name not in known
    ]
    if not verdict.unmeasured:
        found.append(Claim(name="holds", claimed=audit["holds"], measured=verdict.holds))
    return found


def _of_labels(facts: Mapping[str, Any], seen: Seen) -> list[Claim]:
    """Per column whose labels it lists, how many of them and of the table's the other one has not."""
    found = []
    for name, cells in seen.labels.items():
        listed = {_reads(entry["label"]) for entry in facts["recoding"][name]}
        strange = (listed ^ {_reads(cell) for cell in cells}) - {SUPPRESSED}
        words = f"the number of labels of {name!r} that only the manifest or only the table has"
        found.append(Claim(name=f"labels.{name}", claimed=0, measured=len(strange), subject=words))
    return found


def _reads(label: str | None) -> object:
    """What a label is: a number and a date can be written in several ways; an empty cell is a missing one."""
    return None if not label else label if label == SUPPRESSED else same_text(label)


def _cost(facts: Mapping[str, Any], seen: Seen) -> Claim | None:
    """The cost by its metric, as far as the cells tell it."""
    metric, cost = facts["cost_metric"], facts["cost"]
    if cost is None:
        return None
    by_groups, words = _cost_by_groups(facts, seen), f"the cost ({metric})"
    if metric in by_groups:
        return Claim(name="cost", claimed=cost, measured=by_groups[metric], subject=words)
    loss = None if seen.losses is None else seen.losses.get(metric)
    if loss is None or (metric == "classification" and _on_top(facts, seen) != 0):
        return None
    narrowed = metric in _NARROWED and facts["suppressed"] > 0
    within = _OF_LOGARITHMS if metric == "entropy" else _NEAR
    return Claim(name="cost", claimed=cost, measured=loss, at_least=narrowed, subject=words, within=within)


def _cost_by_groups(facts: Mapping[str, Any], seen: Seen) -> dict[str, int | float]:
    """The costs that the sizes of groups tell, given the rows that are suppressed."""
    rows, suppressed, recoding = facts["rows"], facts["suppressed"], facts.get("recoding", {})
    found: dict[str, int | float] = {"suppressed-rows": suppressed}
    levels = [each["level"] for each in recoding.values() if isinstance(each, dict) and "level" in each]
    if recoding and len(levels) == len(recoding):
        found["height"] = sum(levels)
    sizes, held = seen.sizes, facts["audit"]["holds"]
    if sizes is None or not held or _labels_repeat(recoding):
        return found
    top = max(0, _on_top(facts, seen) or 0)
    groups = sizes.count + (top > 0)
    squares = sum(size * size * times for size, times in sizes.pairs)
    return {
        **found,
        "discernibility": squares + top * top + suppressed * rows,
        "groups": rows - groups,
        "average-group-size": rows / max(1, groups),
    }


def _on_top(facts: Mapping[str, Any], seen: Seen) -> int | None:
    """Rows at the top of every column: a group that reads as suppressed rows do."""
    stars = _stars(seen)
    return None if stars is None else stars - (facts["suppressed"] if seen.rows == facts["rows"] else 0)


def _labels_repeat(recoding: Mapping[str, Any]) -> bool:
    """Whether two values of a column are printed alike, so that groups can be, too."""
    listed = [[entry["label"] for entry in each] for each in recoding.values() if isinstance(each, list)]
    return any(len(set(each)) < len(each) for each in listed)


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int | float) for value in values)


def _are_whole(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
