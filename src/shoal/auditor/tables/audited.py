"""What an audit of several tables says."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from shoal.auditor.tables.measured import MeasuredTables
from shoal.formatting.card import Badge, Card, Grid, sentences


@dataclass(frozen=True, kw_only=True)
class AuditedTables:
    """What was measured in several tables, against what is demanded.

    Parameters
    ----------
    measured
        What was measured.
    demanded
        The k that is demanded of persons, across all tables.
    disagreements
        Where the tables are not as their manifest says, in sentences.
    """

    measured: MeasuredTables
    demanded: int
    disagreements: tuple[str, ...] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """What does not hold, in sentences."""
        return (*self.measured.failures(self.demanded), *self.disagreements)

    @property
    def meets(self) -> bool:
        """Whether everything holds that is demanded."""
        return not self.failures

    def to_dict(self) -> dict[str, object]:
        """For programs."""
        return {
            "k": self.demanded,
            "meets": self.meets,
            "failures": list(self.failures),
            **asdict(self.measured),
        }

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """For people: what holds across the tables, and each table by itself."""
        measured = self.measured
        reached = "nobody" if measured.smallest is None else f"k {measured.smallest:,} across the tables"
        lines = [
            f"{reached}   persons {measured.persons:,}   groups {measured.groups:,}   "
            f"alone {measured.alone:,}   below {self.demanded}: {measured.below:,} persons   "
            f"keys {'fail' if measured.faults else 'hold'}"
        ]
        width = max(map(len, measured.rows))
        for name, rows in measured.rows.items():
            own = measured.per_table[name]
            lines.append(
                f"  {name:<{width}}  rows {rows:,}" + ("" if own is None else f"   by itself k {own:,}")
            )
        return lines

    def _repr_html_(self) -> str:
        measured = self.measured
        return Card(
            title="Audit of several tables",
            badges=(
                Badge(text="holds", tone="good") if self.meets else Badge(text="does not hold", tone="bad"),
            ),
            facts=(
                ("k across the tables", "" if measured.smallest is None else f"{measured.smallest:,}"),
                ("persons", f"{measured.persons:,}"),
                ("alone", f"{measured.alone:,}"),
                (f"below {self.demanded}", f"{measured.below:,}"),
                ("keys", "fail" if measured.faults else "hold"),
            ),
            failures=sentences(self.failures),
            tables=(tables_grid(measured),),
        ).html()


def tables_grid(measured: MeasuredTables) -> Grid:
    """Each table by itself."""
    return Grid(
        caption="Each table by itself",
        head=("table", "rows", "fewest persons"),
        rows=tuple(
            (name, f"{rows:,}", "" if (own := measured.per_table[name]) is None else f"{own:,}")
            for name, rows in measured.rows.items()
        ),
        numbers=frozenset({1, 2}),
    )
