"""Privacy models by the name they have in a policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from shoal.errors import PolicyError
from shoal.model.description import Description
from shoal.model.parameter import Parameter, parameter, parameters_of
from shoal.model.registry import Registry
from shoal.model.suggestion import suggestion
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy._base import GroupModel, PrivacyModel, ReleaseModel, SensitiveModel
from shoal.privacy._core_rule import CoreRule
from shoal.privacy._slack import SLACK
from shoal.privacy._value_shares import ValueShares
from shoal.privacy.alpha_k_anonymity import AlphaKAnonymity
from shoal.privacy.average_risk import AverageRisk
from shoal.privacy.beta_likeness import BetaLikeness
from shoal.privacy.delta_disclosure import DeltaDisclosure
from shoal.privacy.delta_presence import DeltaPresence
from shoal.privacy.distinct_l_diversity import DistinctLDiversity
from shoal.privacy.entropy_l_diversity import EntropyLDiversity
from shoal.privacy.k_anonymity import KAnonymity
from shoal.privacy.k_map import KMap
from shoal.privacy.p_sensitivity import PSensitivity
from shoal.privacy.population_uniqueness import PopulationUniquenessLimit
from shoal.privacy.recursive_l_diversity import RecursiveLDiversity
from shoal.privacy.rows_at_risk import RowsAtRisk
from shoal.privacy.sample_uniqueness import SampleUniqueness
from shoal.privacy.t_closeness import TCloseness

MODELS: Registry[type[PrivacyModel]] = Registry(
    "privacy model",
    "shoal.privacy_models",
    {
        model.name: model
        for model in (
            KAnonymity,
            DistinctLDiversity,
            EntropyLDiversity,
            RecursiveLDiversity,
            TCloseness,
            PSensitivity,
            AlphaKAnonymity,
            BetaLikeness,
            DeltaDisclosure,
            KMap,
            DeltaPresence,
            AverageRisk,
            RowsAtRisk,
            SampleUniqueness,
            PopulationUniquenessLimit,
        )
    },
    base=PrivacyModel,
)


def model_of(stated: Mapping[str, Any] | PrivacyModel) -> PrivacyModel:
    """The model that a policy states; `PolicyError` if there is none: no demand is passed over in silence."""
    if isinstance(stated, PrivacyModel):
        return stated
    name = stated.get("name")
    if not isinstance(name, str):
        raise PolicyError(f"each entry of `models` needs a name.{suggestion('', MODELS)}")
    if name not in MODELS:
        raise PolicyError(f"there is no privacy model {name!r}.{suggestion(name, MODELS)}")
    model = MODELS[name]
    known = {each.name: each for each in fields(model)}
    given = {key: value for key, value in stated.items() if key != "name"}
    for key in given:
        if key not in known:
            raise PolicyError(f"privacy model {name!r} has no {key!r}.{suggestion(key, known)}")
    lacking = [key for key, each in known.items() if each.default is MISSING and key not in given]
    if lacking:
        raise PolicyError(f"privacy model {name!r} needs {', '.join(lacking)}")
    return model(**{key: tuple(each) if isinstance(each, list) else each for key, each in given.items()})


__all__ = [
    "MODELS",
    "SLACK",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "CoreRule",
    "DeltaDisclosure",
    "DeltaPresence",
    "Description",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "Group",
    "GroupModel",
    "KAnonymity",
    "KMap",
    "PSensitivity",
    "Parameter",
    "People",
    "PopulationUniquenessLimit",
    "PrivacyModel",
    "RecursiveLDiversity",
    "ReleaseModel",
    "RowsAtRisk",
    "SampleUniqueness",
    "SensitiveColumn",
    "SensitiveModel",
    "TCloseness",
    "ValueShares",
    "model_of",
    "parameter",
    "parameters_of",
]
