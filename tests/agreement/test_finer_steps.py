"""What is told of finer steps, of divided groups and of joined rows equals plain counting on small tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.algorithms.cuts._tree_cuts import recoding_by
from shoal.explanation.attributes import explained_attributes
from shoal.model.recoding.divided_groups import divided_groups
from shoal.model.recoding.finer_steps import finer_steps
from shoal.model.recoding.groups import groups
from shoal.model.recoding.level_recoding import LevelRecoding
from shoal.model.recoding.local_recoding import LocalRecoding
from shoal.model.recoding.recoding import CutRecoding, DomainRecoding
from shoal.model.result.problem import Problem
from shoal.model.result.result import Result, Status
from shoal.model.table.merged_rows import projected, settled
from tests.agreement.thoroughness import examples

from .cut_problems import cut_problems
from .level_problems import level_problems
from .private_problems import made_private
from .problems import problems

MANY = settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))


def released(problem: Problem, recoding: DomainRecoding) -> Result:
    """The answer of a search that found this recoding, and proved nothing."""
    made = groups(problem.table, recoding, problem.k, (), problem.group_models)
    return Result(
        status=Status.FEASIBLE,
        algorithm="given",
        recoding=recoding,
        cost=problem.cost.of(problem.table, recoding, problem.k, problem.group_models),
        suppressed=made.suppressed,
    )


def is_released(problem: Problem, rows: list[int]) -> bool:
    """Whether distinct rows may be released as one group, by k and the models."""
    group = problem.table.group(rows)
    models = problem.group_models
    return group.rows >= problem.k and all(model.admits(group, problem.table.people) for model in models)


def grouped(problem: Problem, recoding: DomainRecoding) -> dict[tuple[int, ...], list[int]]:
    """Released values -> distinct rows, one row after the other."""
    found = defaultdict(list)
    for row, values in enumerate(recoding.released(problem.table).tolist()):
        found[tuple(values)].append(row)
    return dict(found)


def divided(problem: Problem, recoding: DomainRecoding, finer: DomainRecoding) -> int:
    """Released groups of a recoding that fall into parts with rows."""
    parts = [set(rows) for rows in grouped(problem, finer).values() if problem.table.counts[rows].sum()]
    return sum(
        is_released(problem, rows) and sum(part <= set(rows) for part in parts) > 1
        for rows in grouped(problem, recoding).values()
    )


def check_steps(problem: Problem, recoding: DomainRecoding) -> None:
    """Every step of every attribute is what plain counting says.

    Without demands on all groups together: which groups are given up for those is chosen, and not counted.
    """
    problem = replace(problem, models=tuple(problem.group_models))
    _, attributes, _ = explained_attributes(problem, released(problem, recoding))
    now = problem.cost.of(problem.table, recoding, problem.k, problem.group_models)
    before = {row: rows for rows in grouped(problem, recoding).values() for row in rows}
    for attribute, told in enumerate(attributes):
        least = problem.levels[attribute][0] if problem.levels else 0
        steps = finer_steps(recoding, attribute, problem.table.domains[attribute], least)
        assert [step.name for step in steps] == [step.step for step in told.finer]
        for step, finer in zip(steps, told.finer, strict=True):
            fallen, kept = [], []
            suppressed = 0
            for rows in grouped(problem, step.recoding).values():
                size = int(problem.table.counts[rows].sum())
                assert set(rows) <= set(before[rows[0]])
                if is_released(problem, rows):
                    kept.append(size)
                    continue
                suppressed += size
                if size and is_released(problem, before[rows[0]]):
                    fallen.append(size)
            below = [size for size in fallen if size < problem.k]
            assert (finer.groups_below, finer.rows_below) == (len(below), sum(below))
            assert finer.groups_below + finer.groups_refused == len(fallen)
            assert finer.rows_lost == sum(fallen)
            assert list(finer.sizes) == sorted(fallen)[:20]
            assert finer.suppressed == suppressed
            assert finer.groups_divided == divided(problem, recoding, step.recoding)
            assert finer.cost == problem.cost.of(
                problem.table, step.recoding, problem.k, problem.group_models
            )
            assert finer.change == finer.cost - now
            if finer.allowed:
                assert kept
                assert problem.admits(kept, suppressed)
            elif not any(model.forbids_suppression for model in problem.models):
                assert not kept or not problem.admits(kept, suppressed)


@MANY
@given(data=st.data(), problem=problems())
def test_steps_of_cuts_are_those_of_plain_counting(data: st.DataObject, problem: Problem) -> None:
    """Each absent cut, added alone."""
    recoding = CutRecoding.from_sets(
        data.draw(st.sets(st.integers(1, len(domain) - 1))) if len(domain) > 1 else ()
        for domain in problem.table.domains
    )
    absent = [
        len(domain) - 1 - len(cuts) for domain, cuts in zip(problem.table.domains, recoding.cuts, strict=True)
    ]
    _, attributes, _ = explained_attributes(problem, released(problem, recoding))
    assert [each.steps for each in attributes] == absent
    check_steps(problem, recoding)


@MANY
@given(data=st.data(), problem=level_problems())
def test_steps_of_levels_are_those_of_plain_counting(data: st.DataObject, problem: Problem) -> None:
    """One level less, unless the policy forbids it, also with privacy models and a population."""
    problem = data.draw(made_private(problem)) if data.draw(st.booleans()) else problem
    ranges = problem.levels or [(0, domain.hierarchy.height) for domain in problem.table.domains]
    recoding = LevelRecoding(tuple(data.draw(st.integers(*each)) for each in ranges))
    check_steps(problem, recoding)


@MANY
@given(data=st.data(), problem=cut_problems())
def test_steps_along_hierarchies_are_those_of_plain_counting(data: st.DataObject, problem: Problem) -> None:
    """A label falls into its parts where a column has a hierarchy; others are cut."""
    cuts = []
    for domain in problem.table.domains:
        if domain.tree is None:
            every = [code for code in range(1, len(domain)) if data.draw(st.booleans())]
        else:
            level = data.draw(st.integers(0, domain.tree.height))
            parts = domain.tree.parts[level]
            every = [code for code in range(1, len(domain)) if parts[code] != parts[code - 1]]
        cuts.append(every)
    recoding = recoding_by(problem.table, cuts)
    assert isinstance(recoding, DomainRecoding)
    check_steps(problem, recoding)


@MANY
@given(data=st.data(), problem=problems())
def test_joined_rows_keep_all_that_was_counted(data: st.DataObject, problem: Problem) -> None:
    """Groups, models and costs see the same people in fewer lines."""
    problem = data.draw(made_private(problem))
    table = problem.table
    chosen = sorted(data.draw(st.sets(st.integers(0, len(table.domains) - 1), min_size=1)))
    fewer = projected(table, chosen)
    lines = fewer.codes.tolist()
    assert lines == sorted(map(list, set(map(tuple, table.codes[:, chosen].tolist()))))
    for line, codes in enumerate(lines):
        rows = [row for row, each in enumerate(table.codes[:, chosen].tolist()) if each == codes]
        assert fewer.group([line]) == table.group(rows)
        assert fewer.label_counts[line].tolist() == table.label_counts[rows].sum(axis=0).tolist()
    recoding = CutRecoding(tuple(() for _ in table.domains))
    small = settled(table, recoding, 0)
    assert small.rows == table.rows
    assert len(small.counts) == len(np.unique(table.codes[:, 0]))
    assert small.group(range(len(small.counts))) == table.group(range(len(table.counts)))


@MANY
@given(data=st.data(), problem=level_problems(max_rows=16))
def test_groups_that_could_be_divided_are_those_of_plain_trying(
    data: st.DataObject, problem: Problem
) -> None:
    """Every division of every group, tried one by one."""
    if data.draw(st.booleans()):
        problem = data.draw(made_private(problem, risk=False))
    table = problem.table
    lines = len(table.counts)
    group_of = np.array(data.draw(st.lists(st.integers(-1, 3), min_size=lines, max_size=lines)))
    words = data.draw(st.sampled_from(["nodes", "spans", "cells"]))
    recoding = LocalRecoding.from_groups(table, group_of, [words] * len(table.domains))
    models = problem.group_models
    made = groups(table, recoding, problem.k, (), models)
    for attribute, domain in enumerate(table.domains):
        told = divided_groups(table, recoding, made, attribute, problem.k, models)
        could, seen = 0, 0
        for number in range(len(made.sizes)):
            rows = np.flatnonzero(made.of_row == number)
            values = made.values[number]
            stars = all(recoding.nodes[a][v] is None for a, v in enumerate(values))
            if not made.kept[number] or not made.sizes[number] or stars:
                continue
            seen += 1
            codes = table.codes[rows, attribute]
            node = recoding.nodes[attribute][values[attribute]]
            sides: list[np.ndarray]
            if isinstance(node, tuple):
                below = [np.array(domain.hierarchy.parts[level])[codes] for level in range(node[0])]
                parts = next((each for each in reversed(below) if len(set(each.tolist())) > 1), codes)
                sides = [parts == part for part in set(parts.tolist())]
            elif node is not None and domain.kind != "category":
                sides = [codes <= code for code in set(codes.tolist())]
            else:
                sides = [codes == code for code in set(codes.tolist())]
            could += any(
                is_released(problem, rows[side].tolist()) and is_released(problem, rows[~side].tolist())
                for side in sides
            )
        assert (told.groups, told.divisible) == (seen, could)
        assert told.single + told.small + told.lopsided + told.refused + told.divisible == seen
