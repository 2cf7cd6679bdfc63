"""Measures privacy models on groups that were read from a release, by the models' own definitions."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.formatting.numbers import counted
from shoal.model.history.promise import Unit
from shoal.model.table.measured_groups import MeasuredGroups
from shoal.privacy import GroupModel, PrivacyModel, ReleaseModel, SensitiveModel

_TAKEN = ("k-anonymity", "k-anonymity-wildcard", "demanded", "holds", "holds-wildcard")
"""What a manifest says of the release itself; a custom model can have such a name, too."""


@dataclass(frozen=True, kw_only=True)
class ModelVerdict:
    """What was measured for one model.

    Parameters
    ----------
    key
        The model's name; with the column that it examines, if others of that name are demanded, too.
    demand
        What is demanded, in words.
    measured
        The least safe value of any group, or that of the whole release, in the unit of the model's threshold;
        `None` if there is no group, or if the value is beyond all numbers.
    holds
        Whether the demand is met.
    groups_failing, rows_failing
        The groups that are refused, and their rows; all of them if the whole release is.
    unit, units_failing
        Whether persons or households are counted in place of groups and rows, and how many are refused.
    lower_is_safer
        Whether a smaller measured value is the safer one.
    compares_with_table
        Whether groups were compared with the whole table.
    where
        Where it was measured, in words, if that is not the table alone.
    at_least
        Whether what was measured is only the least that it can be.
    unmeasured
        Why it could not be measured, in words; it then does not hold, because nothing shows that it does.
    """

    key: str
    demand: str
    measured: float | None
    holds: bool
    groups_failing: int
    rows_failing: int
    unit: Unit | None = None
    units_failing: int = 0
    lower_is_safer: bool = False
    compares_with_table: bool = False
    where: str = ""
    at_least: bool = False
    unmeasured: str | None = None

    @property
    def risk(self) -> tuple[int, float]:
        """The risk that a verdict measures: of two verdicts on a model the less safe one has more."""
        if self.unmeasured is not None:
            return sys.maxsize, math.inf
        failing = max(self.rows_failing, self.units_failing)
        if self.measured is None:
            return failing, math.inf if failing else -math.inf
        return failing, self.measured if self.lower_is_safer else -self.measured

    @property
    def broken_by(self) -> str:
        """What does not meet the demand, in words."""
        if self.unit is not None:
            return counted(self.units_failing, self.unit)
        return f"{self.groups_failing:,} group(s) with {self.rows_failing:,} row(s)"

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "demand": self.demand,
            "measured": self.measured,
            "holds": self.holds,
            "groups_failing": self.groups_failing,
            "rows_failing": self.rows_failing,
            **({} if self.unit is None else {"unit": self.unit, "units_failing": self.units_failing}),
            **({"where": self.where} if self.where else {}),
            **({"at_least": True} if self.at_least else {}),
            **({} if self.unmeasured is None else {"unmeasured": self.unmeasured}),
        }


def model_verdicts(models: Sequence[PrivacyModel], groups: MeasuredGroups) -> tuple[ModelVerdict, ...]:
    """What each model measures; in the order of the models."""
    return tuple(model_verdict(key, model, groups) for key, model in zip(keys(models), models, strict=True))


def model_verdict(key: str, model: PrivacyModel, groups: MeasuredGroups) -> ModelVerdict:
    """What one model measures."""
    of = _of_release if isinstance(model, ReleaseModel) else _of_groups
    return of(key, model, groups)


def not_measured(key: str, model: PrivacyModel, why: str) -> ModelVerdict:
    """The verdict on a model that cannot be measured; `why` ends with the way out."""
    return ModelVerdict(
        key=key,
        demand=model.demand,
        measured=None,
        holds=False,
        groups_failing=0,
        rows_failing=0,
        lower_is_safer=model.lower_is_safer,
        unmeasured=why,
    )


def keys(models: Sequence[PrivacyModel]) -> list[str]:
    """A unique name for each model, different from the keys for the release itself."""
    times = Counter(model.name for model in models)
    keys_so_far: list[str] = []
    for model in models:
        key = model.name
        if times[key] > 1 or key in _TAKEN:
            key = f"{key}({model.label})"
        same = sum(each == key or each.startswith(f"{key} ") for each in keys_so_far)
        keys_so_far.append(f"{key} {same + 1}" if same else key)
    return keys_so_far


def _of_release(key: str, model: PrivacyModel, groups: MeasuredGroups) -> ModelVerdict:
    assert isinstance(model, ReleaseModel)
    sizes = groups.sizes
    holds = model.holds(sizes)
    return ModelVerdict(
        key=key,
        demand=model.demand,
        measured=_finite(model.measure(sizes)) if sizes else None,
        holds=holds,
        groups_failing=0 if holds else len(sizes),
        rows_failing=0 if holds else sum(sizes),
        lower_is_safer=model.lower_is_safer,
    )


def _of_groups(key: str, model: PrivacyModel, groups: MeasuredGroups) -> ModelVerdict:
    assert isinstance(model, GroupModel)
    values, refused = _judged(model, groups)
    worst = model.worst(values)
    return ModelVerdict(
        key=key,
        demand=model.demand,
        measured=None if worst is None else _finite(worst),
        holds=not refused.any(),
        groups_failing=int(refused.sum()),
        rows_failing=int(groups.rows[refused].sum()),
        lower_is_safer=model.lower_is_safer,
        compares_with_table=model.compares_with_table,
    )


def refused_groups(model: PrivacyModel, groups: MeasuredGroups) -> NDArray[np.bool_]:
    """Per group whether a model refuses it; a model of the whole release refuses no single group."""
    if isinstance(model, GroupModel):
        return _judged(model, groups)[1]
    return np.zeros(len(groups.rows), np.bool_)


def _judged(model: GroupModel, groups: MeasuredGroups) -> tuple[list[float], NDArray[np.bool_]]:
    """What the model measures in groups that differ, and per group whether it is refused."""
    columns = groups.columns_of(model)
    people = groups.of(columns)
    different, of_group = groups.alike(columns)
    judged = np.ones(len(of_group), np.bool_)
    if groups.stars is not None and not isinstance(model, SensitiveModel):
        # Nobody finds it, and only what it reveals is judged; unless everybody is in it.
        judged[groups.stars] = bool(groups.rows[groups.stars] == groups.rows.sum())
    alike = np.bincount(of_group[judged], minlength=len(different))
    values, refused = [], np.zeros(len(different), np.bool_)
    for number, (group, times) in enumerate(zip(different, alike.tolist(), strict=True)):
        if times == 0:
            continue
        if group.rows == 0 and not model.forbids_suppression:
            continue  # people who match no row; most models demand nothing for them
        if model.needs_population and group.population == 0:
            # Nobody in the population matches it: no demand can be shown to hold.
            values.append(math.inf if model.lower_is_safer else 0.0)
            refused[number] = True
        else:
            value, admitted = model.judge(group, people)
            values.append(float(value))
            refused[number] = not admitted
    return values, refused[of_group] & judged


def _finite(value: float) -> float | None:
    if not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else float(value)
