"""What a policy asks for: its names checked, the algorithm with its options, the problem it poses."""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from typing import Any

from shoal.algorithms import (
    ALGORITHMS,
    DEFAULT,
    DEFAULT_OF_LEVELS,
    DEFAULT_OF_MODEL,
    METRICS_OF_CUTS,
    Algorithm,
)
from shoal.cost import METRICS, CellMetric
from shoal.errors import PolicyError
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import Policy
from shoal.model.result.problem import Problem
from shoal.model.suggestion import suggestion
from shoal.model.table.frequency_table import FrequencyTable
from shoal.model.table.table_source import TableSource, scheme_of
from shoal.privacy import KAnonymity, PrivacyModel, SensitiveModel, model_of


def source_of(source: Any, table: str | None, policy: Policy | None) -> Any:
    """What is released: what was handed over, or else the policy's own source."""
    if source is None and table is None and policy is not None:
        source = policy.source
    if source is None and table is not None:
        raise PolicyError("table names a table behind a connection: give that as the source, too")
    if source is None:
        raise PolicyError("there is no source: give a path or a data frame, or name it in the policy")
    source = os.fspath(source) if isinstance(source, os.PathLike) else source
    if table is not None:
        return TableSource(connection=source, table=table)
    if isinstance(source, str) and "://" in source and scheme_of(source) is not None:
        raise PolicyError("name the table behind the connection: table=...")
    return source


def check_names(policy: Policy) -> None:
    """Raise `PolicyError` for a cost, an algorithm or a model that does not exist."""
    check_models(policy)
    if policy.cost not in METRICS:
        raise PolicyError(f"there is no cost {policy.cost!r}.{suggestion(policy.cost, METRICS)}")
    if policy.algorithm != "auto" and policy.algorithm not in ALGORITHMS:
        names = ("auto", *ALGORITHMS)
        raise PolicyError(f"there is no algorithm {policy.algorithm!r}.{suggestion(policy.algorithm, names)}")
    unverified = [name for name, algorithm in ALGORITHMS.items() if algorithm.unverified]
    if policy.accept_unverified and policy.algorithm not in unverified:
        raise PolicyError(
            f"accept_unverified is for algorithms that do not guarantee k ({', '.join(unverified)}), and "
            f"{policy.algorithm!r} is none of them; leave it out"
        )


def models_of(policy: Policy) -> tuple[PrivacyModel, ...]:
    """The models that a policy demands besides k rows in each group; k persons, if it names an entity."""
    stated = tuple(model_of(each) for each in policy.models)
    return stated if policy.entity is None else (KAnonymity(policy.k, policy.entity), *stated)


def check_models(policy: Policy) -> None:
    """Raise `PolicyError` for a model that does not exist, or that lacks what it looks at."""
    models = models_of(policy)
    for model in models:
        for name in model.columns:
            _check_column(policy, model, name)
    asking = [model.name for model in models if model.needs_population]
    given = "survey_weight" if policy.survey_weight is not None else "population"
    told = policy.survey_weight is not None or policy.population is not None
    if asking and not told:
        raise PolicyError(
            f"{asking[0]} asks how many people of the population are like a row; say population = "
            '"people.csv", a table with the same quasi-identifiers, or survey_weight, a column of weights'
        )
    if policy.survey_weight is not None and any(
        isinstance(model, KAnonymity) and model.entity is not None for model in models
    ):
        raise PolicyError(
            "survey_weight is added up row by row, and entity says that one person can have several rows: "
            "the people whom such a person stands for would be counted several times. Make one row per "
            "person and leave out entity, or give a population"
        )
    if told and not asking:
        raise PolicyError(
            f"{given} is for models that ask for the population (k-map, delta-presence), and the policy has "
            "none; add such a model, or leave it out"
        )


def _check_column(policy: Policy, model: PrivacyModel, name: str) -> None:
    role = policy.role_of(name)
    if isinstance(model, KAnonymity):
        if role is Role.QUASI_IDENTIFIER:
            raise PolicyError(
                f"entity names {name!r}, which is a quasi-identifier and will be recoded; give the column "
                "another role, as identifier if it shall be dropped"
            )
    elif role is not Role.SENSITIVE:
        known = [each.name for each in policy.attributes if each.role is Role.SENSITIVE]
        raise PolicyError(
            f"{model.name} looks at column {name!r}, whose role is '{role}'; models look at sensitive "
            f'columns: say role = "sensitive" (Python: sensitive=[{name!r}]; flag: --sensitive {name})'
            + (f".{suggestion(name, known)}" if known else "")
        )


def evidence_of(policy: Policy) -> Evidence:
    """What the models of a policy look at."""
    models = models_of(policy)
    persons = [model for model in models if isinstance(model, KAnonymity)]
    looked_at = {name for model in models if model not in persons for name in model.columns}
    # Who knows all other sensitive values of a person knows also those that no model protects.
    every = any(isinstance(model, SensitiveModel) and model.joint for model in models)
    return Evidence(
        sensitive=tuple(
            each
            for each in policy.attributes
            if each.role is Role.SENSITIVE and (every or each.name in looked_at)
        ),
        entities=tuple(dict.fromkeys(name for model in persons for name in model.columns)),
        survey_weight=policy.survey_weight,
        population=policy.population,
    )


def algorithm_of(policy: Policy) -> Algorithm:
    """The algorithm that a policy asks for, with its options; "auto" is what suits the cost."""
    if policy.algorithm != "auto":
        return ALGORITHMS[policy.algorithm].of(policy)
    if policy.model in DEFAULT_OF_MODEL:
        return ALGORITHMS[DEFAULT_OF_MODEL[policy.model]].of(policy)
    by_levels = _limits_levels(policy) or policy.cost not in METRICS_OF_CUTS
    return ALGORITHMS[DEFAULT_OF_LEVELS if by_levels else DEFAULT].of(policy)


def check_recoding_model(policy: Policy, algorithm: Algorithm) -> None:
    """Refuse a recoding model that the algorithm's releases are not of, or a limit that it cannot need."""
    model = policy.model
    if model is None:
        return
    if algorithm.makes_centroids:
        raise PolicyError(
            f"algorithm {algorithm.name!r} replaces values by centroids, which none of the taxonomy's models "
            "does; leave out `model`, or choose another algorithm"
        )
    if model not in algorithm.recoding_models:
        others = [name for name, each in ALGORITHMS.items() if model in each.recoding_models]
        raise PolicyError(
            f"algorithm {algorithm.name!r} makes no release of the model {model} ({model.words}); use "
            + " or ".join(map(repr, others))
        )
    if model.releases_every_row and policy.suppression.stated not in ("unlimited", 0):
        raise PolicyError(
            f"the model {model} releases every row ({model.words}), and suppression allows to drop some; "
            "leave it out, or name a model with TS"
        )


def check_cost(policy: Policy, algorithm: Algorithm) -> None:
    """Refuse a cost that is not defined on what the algorithm releases."""
    if METRICS[policy.cost].of_centroids and not algorithm.makes_centroids:
        makers = [name for name, each in ALGORITHMS.items() if each.makes_centroids]
        raise PolicyError(
            f"cost {policy.cost!r} is defined for values that are replaced by centroids, and algorithm "
            f"{algorithm.name!r} makes none; use {' or '.join(map(repr, makers))}, or choose cost 'ncp'"
        )


def _limits_levels(policy: Policy) -> bool:
    return any(each.min_level or each.max_level is not None for each in policy.quasi_identifiers)


def check_attributes(policy: Policy, algorithm: Algorithm) -> None:
    """Refuse what is said of a column to another algorithm: unheeded, it would seem to be kept."""
    if _limits_levels(policy) and not algorithm.needs_hierarchies:
        raise PolicyError(
            f"algorithm {algorithm.name!r} cuts domains and knows no levels, so min_level and max_level do "
            f"not apply; use {DEFAULT_OF_LEVELS!r}"
        )
    owners = {key: name for name, each in ALGORITHMS.items() for key in each.attribute_keys}
    for attribute in policy.quasi_identifiers:
        for key, owner in owners.items():
            said = getattr(attribute, key) != getattr(Attribute, key)
            if said and key not in algorithm.attribute_keys:
                raise PolicyError(
                    f"attribute {attribute.name!r}: {key} is for algorithm {owner!r}, and "
                    f"{algorithm.name!r} does not heed it; leave it out"
                )


def problem_of(policy: Policy, table: FrequencyTable) -> Problem:
    """The problem that a policy poses on a counted table."""
    attributes = policy.quasi_identifiers
    cost = METRICS[policy.cost]()
    weights = tuple(Fraction(str(each.weight)) for each in attributes)
    if any(weight != 1 for weight in weights):
        if isinstance(cost, CellMetric):
            cost = replace(cost, weights=weights)
        elif len(set(weights)) > 1:
            means = [name for name, metric in METRICS.items() if issubclass(metric, CellMetric)]
            raise PolicyError(
                f"weights count in costs that are means over cells ({', '.join(means)}), and "
                f"{policy.cost!r} is none; leave them out, or choose such a cost"
            )
    positions = {each.name: index for index, each in enumerate(attributes)}
    return Problem(
        table=table,
        k=policy.k,
        cost=cost,
        limit=0
        if policy.model is not None and policy.model.releases_every_row
        else policy.suppression.limit(table.rows),
        levels=tuple(
            (each.min_level, domain.hierarchy.height if each.max_level is None else each.max_level)
            for each, domain in zip(attributes, table.domains, strict=True)
        )
        if _limits_levels(policy)
        else (),
        sets=tuple(tuple(positions[name] for name in each) for each in policy.sets),
        models=models_of(policy),
    )
