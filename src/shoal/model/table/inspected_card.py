"""What an inspected table shows of itself in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.formatting.card import Badge, Card, Grid, sentences
from shoal.formatting.numbers import counted, percent

if TYPE_CHECKING:
    from shoal.model.table.inspected import Inspected

HEAD = ("column", "type", "missing", "distinct", "likely role", "because", "order")


def inspected_card(inspected: Inspected) -> Card:
    """The columns with their likely roles, and how unique rows are; no cell."""
    rows = inspected.rows
    unique = inspected.unique_rows
    facts = [("rows", f"{rows:,}"), ("columns", f"{len(inspected.columns):,}")]
    if unique is not None:
        facts += [
            ("combinations", f"{inspected.groups:,}"),
            ("unique rows", f"{unique:,} ({percent(unique / rows)})"),
        ]
        line = f"Looked at together: {', '.join(inspected.quasi_identifiers)}."
    else:
        line = "No column looks like a quasi-identifier: name some with quasi_identifiers=[...]."
    return Card(
        title="Inspected table",
        badges=(Badge(text="roles are guesses"),),
        facts=tuple(facts),
        lines=(line, *sentences([inspected.persons] if inspected.persons else [])),
        warnings=sentences(inspected.warnings),
        tables=(
            Grid(
                caption=f"{counted(len(inspected.columns), 'column')}; no cell is shown",
                head=HEAD,
                rows=tuple(
                    (
                        each.name,
                        each.kind,
                        f"{each.missing:,}",
                        f"{each.distinct:,}",
                        each.likely_role.value,
                        each.reason,
                        each.order or "",
                    )
                    for each in inspected.columns
                ),
                numbers=frozenset({2, 3}),
            ),
        ),
    )
