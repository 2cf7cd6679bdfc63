"""Warnings about people with several rows: what links their rows, and that nobody counted them.

Without a pseudonym nobody should be able to tell which rows are of one person. A kept column whose values
belong to one person each undoes that, as does the order of the rows. All counts are of the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from shoal.model.policy.policy import Policy
from shoal.model.result.coded_warning import CodedWarning
from shoal.model.table.likely_entity import named_as_persons, repeats
from shoal.model.table.linked_persons import LinkedPersons
from shoal.model.table.roles.record_number import FEWEST
from shoal.model.table.table_sample import TableSample

MANY = 0.5
"""Of the persons with several rows, the share from which on their being linked is no accident."""
FEW_ROWS = 20
"""With fewer rows it means nothing what links them."""
OFTEN = 2
"""How many times more neighbours of one person there must be than in a random order."""


class Links(Protocol):
    """What is needed from an engine."""

    def linked_persons(self, source: Any, person: str, columns: Sequence[str] = ()) -> LinkedPersons: ...


def person_leaks(
    engine: Links,
    source: Any,
    policy: Policy,
    *,
    columns: Sequence[str],
    kept: Sequence[str],
    look: TableSample,
    recoded: bool = False,
) -> list[CodedWarning]:
    """The warnings about people with several rows.

    Parameters
    ----------
    engine, source, policy
        The table, and what is known about its columns.
    columns, kept
        All columns, and those of them that are released and not recoded.
    look
        What a sample of rows reveals.
    recoded
        Whether the table is a release: then the persons of its rows are not known.
    """
    if policy.household is not None or policy.linkable:
        return []
    if policy.entity is None:
        names = [each.name for each in policy.quasi_identifiers]
        return _repeated(engine, source, policy, [name for name in columns if name not in names])
    if recoded or policy.entity not in columns:
        return []
    others = [name for name in kept if name != policy.entity]
    linked = engine.linked_persons(source, policy.entity)
    if linked.several == 0 or linked.rows < FEW_ROWS:
        return []
    likely = [name for name in others if _may_link(look, name, linked)]
    linked = engine.linked_persons(source, policy.entity, likely) if likely else linked
    return [*_linking(policy, linked), *_neighbouring(policy, linked)]


def _may_link(look: TableSample, name: str, linked: LinkedPersons) -> bool:
    """Whether a sample leaves it possible that a column links many persons.

    Each of them has a value of their own, on at least two rows, so that about `several / rows` of the sampled
    rows have different values. Half of that is enough to be counted.
    """
    distinct = look.distinct.get(name)
    return distinct is not None and distinct.values >= MANY * distinct.known * linked.several / linked.rows


def _linking(policy: Policy, linked: LinkedPersons) -> list[CodedWarning]:
    accepted = {each.name for each in policy.attributes if "linking-column" in each.acknowledge}
    return [
        CodedWarning(
            f"{name!r} is released, and links the rows of {persons:,} of {linked.several:,} persons who have "
            "several: they have a value on at least two rows that nobody else has. k holds of rows that "
            "nobody can link; drop the column (role identifier), generalize it (role quasi-identifier), or "
            "release linkable rows on purpose (linkable = true)",
            code="linking-column",
            columns=(name,),
        )
        for name, persons in linked.by_column.items()
        if persons > MANY * linked.several and name not in accepted
    ]


def _neighbouring(policy: Policy, linked: LinkedPersons) -> list[CodedWarning]:
    found = linked.neighbours
    if policy.order != "keep" or "neighbouring-rows" in policy.acknowledge or found is None:
        return []
    if found <= MANY * linked.several or linked.pairs < OFTEN * linked.pairs_by_chance:
        return []
    return [
        CodedWarning(
            f"the release keeps the order of the source, in which rows of one person follow each other: "
            f"{found:,} of {linked.several:,} persons with several rows have neighbouring ones, and whoever "
            'knows that can link them. Say order = "shuffle" (--row-order shuffle)',
            code="neighbouring-rows",
        )
    ]


def _repeated(engine: Links, source: Any, policy: Policy, columns: Sequence[str]) -> list[CodedWarning]:
    """That rows are counted, although a column that numbers persons repeats."""
    accepted = {each.name for each in policy.attributes if "repeated-persons" in each.acknowledge}
    named = named_as_persons(columns)
    if accepted.intersection(named):
        return []
    counted = {name: engine.linked_persons(source, name) for name in named}
    several = [
        (each.persons, name)
        for name, each in counted.items()
        if each.persons >= FEWEST and repeats(each.rows, each.persons)
    ]
    if not several:
        return []
    persons, name = max(several)
    return [
        CodedWarning(
            f"k counts rows, and rows are not people here: {name!r} has {persons:,} values in "
            f"{counted[name].rows:,} rows, so some persons seem to have several. If it identifies "
            f"persons, say entity = {name!r}; if households, household = {name!r}; if neither, "
            'acknowledge = ["repeated-persons"]',
            code="repeated-persons",
            columns=(name,),
        )
    ]
