"""Every privacy model's measured value, where nothing is demanded."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.audit.models import model_verdicts
from shoal.model.attribute import Attribute
from shoal.model.domain import MISSING
from shoal.model.measured_groups import MeasuredGroups
from shoal.model.number_text import number_of
from shoal.model.people import SensitiveColumn
from shoal.privacy import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    KMap,
    PrivacyModel,
    PSensitivity,
    RecursiveLDiversity,
    TCloseness,
)
from shoal.privacy.t_closeness import Ground

RECURSIVE_C = 3
"""The c for which recursive (c, l)-diversity is measured: the most frequent value may be less than three
times as frequent as the rest."""


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
    column = found.people.column(name)
    told: list[tuple[str, str | None, str, float | None]] = [
        ("distinct-l-diversity", None, "l", _value(DistinctLDiversity(attribute=name, l=1), found)),
        ("entropy-l-diversity", None, "l", _value(EntropyLDiversity(attribute=name, l=1), found)),
        ("recursive-l-diversity", f"c={RECURSIVE_C}", "l", recursive_l(found, name)),
        ("t-closeness", None, "t", _value(TCloseness(attribute=name, t=1), found)),
        *(
            ("t-closeness", ground, "t", _value(TCloseness(attribute=name, t=1, ground=ground), found))
            for ground in _grounds(column, attribute)
        ),
        ("p-sensitivity", None, "p", _value(PSensitivity(attribute=name, p=1), found)),
        ("alpha-k-anonymity", None, "alpha", _value(AlphaKAnonymity(attribute=name, alpha=1), found)),
        ("beta-likeness", None, "beta", enhanced_beta(found, name)),
        ("beta-likeness", "basic", "beta", _basic_beta(found, name)),
        ("delta-disclosure", None, "delta", _value(DeltaDisclosure(attribute=name, delta=1), found)),
    ]
    return [
        MeasuredModel(model=model, attribute=name, variant=variant, unit=unit, value=value)
        for model, variant, unit, value in told
    ]


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


def recursive_l(found: MeasuredGroups, name: str, c: float = RECURSIVE_C) -> int | None:
    """The greatest l for which every group is recursively (c, l)-diverse; `None` if there is no group.

    With c above 1 every group is (c, 1)-diverse.
    """
    model = RecursiveLDiversity(attribute=name, c=c, l=2)
    different, _ = found.alike([found.people.position(name)])
    least = None
    for group in different:
        counts = sorted(group.histogram(0).values(), reverse=True)
        # The rest shrinks with l, so the values of l that are accepted have no gap.
        own = 1 + sum(model.accepts(counts[0] / sum(counts[each:])) for each in range(1, len(counts)))
        least = own if least is None else min(least, own)
    return least


def enhanced_beta(found: MeasuredGroups, name: str) -> float | None:
    """The least beta for which enhanced beta-likeness holds; `None` if it holds for none."""
    beta = _basic_beta(found, name)
    if beta is None:
        return None
    # A greater beta changes nothing once every gain is allowed by it: -ln p is the limit then.
    (verdict,) = model_verdicts([BetaLikeness(attribute=name, beta=beta)], found)
    return beta if verdict.holds else None


def _basic_beta(found: MeasuredGroups, name: str) -> float | None:
    return _value(BetaLikeness(attribute=name, beta=1, enhanced=False), found)


def _value(model: PrivacyModel, found: MeasuredGroups) -> float | None:
    (verdict,) = model_verdicts([model], found)
    return verdict.measured


def _grounds(column: SensitiveColumn, attribute: Attribute) -> list[Ground]:
    """The ground distances that say something of a column's values."""
    values = [value for value in column.values if value != MISSING]
    stated = attribute.order is not None or attribute.type in ("number", "date")
    grounds: list[Ground] = []
    if stated or (values and all(number_of(value) is not None for value in values)):
        grounds.append("ordered")
    if column.tree is not None:
        grounds.append("hierarchical")
    return grounds
