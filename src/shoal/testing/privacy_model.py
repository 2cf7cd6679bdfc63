"""A privacy model against its own claims, on all small groups.

Searches prune by what a model claims, so a wrong claim is a wrong optimum, in silence. The claims are about
all groups; a wrong one mostly fails on very small ones already.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from functools import cache

from shoal.model.hierarchy.coded_tree import tree_of
from shoal.model.table.people import Group, People, SensitiveColumn
from shoal.privacy import GroupModel, PrivacyModel, ReleaseModel, SensitiveModel, parameters_of
from shoal.testing._core_rule import held_otherwise, judged_otherwise
from shoal.testing._words import check_line, check_words

Counts = tuple[int, ...]
"""Rows per fact, and, last, how many people of the population have no row."""


def check_privacy_model(
    model: PrivacyModel, people: People | None = None, *, most_rows: int = 4, most_strangers: int = 2
) -> None:
    """Raise `AssertionError`, with the groups that show it, if a model does not keep what it claims.

    Looks at every group of up to `most_rows` rows with values of the table's columns, whether or not the
    table has so many of them, and at every two such groups together; for a model of all groups together, at
    every release of up to `most_rows` groups of up to `most_rows` rows.

    1. A union of admitted groups is admitted, and a superset of one, where the model says so.
    2. No part of a group is admitted if `may_admit_part` is false, and then it is false for the part, too.
    3. A group that is refused measures worse, by `worst`, than every group that is admitted.
    4. The shortcuts that its own class defines agree with `admits`: the rule of the core, `least_rows`,
       `size_alone` and `distinct_demand`. What it lets a reader believe is a probability.
    5. It has words, and so has each of its parameters.

    Parameters
    ----------
    model
        The model.
    people
        A table on which it is defined; when absent, one with three values in each of its columns. The effort
        grows with the number of combinations of its values, to the power of twice `most_rows`: two or three
        values are a good choice.
    most_rows
        Most rows of a group.
    most_strangers
        Most people of the population who have no row, in each group; for a model that looks at them.
    """
    _check_words(model)
    people = _people(model) if people is None else people
    model.check(people)
    if isinstance(model, GroupModel):
        _check_groups(model, people, most_rows, most_strangers if model.needs_population else 0)
    elif isinstance(model, ReleaseModel):
        _check_releases(model, most_rows)
    else:
        raise AssertionError(f"{model.name} is neither a model of one group nor of a release")


def _check_groups(model: GroupModel, people: People, most_rows: int, most_strangers: int) -> None:
    facts = list(itertools.product(*(range(len(column.counts)) for column in people.columns)))
    group = cache(lambda counts: _group(counts, facts))
    admits = cache(lambda counts: model.admits(group(counts), people))
    may = cache(lambda counts: model.may_admit_part(group(counts), people))
    every = list(_every_group(len(facts), most_rows, most_strangers))

    def say(counts: Counts) -> str:
        return _text(group(counts), people)

    for one, two in itertools.product(every, every):
        both = tuple(map(sum, zip(one, two, strict=True)))
        if admits(one) and not admits(both):
            if model.supersets_are_admitted:
                raise AssertionError(
                    f"{model} says that a superset of an admitted group is admitted, but {say(one)} is "
                    f"admitted, and {say(both)} is not"
                )
            if model.unions_are_admitted and admits(two):
                raise AssertionError(
                    f"{model} says that a union of admitted groups is admitted, but {say(one)} and "
                    f"{say(two)} are admitted, and {say(both)} is not"
                )
        for part in (one, both):
            if not may(both) and (admits(part) or may(part)) and group(part).rows:
                raise AssertionError(
                    f"{model} says that no part of {say(both)} may be admitted, but {say(part)} "
                    f"{'is' if admits(part) else 'might be, it says'}"
                )
    verdicts = {say(each): (model.measure(group(each), people), admits(each)) for each in every}
    _check_measure(model, verdicts)
    _check_shortcuts(model, people, [group(each) for each in every])


def _check_releases(model: ReleaseModel, most: int) -> None:
    releases = [
        sizes
        for groups in range(1, most + 1)
        for sizes in itertools.combinations_with_replacement(range(1, most + 1), groups)
    ]
    for sizes in releases:
        for one, two in itertools.combinations(range(len(sizes)), 2):
            rest = [size for place, size in enumerate(sizes) if place not in (one, two)]
            joined = [*rest, sizes[one] + sizes[two]]
            if model.unions_are_admitted and model.holds(sizes) and not model.holds(joined):
                raise AssertionError(
                    f"{model} says that it holds when released groups are joined, but it holds for groups of "
                    f"{sizes} rows, and not for groups of {tuple(joined)}"
                )
    other = held_otherwise(model, releases)
    if other is not None:
        raise AssertionError(f"{model} and its rule for the core differ on groups of {tuple(other)} rows")
    _check_measure(
        model, {f"groups of {sizes} rows": (model.measure(sizes), model.holds(sizes)) for sizes in releases}
    )


def _check_shortcuts(model: GroupModel, people: People, groups: list[Group]) -> None:
    other = judged_otherwise(model, people, groups)
    if other is not None:
        raise AssertionError(f"{model} and its rule for the core differ on {_text(other, people)}")
    demand = model.distinct_demand if model.defines("distinct_demand") else None
    for group in groups:
        admitted = model.admits(group, people)
        if admitted and 0 < group.rows < model.least_rows:
            raise AssertionError(
                f"{model} says that an admitted group has at least {model.least_rows} rows, but it admits "
                f"{_text(group, people)}"
            )
        if model.defines("size_alone") and model.size_alone and admitted != (group.rows >= model.least_rows):
            raise AssertionError(f"{model} says that sizes decide alone, but not of {_text(group, people)}")
        if demand is not None and group.rows:
            distinct = len(group.histogram(people.position(demand[0])))
            if admitted != (distinct >= demand[1]):
                raise AssertionError(
                    f"{model} says that it demands {demand[1]} values of {demand[0]!r} and nothing else, but "
                    f"not of {_text(group, people)}"
                )
    if isinstance(model, SensitiveModel):
        column = people.column(model.attribute)
        beliefs = [model.most_belief(value, column) for value in range(len(column.counts))]
        if not all(0 <= belief <= 1 for belief in beliefs):
            raise AssertionError(f"{model}: most_belief must be from 0 to 1; it is {beliefs}")


def _check_words(model: PrivacyModel) -> None:
    check_words(type(model), whole=True)
    for name in ("measures", "unit", "demand", "label"):
        check_line(model.name, name, getattr(model, name, None))
    without = {each.name for each in fields(model)} - {*parameters_of(type(model))}
    if without:
        raise AssertionError(f"{model.name}: parameters without words: {', '.join(sorted(without))}")


def _people(model: PrivacyModel) -> People:
    """A table on which most models are defined."""
    texts = ("a", "b", "c")
    tree = tree_of([("a", "p", "*"), ("b", "p", "*"), ("c", "q", "*")], range(3), texts, missing=False)
    columns = tuple(
        SensitiveColumn(name=name, counts=(2, 1, 1))
        if name in model.person_columns
        else SensitiveColumn(name=name, counts=(4, 3, 2), values=texts, tree=tree)
        for name in model.columns
    )
    return People(columns=columns, population=model.needs_population)


def _check_measure(model: PrivacyModel, verdicts: dict[str, tuple[float, bool]]) -> None:
    """No value that was refused is as safe as one that was admitted."""
    admitted = {value: say for say, (value, good) in verdicts.items() if good}
    worst = model.worst(admitted)
    if worst is None:
        return
    for say, (value, good) in verdicts.items():
        if not good and (value == worst or model.worst([worst, value]) != value):
            raise AssertionError(
                f"{model} admits {admitted[worst]}, where it measures {worst:.6g}, and refuses {say}, where "
                f"it measures {value:.6g}"
            )


def _every_group(facts: int, most_rows: int, most_strangers: int) -> Iterator[Counts]:
    for strangers in range(most_strangers + 1):
        for rows in range(0 if strangers else 1, most_rows + 1):
            for bars in itertools.combinations(range(rows + facts - 1), facts - 1):
                ends = (-1, *bars, rows + facts - 1)
                yield (*(after - before - 1 for before, after in itertools.pairwise(ends)), strangers)


def _group(counts: Counts, facts: list[tuple[int, ...]]) -> Group:
    *rows, strangers = counts
    held = {fact: count for fact, count in zip(facts, rows, strict=True) if count}
    return Group(rows=sum(rows), facts=held, population=Fraction(sum(rows) + strangers))


def _text(group: Group, people: People) -> str:
    """A group for a reader: how many rows have which values."""
    said = []
    for fact, rows in group.facts.items():
        names = [
            column.values[code] if column.values else f"{column.name} {code}"
            for column, code in zip(people.columns, fact, strict=True)
        ]
        said.append(f"{rows} x {' & '.join(names) or 'row'}")
    strangers = group.population - group.rows
    if strangers:
        said.append(f"{strangers} more of the population")
    return "{" + ", ".join(said) + "}"
