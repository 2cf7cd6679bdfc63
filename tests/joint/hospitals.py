"""Three small hospitals, for tests that need any joint release."""

from __future__ import annotations

import pandas

from shoal.model.hierarchy.hierarchy import Hierarchy
from shoal.model.policy.attribute import Attribute, Role
from shoal.model.policy.policy import Policy
from shoal.model.policy.suppression import Suppression

AGE = Hierarchy(tuple((str(age), f"[{age // 10 * 10}, {age // 10 * 10 + 9}]", "*") for age in range(20, 60)))
ZIP = Hierarchy(tuple((f"0{code}", f"0{code // 10}*", "*") for code in range(2130, 2150)))

SECRET = "hush"
"""A text in a cell that nobody may see in a message or a log."""


def tables(holders: int = 3, rows: int = 40) -> list[pandas.DataFrame]:
    """Rows that differ from holder to holder."""
    made = []
    for number in range(holders):
        places = range(rows + number)
        rows_of_holder = [
            (20 + (7 * each + number) % 13, f"0{2130 + (each + number) % 5}", f"{SECRET}-{number}-{each % 3}")
            for each in places
        ]
        # Two people whom nobody is like: what they cost is asked for.
        rows_of_holder += [(59 - number, "02149", SECRET)] * (number < 2)
        made.append(pandas.DataFrame(rows_of_holder, columns=["age", "zip", "note"]))
    return made


def policy(k: int = 3, suppression: int | str = 10, cost: str = "general-loss") -> Policy:
    """What they agreed on."""
    return Policy(
        attributes=(
            Attribute(name="age", role=Role.QUASI_IDENTIFIER, hierarchy=AGE),
            Attribute(name="zip", role=Role.QUASI_IDENTIFIER, hierarchy=ZIP, type="category"),
        ),
        k=k,
        cost=cost,
        suppression=Suppression(suppression),
    )
