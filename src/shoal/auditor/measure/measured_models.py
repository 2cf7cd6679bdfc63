"""Every privacy model's measured value, where nothing is demanded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.auditor.measure.models import model_verdicts
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import MISSING
from shoal.model.table.group_sizes import GroupSizes
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.number_text import number_of
from shoal.model.table.people import SensitiveColumn
from shoal.privacy import MODELS, GroupModel, PrivacyModel, ReleaseModel, SensitiveModel, ValueShares


@dataclass(frozen=True, kw_only=True)
class MeasuredModel:
    """What a model measures in a table.

    Parameters
    ----------
    model
        The model.
    attribute
        The column that it examines; `None` if it examines the groups alone.
    variant
        What else it depends on than a threshold, if it is not the default.
    unit
        The letter of its threshold, as in k, l or t.
    value
        The strictest threshold at which the model holds; `None` if none does, or there is no group.
    """

    model: str
    attribute: str | None = None
    variant: str | None = None
    unit: str
    value: float | None

    @property
    def key(self) -> str:
        """A unique name."""
        about = [each for each in (self.attribute, self.variant) if each is not None]
        return f"{self.model}({', '.join(about)})" if about else self.model

    def to_dict(self) -> dict[str, object]:
        """For programs: like a verdict on a demand, but without a demand."""
        return {
            "model": self.model,
            "attribute": self.attribute,
            "variant": self.variant,
            "unit": self.unit,
            "demand": None,
            "measured": self.value,
            "holds": True,
            "groups_failing": 0,
            "rows_failing": 0,
        }


def sensitive_models(groups: MeasuredGroups, attribute: Attribute) -> list[MeasuredModel]:
    """What every model of a sensitive column measures.

    Parameters
    ----------
    groups
        The groups, with this column counted.
    attribute
        The column.
    """
    name = attribute.name
    values = ValueShares(groups, name, ordered=_is_ordered(groups.people.column(name), attribute))
    return [
        MeasuredModel(model=model.name, attribute=name, variant=variant, unit=model.unit, value=value)
        for model in MODELS.values()
        if issubclass(model, SensitiveModel)
        for variant, value in model.undemanded(values).items()
    ]


def people_models(groups: MeasuredGroups, entity: str | None) -> list[MeasuredModel]:
    """What models of persons and of the population measure."""
    weakest = [
        model.weakest(entity=entity, population=groups.population is not None)
        for model in MODELS.values()
        if issubclass(model, GroupModel)
    ]
    return [
        MeasuredModel(
            model=model.name,
            attribute=next(iter(model.columns), None),
            unit=model.unit,
            value=_value(model, groups),
        )
        for model in weakest
        if model is not None
    ]


def release_models(sizes: GroupSizes) -> list[MeasuredModel]:
    """What models of the whole release measure."""
    every = np.repeat(sizes.sizes, sizes.groups).tolist()
    weakest = [
        model.weakest(entity=None, population=False)
        for model in MODELS.values()
        if issubclass(model, ReleaseModel)
    ]
    return [
        MeasuredModel(model=model.name, unit=model.unit, value=model.measure(every) if every else None)
        for model in weakest
        if model is not None
    ]


def _value(model: PrivacyModel, groups: MeasuredGroups) -> float | None:
    (verdict,) = model_verdicts([model], groups)
    return verdict.measured


def _is_ordered(column: SensitiveColumn, attribute: Attribute) -> bool:
    """Whether the order of a column's values means something."""
    if attribute.listed is not None or attribute.type in ("number", "date"):
        return True
    values = [value for value in column.values if value != MISSING]
    return bool(values) and all(number_of(value) is not None for value in values)
