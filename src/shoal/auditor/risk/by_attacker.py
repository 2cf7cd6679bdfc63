"""What each attacker can expect of a table: of rows, or of persons who have several."""

from __future__ import annotations

from typing import TypedDict

from shoal.auditor.risk.attackers import PeopleOfGroups, Risk, journalist, marketer, prosecutor
from shoal.auditor.risk.hidden_persons import HiddenPersons
from shoal.model.table.group_sizes import GroupSizes


class ByAttacker(TypedDict):
    """The risks that a report has by attacker."""

    prosecutor: Risk
    journalist: Risk | None
    marketer: Risk


def attackers_of(
    sizes: GroupSizes,
    people: PeopleOfGroups | None,
    persons: HiddenPersons | None,
    size: int | None,
    threshold: float,
) -> ByAttacker:
    """What each attacker can expect: of rows, or of persons where they are known.

    Parameters
    ----------
    sizes, people
        How large the groups are, and how many people of the population match them.
    persons, size
        Among how many persons each is hidden, where persons have several rows, and the size of the
        population.
    threshold
        The risk above which rows or persons are counted.
    """
    if persons is None:
        return {
            "prosecutor": prosecutor(sizes, threshold),
            "journalist": None if people is None else journalist(people, threshold),
            "marketer": marketer(sizes, people, threshold),
        }
    return {
        "prosecutor": persons.prosecutor(threshold),
        "journalist": None if size is None else persons.journalist(size, threshold),
        "marketer": persons.marketer(size, threshold),
    }
