"""What a coalition of members sees of a round, and whom it can exclude as the sender.

It has what it was dealt, what it dealt itself, and all announced sums; commitments hide perfectly and add
nothing. What it does not see are the shares that the other members dealt to each other: h rows and h
columns, of which it knows all sums if it supposes who sent. Every supposition whose rows and columns have
the same total fits, and in as many ways as any other: order^((h-1)^2). Two honest members and a field of 11
make 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.channel.dealing import Share
from shoal.channel.round import Opened


@dataclass(frozen=True)
class View:
    """What one member saw of a round; numbers by slot.

    Parameters
    ----------
    round
        Which.
    slots
        What was in the slots.
    dealt, given
        The shares that it got, by dealer, and gave, by member.
    sums
        What everybody announced.
    """

    round: int
    slots: Sequence[int]
    dealt: Mapping[str, Sequence[int]]
    given: Mapping[str, Sequence[int]]
    sums: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, opened: Opened) -> View:
        """Of a round that ended."""
        return cls(
            opened.attempt.round, opened.slots, *map(_values, (opened.dealt, opened.given, opened.sums))
        )

    def to_json(self) -> dict[str, Any]:
        """For a file; numbers in hexadecimal digits."""
        tables = {"dealt": self.dealt, "given": self.given, "sums": self.sums}
        coded = {key: {name: _coded(each) for name, each in table.items()} for key, table in tables.items()}
        return {"round": self.round, "slots": _coded(self.slots), **coded}

    @classmethod
    def of_json(cls, found: Mapping[str, Any]) -> View:
        """What `to_json` wrote."""
        tables = (
            {name: _decoded(each) for name, each in found[key].items()} for key in ("dealt", "given", "sums")
        )
        return cls(found["round"], _decoded(found["slots"]), *tables)


def unseen_fillings(views: Mapping[str, View], slot: int, order: int) -> dict[str, int]:
    """For each member outside a coalition, in how many ways it can have sent what is in a slot.

    Parameters
    ----------
    views
        What the members of the coalition saw, by their names.
    slot
        Which slot.
    order
        Of the field.
    """
    some = next(iter(views.values()))
    others = [name for name in some.dealt if name not in views]
    own = sum(view.given[name][slot] for view in views.values() for name in view.given)
    value = some.slots[slot] - own  # what is left when the coalition's own inputs are taken out
    columns = [
        some.sums[name][slot] - sum(view.given[name][slot] for view in views.values()) for name in others
    ]
    fillings = {}
    for sender in others:
        rows = [
            (value if name == sender else 0) - sum(view.dealt[name][slot] for view in views.values())
            for name in others
        ]
        fits = (sum(rows) - sum(columns)) % order == 0
        fillings[sender] = order ** ((len(others) - 1) ** 2) if fits else 0
    return fillings


def _values(table: Mapping[str, Sequence[Share]]) -> dict[str, list[int]]:
    return {name: [share.value for share in shares] for name, shares in table.items()}


def _coded(numbers: Sequence[int]) -> list[str]:
    return [f"{number:x}" for number in numbers]


def _decoded(numbers: Sequence[str]) -> list[int]:
    return [int(number, 16) for number in numbers]
