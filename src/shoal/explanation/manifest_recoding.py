"""The recoding of a release, read back from its manifest, so that nothing need be searched twice.

A manifest names released values alone. Where some value was suppressed, the place of a cut beside it cannot
be told; such a recoding is not read back. What is read must cost and suppress what the manifest says: a
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
    """The answer that a manifest beside the policy's release tells; `None` if it tells of another one.

    `AuditError` if there is a manifest that cannot be read, or whose recoding is not what it says it is.

    Parameters
    ----------
    policy
        What is asked; the manifest must have its digest.
    problem
        The problem that it poses, counted anew.
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
        # The manifest does not tell which groups were given up: their values are private.
        recoding, _ = with_given_up(problem, recoding)
        made = made_by(problem, recoding)
        cost = cost_of(problem, recoding, made)
    except (PolicyError, InternalError, KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise _refused(policy, "its recoding is none of this table") from None
    bound = cost if status is Status.OPTIMAL else _below(facts["bound"])
    if (_plain(cost), made.suppressed) != (facts["cost"], facts["suppressed"]):
        raise _refused(policy, "its recoding does not cost or suppress what it says")
    if not admissible(problem, made) or (bound is not None and bound > cost):
        raise _refused(policy, "its recoding is not admissible, or its bound is above its cost")
    return Result(
        status=status,
        algorithm=facts["algorithm"],
        recoding=recoding,
        cost=cost,
        bound=bound,
        suppressed=made.suppressed,
    )


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
        "made by another version; search anew without it (--again; in Python again=True)"
    )


def _recoding(facts: Mapping[str, Any], problem: Problem) -> DomainRecoding | None:
    domains = problem.table.domains
    told = [facts["recoding"][domain.name] for domain in domains]
    if all(isinstance(each, Mapping) for each in told):
        levels = tuple(int(each["level"]) for each in told)
        heights = [domain.hierarchy.height for domain in domains]
        known = all(0 <= level <= height for level, height in zip(levels, heights, strict=True))
        return LevelRecoding(levels) if known else None
    kind = searched_kind(facts["algorithm"])
    if kind not in (CUTS, TREE_CUTS, SUBTREES):
        return None  # rows are recoded one by one, and the manifest does not say which
    by_cuts = kind == CUTS
    columns = []
    for domain, entries in zip(domains, told, strict=True):
        parts = _parts(domain, entries)
        column = None if parts is None else _cuts(parts) if by_cuts else _nodes(domain, parts, entries)
        if column is None:
            return None
        columns.append(column)
    if by_cuts:
        return CutRecoding(tuple(each.cuts[0] for each in columns if isinstance(each, CutRecoding)))
    if all(isinstance(each, SubtreeRecoding) for each in columns):
        return SubtreeRecoding(tuple(each.nodes[0] for each in columns if isinstance(each, SubtreeRecoding)))
    return MixedRecoding(tuple(columns))


def _parts(domain: Domain, entries: Any) -> list[list[int]] | None:
    """The codes of each released value; `None` unless every code has one."""
    if len(entries) == 1 and entries[0]["label"] == SUPPRESSED:  # it tells of no value, so it is all of them
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
        found = [
            (level, number)
            for level in range(domain.tree.height + 1)
            for number, members in enumerate(domain.tree.members(level))
            if list(members) == codes and domain.level_labels(level)[number] == entry["label"]
        ]
        if not found:
            return None
        nodes.append(found[0])
    return SubtreeRecoding((tuple(nodes),))


def _plain(cost: Cost) -> int | float:
    return cost if isinstance(cost, int) else float(cost)


def _below(bound: int | float | None) -> Cost | None:
    """A bound that was rounded when it was written: the next number below it is one for certain."""
    if bound is None or isinstance(bound, int):
        return bound
    return Fraction(math.nextafter(bound, -math.inf)) if math.isfinite(bound) else None
