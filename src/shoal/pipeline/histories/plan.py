"""The first hop for linkable rows: everything that can be decided before a row is read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.algorithms import ALGORITHMS
from shoal.algorithms.histories import HISTORY_ALGORITHMS, HistoryAlgorithm
from shoal.cost import METRICS, CellMetric
from shoal.errors import PolicyError
from shoal.model.history.promise import Promise
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import Policy
from shoal.model.suggestion import suggestion
from shoal.pipeline.demands import check_models, evidence_of, models_of
from shoal.pipeline.search_choice import limits_levels
from shoal.pipeline.treating import treatments_of
from shoal.privacy import GroupModel

ROW_BY_ROW, CONSISTENT = "person-groups", "person-levels"


@dataclass(frozen=True, kw_only=True, eq=False)
class HistoryPlan:
    """A policy with linkable rows that was checked, and how to carry it out.

    Parameters
    ----------
    policy, promise
        The request, and what it promises about people.
    algorithms
        What is tried; the least loss counts.
    evidence
        What to count besides the quasi-identifiers.
    """

    policy: Policy
    promise: Promise
    algorithms: tuple[HistoryAlgorithm, ...]
    evidence: Evidence

    @property
    def threads(self) -> int:
        """The threads that the search may use."""
        return self.policy.threads or os.cpu_count() or 1

    @property
    def models(self) -> tuple[GroupModel, ...]:
        """What else must hold of persons who cannot be distinguished."""
        return tuple(each for each in models_of(self.policy) if isinstance(each, GroupModel))


def plan_histories(policy: Policy) -> HistoryPlan:
    """Check a policy with linkable rows; `PolicyError` if its parts do not fit together."""
    promise = policy.promise
    assert promise is not None
    linked = "linkable" if promise.unit == "person" else "household"
    for reason in _refusals(policy):
        raise PolicyError(f"with {linked}, {reason}")
    check_models(policy)
    treatments_of(policy)
    for model in models_of(policy):
        if not isinstance(model, GroupModel) or model.person_columns or model.needs_population:
            raise PolicyError(
                f"with {linked}, models look at the sensitive values of persons who cannot be "
                f"distinguished, and {model.name} does not; leave it out"
            )
    return HistoryPlan(
        policy=policy, promise=promise, algorithms=_algorithms(policy), evidence=evidence_of(policy)
    )


def refuse_linkable(policy: Policy, what: str) -> None:
    """Raise `PolicyError` if rows are linkable; for what searches among single rows.

    Parameters
    ----------
    policy
        The request.
    what
        What cannot be done, as the beginning of a sentence.
    """
    if policy.promise is not None:
        key = "linkable" if policy.household is None else "household"
        raise PolicyError(
            f"{what} looks at rows one by one, and {key} makes a demand on all rows of a "
            f"{policy.promise.unit} together; leave out {key}, or use shoal anonymize"
        )


def _refusals(policy: Policy) -> Iterator[str]:
    metric = METRICS.get(policy.cost)
    if metric is None:
        yield f"there is no cost {policy.cost!r}.{suggestion(policy.cost, METRICS)}"
    elif not issubclass(metric, CellMetric):
        means = [name for name, each in METRICS.items() if issubclass(each, CellMetric)]
        yield f"the cost is a mean over cells ({', '.join(means)}), and {policy.cost!r} is none"
    if policy.gs_factor != 0.5:
        yield "gs_factor has no meaning; leave it out"
    if len(policy.sets) > 1:
        yield "the quasi-identifiers are one set; leave out sets"
    if policy.harden:
        yield "harden is not available; leave it out"
    if policy.recoding_model is not None:
        yield "recoding models of single rows do not apply; leave out recoding_model"
    if policy.population is not None or policy.survey_weight is not None:
        yield "k counts persons of the table; leave out population and survey_weight"
    if policy.class_attribute is not None:
        yield f"column {policy.class_attribute!r} cannot have the role class; call it sensitive or other"


def _algorithms(policy: Policy) -> tuple[HistoryAlgorithm, ...]:
    name = policy.algorithm
    if name != "auto" and name not in HISTORY_ALGORITHMS:
        if name in ALGORITHMS:
            raise PolicyError(
                f"algorithm {name!r} looks at rows one by one; for linkable rows and households choose "
                f"{ROW_BY_ROW!r}, {CONSISTENT!r} (consistent) or 'auto'"
            )
        names = ("auto", *HISTORY_ALGORITHMS)
        raise PolicyError(f"there is no algorithm {name!r}.{suggestion(name, names)}")
    per_column = policy.consistent or limits_levels(policy)
    names = (name,) if name != "auto" else (CONSISTENT,) if per_column else (ROW_BY_ROW, CONSISTENT)
    found = tuple(
        HISTORY_ALGORITHMS[each].with_options(policy.options if each == name else {})
        for each in names
        if each in HISTORY_ALGORITHMS
    )
    if policy.consistent and not found[0].is_consistent:
        raise PolicyError(
            f"algorithm {name!r} can release equal values in different ways, and `consistent` demands one "
            "recoding per column; leave one of them out"
        )
    if limits_levels(policy) and not found[0].is_consistent:
        raise PolicyError(
            f"algorithm {name!r} knows no levels, so min_level and max_level do not apply; use {CONSISTENT!r}"
        )
    return found
