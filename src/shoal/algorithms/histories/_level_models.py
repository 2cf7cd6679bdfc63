"""Privacy models of histories, as the search over levels judges them in the core.

Persons with the same released history are a group. Somebody who links a person's rows sees each released row
of the history with the sensitive values of the members there, and knows who has a value in any row: the model
must admit the rows there, and no more of the members may have a value than the model lets a reader believe.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal import _core
from shoal.algorithms._rules import _rule, is_known
from shoal.algorithms.histories._judged_groups import Beliefs
from shoal.model.history.problem import HistoryProblem
from shoal.model.table.frequency_table import Facts
from shoal.privacy import SensitiveModel


def why_not_models(problem: HistoryProblem) -> str | None:
    """Why the problem's models cannot be judged, as the end of a sentence; `None` if they can."""
    for model in problem.models:
        if problem.promise.known_events is not None:
            return (
                f"it does not judge {model.name!r} where somebody knows some rows of a person and not all; "
                'choose known_events = "all", or leave the model out'
            )
        if not isinstance(model, SensitiveModel) or not is_known(model):
            return f"it has no rule for the model {model.name!r} of people with several rows; leave it out"
    return None


class LevelModels:
    """What the core needs to judge groups of persons.

    Parameters
    ----------
    problem
        Its models are known to the core.
    """

    def __init__(self, problem: HistoryProblem) -> None:
        histories = problem.histories
        self.facts: NDArray[np.int32] = np.zeros(0, np.int32)
        """For each row of a history the number of its combination of sensitive values in its table."""
        self.privacy: list[_core.Privacy | None] = [None] * len(histories.tables)
        self.beliefs: list[_core.Belief] = []
        values = histories.values
        if not problem.models or values is None:
            return
        values = values.reshape(len(histories.row_of), -1)
        self.facts = np.zeros(len(histories.row_of), np.int32)
        for number, table in enumerate(histories.tables):
            if table.facts is None:
                continue
            columns, own = table.facts.columns, histories.table_of == number
            distinct, of_row = np.unique(values[own, : len(columns)], axis=0, return_inverse=True)
            self.facts[own] = of_row.reshape(-1)
            names = [column.name for column in columns]
            models = [
                model
                for model in problem.models
                if isinstance(model, SensitiveModel) and model.attribute in names
            ]
            facts = Facts(
                columns=columns,
                combinations=distinct.astype(np.int32),
                first=np.zeros(1, np.int64),
                of_entry=np.zeros(0, np.int32),
                counts=np.zeros(0, np.int64),
            )
            if not models:
                continue
            self.privacy[number] = _privacy([_rule(model, facts) for model in models])
            for model in models:
                place = names.index(model.attribute)
                column = columns[place]
                beliefs = Beliefs.of(model, column)
                value_of = distinct[:, place].tolist()
                self.beliefs.append(_core.Belief(number, value_of, beliefs.most.tolist(), beliefs.others))


def _privacy(rules: list[_core.Rule]) -> _core.Privacy:
    empty: NDArray[np.int64] = np.zeros(0, np.int64)
    return _core.Privacy(
        rules=rules,
        first=empty,
        facts=empty.astype(np.int32),
        counts=empty,
        population=empty,
        supersets=False,
        strict=False,
        empty_groups=False,
        most_risk=1.0,
        at_risk_below=0,
        most_at_risk=1.0,
    )
