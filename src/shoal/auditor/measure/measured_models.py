"""Every privacy model's measured value, where nothing is demanded."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.auditor.measure.models import model_verdicts
from shoal.auditor.measure.value_shares import ValueShares
from shoal.model.policy.attribute import Attribute
from shoal.model.table.domain import MISSING
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.model.table.number_text import number_of
from shoal.model.table.people import SensitiveColumn
from shoal.privacy import DeltaPresence, KAnonymity, KMap, PrivacyModel, TCloseness

RECURSIVE_C = 3
"""The c for which recursive (c, l)-diversity is measured: the most frequent value may be less than three
times as frequent as the rest."""

_UNITS: dict[tuple[str, str | None], str] = {
    ("distinct-l-diversity", None): "l",
    ("entropy-l-diversity", None): "l",
    ("recursive-l-diversity", f"c={RECURSIVE_C}"): "l",
    ("t-closeness", None): "t",
    ("t-closeness", "ordered"): "t",
    ("t-closeness", "hierarchical"): "t",
    ("p-sensitivity", None): "p",
    ("alpha-k-anonymity", None): "alpha",
    ("beta-likeness", None): "beta",
    ("beta-likeness", "basic"): "beta",
    ("delta-disclosure", None): "delta",
}

_VALUES: tuple[tuple[str, str | None], ...] = tuple(key for key in _UNITS if key[1] != "hierarchical")


@dataclass(frozen=True, kw_only=True)
class MeasuredModel:
    """What a model measures of a table.

    Parameters
    ----------
    model
        The model.
    attribute
        The column that it looks at; `None` if it looks at the groups alone.
    variant
        What it depends on besides a threshold, where it is not by default.
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
        """A name that no other has."""
        told = [each for each in (self.attribute, self.variant) if each is not None]
        return f"{self.model}({', '.join(told)})" if told else self.model

    def to_dict(self) -> dict[str, object]:
        """For programs: as a verdict on a demand, but that nothing is demanded."""
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


def sensitive_models(found: MeasuredGroups, attribute: Attribute) -> list[MeasuredModel]:
    """What every model of a sensitive column measures.

    delta-disclosure holds for every delta above the value, all others for the value itself.

    Parameters
    ----------
    found
        The groups, with this column counted.
    attribute
        The column.
    """
    name = attribute.name
    spread = ValueShares(found, name) if len(found.rows) else None
    values = dict.fromkeys(_VALUES) if spread is None else _values(spread)
    column = found.people.column(name)
    if not _is_ordered(column, attribute):
        values.pop(("t-closeness", "ordered"))
    if column.tree is not None:
        model = TCloseness(attribute=name, t=1, ground="hierarchical")
        values["t-closeness", "hierarchical"] = _value(model, found)
    return [
        MeasuredModel(model=model, attribute=name, variant=variant, unit=_UNITS[model, variant], value=value)
        for (model, variant), value in values.items()
    ]


def _values(spread: ValueShares) -> dict[tuple[str, str | None], float | None]:
    """The least safe value of any group."""
    distinct = int(spread.distinct.min())
    beta = max(0.0, float(spread.gains.max()))
    logarithms = spread.logarithms
    return {
        ("distinct-l-diversity", None): distinct,
        ("entropy-l-diversity", None): float(spread.entropy_l.min()),
        ("recursive-l-diversity", f"c={RECURSIVE_C}"): int(spread.recursive_l(RECURSIVE_C).min()),
        ("t-closeness", None): float(spread.equal_distance.max()),
        ("t-closeness", "ordered"): spread.ordered_distance,
        ("p-sensitivity", None): distinct,
        ("alpha-k-anonymity", None): float(spread.shares.max()),
        ("beta-likeness", None): beta if spread.gains_are_bounded else None,
        ("beta-likeness", "basic"): beta,
        ("delta-disclosure", None): None if logarithms is None else float(logarithms.max()),
    }


def people_models(found: MeasuredGroups, entity: str | None) -> list[MeasuredModel]:
    """What models of persons and of the population measure."""
    told = []
    if entity is not None:
        value = _value(KAnonymity(1, entity), found)
        told.append(MeasuredModel(model="k-anonymity", attribute=entity, unit="persons", value=value))
    if found.population is not None:
        told.append(MeasuredModel(model="k-map", unit="k", value=_value(KMap(k=1), found)))
        value = _value(DeltaPresence(most=1), found)
        told.append(MeasuredModel(model="delta-presence", unit="most", value=value))
    return told


def _value(model: PrivacyModel, found: MeasuredGroups) -> float | None:
    (verdict,) = model_verdicts([model], found)
    return verdict.measured


def _is_ordered(column: SensitiveColumn, attribute: Attribute) -> bool:
    """Whether the order of a column's values says something."""
    if attribute.order is not None or attribute.type in ("number", "date"):
        return True
    values = [value for value in column.values if value != MISSING]
    return bool(values) and all(number_of(value) is not None for value in values)
