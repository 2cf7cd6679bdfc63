"""What a policy demands of the released groups, and what must be counted to judge that."""

from __future__ import annotations

from shoal.errors import PolicyError
from shoal.model.policy.attribute import Role
from shoal.model.policy.evidence import Evidence
from shoal.model.policy.policy import Policy
from shoal.model.suggestion import suggestion
from shoal.privacy import MODELS, KAnonymity, PrivacyModel, SensitiveModel, model_of


def models_of(policy: Policy) -> tuple[PrivacyModel, ...]:
    """The models that a policy demands besides k rows in each group; k persons, if it names an entity."""
    stated = tuple(model_of(each) for each in policy.models)
    if policy.promise is not None:
        return stated  # k persons are alike by all of their rows, which is more
    return stated if policy.entity is None else (KAnonymity(policy.k, policy.entity), *stated)


def check_models(policy: Policy) -> None:
    """Raise `PolicyError` for a model that does not exist, or that lacks what it looks at."""
    models = models_of(policy)
    for model in models:
        for name in model.columns:
            _check_column(policy, model, name)
    needing = [model.name for model in models if model.needs_population]
    given = "survey_weight" if policy.survey_weight is not None else "population"
    knows_population = policy.survey_weight is not None or policy.population is not None
    if needing and not knows_population and policy.subset is None:
        raise PolicyError(
            f"{needing[0]} needs to know how many people of the population are like a row; say population = "
            '"people.csv", a table with the same quasi-identifiers, survey_weight, a column of '
            "weights, or subset, the rows to release of a source that is the population"
        )
    if policy.survey_weight is not None and any(model.person_columns for model in models):
        raise PolicyError(
            "survey_weight is added up row by row, and entity says that one person can have several rows: "
            "the people that this person represents would be counted several times. Make one row per "
            "person and leave out entity, or give a population"
        )
    if knows_population and not needing:
        raise PolicyError(
            f"{given} is for models that need the population ({', '.join(_of_population())}), and the "
            "policy has none; add such a model, or leave it out"
        )


def _of_population() -> list[str]:
    return [name for name, model in MODELS.items() if model.needs_population]


def _check_column(policy: Policy, model: PrivacyModel, name: str) -> None:
    role = policy.role_of(name)
    if name in model.person_columns:
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
    looked_at = {name for model in models for name in model.columns if name not in model.person_columns}
    # Who knows all other sensitive values of a person knows also those that no model protects.
    every = any(isinstance(model, SensitiveModel) and model.joint for model in models)
    return Evidence(
        sensitive=tuple(
            each
            for each in policy.attributes
            if each.role is Role.SENSITIVE and (every or each.name in looked_at)
        ),
        entities=tuple(dict.fromkeys(name for model in models for name in model.person_columns)),
        survey_weight=policy.survey_weight,
        population=policy.population,
    )
