"""The core's rules judge as the models define, and the models' two facts hold where they are claimed."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from shoal.algorithms._rules import privacy
from shoal.model.result.problem import Problem
from shoal.privacy import KAnonymity
from tests.agreement.thoroughness import examples

from .private_problems import made_private
from .problems import problems

MANY = settings(max_examples=examples(300), deadline=None, suppress_health_check=list(HealthCheck))
private_problems = problems(max_rows=20).flatmap(made_private)


@MANY
@given(problem=private_problems, data=st.data())
def test_the_core_judges_a_group_as_the_models_define(problem: Problem, data: st.DataObject) -> None:
    """Admitted means that all models admit; hopeless means that some model can admit no part."""
    rules = privacy(problem)
    assume(rules is not None)
    table, people = problem.table, problem.table.people
    rows = data.draw(st.sets(st.integers(0, len(table.counts) - 1), min_size=1))
    group = table.group(rows)
    assume(group.rows > 0)
    judged = [
        model
        for model in problem.group_models
        if not (isinstance(model, KAnonymity) and model.entity is None)
    ]
    verdict = rules.judge(sorted(rows), group.rows)
    assert (verdict == "admitted") == all(model.admits(group, people) for model in judged)
    if problem.most_suppressed > 0:
        hopeless = not all(model.may_admit_part(group, people) for model in judged)
        assert (verdict == "hopeless") == hopeless


@MANY
@given(problem=private_problems, data=st.data())
def test_no_part_of_a_hopeless_group_is_admitted(problem: Problem, data: st.DataObject) -> None:
    """What the searches give up is never needed."""
    table, people = problem.table, problem.table.people
    rows = data.draw(st.sets(st.integers(0, len(table.counts) - 1), min_size=1))
    part = data.draw(st.sets(st.sampled_from(sorted(rows)), min_size=1))
    whole, some = table.group(rows), table.group(part)
    for model in problem.group_models:
        if some.rows and not model.may_admit_part(whole, people):
            assert not model.admits(some, people)
            assert not model.may_admit_part(some, people)


@MANY
@given(problem=private_problems, data=st.data())
def test_the_claimed_facts_hold(problem: Problem, data: st.DataObject) -> None:
    """A superset of an admitted group is admitted where that is claimed, and a union of two everywhere."""
    table, people = problem.table, problem.table.people
    number = st.integers(0, len(table.counts) - 1)
    one, two = data.draw(st.sets(number, min_size=1)), data.draw(st.sets(number, min_size=1))
    both, first, second = table.group(one | two), table.group(one), table.group(two - one)
    for model in problem.group_models:
        if not first.rows or not model.admits(first, people):
            continue
        if model.supersets_are_admitted or (
            model.unions_are_admitted and two - one and second.rows and model.admits(second, people)
        ):
            assert model.admits(both, people)
