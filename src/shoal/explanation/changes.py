"""Policies that differ from one in a single constraint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from shoal.explanation.explanation import Kind
from shoal.formatting.numbers import counted
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import UNLIMITED, Suppression
from shoal.model.result.problem import Problem
from shoal.privacy import model_of


@dataclass(frozen=True, kw_only=True)
class Change:
    """A policy that differs in one constraint."""

    constraint: str
    kind: Kind
    policy: Policy
    relaxes: bool = True
    column: str | None = None


def relaxations(
    policy: Policy, problem: Problem, stay: int, largest_k: Callable[[], int | None]
) -> Iterator[Change]:
    """The changes of which each alone could make a release possible for a policy without one.

    Parameters
    ----------
    policy, problem
        The policy, and its problem.
    stay
        Rows that stay in groups that are refused, whatever is done.
    largest_k
        Looks for the largest k that has a release.
    """
    if policy.k > 1:
        yield with_k(policy, largest_k() or 1)
    limit = problem.limit
    if limit is not None and not _every_row(problem, policy):
        if limit < stay < problem.table.rows:
            yield _with_limit(policy, stay)
        yield _with_limit(policy, UNLIMITED)
    yield from _other_changes(policy)


def changes(policy: Policy, problem: Problem, suppressed: int) -> Iterator[Change]:
    """The changes that are worth a search, of a policy that has a release.

    Parameters
    ----------
    policy, problem
        The policy, and its problem.
    suppressed
        Rows that the release suppresses.
    """
    rows = problem.table.rows
    if policy.k > 1:
        yield with_k(policy, policy.k - 1)
    if policy.k < rows:
        yield replace(with_k(policy, policy.k + 1), relaxes=False)
    if not _every_row(problem, policy):
        yield from _suppression(policy, problem.limit, rows, suppressed)
    yield from _other_changes(policy)


def _other_changes(policy: Policy) -> Iterator[Change]:
    names = [each.name for each in policy.quasi_identifiers]
    for name in names if len(names) > 1 else ():
        yield _without(policy, name)
    for place, stated in enumerate(policy.models):
        model = model_of(stated)
        left = replace(policy, models=(*policy.models[:place], *policy.models[place + 1 :]))
        of = f" of {', '.join(model.columns)}" if model.columns else ""
        yield Change(
            constraint=f"without {model.name}{of}", kind="model", policy=_without_unused_population(left)
        )
    if policy.entity is not None:
        rows_count = replace(policy, entity=None)
        yield Change(constraint=f"k counts rows, not {policy.entity}", kind="entity", policy=rows_count)
    for quasi_identifier in policy.quasi_identifiers:
        if quasi_identifier.min_level or quasi_identifier.max_level is not None:
            free = replace(quasi_identifier, min_level=0, max_level=None)
            attributes = tuple(free if one is quasi_identifier else one for one in policy.attributes)
            yield Change(
                constraint=f"any level of {quasi_identifier.name}",
                kind="levels",
                column=quasi_identifier.name,
                policy=replace(policy, attributes=attributes),
            )


def with_k(policy: Policy, k: int) -> Change:
    """The policy with another k."""
    return Change(constraint=f"k = {k:,}", kind="k", policy=replace(policy, k=k))


def _every_row(problem: Problem, policy: Policy) -> bool:
    """Whether suppression is no choice: the recoding model or a privacy model rules it out."""
    by_model = policy.recoding_model is not None and policy.recoding_model.releases_every_row
    return by_model or any(model.forbids_suppression for model in problem.models)


def _suppression(policy: Policy, limit: int | None, rows: int, suppressed: int) -> Iterator[Change]:
    stated: dict[int | str, bool] = {}
    if limit is not None and limit < rows:
        stated[min(rows, 2 * limit or max(1, rows // 100))] = True
        stated[UNLIMITED] = True
    if suppressed:  # without suppressed rows, a lower limit costs nothing
        most = suppressed if limit is None or limit >= rows else limit
        stated |= {most // 2: False, 0: False}
    for each, relaxes in stated.items():
        yield replace(_with_limit(policy, each), relaxes=relaxes)


def _with_limit(policy: Policy, limit: int | str) -> Change:
    words = "none" if limit == 0 else limit if isinstance(limit, str) else counted(limit, "row")
    changed = replace(policy, suppression=Suppression(limit))
    return Change(constraint=f"suppression: {words}", kind="suppression", policy=changed)


def _without(policy: Policy, name: str) -> Change:
    left = tuple(attribute for attribute in policy.attributes if attribute.name != name)
    sets = tuple(
        replace(each, columns=kept)
        for each in policy.sets
        if (kept := tuple(one for one in each.columns if one != name))
    )
    # The columns of a single set are all that are left: its k is that of the policy then.
    k = sets[0].k or policy.k if len(sets) == 1 else policy.k
    changed = replace(policy, attributes=left, sets=sets if len(sets) > 1 else (), k=k)
    return Change(constraint=f"without {name}", kind="attribute", column=name, policy=changed)


def _without_unused_population(policy: Policy) -> Policy:
    """A policy without the population, if none of its models needs it."""
    if any(model_of(model).needs_population for model in policy.models):
        return policy
    return replace(policy, population=None, survey_weight=None)
