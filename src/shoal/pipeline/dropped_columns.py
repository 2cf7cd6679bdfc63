"""What a policy measures and a release no longer has: whose row it is, what it weighs, the population.

Persons are counted in the original, whose rows are paired with the released ones. What cannot be measured
is reported with the reason and the way out; it never counts as holding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.auditor.measure.persons import Persons
from shoal.auditor.original.comparison import Comparison, compared
from shoal.auditor.original.paired_rows import paired_rows
from shoal.engines.connection import engine_for
from shoal.engines.sql.engine import SqlEngine
from shoal.errors import PolicyError, ShoalError
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import Policy
from shoal.model.result.listed_sets import NOT_LISTED, ListedSets
from shoal.model.suggestion import suggestion
from shoal.pipeline.check_treatments import untreated_columns
from shoal.pipeline.demands import evidence_of, models_of
from shoal.pipeline.opened import refuse_subset
from shoal.pipeline.placing import placed


@dataclass(frozen=True, kw_only=True)
class DroppedColumns:
    """What a policy needs and a table does not have, and what can still be measured.

    Parameters
    ----------
    evidence
        The columns that models examine and the table has.
    persons
        Columns that distinguish persons and that the table does not have.
    weight
        The column of survey weights, if the table has it or must have it.
    no_population
        Why models of the population cannot be measured, in words; `None` if they can.
    """

    evidence: Evidence
    persons: tuple[str, ...] = ()
    weight: str | None = None
    no_population: str | None = None

    @classmethod
    def of(cls, policy: Policy, columns: Sequence[str], *, lenient: bool, original: Any) -> DroppedColumns:
        """What a policy needs and a table with these columns does not have.

        Parameters
        ----------
        policy, columns
            The policy, and the columns of the table.
        lenient
            Whether columns may be absent; otherwise they must exist, except persons if an original is given.
        original
            The table that it was made from, if it is given.
        """
        evidence = replace(evidence_of(policy), population=None)
        needs_population = any(model.needs_population for model in models_of(policy))
        weight, why = policy.survey_weight, None
        if policy.population is not None or (policy.subset is not None and needs_population):
            why = _NO_POPULATION
        elif lenient and weight is not None and weight not in columns:
            weight, why = None, _NO_WEIGHTS.format(weight)
        persons = tuple(name for name in evidence.entities if name not in columns)
        if not lenient and original is None:
            persons = ()
        return cls(
            evidence=replace(
                evidence,
                entities=tuple(name for name in evidence.entities if name not in persons),
                survey_weight=weight if needs_population and why is None else None,
            ),
            persons=persons,
            weight=weight,
            no_population=why,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class OriginalEvidence:
    """What the original reveals about a release.

    Parameters
    ----------
    comparison
        Every cell next to the original's, if an original was given.
    persons
        Per dropped column that distinguishes persons, whose row each row is; or why that is not known.
    untreated
        Treated column -> what is wrong with it, in words.
    """

    comparison: Comparison | None = None
    persons: Mapping[str, Persons | str] = field(default_factory=dict)
    untreated: Mapping[str, str] = field(default_factory=dict)


def compared_with_original(
    engine: SqlEngine,
    release: Any,
    policy: Policy,
    dropped: DroppedColumns,
    *,
    original: Any = None,
    key: str | None = None,
    are_means: bool = False,
    sets: ListedSets = NOT_LISTED,
    facts: Mapping[str, Any] | None = None,
) -> OriginalEvidence:
    """Pair the rows of a release with those of the original, or else of the policy's source.

    Parameters
    ----------
    engine, release
        The release.
    policy, dropped
        The policy, and what it needs that the release does not have.
    original, key
        The original, if it is given, and the column that pairs rows.
    are_means
        Whether labels are values of groups, and true of no row.
    sets
        What short labels represent.
    facts
        The release's manifest, if it has one.
    """
    treatments = (facts or {}).get("treatments", {})
    source = policy.source if original is None else original
    if source is None:
        return OriginalEvidence(persons={name: _NO_ORIGINAL.format(name) for name in dropped.persons})
    try:
        refuse_subset(policy, "a comparison with the original")
        with engine_for(source) as other:
            source, policy = placed(other, source, policy)
            for name in dropped.persons:
                _check_has(other.columns(source), name)
            paired = paired_rows(
                engine,
                release,
                source,
                policy,
                key=key,
                original_engine=other,
                also=dropped.persons,
                sets=sets,
                treated=treatments,
                shuffled=(facts or {}).get("order") == "shuffle",
            )
            untreated = {}
            if original is not None and treatments:
                untreated = untreated_columns(engine, release, other, source, paired, treatments, policy)
    except ShoalError as error:
        if original is not None:
            raise
        why = f"the source that the policy names does not show it ({error}); {_GIVE_IT}"
        return OriginalEvidence(persons=dict.fromkeys(dropped.persons, why))
    return OriginalEvidence(
        comparison=None if original is None else compared(policy, paired),
        persons={name: Persons(column=name, paired=paired, are_means=are_means) for name in dropped.persons},
        untreated=untreated,
    )


def _check_has(columns: Sequence[str], name: str) -> None:
    if name not in columns:
        raise PolicyError(
            f"neither the table nor the original has the column {name!r}, which distinguishes persons."
            f"{suggestion(name, columns)}"
        )


_GIVE_IT = "give the table that the release was made from (--original FILE; in Python original=...)"
_NO_ORIGINAL = "column {!r}, which distinguishes persons, was dropped from the table; " + _GIVE_IT
_NO_POPULATION = (
    "a release does not show how the population would be recoded; its manifest has what was measured when it "
    "was made"
)
_NO_WEIGHTS = (
    "column {!r}, which has the survey weights, is not in the table; its manifest has what was measured when "
    "it was made"
)
