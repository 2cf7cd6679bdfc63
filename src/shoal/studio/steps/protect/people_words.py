"""What a policy says about persons and households, in plain English. No page code."""

from __future__ import annotations

from shoal import Role
from shoal.studio.draft import Draft
from shoal.studio.steps.protect.remark import Remark, short
from shoal.studio.workspace import Opened

MOSTLY_ONCE = 0.95
"""Values per row of a column of which hardly one comes again; values are counted roughly."""


def known_in_words(draft: Draft) -> str:
    """What an attacker knows about."""
    demands = draft.stated["privacy"]
    if demands.get("household"):
        return "all members of a household"
    if not demands.get("entity"):
        return "a person"
    if not demands.get("linkable"):
        return "one row of a person"
    known = demands.get("known_events", "all")
    return "all rows of a person" if known == "all" else f"up to {known} row(s) of a person"


def counted(draft: Draft) -> str:
    """What k counts."""
    demands = draft.stated["privacy"]
    return "households" if demands.get("household") else "persons" if demands.get("entity") else "rows"


def people_columns(draft: Draft) -> dict[str, str]:
    """What becomes of the column that identifies persons or households: name -> a sentence."""
    demands = draft.stated["privacy"]
    entity, household = demands.get("entity"), demands.get("household")
    if household:
        words = "is released as fresh pseudonyms, and households are released whole or not at all."
        return {household: f"{short(household)} identifies households: it {words}"}
    if not entity:
        return {}
    if demands.get("linkable"):
        words = "it is released as fresh pseudonyms, so that readers can follow a person through the rows."
    else:
        words = "it is dropped, so that nobody can link rows of a person by it."
    return {entity: f"{short(entity)} identifies persons: {words}"}


def several_rows(draft: Draft, table: Opened) -> list[Remark]:
    """An identifier that comes again: then k rows may be fewer than k persons."""
    if people_columns(draft):
        return []
    again = [
        (column.distinct, column.name)
        for column in table.inspected.columns
        if draft.role(column.name) is Role.IDENTIFIER
        and 1 < column.distinct < MOSTLY_ONCE * (table.inspected.rows - column.missing)
    ]
    return [
        Remark(
            f"{short(name)} has about {distinct:,} values in {table.inspected.rows:,} rows: if it identifies "
            "persons, one person has several rows, and k rows may be fewer than k persons. Say so "
            "under Persons and population.",
            name,
        )
        for distinct, name in sorted(again)[-1:]
    ]


def people_problems(draft: Draft) -> list[Remark]:
    """Roles that contradict what becomes of the column of persons or households."""
    demands, remarks = draft.stated["privacy"], []
    linked = bool(demands.get("household") or demands.get("linkable"))
    for name in people_columns(draft):
        role = draft.role(name)
        if role is Role.IDENTIFIER and linked:
            words = (
                f"{short(name)} is to be dropped, and its rows are to stay linkable: give it the role other."
            )
            remarks.append(Remark(words, name))
        elif role in (Role.SENSITIVE, Role.CLASS) and not linked:
            words = f"{short(name)} identifies persons and is dropped; its role {role.value} would keep it."
            remarks.append(Remark(words, name))
    return remarks
