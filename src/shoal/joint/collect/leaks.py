"""What each party of a collection learns, in words: in the manifest, and on the terminal.

docs/how-to/collect-rows.md has the same as a table, and tests/joint/collect hold the parties to it.
"""

from __future__ import annotations

from shoal.formatting.numbers import counted
from shoal.joint.collect.opening import Opened
from shoal.joint.collect.terms import Terms

ASSUMED = (
    "This holds if every customer has one token, and if the collector and all helpers do not work together: "
    "together they can open every row by guessing."
)


def rows_notes(terms: Terms, found: Opened) -> list[str]:
    """What the manifest of a release by the method `rows` says."""
    return [
        "The rows were collected from customers who sent one row each, closed; "
        f"{counted(len(found.rows), 'row')} opened, in groups of {terms.k} or more with equal "
        "quasi-identifiers.",
        f"{counted(found.closed_rows, 'row')} in smaller groups stayed closed: nobody has seen them, and "
        "they are not counted among the rows of the source.",
        "The collector learned the rows of this release and the sizes of the closed groups; each helper how "
        "many customers asked; the relay who sent a row, and not which.",
        ASSUMED,
    ]


def cells_notes(terms: Terms, parts: int, stars: int) -> list[str]:
    """What the manifest of a release by the method `cells` says."""
    return [
        f"The rows were collected from customers who sent one row each. Two helpers computed in how many of "
        f"{counted(len(terms.quasi_identifiers), 'column')} each two rows differ; from these distances alone "
        f"the collector formed {counted(parts, 'part')} of {terms.k} to {2 * terms.k - 1} rows, in which "
        f"{counted(stars, 'cell')} became stars.",
        "The collector and the second helper learned the distances of all pairs of rows, among them which "
        "rows are equal, and both helpers and the relay which columns of which part have stars. The "
        "distances are much more than this release says.",
        "This holds if every customer has one token, and if the two helpers do not work together: together "
        "they can open every cell by guessing. It is unfit for data that matter.",
    ]
