"""Privacy models of sensitive values, judged on groups of persons who are released with the same rows.

Somebody who links a person's rows sees, in each place, the sensitive values of all members: the model must
admit the rows there. And they see who has a value in any row: no more members may have it than the model lets
a reader believe.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.model.history.histories import Histories
from shoal.model.history.placement import SUPPRESSED_ROW
from shoal.model.history.problem import HistoryProblem
from shoal.model.table.marks import SUPPRESSED
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy import SensitiveModel


@dataclass(frozen=True, eq=False)
class Beliefs:
    """How many members of a group may have each value of a column in any of their rows.

    Parameters
    ----------
    most
        For each value the share of the members who may have it; a value of 1 is free.
    others
        How many members must not have it, in place of a share; -1 if shares count. A model that only counts
        different values is content if l - 1 persons have other ones.
    """

    most: NDArray[np.float64]
    others: int

    @classmethod
    def of(cls, model: SensitiveModel, column: SensitiveColumn) -> Beliefs:
        """What a model lets a reader believe; a value that reads `*` says nothing."""
        demanded = model.distinct_demand
        most = [
            1.0 if text == SUPPRESSED else model.most_belief(value, column)
            for value, text in enumerate(column.values)
        ]
        return cls(np.array(most, np.float64), -1 if demanded is None else demanded[1] - 1)

    def broken(self, had: NDArray[Any], members: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether too many members have a value, by the group and the value."""
        allowed = self.most[None, :] * members[:, None] + 1e-9
        if self.others >= 0:
            allowed = np.broadcast_to((members - self.others)[:, None], had.shape)
        found: NDArray[np.bool_] = (had > allowed) & (self.most < 1.0)[None, :]
        return found


def refused(problem: HistoryProblem, place_of: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each history is in a group that a model refuses; a history without released rows is in none.

    Parameters
    ----------
    problem
        The histories of one table with their sensitive values, and the models.
    place_of
        For each row of a history its place.
    """
    histories = problem.histories
    group_of = _groups(histories, place_of)
    if (group_of < 0).all():
        return np.zeros(len(group_of), np.bool_)
    found = np.zeros(int(group_of.max(initial=-1)) + 1, np.bool_)
    for model in problem.models:
        if isinstance(model, SensitiveModel):
            found |= _refused_in_places(histories, place_of, group_of, model, len(found))
            found |= _refused_beliefs(histories, place_of, group_of, model, len(found))
    return np.where(group_of >= 0, found[np.maximum(group_of, 0)], False)


def _groups(histories: Histories, place_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """The group of each history: those with the same first place; -1 for one that is not released."""
    first = np.full(len(histories.counts), np.iinfo(np.int64).max)
    shown = place_of != SUPPRESSED_ROW
    np.minimum.at(first, histories.history_of[shown], place_of[shown])
    released = first != np.iinfo(np.int64).max
    groups = np.full(len(first), -1, np.int64)
    groups[released] = np.unique(first[released], return_inverse=True)[1].reshape(-1)
    return groups


def _column(histories: Histories, model: SensitiveModel) -> tuple[int, People]:
    facts = histories.tables[0].facts
    if facts is None or histories.values is None:
        raise InternalError("the sensitive values of histories were not counted")
    people = People(columns=facts.columns)
    return people.position(model.attribute), people


def _refused_in_places(
    histories: Histories,
    place_of: NDArray[np.int64],
    group_of: NDArray[np.int64],
    model: SensitiveModel,
    groups: int,
) -> NDArray[np.bool_]:
    """Whether each group has a place whose rows the model refuses."""
    _, people = _column(histories, model)
    assert histories.values is not None
    shown = np.flatnonzero(place_of != SUPPRESSED_ROW)
    combinations, fact = np.unique(histories.values[shown], axis=0, return_inverse=True)
    keys, of_key = np.unique(place_of[shown] * len(combinations) + fact.reshape(-1), return_inverse=True)
    persons = np.bincount(of_key.reshape(-1), histories.counts[histories.history_of[shown]], len(keys))
    facts = [tuple(each) for each in combinations.tolist()]
    rows: dict[int, dict[tuple[int, ...], int]] = {}
    for key, count in zip(keys.tolist(), persons.tolist(), strict=True):
        place, number = divmod(key, len(combinations))
        rows.setdefault(place, {})[facts[number]] = int(count)
    of_place = dict(
        zip(place_of[shown].tolist(), group_of[histories.history_of[shown]].tolist(), strict=True)
    )
    found = np.zeros(groups, np.bool_)
    for place, counted in rows.items():
        if not model.admits(Group(rows=sum(counted.values()), facts=counted), people):
            found[of_place[place]] = True
    return found


def _refused_beliefs(
    histories: Histories,
    place_of: NDArray[np.int64],
    group_of: NDArray[np.int64],
    model: SensitiveModel,
    groups: int,
) -> NDArray[np.bool_]:
    """Whether too many members of each group have one of the values in any of their rows."""
    position, people = _column(histories, model)
    column = people.columns[position]
    assert histories.values is not None
    shown = np.flatnonzero(place_of != SUPPRESSED_ROW)
    size = len(column.counts)
    pairs = np.unique(histories.history_of[shown] * size + histories.values[shown, position])
    history, value = np.divmod(pairs, size)
    had = np.bincount(group_of[history] * size + value, histories.counts[history], groups * size)
    released = group_of >= 0
    members = np.bincount(group_of[released], histories.counts[released], groups)
    broken = Beliefs.of(model, column).broken(had.reshape(groups, size), members)
    return np.asarray(broken.any(axis=1), np.bool_)
