"""The core's rule of a privacy model against the model's definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.algorithms._rules import is_known, privacy
from shoal.cost import Discernibility
from shoal.model.result.problem import Problem
from shoal.model.table.domain import Domain
from shoal.model.table.frequency_table import Facts, FrequencyTable
from shoal.model.table.people import PARTS_OF_A_PERSON, Group, People
from shoal.privacy import SLACK, GroupModel, ReleaseModel


def judged_otherwise(model: GroupModel, people: People, groups: Sequence[Group]) -> Group | None:
    """A group on which the core and the model disagree; `None` if there is none."""
    if not is_known(model):
        return None
    problem = Problem(table=_table(people, groups), k=1, cost=Discernibility(), limit=0, models=(model,))
    rules = privacy(problem)
    for number, group in enumerate(groups):
        if group.rows == 0:
            continue
        if rules is None:  # nothing but a number of rows is demanded
            admitted = group.rows >= model.least_rows
        else:
            admitted = rules.judge([number], group.rows) == "admitted"
        if admitted != model.admits(group, people):
            return group
    return None


def held_otherwise(model: ReleaseModel, releases: Sequence[Sequence[int]]) -> Sequence[int] | None:
    """Sizes of groups that the core lets be released and the model does not, or the other way round."""
    if not is_known(model):
        return None
    rule = model.core_rule()
    if rule.kind not in ("average-risk", "rows-at-risk"):
        raise AssertionError(f"{model.name}: the core knows no rule {rule.kind!r} of all groups together")

    def holds(sizes: Sequence[int]) -> bool:
        small = sum(size for size in sizes if size < rule.from_)
        counted = len(sizes) if rule.kind == "average-risk" else small
        return counted / sum(sizes) <= rule.most + SLACK

    return next((sizes for sizes in releases if holds(sizes) != model.holds(sizes)), None)


def _table(people: People, groups: Sequence[Group]) -> FrequencyTable:
    """A table with a distinct row for each group."""
    facts = sorted({fact for group in groups for fact in group.facts})
    number = {fact: at for at, fact in enumerate(facts)}
    entries = [(number[fact], rows) for group in groups for fact, rows in sorted(group.facts.items())]
    population = [int(group.population * PARTS_OF_A_PERSON) for group in groups]
    return FrequencyTable(
        domains=(Domain(name="group", kind="number", values=tuple(range(len(groups)))),),
        codes=np.arange(len(groups), dtype=np.int32)[:, None],
        counts=np.array([group.rows for group in groups], np.int64),
        facts=Facts(
            columns=people.columns,
            combinations=np.array(facts, np.int32).reshape(len(facts), len(people.columns)),
            first=np.cumsum([0, *(len(group.facts) for group in groups)]).astype(np.int64),
            of_entry=np.array([fact for fact, _ in entries], np.int32),
            counts=np.array([rows for _, rows in entries], np.int64),
        )
        if people.columns
        else None,
        population=np.array(population, np.int64) if people.population else None,
    )
