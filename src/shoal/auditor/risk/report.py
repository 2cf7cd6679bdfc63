"""The measured risk of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.auditor.risk.attackers import Risk
from shoal.auditor.risk.card import risk_card
from shoal.auditor.risk.hidden_persons import HiddenPersons
from shoal.auditor.risk.households import HouseholdRisk
from shoal.auditor.risk.identifying import Identifying
from shoal.auditor.risk.limits import Limits
from shoal.auditor.risk.safe_harbor import Finding
from shoal.auditor.risk.subsets import Subset
from shoal.auditor.risk.suda_summary import SudaSummary
from shoal.model.table.group_sizes import GroupSizes
from shoal.privacy.uniqueness.population_uniqueness import PopulationUniqueness

MODELS = {"pitman": "Pitman", "zayatz": "Zayatz", "snb": "slide negative binomial", "table": "counted"}


@dataclass(frozen=True, kw_only=True)
class RiskReport:
    """The risk of re-identification in any table. No cell of the table is in it.

    Parameters
    ----------
    quasi_identifiers
        What an attacker is assumed to know.
    sizes
        How large the groups are.
    threshold
        The risk above which rows are counted.
    prosecutor, journalist, marketer
        What each attacker can expect. There is no journalist where nothing is known about the population.
    individual
        The risk by survey weights, as mu-Argus reports it.
    population
        How many people of the population are unique, where something is known of it.
    subsets
        How well sets of quasi-identifiers distinguish rows.
    identifying
        Which columns probably identify people.
    safe_harbor
        What HIPAA's Safe Harbor would not allow.
    limits
        What is demanded.
    notes
        What else to know, in sentences.
    entity, table_rows, persons
        The column by which persons are counted in place of rows, how many rows the table then has, and among
        how many persons each is hidden.
    household
        The risk of whole households, if rows are their members.
    suda
        The minimal sample uniques, if they were looked for.
    """

    quasi_identifiers: tuple[str, ...]
    sizes: GroupSizes
    threshold: float
    prosecutor: Risk
    marketer: Risk
    journalist: Risk | None = None
    individual: Risk | None = None
    population: PopulationUniqueness | None = None
    subsets: tuple[Subset, ...] = ()
    identifying: tuple[Identifying, ...] = ()
    safe_harbor: tuple[Finding, ...] = ()
    limits: Limits = field(default_factory=Limits)
    notes: tuple[str, ...] = ()
    entity: str | None = None
    table_rows: int | None = None
    persons: HiddenPersons | None = None
    household: HouseholdRisk | None = None
    suda: SudaSummary | None = None

    @property
    def rows(self) -> int:
        """Rows of the table, suppressed ones among them."""
        return self.table_rows if self.table_rows is not None else self.sizes.rows + self.sizes.suppressed

    @property
    def sample_uniqueness(self) -> float:
        """The share of rows that match no other row, or of persons who are alone by theirs."""
        if self.persons is not None:
            return self.persons.alone / self.persons.count if self.persons.count else 0.0
        return self.sizes.of_size(1) / self.sizes.rows if self.sizes.rows else 0.0

    @property
    def failures(self) -> list[str]:
        """The demands that do not hold, in words."""
        by_attacker = {
            "prosecutor": self.prosecutor,
            "journalist": self.journalist,
            "marketer": self.marketer,
        }
        risk = by_attacker[self.limits.attacker]
        return [] if risk is None else self.limits.failures(risk, self.threshold, self.counted)

    @property
    def holds(self) -> bool:
        """Whether all that is demanded holds."""
        return not self.failures

    def to_dict(self) -> dict[str, object]:
        """For programs: plain numbers, texts and lists."""
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "rows": self.rows,
            "groups": self.sizes.count,
            "suppressed": self.sizes.suppressed,
            "threshold": self.threshold,
            "prosecutor": self.prosecutor.to_dict(),
            "journalist": _facts(self.journalist),
            "marketer": self.marketer.to_dict(),
            "sample_uniqueness": self.sample_uniqueness,
            "population": _facts(self.population),
            "subsets": [each.to_dict() for each in self.subsets],
            "identifying": [each.to_dict() for each in self.identifying],
            "safe_harbor": [each.to_dict() for each in self.safe_harbor],
            "individual": _facts(self.individual),
            "sizes": [
                [size, groups]
                for size, groups in zip(self.sizes.sizes.tolist(), self.sizes.groups.tolist(), strict=True)
            ],
            **({} if self.persons is None else {"persons": self.persons.to_dict()}),
            **({} if self.household is None else {"household": self.household.to_dict()}),
            **({} if self.suda is None else {"suda": self.suda.to_dict()}),
            "notes": list(self.notes),
            "holds": self.holds if self.limits.demands else None,
        }

    @property
    def counted(self) -> str:
        """What risks are about: rows, or persons."""
        return "rows" if self.persons is None else "persons"

    def lines(self) -> Iterator[str]:
        """The report for people, line by line."""
        counted = self.counted
        persons = "" if self.persons is None else f"   {self.persons.count:,} persons"
        groups = "histories" if self.persons is not None and self.persons.linkable else "groups"
        yield (
            f"{self.rows:,} rows{persons}   {self.sizes.count:,} {groups}   suppressed "
            f"{self.sizes.suppressed:,} rows   unique {_percent(self.sample_uniqueness)} of the {counted}"
        )
        if self.persons is not None:
            yield f"persons      {self.persons.sentence()}"
        yield _risk_line("prosecutor", self.prosecutor, self.threshold, counted)
        if self.journalist is not None:
            yield _risk_line("journalist", self.journalist, self.threshold, counted)
        yield (
            f"marketer     average {_percent(self.marketer.average)}   expects to be right about "
            f"{self.marketer.expected:,.1f} {counted}{_by(self.marketer)}"
        )
        if self.individual is not None:
            yield _risk_line("individual", self.individual, self.threshold, counted)
        if self.household is not None:
            yield from self.household.lines()
        if self.population is not None:
            yield from _population_lines(self.population)
        yield from _subset_lines(self.subsets)
        if self.suda is not None:
            yield from self.suda.lines()
        for each in self.identifying:
            yield f"identifying  {each.column!r}: {each.reason}"
        for finding in self.safe_harbor:
            yield f"Safe Harbor  {finding.column!r} ({finding.identifier}): {finding.reason}"
        yield from self.notes

    def _repr_html_(self) -> str:
        return risk_card(self).html()


def _facts(part: Risk | PopulationUniqueness | None) -> dict[str, object] | None:
    return None if part is None else part.to_dict()


def _risk_line(name: str, risk: Risk, threshold: float, counted: str) -> str:
    return (
        f"{name:<11}  highest {_percent(risk.highest)}   average {_percent(risk.average)}   above "
        f"{_percent(threshold)}: {_percent(risk.share_above)} of the {counted}{_by(risk)}"
    )


def _by(risk: Risk) -> str:
    words = {
        "table": "",
        "population": "   (by the table of the population)",
        "survey weights": "   (by survey weights)",
        "population size": "   (estimated from the size of the population)",
    }
    return words[risk.by]


def _population_lines(uniqueness: PopulationUniqueness) -> Iterator[str]:
    if uniqueness.share is None:
        yield f"population   {uniqueness.size:,} people; how many of them are unique cannot be estimated"
    else:
        yield (
            f"population   {uniqueness.size:,} people, {_percent(uniqueness.share)} of them unique "
            f"({MODELS[uniqueness.chosen or 'table']})"
        )
    if uniqueness.measured is not None:
        yield f"population   {_percent(uniqueness.measured)} of the rows are the only person like that"
    for name, model in (
        ("pitman", uniqueness.pitman),
        ("zayatz", uniqueness.zayatz),
        ("snb", uniqueness.snb),
    ):
        if model.reason is not None and uniqueness.chosen != "table":
            yield f"             no estimate by {MODELS[name]}: {model.reason}"


def _subset_lines(subsets: tuple[Subset, ...]) -> Iterator[str]:
    """Each column alone, and the smallest sets that distinguish most rows."""
    for each in subsets:
        if len(each.columns) == 1 or each is subsets[-1]:
            yield (
                f"columns      {', '.join(each.columns)}: distinction {_percent(each.distinction)}, "
                f"separation {_percent(each.separation)}"
            )


def _percent(share: float) -> str:
    """With one digit more than `shoal.formatting` prints: risks are compared with limits."""
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.4g} %"
