"""The recoding of a release, read back from its manifest, so that nothing need be searched twice.

A manifest names released values alone. Where some value was suppressed, the place of a cut next to it is
unknown; such a recoding is not read back. What is read must cost and suppress what the manifest states: a
manifest that cannot be read, or is not so, is refused, and not passed over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from shoal.algorithms._definitions import admissible, cost_of, made_by
from shoal.algorithms._giving_up import with_given_up
from shoal.algorithms.searched_kind import searched_kind
from shoal.errors import AuditError, InternalError, PolicyError
from shoal.model.policy.policy import Policy
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.mixed_recoding import MixedRecoding
from shoal.model.recoding.recoding import CutRecoding, DomainRecoding, plain_value
from shoal.model.recoding.subtree_recoding import SubtreeRecoding
from shoal.model.result.manifest import manifest_path
from shoal.model.result.manifest_facts import ManifestError
from shoal.model.result.problem import Problem
from shoal.model.result.result import Cost, Result, Status
from shoal.model.result.searched_kind import CUTS, SUBTREES, TREE_CUTS
from shoal.model.table.domain import SUPPRESSED, Domain
from shoal.pipeline.read_manifest import manifest_next_to


def result_in_manifest(policy: Policy, problem: Problem, source_digest: str) -> Result | None:
    """The answer in the manifest next to the policy's release; `None` if that is about another release.

    `AuditError` if there is a manifest that cannot be read, or whose recoding does not match its figures.

    Parameters
    ----------
    policy
        The policy; the manifest must have its digest.
    problem
        Its problem, counted again.
    source_digest
        That of the source; the manifest must have it, too.
    """
    facts = _facts(policy.release)
    if facts is None or (facts["policy_digest"], facts["source_digest"]) != (policy.digest, source_digest):
        return None
    status = Status(facts["status"])
    try:
        recoding = _recoding(facts, problem) if "recoding" in facts else None
        if recoding is None:
            return None
        # The manifest does not list the groups that were given up: their values are private.
        recoding, _ = with_given_up(problem, recoding)
        groups = made_by(problem, recoding)
        cost = cost_of(problem, recoding, groups)
    except (PolicyError, InternalError, KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise _refused(policy, "its recoding is none of this table") from None
    bound = cost if status is Status.OPTIMAL else _below(facts["bound"])
    if (_plain(cost), groups.suppressed) != (facts["cost"], facts["suppressed"]):
        raise _refused(policy, "its recoding does not cost or suppress what it states")
    if not admissible(problem, groups) or (bound is not None and bound > cost):
        raise _refused(policy, "its recoding is not admissible, or its bound is above its cost")
    return Result(
        status=status,
        algorithm=facts["algorithm"],
        recoding=recoding,
        cost=cost,
        bound=bound,
        suppressed=groups.suppressed,
    )


def algorithm_in_manifest(policy: Policy) -> str | None:
    """The algorithm in the manifest next to the policy's release; `None` if there is none."""
    facts = _facts(policy.release)
    return None if facts is None else str(facts["algorithm"])


def _facts(release: Path | str | None) -> Mapping[str, Any] | None:
    if not isinstance(release, Path):
        return None
    try:
        return manifest_next_to(release)
    except ManifestError as error:
        raise _unbelieved(release, str(error)) from None


def _refused(policy: Policy, why: str) -> AuditError:
    assert isinstance(policy.release, Path)
    return _unbelieved(policy.release, why)


def _unbelieved(release: Path, why: str) -> AuditError:
    return AuditError(
        f"the manifest {manifest_path(release).name} cannot be believed: {why}. It was changed, cut off or "
        "made by another version; search again without it (--again; in Python again=True)"
    )


def _recoding(facts: Mapping[str, Any], problem: Problem) -> DomainRecoding | None:
    domains = problem.table.domains
    released = [facts["recoding"][domain.name] for domain in domains]
    if all(isinstance(entry, Mapping) for entry in released):
        levels = tuple(int(entry["level"]) for entry in released)
        heights = [domain.hierarchy.height for domain in domains]
        known = all(0 <= level <= height for level, height in zip(levels, heights, strict=True))
        return LevelRecoding(levels) if known else None
    kind = searched_kind(facts["algorithm"])
    if kind not in (CUTS, TREE_CUTS, SUBTREES):
        return None  # rows are recoded one by one, and the manifest does not list them
    by_cuts = kind == CUTS
    columns = []
    for domain, entries in zip(domains, released, strict=True):
        parts = _parts(domain, entries)
        column = None if parts is None else _cuts(parts) if by_cuts else _nodes(domain, parts, entries)
        if column is None:
            return None
        columns.append(column)
    if by_cuts:
        return CutRecoding(tuple(column.cuts[0] for column in columns if isinstance(column, CutRecoding)))
    if all(isinstance(column, SubtreeRecoding) for column in columns):
        return SubtreeRecoding(
            tuple(column.nodes[0] for column in columns if isinstance(column, SubtreeRecoding))
        )
    return MixedRecoding(tuple(columns))


def _parts(domain: Domain, entries: Any) -> list[list[int]] | None:
    """The codes of each released value; `None` unless every code has one."""
    if len(entries) == 1 and entries[0]["label"] == SUPPRESSED:  # it names no value, so it is all of them
        return [list(range(len(domain)))]
    values = [plain_value(domain, code) for code in range(len(domain))]
    code_of = {(type(value), value): code for code, value in enumerate(values)}
    parts = [sorted(code_of[type(value), value] for value in entry["values"]) for entry in entries]
    return parts if sorted(code for part in parts for code in part) == list(range(len(domain))) else None


def _cuts(parts: list[list[int]]) -> CutRecoding | None:
    intervals = all(part[-1] - part[0] == len(part) - 1 for part in parts)
    return CutRecoding((tuple(sorted(part[0] for part in parts if part[0])),)) if intervals else None


def _nodes(domain: Domain, parts: list[list[int]], entries: Any) -> CutRecoding | SubtreeRecoding | None:
    """The nodes that have these codes and labels, on the lowest levels; cuts where there is no hierarchy."""
    if domain.tree is None:
        return _cuts(parts)
    nodes = []
    for codes, entry in zip(parts, entries, strict=True):
        matching = [
            (level, number)
            for level in range(domain.tree.height + 1)
            for number, members in enumerate(domain.tree.members(level))
            if list(members) == codes and domain.level_labels(level)[number] == entry["label"]
        ]
        if not matching:
            return None
        nodes.append(matching[0])
    return SubtreeRecoding((tuple(nodes),))


def _plain(cost: Cost) -> int | float:
    return cost if isinstance(cost, int) else float(cost)


def _below(bound: int | float | None) -> Cost | None:
    """A bound that was rounded when it was written: the next number below it is one for certain."""
    if bound is None or isinstance(bound, int):
        return bound
    return Fraction(math.nextafter(bound, -math.inf)) if math.isfinite(bound) else None
